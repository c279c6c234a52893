use std::collections::HashMap;
use std::hash::Hash;

/// One list that is to be fused: best first, each entry with its score.
///
/// An entry that stands in a list twice counts at its first place.
#[derive(Debug)]
pub struct Ranking<'r, T> {
    entries: &'r [(T, f32)],
    weight: f32,
}

// Not derived: `T` itself need not be `Copy`.
impl<T> Copy for Ranking<'_, T> {}

impl<T> Clone for Ranking<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<'r, T> Ranking<'r, T> {
    /// A list that counts once.
    #[must_use]
    pub fn new(entries: &'r [(T, f32)]) -> Self {
        Self { entries, weight: 1.0 }
    }

    /// Sets how much the list counts beside the others. What is negative or not finite counts as 0: the list then
    /// still adds its entries, at the end.
    #[must_use]
    pub fn with_weight(mut self, weight: f32) -> Self {
        self.weight = if weight.is_finite() { weight.max(0.0) } else { 0.0 };
        self
    }
}

/// How several rankings become one.
///
/// Pure and deterministic: the order of the lists makes no difference, and equal scores are in the order of the
/// entries themselves.
///
/// ```
/// use tusab_index::{Fusion, Ranking};
/// let words = [("b", 9.0), ("a", 3.0)];
/// let meaning = [("c", 0.9), ("b", 0.8)];
/// let fused = Fusion::default().fuse(&[Ranking::new(&words), Ranking::new(&meaning)]);
/// assert_eq!(fused.iter().map(|(entry, _)| *entry).collect::<Vec<_>>(), ["b", "c", "a"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fusion {
    /// The sum of `weight / (k + place)`, places from 1; scores make no difference. From Cormack, Clarke and
    /// Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods", SIGIR 2009.
    ReciprocalRank {
        /// How little the first places stand out; [`Fusion::RECIPROCAL_RANK_K`] in the paper.
        k: u32,
    },
    /// The sum of `weight * (score - least) / (greatest - least)` over each list, 1 where all its scores are equal.
    /// An entry that is not in a list gets nothing from it, and neither does a score that is not finite. From Lee,
    /// "Analyses of Multiple Evidence Combination", SIGIR 1997 (`CombSUM`).
    NormalizedSum,
}

impl Default for Fusion {
    /// Reciprocal rank, which needs no comparable scores.
    fn default() -> Self {
        Self::ReciprocalRank { k: Self::RECIPROCAL_RANK_K }
    }
}

impl Fusion {
    /// The `k` of the paper.
    pub const RECIPROCAL_RANK_K: u32 = 60;

    /// Every entry of the lists once, with its fused score (finite, not negative), best first.
    #[must_use]
    pub fn fuse<T: Ord + Hash + Clone>(self, rankings: &[Ranking<'_, T>]) -> Vec<(T, f64)> {
        let mut parts: HashMap<&T, Vec<f64>> = HashMap::new();
        for (number, ranking) in rankings.iter().enumerate() {
            let range = Range::of(ranking.entries);
            for (place, (entry, score)) in ranking.entries.iter().enumerate() {
                let parts = parts.entry(entry).or_insert_with(|| Vec::with_capacity(rankings.len()));
                // One part for each list up to this one: a second place in it is passed over.
                if parts.len() <= number {
                    parts.resize(number, 0.0);
                    parts.push(f64::from(ranking.weight) * self.share(place, *score, range));
                }
            }
        }
        let mut fused: Vec<(T, f64)> =
            parts.into_iter().map(|(entry, parts)| (entry.clone(), sum(parts))).collect();
        fused
            .sort_unstable_by(|(a, score_a), (b, score_b)| score_b.total_cmp(score_a).then_with(|| a.cmp(b)));
        fused
    }

    fn share(self, place: usize, score: f32, range: Range) -> f64 {
        match self {
            #[allow(clippy::cast_precision_loss, reason = "lists are shorter than 2^52")]
            Self::ReciprocalRank { k } => 1.0 / (f64::from(k) + (place + 1) as f64),
            Self::NormalizedSum => range.normalize(score),
        }
    }
}

/// In a fixed order, so that equal parts give equal sums whichever lists they are from.
fn sum(mut parts: Vec<f64>) -> f64 {
    parts.sort_unstable_by(f64::total_cmp);
    parts.into_iter().sum()
}

/// The finite scores of a list: from the least to the greatest.
#[derive(Debug, Clone, Copy)]
struct Range {
    least: f64,
    greatest: f64,
}

impl Range {
    fn of<T>(entries: &[(T, f32)]) -> Self {
        let empty = Self { least: f64::INFINITY, greatest: f64::NEG_INFINITY };
        let finite = entries.iter().map(|(_, score)| f64::from(*score)).filter(|score| score.is_finite());
        finite.fold(empty, |range, score| Self {
            least: range.least.min(score),
            greatest: range.greatest.max(score),
        })
    }

    fn normalize(self, score: f32) -> f64 {
        if !score.is_finite() {
            0.0
        } else if self.greatest > self.least {
            (f64::from(score) - self.least) / (self.greatest - self.least)
        } else {
            1.0
        }
    }
}
