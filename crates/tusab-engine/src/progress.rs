use std::time::Duration;

use serde::Serialize;

/// How far a stage of the work is, and how fast it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Progress {
    /// Done so far.
    pub done: usize,
    /// Number of all that is to be done, as far as it is known.
    pub total: usize,
    /// How long it took until now.
    pub elapsed: Duration,
}

impl Progress {
    pub(crate) fn new(done: usize, total: usize, elapsed: Duration) -> Self {
        Self { done, total, elapsed }
    }

    /// How many are done in a second, at the rate so far; none before the first.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "a rate for people")]
    pub fn per_second(&self) -> Option<f64> {
        let elapsed = self.elapsed.as_secs_f64();
        (self.done > 0 && elapsed > 0.0).then(|| self.done as f64 / elapsed)
    }

    /// How long the rest will take at the rate so far; none before the first.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "a time for people")]
    pub fn to_end(&self) -> Option<Duration> {
        let left = self.total.saturating_sub(self.done) as f64;
        Duration::try_from_secs_f64(left / self.per_second()?).ok()
    }
}

/// A part of the work of an ingest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stage {
    /// Sources are read, understood and cut into passages.
    Reading,
    /// Passages become searchable.
    Indexing,
    /// Passages get their key phrases.
    KeyPhrases,
    /// Passages get their vectors.
    Embedding,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_and_the_time_to_the_end_are_those_so_far() {
        let progress = Progress::new(5, 20, Duration::from_secs(2));
        assert_eq!(progress.per_second(), Some(2.5));
        assert_eq!(progress.to_end(), Some(Duration::from_secs(6)));
        assert_eq!(Progress::new(0, 20, Duration::from_secs(2)).to_end(), None);
        assert_eq!(Progress::new(3, 20, Duration::ZERO).per_second(), None);
        // Found to be more than was known.
        assert_eq!(Progress::new(30, 20, Duration::from_secs(2)).to_end(), Some(Duration::ZERO));
    }
}
