use serde::{Deserialize, Serialize};

/// What a call is for; a program may send the two to different models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Purpose {
    /// A helper call whose words no one takes for an answer from sources: rewriting a question, telling its intent, or a
    /// reply that needs no context, such as to a greeting. A fast, cheap model serves.
    Auxiliary,
    /// The answer that the user reads.
    Final,
}
