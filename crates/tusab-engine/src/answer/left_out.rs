use serde::{Deserialize, Serialize};

/// What the model was not shown, since it would not have fitted into what it can read. Sources go by rank: the last
/// first. The question and the style are always shown whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// Sources shown in part: whole sentences around what speaks of the question. By their numbers, from 1.
    pub shortened: Vec<usize>,
    /// Sources not shown at all. By their numbers, from 1.
    pub sources: Vec<usize>,
    /// Earlier turns of the session not shown, of the few that are.
    pub turns: usize,
    /// Summaries of documents not shown.
    pub summaries: usize,
}

impl LeftOut {
    /// True when the model was shown all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
