//! Finding the best of a block of rows, and doing so for many blocks on all processors.

use rayon::prelude::*;

use super::codes::{CodedQuery, Coding};
use super::kernel::dot;
use super::top::Top;

/// Bytes under which waking other threads costs more than it saves.
const PARALLEL_FROM: usize = 4 << 20;

/// Candidates from which on those that no longer count are dropped.
const PRUNE_FROM: usize = 4_096;

/// Scores the rows that `keep` accepts, and keeps the best; `tie` gives what decides between equal ones.
pub(super) fn scan<T: Ord + Copy>(
    rows: &[f32],
    query: &[f32],
    top: &mut Top<T>,
    keep: impl Fn(usize) -> bool,
    tie: impl Fn(usize) -> Option<T>,
) {
    for (row, values) in rows.chunks_exact(query.len()).enumerate() {
        // Asked before the row is read: a narrow filter saves the reading.
        if !keep(row) {
            continue;
        }
        let score = dot(values, query);
        if score >= top.threshold()
            && let Some(tie) = tie(row)
        {
            top.push(score, tie);
        }
    }
}

/// The coded rows of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodedBlock<'b> {
    pub(super) codes: &'b [u8],
    pub(super) scales: &'b [f32],
    pub(super) losses: &'b [f32],
}

/// Rows that may be among the best, by their codes. `P` says where a row is.
#[derive(Debug)]
pub(super) struct Shortlist<P> {
    /// The best of the least scores: what is surely reached.
    least: Top<()>,
    candidates: Vec<(f32, P)>,
    prune_at: usize,
}

impl<P> Shortlist<P> {
    pub(super) fn new(limit: usize) -> Self {
        Self { least: Top::new(limit), candidates: Vec::new(), prune_at: PRUNE_FROM }
    }

    fn push(&mut self, (least, greatest): (f32, f32), place: P) {
        self.least.push(least, ());
        self.candidates.push((greatest, place));
        if self.candidates.len() >= self.prune_at {
            self.prune();
            self.prune_at = PRUNE_FROM.max(2 * self.candidates.len());
        }
    }

    /// Drops rows whose greatest score is under what as many as are wanted surely reach.
    fn prune(&mut self) {
        let threshold = self.least.threshold();
        self.candidates.retain(|(greatest, _)| *greatest >= threshold);
    }

    pub(super) fn merge(mut self, other: Self) -> Self {
        self.least = self.least.merge(other.least);
        self.candidates.extend(other.candidates);
        self.prune();
        self
    }

    pub(super) fn into_places(mut self) -> Vec<P> {
        self.prune();
        self.candidates.into_iter().map(|(_, place)| place).collect()
    }
}

/// Adds the rows of a block that may be among the best.
pub(super) fn scan_codes<P>(
    block: CodedBlock<'_>,
    query: &CodedQuery,
    dimension: usize,
    list: &mut Shortlist<P>,
    keep: impl Fn(usize) -> bool,
    place: impl Fn(usize) -> P,
) {
    let codings = block.scales.iter().zip(block.losses);
    for (row, (codes, (scale, loss))) in block.codes.chunks_exact(dimension).zip(codings).enumerate() {
        if !keep(row) {
            continue;
        }
        let bounds = query.bounds(codes, Coding { scale: *scale, loss: *loss });
        if bounds.1 >= list.least.threshold() {
            list.push(bounds, place(row));
        }
    }
}

/// Folds items, on all processors when there are many bytes to read. The result must not depend on how they are
/// shared out.
pub(super) fn fold<I: Sync, R: Send, E: Send>(
    items: &[I],
    bytes: usize,
    new: impl Fn() -> R + Sync + Send,
    work: impl Fn(&mut R, &I) -> Result<(), E> + Sync,
    merge: impl Fn(R, R) -> R + Sync + Send,
) -> Result<R, E> {
    let step = |mut folded: R, item: &I| work(&mut folded, item).map(|()| folded);
    if bytes < PARALLEL_FROM {
        return items.iter().try_fold(new(), step);
    }
    items.par_iter().try_fold(&new, step).try_reduce(&new, |a, b| Ok(merge(a, b)))
}
