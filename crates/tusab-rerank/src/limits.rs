use std::time::Instant;

/// When scoring has to end.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct Limits<'a> {
    /// Nothing is begun after this moment.
    pub deadline: Option<Instant>,
    /// Asked before each run of the model, from several threads: true ends the work. It must not block.
    pub stop: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl std::fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Limits")
            .field("deadline", &self.deadline)
            .field("stop", &self.stop.map(|_| "Fn"))
            .finish()
    }
}

impl<'a> Limits<'a> {
    /// With a moment after which nothing is begun. One run of a model takes some tens of milliseconds.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// With a way to stop early.
    #[must_use]
    pub fn with_stop(mut self, stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Which limit is reached now.
    #[must_use]
    pub fn reached(&self) -> Option<End> {
        if self.stop.is_some_and(|stop| stop()) {
            return Some(End::Stopped);
        }
        self.deadline.filter(|&deadline| Instant::now() >= deadline).map(|_| End::OutOfTime)
    }
}

/// Why scoring ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum End {
    /// Everything is scored.
    Complete,
    /// The deadline came.
    OutOfTime,
    /// The caller's stop said yes.
    Stopped,
    /// The first places were decided; see [`EarlyStop`](crate::EarlyStop).
    Decided,
}

/// The scores that were to be had within the limits, and why scoring ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Scored {
    /// One place a passage, in the order given; `None` for those not scored.
    pub scores: Vec<Option<f32>>,
    /// Why there are no more.
    pub end: End,
}

impl Scored {
    /// Everything is scored.
    #[must_use]
    pub fn complete(scores: Vec<f32>) -> Self {
        Self { scores: scores.into_iter().map(Some).collect(), end: End::Complete }
    }

    /// What is scored when the end came early; `None` for those not scored.
    #[must_use]
    pub fn partial(scores: Vec<Option<f32>>, end: End) -> Self {
        Self { scores, end }
    }

    /// The scores if none is missing.
    #[must_use]
    pub fn all(&self) -> Option<Vec<f32>> {
        self.scores.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_say_which_is_reached() {
        assert_eq!(Limits::default().reached(), None);
        assert_eq!(Limits::default().with_deadline(Instant::now()).reached(), Some(End::OutOfTime));
        assert_eq!(Limits::default().with_stop(&|| true).reached(), Some(End::Stopped));
        assert_eq!(Limits::default().with_stop(&|| false).reached(), None);
    }
}
