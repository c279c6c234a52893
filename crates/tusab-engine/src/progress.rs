use std::cell::Cell;
use std::time::{Duration, Instant};

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

/// Shortest time between two tellings of the same progress.
const BEAT: Duration = Duration::from_millis(100);

/// When to tell how far something is: at its end, and before that not all the time.
#[derive(Debug)]
pub(crate) struct Pulse {
    started: Instant,
    told: Cell<Instant>,
}

impl Pulse {
    pub(crate) fn start() -> Self {
        let now = Instant::now();
        Self { started: now, told: Cell::new(now) }
    }

    /// How far it is, when that is to be told now.
    pub(crate) fn beat(&self, done: usize, total: usize) -> Option<Progress> {
        let now = Instant::now();
        if done < total && now.duration_since(self.told.get()) < BEAT {
            return None;
        }
        self.told.set(now);
        Some(Progress::new(done, total, now.duration_since(self.started)))
    }
}

/// A part of the work: of an ingest, of a synchronisation, of what mends a project when it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stage {
    /// Sources are looked at and, where they are new or changed, read, understood and cut into passages.
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
    fn progress_is_told_at_the_end_and_before_it_now_and_again() {
        let pulse = Pulse::start();
        // As if no time had gone by, and then some.
        let told = pulse.told.get();
        pulse.told.set(told + BEAT * 1000);
        assert_eq!(pulse.beat(1, 3), None);
        pulse.told.set(told.checked_sub(BEAT).unwrap());
        assert_eq!(pulse.beat(2, 3).map(|progress| progress.done), Some(2));
        assert!(pulse.told.get() >= told);
        assert_eq!(pulse.beat(3, 3).map(|progress| (progress.done, progress.total)), Some((3, 3)));
    }

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
