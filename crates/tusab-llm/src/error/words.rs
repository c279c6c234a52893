//! The words of errors that depend on what they hold.

use std::time::Duration;

use super::Error;
use crate::{ModelId, Provider, Tokens};

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
    pub(super) fn broke(self) -> &'static str {
        match self {
            Self::Connect => "no connection",
            Self::FirstByte => "the connection broke before the answer began",
            Self::IdleGap => "the connection broke inside the answer",
            Self::Lookup => "the connection broke",
        }
    }

    pub(super) fn silent(self) -> &'static str {
        match self {
            Self::Connect => "no connection",
            Self::FirstByte => "the answer did not begin",
            Self::IdleGap => "the answer did not go on",
            Self::Lookup => "no answer",
        }
    }
}

pub(super) fn remedy(provider: Provider, stage: Stage) -> &'static str {
    match (provider, stage) {
        (Provider::Ollama, Stage::Connect) => ": is it running (`ollama serve`), and is this its address?",
        (_, Stage::Connect) => ": is the network up, and is this its address?",
        (_, Stage::FirstByte | Stage::IdleGap | Stage::Lookup) => "",
    }
}

pub(super) fn after(wait: Option<Duration>) -> String {
    // Rounded up: who waits for the seconds that are named has waited long enough.
    wait.map(|wait| format!(": try again in {} s", wait.as_millis().div_ceil(1000))).unwrap_or_default()
}

pub(super) fn limits(limit: Option<Tokens>, asked: Option<Tokens>) -> String {
    match (limit, asked) {
        (Some(limit), Some(asked)) => format!(" ({} of at most {limit})", asked.get()),
        (Some(limit), None) => format!(" (at most {limit})"),
        (None, Some(asked)) => format!(" ({asked})"),
        (None, None) => String::new(),
    }
}

pub(super) fn each(errors: &[(ModelId, Error)]) -> String {
    errors.iter().fold(String::new(), |all, (model, error)| format!("{all}; {model}: {error}"))
}
