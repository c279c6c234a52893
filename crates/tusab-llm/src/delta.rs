use serde::{Deserialize, Serialize};

use crate::{Tokens, Warning};

/// One piece of an answer as it arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta {
    /// The next words of the answer; never empty.
    Text(String),
    /// The next words of what a reasoning model thinks before it answers; never empty, not part of the answer.
    Thinking(String),
    /// Every [`Text`](Self::Text) so far was thinking: the model closed its thoughts with a mark that it had not
    /// opened them with. Take back what is shown of them; [`ChatStream::collect`](crate::ChatStream::collect) does.
    TextWasThinking,
    /// What the call has cost so far; a later one replaces an earlier one.
    Usage(Usage),
    /// The end of the answer; always the last delta, and there is exactly one.
    Done {
        /// Why the model stopped.
        finish_reason: FinishReason,
    },
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// The answer is complete, or reached a stop text.
    Stop,
    /// The answer was cut at the longest allowed, or at the end of the context.
    Length,
    /// The provider's filter, or the model itself, refused to go on after these words.
    Filtered,
    /// A reason this version has no name for, in the provider's own words.
    Other(String),
    /// The provider gave no reason.
    Unreported,
}

/// What a call cost, as the provider reports it. `None` means not reported, which is not the same as zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens read: the prompt as the model saw it, what was cached included.
    pub input: Option<Tokens>,
    /// Tokens written, those of thinking included.
    pub output: Option<Tokens>,
    /// How many of `input` came from a cache, and cost less.
    pub cached: Option<Tokens>,
    /// How many of `output` were thinking.
    pub thinking: Option<Tokens>,
}

impl Usage {
    /// A report of `input` tokens read and `output` written.
    #[must_use]
    pub const fn new(input: Tokens, output: Tokens) -> Self {
        Self { input: Some(input), output: Some(output), cached: None, thinking: None }
    }

    /// Adds the cost of another call.
    pub(crate) fn add(&mut self, other: Self) {
        let sum = |one: Option<Tokens>, two: Option<Tokens>| match (one, two) {
            (Some(one), Some(two)) => Some(Tokens::new(one.get().saturating_add(two.get()))),
            (one, two) => one.or(two),
        };
        self.input = sum(self.input, other.input);
        self.output = sum(self.output, other.output);
        self.cached = sum(self.cached, other.cached);
        self.thinking = sum(self.thinking, other.thinking);
    }

    /// Whether nothing was reported.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A whole answer, collected from its deltas.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChatReply {
    /// The answer; empty if the model wrote none.
    pub text: String,
    /// What a reasoning model thought before it; empty if it did not think or does not tell.
    pub thinking: String,
    /// What the call cost.
    pub usage: Usage,
    /// Why the model stopped.
    pub finish_reason: FinishReason,
    /// What of the request was not sent, since the model does not take it.
    pub warnings: Vec<Warning>,
}
