use crate::{ModelId, Tokens};

/// A model that a provider has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelInfo {
    /// Its id, ready to be asked.
    pub id: ModelId,
    /// How much it reads and writes at most, if the provider tells.
    pub context_length: Option<Tokens>,
    /// How much it writes at most, if the provider tells.
    pub max_output: Option<Tokens>,
}
