use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Provider};

/// A model of a provider, written `provider::model`.
///
/// ```
/// use tusab_llm::{ModelId, Provider};
/// let id: ModelId = "ollama::llama3.2:1b".parse()?;
/// assert_eq!(id.provider(), Provider::Ollama);
/// assert_eq!(id.name(), "llama3.2:1b");
/// assert_eq!(id.to_string(), "ollama::llama3.2:1b");
/// assert!("llama3.2:1b".parse::<ModelId>().is_err());
/// # Ok::<(), tusab_llm::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModelId {
    provider: Provider,
    name: Box<str>,
}

impl ModelId {
    /// Longest name of a model, in bytes.
    const MAX_NAME: usize = 256;

    /// The model that `provider` calls `name`; the name is kept as it is given.
    ///
    /// # Errors
    /// [`Error::BadModelId`] unless `name` is 1 to 256 bytes long, without white space or control characters.
    pub fn new(provider: Provider, name: &str) -> Result<Self, Error> {
        let allowed = |c: char| !c.is_whitespace() && !c.is_control();
        if (1..=Self::MAX_NAME).contains(&name.len()) && name.chars().all(allowed) {
            Ok(Self { provider, name: name.into() })
        } else {
            Err(Error::BadModelId { text: format!("{provider}::{name}") })
        }
    }

    /// A model whose name is known to be one.
    pub(crate) fn known(provider: Provider, name: &'static str) -> Self {
        Self { provider, name: name.into() }
    }

    /// Who serves the model.
    #[must_use]
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// What its provider calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.provider, self.name)
    }
}

impl FromStr for ModelId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (provider, name) =
            text.split_once("::").ok_or_else(|| Error::BadModelId { text: text.to_owned() })?;
        Self::new(provider.parse()?, name)
    }
}

impl TryFrom<String> for ModelId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<ModelId> for String {
    fn from(id: ModelId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_of_models_may_hold_colons_and_slashes() {
        for text in [
            "ollama::hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M",
            "openai-compatible::meta-llama/Llama::odd",
            "ollama:::",
        ] {
            assert_eq!(text.parse::<ModelId>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_not_a_model_id_is_refused() {
        for text in ["", "::", "ollama", "ollama:x", "ollama::", "ollama::a b", "ollama::a\0", "nobody::x"] {
            assert!(text.parse::<ModelId>().is_err(), "{text:?}");
            assert!(serde_json::from_value::<ModelId>(text.into()).is_err(), "{text:?}");
        }
        assert!(ModelId::new(Provider::Ollama, &"x".repeat(257)).is_err());
    }

    proptest! {
        #[test]
        fn display_and_serde_round_trip(name in r"[^\s\p{Cc}]{1,40}") {
            let id = ModelId::new(Provider::Groq, &name)?;
            prop_assert_eq!(&id.to_string().parse::<ModelId>()?, &id);
            let json = serde_json::to_string(&id)?;
            prop_assert_eq!(serde_json::from_str::<ModelId>(&json)?, id);
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            if let Ok(id) = text.parse::<ModelId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }
}
