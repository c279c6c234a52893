//! What a program wants to know of an error.

use std::time::Duration;

use super::Error;
use crate::ResponseHead;

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
            Self::Rejected { transient, .. } => *transient,
            Self::NoneAnswered { errors } => errors.iter().any(|(_, error)| error.is_retryable()),
            _ => false,
        }
    }

    /// Whether another model could still answer the same request: this one is down, missing, or not to be had
    /// with this account. False where the request itself is at fault, and once words have been given.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        match self {
            Self::Auth { .. }
            | Self::UnsupportedRegion { .. }
            | Self::OutOfCredit { .. }
            | Self::ModelNotFound { .. }
            | Self::NoKey { .. }
            | Self::KeyCallback { .. }
            | Self::Setup { .. }
            | Self::Protocol { .. } => true,
            other => other.is_retryable(),
        }
    }

    /// How long the provider asks to wait before the next try, if it said so.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Overloaded { retry_after, .. } => *retry_after,
            Self::Interrupted { source, .. } => source.retry_after(),
            Self::NoneAnswered { errors } => errors.iter().filter_map(|(_, error)| error.retry_after()).min(),
            _ => None,
        }
    }

    /// The HTTP status of the answer, if there was one.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Auth { status, .. }
            | Self::UnsupportedRegion { status, .. }
            | Self::Overloaded { status, .. }
            | Self::Rejected { status, .. } => Some(*status),
            Self::ModelNotFound { response: None, .. } => Some(404),
            Self::RateLimited { response: None, .. } => Some(429),
            Self::Interrupted { source, .. } => source.status(),
            other => other.response().map(ResponseHead::status),
        }
    }

    /// Status and headers of the answer that the error came with, if it came with one.
    #[must_use]
    pub fn response(&self) -> Option<&ResponseHead> {
        match self {
            Self::Interrupted { source, .. } => source.response(),
            Self::Network { response, .. }
            | Self::Timeout { response, .. }
            | Self::Auth { response, .. }
            | Self::UnsupportedRegion { response, .. }
            | Self::ModelNotFound { response, .. }
            | Self::RateLimited { response, .. }
            | Self::OutOfCredit { response, .. }
            | Self::Overloaded { response, .. }
            | Self::ContextLengthExceeded { response, .. }
            | Self::PromptTruncated { response, .. }
            | Self::Blocked { response, .. }
            | Self::Rejected { response, .. }
            | Self::Unsupported { response, .. }
            | Self::Protocol { response, .. }
            | Self::EndedEarly { response, .. } => response.as_deref(),
            _ => None,
        }
    }

    /// What the provider calls the request in its own logs; its support asks for it.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.response().and_then(ResponseHead::request_id)
    }

    /// The text that had arrived before the answer broke.
    #[must_use]
    pub fn partial(&self) -> Option<&str> {
        match self {
            Self::Interrupted { partial, .. } => Some(partial),
            _ => None,
        }
    }

    /// Adds the answer that an error was found in, where it has none yet.
    pub(crate) fn within(mut self, head: &ResponseHead) -> Self {
        if let Self::Network { response, .. }
        | Self::Timeout { response, .. }
        | Self::Auth { response, .. }
        | Self::UnsupportedRegion { response, .. }
        | Self::ModelNotFound { response, .. }
        | Self::RateLimited { response, .. }
        | Self::OutOfCredit { response, .. }
        | Self::Overloaded { response, .. }
        | Self::ContextLengthExceeded { response, .. }
        | Self::PromptTruncated { response, .. }
        | Self::Blocked { response, .. }
        | Self::Rejected { response, .. }
        | Self::Unsupported { response, .. }
        | Self::Protocol { response, .. }
        | Self::EndedEarly { response, .. } = &mut self
        {
            response.get_or_insert_with(|| Box::new(head.clone()));
        }
        self
    }

    /// A word for logs and spans, the same for every error of a kind.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Network { .. } => "network",
            Self::Timeout { .. } => "timeout",
            Self::Auth { .. } | Self::NoKey { .. } | Self::BadKey { .. } | Self::KeyCallback { .. } => "auth",
            Self::UnsupportedRegion { .. } => "unsupported_region",
            Self::ModelNotFound { .. } => "model_not_found",
            Self::RateLimited { .. } => "rate_limited",
            Self::OutOfCredit { .. } => "out_of_credit",
            Self::Overloaded { .. } => "overloaded",
            Self::ContextLengthExceeded { .. } => "context_length_exceeded",
            Self::PromptTruncated { .. } => "prompt_truncated",
            Self::Blocked { .. } => "blocked",
            Self::Unsupported { .. } => "unsupported",
            Self::Protocol { .. } => "protocol",
            Self::EndedEarly { .. } => "ended_early",
            Self::Interrupted { source, .. } => source.kind(),
            _ => "_OTHER",
        }
    }
}
