use std::num::NonZeroUsize;
use std::time::Duration;

use crate::{Pooling, RuntimeOptions};

/// What becomes of a passage that is longer than the model's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum LongText {
    /// It is cut into windows of equal length, and the mean of their vectors is its vector.
    #[default]
    Mean,
    /// Only its first window counts, as in sentence-transformers.
    Head,
}

/// How a [`SentenceEncoder`](crate::SentenceEncoder) works. What is `None` is taken from the model's own files.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SentenceOptions {
    /// What runs the model.
    pub runtime: RuntimeOptions,
    /// The model's name in results; by default that of its folder.
    pub name: Option<String>,
    /// Tokens of a window, marks included: by default `max_seq_length` of `sentence_bert_config.json`, else all that
    /// the model takes.
    pub tokens: Option<NonZeroUsize>,
    /// How tokens become a text: by default as `1_Pooling/config.json` says, else the mean.
    pub pooling: Option<Pooling>,
    /// What stands before a question: by default the prompt `query` of `config_sentence_transformers.json`, else
    /// nothing.
    pub query_prefix: Option<String>,
    /// What stands before a passage: by default the prompt `passage` or `document`, else nothing.
    pub passage_prefix: Option<String>,
    /// What becomes of long passages: the mean of their windows, by default.
    pub long_text: LongText,
    /// Time without use after which the model is given back; never, by default.
    pub unload_after: Option<Duration>,
}

impl SentenceOptions {
    /// With another runtime.
    #[must_use]
    pub fn with_runtime(mut self, runtime: RuntimeOptions) -> Self {
        self.runtime = runtime;
        self
    }

    /// With a name of its own.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// With windows of another length.
    #[must_use]
    pub fn with_tokens(mut self, tokens: NonZeroUsize) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// With a pooling of its own.
    #[must_use]
    pub fn with_pooling(mut self, pooling: Pooling) -> Self {
        self.pooling = Some(pooling);
        self
    }

    /// With these words before questions and before passages.
    #[must_use]
    pub fn with_prefixes(mut self, query: impl Into<String>, passage: impl Into<String>) -> Self {
        self.query_prefix = Some(query.into());
        self.passage_prefix = Some(passage.into());
        self
    }

    /// With another way to treat long passages.
    #[must_use]
    pub fn with_long_text(mut self, long_text: LongText) -> Self {
        self.long_text = long_text;
        self
    }

    /// With the model given back after a time without use.
    #[must_use]
    pub fn with_unload_after(mut self, idle: Duration) -> Self {
        self.unload_after = Some(idle);
        self
    }
}
