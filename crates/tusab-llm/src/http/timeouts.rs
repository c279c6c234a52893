use std::time::Duration;

use crate::ChatRequest;

/// How long to wait for what. There is no limit on a whole answer: a healthy stream may take as long as it
/// needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// For a connection. Default 5 s.
    pub connect: Duration,
    /// For an answer to begin, its head and its first byte each: a local model is loaded and reads the whole
    /// prompt in this time. Default 5 min.
    pub first_byte: Duration,
    /// Between two pieces of an answer, counted only while someone waits for the next. Default 2 min.
    pub idle_gap: Duration,
    /// For the whole answer to a small question, such as which models are there. Default 10 s.
    pub lookup: Duration,
    /// Between two reports of a download (`Ollama::pull`), counted in the same way. Default 30 min:
    /// while it downloads, Ollama reports several times a second, but while it then checks the digests of all that it has
    /// fetched it says nothing. From a disk that reads 100 MB/s it checks 180 GB in this time.
    pub pull_gap: Duration,
}

/// How long one call waits for its answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) first_byte: Duration,
    pub(crate) idle_gap: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first_byte: Duration::from_mins(5),
            idle_gap: Duration::from_mins(2),
            lookup: Duration::from_secs(10),
            pull_gap: Duration::from_mins(30),
        }
    }
}

impl Timeouts {
    /// How long to wait for a connection.
    #[must_use]
    pub fn with_connect(mut self, limit: Duration) -> Self {
        self.connect = limit;
        self
    }

    /// How long to wait for an answer to begin.
    #[must_use]
    pub fn with_first_byte(mut self, limit: Duration) -> Self {
        self.first_byte = limit;
        self
    }

    /// How long to wait for the next piece of an answer.
    #[must_use]
    pub fn with_idle_gap(mut self, limit: Duration) -> Self {
        self.idle_gap = limit;
        self
    }

    /// How long to wait for the whole answer to a small question.
    #[must_use]
    pub fn with_lookup(mut self, limit: Duration) -> Self {
        self.lookup = limit;
        self
    }

    /// How long to wait for the next report of a download.
    #[must_use]
    pub fn with_pull_gap(mut self, limit: Duration) -> Self {
        self.pull_gap = limit;
        self
    }

    /// Those of a chat: the request's own where it has some.
    pub(crate) fn of_chat(&self, request: &ChatRequest) -> Limits {
        Limits {
            first_byte: request.first_byte_timeout.unwrap_or(self.first_byte),
            idle_gap: request.idle_gap_timeout.unwrap_or(self.idle_gap),
        }
    }

    /// Those of a download.
    pub(crate) fn of_pull(&self) -> Limits {
        Limits { first_byte: self.first_byte, idle_gap: self.pull_gap }
    }
}
