use std::num::NonZeroUsize;
use std::time::Duration;

use super::Windows;
use crate::RuntimeOptions;

/// What becomes of the number that the model gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Activation {
    /// Nothing: the model's raw logit, as `CrossEncoder.predict` of sentence-transformers gives it under the identity.
    #[default]
    Raw,
    /// The logistic function, into 0 to 1. The order stays the same.
    Sigmoid,
}

impl Activation {
    pub(crate) fn apply(self, logit: f32) -> f32 {
        match self {
            Self::Raw => logit,
            Self::Sigmoid => 1.0 / (1.0 + (-logit).exp()),
        }
    }
}

/// When [`CrossEncoder::scores_within`](crate::Reranker::scores_within) may leave the last passages out. It supposes
/// that passages come in the order of an earlier ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlyStop {
    /// How many first places matter.
    pub top: NonZeroUsize,
    /// After how many passages in a row, none of which reached the first places, the rest is left out.
    pub misses: NonZeroUsize,
}

/// How a [`CrossEncoder`](crate::CrossEncoder) works. The README says what each of the savings does to a ranking.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CrossEncoderOptions {
    /// What runs the model.
    pub runtime: RuntimeOptions,
    /// The model's name in results; by default that of its folder.
    pub name: Option<String>,
    /// Tokens of the question that are read, 64 by default, at most half of what the model takes.
    pub query_tokens: NonZeroUsize,
    /// Which parts of a passage are read.
    pub windows: Windows,
    /// What becomes of the model's number; raw by default.
    pub activation: Activation,
    /// Scores that are remembered, 4,096 by default (32 bytes each); 0 for none.
    pub cached_scores: usize,
    /// When the last passages may be left out; never, by default.
    pub early_stop: Option<EarlyStop>,
    /// Time without use after which the model is given back; `None`, the default, keeps it until
    /// [`unload`](crate::CrossEncoder::unload).
    pub unload_after: Option<Duration>,
}

impl Default for CrossEncoderOptions {
    fn default() -> Self {
        Self {
            runtime: RuntimeOptions::default(),
            name: None,
            query_tokens: const { NonZeroUsize::new(64).unwrap() },
            windows: Windows::default(),
            activation: Activation::Raw,
            cached_scores: 4096,
            early_stop: None,
            unload_after: None,
        }
    }
}

impl CrossEncoderOptions {
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

    /// With more or fewer tokens of the question.
    #[must_use]
    pub fn with_query_tokens(mut self, tokens: NonZeroUsize) -> Self {
        self.query_tokens = tokens;
        self
    }

    /// With other parts of a passage read.
    #[must_use]
    pub fn with_windows(mut self, windows: Windows) -> Self {
        self.windows = windows;
        self
    }

    /// With another activation.
    #[must_use]
    pub fn with_activation(mut self, activation: Activation) -> Self {
        self.activation = activation;
        self
    }

    /// With more or fewer scores remembered; 0 for none.
    #[must_use]
    pub fn with_cached_scores(mut self, scores: usize) -> Self {
        self.cached_scores = scores;
        self
    }

    /// With the last passages left out when the first places are decided.
    #[must_use]
    pub fn with_early_stop(mut self, stop: EarlyStop) -> Self {
        self.early_stop = Some(stop);
        self
    }

    /// With the model given back after a time without use.
    #[must_use]
    pub fn with_unload_after(mut self, idle: Duration) -> Self {
        self.unload_after = Some(idle);
        self
    }
}
