use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Error;

/// Who serves a model; the first part of a [`ModelId`](crate::ModelId).
///
/// Every provider can be named, stored and read back, whichever this build has a client for: each is a feature of the
/// crate, all of them on by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Provider {
    /// An Ollama server, by its native API: `ollama`.
    Ollama,
    /// The OpenAI API: `openai`.
    OpenAi,
    /// The Anthropic API: `anthropic`.
    Anthropic,
    /// The Google Gemini API: `gemini`.
    Gemini,
    /// The Groq API: `groq`.
    Groq,
    /// Any server that speaks the chat API of OpenAI: `openai-compatible`.
    OpenAiCompatible,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Ollama, Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Groq, Self::OpenAiCompatible];

    /// The name used in model ids and settings, in lower case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Groq => "groq",
            Self::OpenAiCompatible => "openai-compatible",
        }
    }
}

impl Provider {
    /// The environment variable in which the provider's own tools look for the key; `None` where no key is needed.
    #[must_use]
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Groq => Some("GROQ_API_KEY"),
            Self::Ollama | Self::OpenAiCompatible => None,
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Provider {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|provider| provider.as_str() == text)
            .ok_or_else(|| Error::BadProvider { text: text.to_owned() })
    }
}

impl TryFrom<String> for Provider {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Provider> for String {
    fn from(provider: Provider) -> Self {
        provider.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_is_read_back_from_its_name() {
        for provider in Provider::ALL {
            assert_eq!(provider.to_string().parse::<Provider>().unwrap(), provider);
            let json = serde_json::to_string(&provider).unwrap();
            assert_eq!(json, format!("\"{provider}\""));
            assert_eq!(serde_json::from_str::<Provider>(&json).unwrap(), provider);
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let message = "Ollama".parse::<Provider>().unwrap_err().to_string();
        for provider in Provider::ALL {
            assert!(message.contains(provider.as_str()), "{message}");
        }
        assert!(serde_json::from_str::<Provider>("\"\"").is_err());
    }
}
