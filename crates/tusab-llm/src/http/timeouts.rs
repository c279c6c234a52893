use std::time::Duration;

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
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first_byte: Duration::from_mins(5),
            idle_gap: Duration::from_mins(2),
            lookup: Duration::from_secs(10),
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
}
