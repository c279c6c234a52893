//! The best passages by the sum of what their words are worth, without a look at all that hold one.
//!
//! `MaxScore` (Turtle and Flood, "Query evaluation: strategies and optimizations", 1995), in windows of passages: words
//! that could not lift a passage among the best, all of them together, are only looked up in the passages that the
//! others bring. Blocks of a long list that cannot either are passed over (Ding and Suel, "Faster top-k document
//! retrieval using block-max indexes", SIGIR 2011).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::BlockSegmentPostings;
use tantivy::query::Bm25Weight;
use tantivy::{DocAddress, DocId, TERMINATED};

use super::rank::norm;

/// Passages that are scored together: their scores stay in the processor's first cache.
const WINDOW: u32 = 1 << 12;

/// What sums of bounds are taken for: they are rounded in another order than scores.
const SLACK: f32 = 1.000_01;

/// What the length of a passage does to the worth of its words, by the byte that tantivy keeps of the length.
pub(super) struct Norms([f32; 256]);

impl Norms {
    pub(super) fn of(average: f32) -> Self {
        let mut norms = [0.0; 256];
        for (of, id) in norms.iter_mut().zip(0_u8..=255) {
            *of = norm(FieldNormReader::id_to_fieldnorm(id), average);
        }
        Self(norms)
    }

    #[allow(clippy::cast_precision_loss, reason = "counts in one passage are small")]
    fn saturation(&self, count: u32, lengths: &FieldNormReader, doc: DocId) -> f32 {
        let norm = self.0.get(usize::from(lengths.fieldnorm_id(doc))).copied().unwrap_or_default();
        count as f32 / (count as f32 + norm)
    }
}

/// A form of a word in one segment.
pub(super) struct Clause {
    /// Which word of the query; a passage holds one of its forms at most, that of its language.
    pub(super) word: usize,
    /// More than it can add to a score.
    pub(super) most: f32,
    pub(super) postings: BlockSegmentPostings,
    /// What bounds the blocks of a list that is long.
    pub(super) bounds: Option<Bm25Weight>,
    /// Where in the loaded block it stands.
    pub(super) at: usize,
}

impl Clause {
    fn doc(&self) -> DocId {
        self.postings.docs().get(self.at).copied().unwrap_or(TERMINATED)
    }

    /// How often it stands in a passage; those before were asked before.
    fn count_in(&mut self, doc: DocId) -> Option<u32> {
        if self.doc() < doc {
            self.at = self.postings.seek(doc);
        }
        (self.doc() == doc).then(|| self.postings.freq(self.at))
    }

    /// Adds its worth to the passages of a window, but for blocks of which none is worth more than `hopeless`.
    fn add_to(&mut self, window: &mut Window, norms: &Norms, lengths: &FieldNormReader, hopeless: f32) {
        loop {
            let bound = self.bounds.as_ref().filter(|_| hopeless > 0.0);
            let is_hopeless =
                bound.is_some_and(|bound| self.postings.block_max_score(lengths, bound) * SLACK <= hopeless);
            let docs = self.postings.docs();
            if docs.is_empty() {
                return;
            }
            if !is_hopeless {
                let rest = docs.iter().zip(self.postings.freqs()).skip(self.at);
                for (doc, count) in rest {
                    if !window.add(*doc, || self.most * norms.saturation(*count, lengths, *doc)) {
                        break;
                    }
                    self.at += 1;
                }
                if self.at < docs.len() {
                    return;
                }
            }
            self.postings.advance();
            self.at = 0;
        }
    }
}

/// The scores of passages that stand near each other.
pub(super) struct Window {
    start: DocId,
    scores: Vec<f32>,
    /// A bit for each passage that has one.
    seen: Vec<u64>,
}

impl Window {
    pub(super) fn new() -> Self {
        Self { start: 0, scores: vec![0.0; WINDOW as usize], seen: vec![0; WINDOW as usize / 64] }
    }

    /// Adds to the score of a passage; false when that stands after the window.
    fn add(&mut self, doc: DocId, score: impl FnOnce() -> f32) -> bool {
        let place = (doc - self.start) as usize;
        let (Some(sum), Some(seen)) = (self.scores.get_mut(place), self.seen.get_mut(place / 64)) else {
            return false;
        };
        *sum += score();
        *seen |= 1 << (place % 64);
        true
    }

    /// Takes the passages out, in their order.
    fn drain(&mut self, mut each: impl FnMut(DocId, f32)) {
        for (group, seen) in (0_u32..).zip(&mut self.seen) {
            while *seen != 0 {
                let place = group * 64 + seen.trailing_zeros();
                *seen &= *seen - 1;
                let score = self.scores.get_mut(place as usize).map(std::mem::take);
                each(self.start + place, score.unwrap_or_default());
            }
        }
    }
}

#[derive(Debug, PartialEq)]
struct Scored {
    score: f32,
    address: DocAddress,
}

impl Eq for Scored {}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scored {
    /// The better ones first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then_with(|| self.address.cmp(&other.address))
    }
}

/// The best passages so far.
pub(super) struct Top {
    limit: usize,
    best: BinaryHeap<Scored>,
    /// What a passage has to exceed.
    threshold: f32,
}

impl Top {
    /// For the best `limit` passages, at least one.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, best: BinaryHeap::with_capacity(limit.min(1024) + 1), threshold: 0.0 }
    }

    /// Best first.
    pub(super) fn into_sorted(self) -> Vec<(f32, DocAddress)> {
        self.best.into_sorted_vec().into_iter().map(|of| (of.score, of.address)).collect()
    }

    /// Takes in what exceeds the threshold.
    fn offer(&mut self, scored: Scored) {
        if self.best.len() < self.limit {
            self.best.push(scored);
        } else if let Some(mut worst) = self.best.peek_mut() {
            *worst = scored;
        }
        if self.best.len() == self.limit {
            self.threshold = self.best.peek().map_or(0.0, |worst| worst.score);
        }
    }

    /// Takes in the passages of a segment; the segments come in their order, and the clauses sorted by what they add at
    /// most, then by their words, so that one counts once for all of its forms.
    pub(super) fn take_in(
        &mut self,
        segment: u32,
        mut clauses: Vec<Clause>,
        norms: &Norms,
        lengths: &FieldNormReader,
        is_here: impl Fn(DocId) -> bool,
        window: &mut Window,
    ) {
        let mut sum = 0.0;
        let mut last = None;
        let up_to = clauses.iter().map(|clause| {
            if last.replace(clause.word) != Some(clause.word) {
                sum += clause.most;
            }
            sum * SLACK
        });
        let up_to: Vec<f32> = up_to.collect();
        let all = up_to.last().copied().unwrap_or_default();
        loop {
            let few = up_to.partition_point(|bound| *bound <= self.threshold);
            let (weak, strong) = clauses.split_at_mut(few);
            let next = strong.iter().map(Clause::doc).min().unwrap_or(TERMINATED);
            if next == TERMINATED {
                return;
            }
            window.start = next;
            // From the strongest to the weakest, always: how sums are rounded does not depend on where the line is.
            for clause in strong.iter_mut().rev() {
                let hopeless = self.threshold - (all - clause.most).max(0.0);
                clause.add_to(window, norms, lengths, hopeless);
            }
            window.drain(|doc, mut score| {
                for (clause, up_to) in weak.iter_mut().zip(&up_to).rev() {
                    if score + up_to <= self.threshold {
                        return;
                    }
                    if let Some(count) = clause.count_in(doc) {
                        score += clause.most * norms.saturation(count, lengths, doc);
                    }
                }
                if score > self.threshold && is_here(doc) {
                    self.offer(Scored { score, address: DocAddress::new(segment, doc) });
                }
            });
        }
    }
}
