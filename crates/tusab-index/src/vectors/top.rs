use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A score and what decides between equal ones. The greater is the better: the higher score, then the smaller tie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranked<T> {
    pub(super) score: f32,
    pub(super) tie: T,
}

impl<T: Ord> Ord for Ranked<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.tie.cmp(&self.tie))
    }
}

impl<T: Ord> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord> PartialEq for Ranked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T: Ord> Eq for Ranked<T> {}

/// The best of what it is shown, in any order.
#[derive(Debug)]
pub(super) struct Top<T: Ord> {
    limit: usize,
    worst_first: BinaryHeap<Reverse<Ranked<T>>>,
    /// Scores below it no longer count.
    threshold: f32,
}

impl<T: Ord + Copy> Top<T> {
    pub(super) fn new(limit: usize) -> Self {
        let threshold = if limit == 0 { f32::INFINITY } else { f32::NEG_INFINITY };
        Self { limit, worst_first: BinaryHeap::new(), threshold }
    }

    /// The score that the next one has to reach.
    pub(super) fn threshold(&self) -> f32 {
        self.threshold
    }

    /// Scores that are not finite never count.
    pub(super) fn push(&mut self, score: f32, tie: T) {
        if !score.is_finite() || self.limit == 0 {
            return;
        }
        let entry = Reverse(Ranked { score, tie });
        if self.worst_first.len() < self.limit {
            self.worst_first.push(entry);
        } else if let Some(mut worst) = self.worst_first.peek_mut()
            && entry.0 > worst.0
        {
            *worst = entry;
        }
        if self.worst_first.len() == self.limit
            && let Some(worst) = self.worst_first.peek()
        {
            self.threshold = worst.0.score;
        }
    }

    pub(super) fn merge(mut self, other: Self) -> Self {
        for Reverse(entry) in other.worst_first {
            self.push(entry.score, entry.tie);
        }
        self
    }

    /// Best first.
    pub(super) fn into_sorted(self) -> impl Iterator<Item = Ranked<T>> {
        self.worst_first.into_sorted_vec().into_iter().map(|Reverse(entry)| entry)
    }
}
