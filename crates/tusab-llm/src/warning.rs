use std::fmt;

use crate::{ChatOption, ModelId};

/// A part of a request that was not sent, since the model does not take it and the answer does without.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The asked model.
    pub model: ModelId,
    /// What was not sent, or was sent otherwise.
    pub option: ChatOption,
    /// What became of it.
    pub reason: &'static str,
}

impl Warning {
    pub(crate) fn new(model: &ModelId, option: ChatOption, reason: &'static str) -> Self {
        tracing::warn!(model = %model, option = option.as_str(), reason, "an option was not sent");
        Self { model: model.clone(), option, reason }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.model, self.option.as_str(), self.reason)
    }
}
