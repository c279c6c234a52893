use std::error::Error as StdError;
use std::time::Duration;

use crate::{ModelId, Provider};

/// What can go wrong between a question and its answer.
///
/// No message holds the prompt or a key: what a provider says is searched for runs of them before it is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not a provider's name.
    #[error(
        "{text:?} is not a provider: expected `ollama`, `openai`, `anthropic`, `gemini`, `groq` or `openai-compatible`"
    )]
    BadProvider {
        /// The refused text.
        text: String,
    },
    /// The text is not a model id.
    #[error("{text:?} is not a model id: expected `provider::model`, such as `ollama::llama3.2:1b`")]
    BadModelId {
        /// The refused text.
        text: String,
    },
    /// The number is not a temperature.
    #[error("{value} is not a temperature: expected a number from 0 to 2")]
    BadTemperature {
        /// The refused number.
        value: f32,
    },
    /// No provider could serve the request; nothing was sent.
    #[error("the request cannot be sent: {reason}")]
    BadRequest {
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// The base URL is refused; nothing was sent.
    #[error("the base URL of {provider} is refused: {reason}")]
    BadBaseUrl {
        /// Whose base URL.
        provider: Provider,
        /// Which rule it breaks, and what to write instead.
        reason: &'static str,
    },
    /// The text is not a key.
    #[error("the API key is refused: {reason}")]
    BadKey {
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// The environment variable that should hold a key is not set.
    #[error("no API key: set the environment variable {variable:?}")]
    NoKey {
        /// The variable.
        variable: String,
    },
    /// The HTTP client of this process cannot be set up.
    #[error("the HTTP client cannot be set up: are the system's TLS certificates installed?")]
    Setup {
        /// What the HTTP or TLS library says.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The call was made outside a tokio runtime; nothing was sent.
    #[error("there is no tokio runtime here: make the call inside `Runtime::block_on` or an async main")]
    NoRuntime,
    /// This version cannot do what is asked with this provider; nothing was sent.
    #[error("{provider}: {what}")]
    Unsupported {
        /// Whose limit it is.
        provider: Provider,
        /// What cannot be done, and what to do instead.
        what: &'static str,
    },
    /// The provider cannot be reached, or the connection broke.
    #[error("{provider} at {address}: {}{}", stage.broke(), remedy(*provider, *stage))]
    Network {
        /// Whom it concerns.
        provider: Provider,
        /// The base URL.
        address: String,
        /// How far the call had come.
        stage: Stage,
        /// What the HTTP library says.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The provider stayed silent for too long.
    #[error("{provider} at {address}: {} within {limit:?}{}", stage.silent(), remedy(*provider, *stage))]
    Timeout {
        /// Whom it concerns.
        provider: Provider,
        /// The base URL.
        address: String,
        /// What was waited for.
        stage: Stage,
        /// For how long.
        limit: Duration,
    },
    /// The provider wants a key, or refuses the one it was given.
    #[error("{provider} refuses the API key, or asks for one (status {status})")]
    Auth {
        /// Who refused.
        provider: Provider,
        /// HTTP status: 401 or 403.
        status: u16,
    },
    /// The provider does not have the model.
    #[error("{} has no model {:?}: {remedy}", model.provider(), model.name())]
    ModelNotFound {
        /// The asked model.
        model: ModelId,
        /// What the provider does have, by name; `None` if it did not tell.
        installed: Option<Vec<String>>,
        /// What to do.
        remedy: String,
    },
    /// Too many requests in too short a time.
    #[error("{provider} allows no more requests for now{}", after(*retry_after))]
    RateLimited {
        /// Who refused.
        provider: Provider,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// The provider has too much to do.
    #[error("{provider} is overloaded (status {status}){}", after(*retry_after))]
    Overloaded {
        /// Who refused.
        provider: Provider,
        /// HTTP status: 503 or 529.
        status: u16,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// The provider answered with an error of its own.
    #[error("{provider} answered with an error (status {status}): {message}")]
    Rejected {
        /// Who answered.
        provider: Provider,
        /// HTTP status; 200 if the error came inside the answer.
        status: u16,
        /// The provider's words, shortened, and without what it repeats of the request.
        message: String,
    },
    /// What the provider sent is not what its protocol says.
    #[error("{provider} sent what is not its protocol: {reason}")]
    Protocol {
        /// Who sent it.
        provider: Provider,
        /// What is wrong.
        reason: String,
    },
    /// The answer stopped before its end, without an error.
    #[error("{provider} ended the answer before it was complete")]
    EndedEarly {
        /// Who answered.
        provider: Provider,
    },
    /// The answer broke after its first words; the source says why.
    #[error("the answer was interrupted after its first {} characters", partial.chars().count())]
    Interrupted {
        /// The text that had arrived; empty if only thinking had.
        partial: String,
        /// What interrupted it.
        #[source]
        source: Box<Error>,
    },
}

/// How far a call had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Opening the connection.
    Connect,
    /// Waiting for the answer to begin. A local model is loaded and reads the whole prompt in this time.
    FirstByte,
    /// Between two pieces of the answer.
    IdleGap,
    /// A small question about the server itself, such as which models it has.
    Lookup,
}

impl Stage {
    fn broke(self) -> &'static str {
        match self {
            Self::Connect => "no connection",
            Self::FirstByte => "the connection broke before the answer began",
            Self::IdleGap => "the connection broke inside the answer",
            Self::Lookup => "the connection broke",
        }
    }

    fn silent(self) -> &'static str {
        match self {
            Self::Connect => "no connection",
            Self::FirstByte => "the answer did not begin",
            Self::IdleGap => "the answer did not go on",
            Self::Lookup => "no answer",
        }
    }
}

fn remedy(provider: Provider, stage: Stage) -> &'static str {
    match (provider, stage) {
        (Provider::Ollama, Stage::Connect) => ": is it running (`ollama serve`), and is this its address?",
        (_, Stage::Connect) => ": is the network up, and is this its address?",
        (_, Stage::FirstByte | Stage::IdleGap | Stage::Lookup) => "",
    }
}

fn after(wait: Option<Duration>) -> String {
    wait.map(|wait| format!(": try again in {} s", wait.as_secs())).unwrap_or_default()
}

impl Error {
    /// Whether the same call, made again later, could succeed, and nothing of an answer was given yet.
    ///
    /// False for [`Interrupted`](Self::Interrupted): whoever has shown half an answer must decide about it
    /// first; its `source` tells whether a new call could succeed.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Network { .. }
            | Self::Timeout { .. }
            | Self::RateLimited { .. }
            | Self::Overloaded { .. }
            | Self::EndedEarly { .. } => true,
            Self::Rejected { status, .. } => matches!(status, 408 | 500 | 502 | 504),
            _ => false,
        }
    }

    /// How long the provider asks to wait before the next try, if it said so.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Overloaded { retry_after, .. } => *retry_after,
            Self::Interrupted { source, .. } => source.retry_after(),
            _ => None,
        }
    }

    /// The HTTP status of the answer, if there was one.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Auth { status, .. } | Self::Overloaded { status, .. } | Self::Rejected { status, .. } => {
                Some(*status)
            }
            Self::ModelNotFound { .. } => Some(404),
            Self::RateLimited { .. } => Some(429),
            Self::Interrupted { source, .. } => source.status(),
            _ => None,
        }
    }

    /// The text that had arrived before the answer broke.
    #[must_use]
    pub fn partial(&self) -> Option<&str> {
        match self {
            Self::Interrupted { partial, .. } => Some(partial),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLLAMA: Provider = Provider::Ollama;

    fn network(provider: Provider, stage: Stage) -> Error {
        let source = std::io::Error::other("os words").into();
        Error::Network { provider, address: "http://127.0.0.1:1/".to_owned(), stage, source }
    }

    #[test]
    fn errors_cross_threads() {
        fn crosses<T: Send + Sync + 'static>() {}
        crosses::<Error>();
    }

    #[test]
    fn messages_say_what_where_and_what_to_do() {
        let timeout = |stage| Error::Timeout {
            provider: OLLAMA,
            address: "http://127.0.0.1:1/".to_owned(),
            stage,
            limit: Duration::from_secs(5),
        };
        for (error, message) in [
            (
                network(OLLAMA, Stage::Connect),
                "ollama at http://127.0.0.1:1/: no connection: is it running (`ollama serve`), and is this its address?",
            ),
            (
                network(Provider::Groq, Stage::Connect),
                "groq at http://127.0.0.1:1/: no connection: is the network up, and is this its address?",
            ),
            (
                network(OLLAMA, Stage::IdleGap),
                "ollama at http://127.0.0.1:1/: the connection broke inside the answer",
            ),
            (timeout(Stage::FirstByte), "ollama at http://127.0.0.1:1/: the answer did not begin within 5s"),
            (timeout(Stage::IdleGap), "ollama at http://127.0.0.1:1/: the answer did not go on within 5s"),
            (
                Error::Overloaded {
                    provider: OLLAMA,
                    status: 503,
                    retry_after: Some(Duration::from_secs(2)),
                },
                "ollama is overloaded (status 503): try again in 2 s",
            ),
            (
                Error::RateLimited { provider: OLLAMA, retry_after: None },
                "ollama allows no more requests for now",
            ),
            (
                "llama3.2".parse::<ModelId>().unwrap_err(),
                "\"llama3.2\" is not a model id: expected `provider::model`, such as `ollama::llama3.2:1b`",
            ),
        ] {
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn a_source_is_linked_and_not_repeated() {
        let error = Error::Interrupted {
            partial: "é".to_owned(),
            source: Box::new(network(OLLAMA, Stage::IdleGap)),
        };
        let network = error.source().unwrap();
        let os = network.source().unwrap();
        assert_eq!(os.to_string(), "os words");
        assert!(!network.to_string().contains("os words"));
        assert_eq!(error.to_string(), "the answer was interrupted after its first 1 characters");
    }
}
