//! Chooses among candidates by their vectors, all of length 1.

use std::num::NonZeroUsize;

use super::Selection;

/// A candidate, as far as choosing is concerned.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'v> {
    pub(super) vector: &'v [f32],
    /// Similarity to the text.
    pub(super) similarity: f32,
}

/// The chosen candidates' places, in the order in which KeyBERT tells them. Of equals the earlier one is chosen.
pub(super) fn select(candidates: &[Candidate<'_>], top: usize, selection: Selection) -> Vec<usize> {
    match selection {
        Selection::MarginalRelevance { diversity } => {
            let mut chosen = marginal_relevance(candidates, top, diversity);
            let similarity = |at: &usize| candidates.get(*at).map_or(0.0, |candidate| candidate.similarity);
            chosen.sort_by(|a, b| similarity(b).total_cmp(&similarity(a)));
            chosen
        }
        Selection::MaxSum { pool } => max_sum(candidates, top, pool),
    }
}

/// Sums in as many lanes as a wide register has numbers: one running sum could not be vectorised, since floating point
/// addition is not associative.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// In the order chosen.
pub(super) fn marginal_relevance(candidates: &[Candidate<'_>], top: usize, diversity: f32) -> Vec<usize> {
    // The similarity to the nearest one chosen; nothing is chosen yet.
    let mut nearest: Vec<Option<f32>> = vec![None; candidates.len()];
    let mut chosen: Vec<usize> = Vec::with_capacity(top.min(candidates.len()));
    while chosen.len() < top {
        let mut best: Option<(f32, usize)> = None;
        for (at, (candidate, nearest)) in candidates.iter().zip(&nearest).enumerate() {
            let gain = match nearest {
                None => candidate.similarity,
                Some(nearest) => (1.0 - diversity) * candidate.similarity - diversity * nearest,
            };
            if best.is_none_or(|(most, _)| gain > most) && !chosen.contains(&at) {
                best = Some((gain, at));
            }
        }
        let Some((next, at)) = best.and_then(|(_, at)| Some((candidates.get(at)?, at))) else { break };
        chosen.push(at);
        for (nearest, candidate) in nearest.iter_mut().zip(candidates) {
            let similarity = dot(candidate.vector, next.vector);
            *nearest = Some(nearest.map_or(similarity, |nearest| nearest.max(similarity)));
        }
    }
    chosen
}

/// Ways to choose that are looked at, at most.
const WAYS: u128 = 1_000_000;

fn max_sum(candidates: &[Candidate<'_>], top: usize, pool: NonZeroUsize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    let similarity = |at: usize| candidates.get(at).map_or(0.0, |candidate| candidate.similarity);
    // Ascending, as KeyBERT tells them.
    order.sort_by(|&a, &b| similarity(a).total_cmp(&similarity(b)));
    let mut size = pool.get().max(top).min(order.len());
    while size > top && ways(size, top) > WAYS {
        size -= 1;
    }
    let pool = order.split_off(order.len() - size);
    if pool.len() <= top {
        return pool;
    }
    let vector = |at: &usize| candidates.get(*at).map(|candidate| candidate.vector).unwrap_or_default();
    let between: Vec<Vec<f32>> =
        pool.iter().map(|a| pool.iter().map(|b| dot(vector(a), vector(b))).collect()).collect();
    let mut search = Search { between: &between, top, least: f32::INFINITY, best: Vec::new() };
    search.extend(&mut Vec::with_capacity(top), 0, 0.0);
    search.best.iter().filter_map(|&at| pool.get(at).copied()).collect()
}

/// n over k, or more than [`WAYS`].
fn ways(n: usize, k: usize) -> u128 {
    let mut ways = 1_u128;
    for step in 1..=k.min(n.saturating_sub(k)) {
        ways = ways * (n - k.min(n - k) + step) as u128 / step as u128;
        if ways > WAYS {
            break;
        }
    }
    ways
}

/// Goes through all ways to choose, in lexicographic order, with the sum of each beginning computed once.
struct Search<'b> {
    between: &'b [Vec<f32>],
    top: usize,
    least: f32,
    best: Vec<usize>,
}

impl Search<'_> {
    fn extend(&mut self, chosen: &mut Vec<usize>, from: usize, sum: f32) {
        if chosen.len() == self.top {
            if sum < self.least {
                self.least = sum;
                self.best.clone_from(chosen);
            }
            return;
        }
        let enough = self.between.len() + chosen.len() + 1 - self.top;
        for next in from..enough {
            let Some(row) = self.between.get(next) else { return };
            let added: f32 = chosen.iter().filter_map(|&other| row.get(other)).sum();
            chosen.push(next);
            self.extend(chosen, next + 1, sum + added);
            chosen.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candidates<'v>(text: &[f32], vectors: &'v [Vec<f32>]) -> Vec<Candidate<'v>> {
        vectors.iter().map(|vector| Candidate { vector, similarity: dot(text, vector) }).collect()
    }

    fn vectors(angles: &[f32]) -> Vec<Vec<f32>> {
        angles.iter().map(|angle| vec![angle.cos(), angle.sin()]).collect()
    }

    const HALF: Selection = Selection::MarginalRelevance { diversity: 0.5 };

    #[test]
    fn diversity_passes_over_what_says_the_same() {
        let vectors = vectors(&[0.1, 0.11, -0.5, 1.4]);
        let candidates = candidates(&[1.0, 0.0], &vectors);
        assert_eq!(select(&candidates, 2, Selection::MarginalRelevance { diversity: 0.0 }), [0, 1]);
        assert_eq!(marginal_relevance(&candidates, 2, 0.7), [0, 3]);
        assert_eq!(select(&candidates, 9, HALF).len(), 4);
        assert_eq!(select(&[], 9, HALF), [] as [usize; 0]);
    }

    #[test]
    fn of_equals_the_first_is_chosen() {
        let vectors = vectors(&[0.3, 0.3, 0.3]);
        let candidates = candidates(&[1.0, 0.0], &vectors);
        assert_eq!(marginal_relevance(&candidates, 3, 0.5), [0, 1, 2]);
    }

    #[test]
    fn a_pool_that_would_take_forever_is_taken_smaller() {
        let angles: Vec<f32> = (0_u8..60).map(|at| f32::from(at) / 40.0).collect();
        let vectors = vectors(&angles);
        let candidates = candidates(&[1.0, 0.0], &vectors);
        let chosen = select(&candidates, 8, Selection::MaxSum { pool: NonZeroUsize::new(60).unwrap() });
        assert_eq!(chosen.len(), 8);
    }

    #[test]
    fn ways_are_binomials() {
        assert_eq!((ways(20, 8), ways(5, 5), ways(5, 0), ways(6, 4)), (125_970, 1, 1, 15));
        assert!(ways(400, 200) > WAYS);
    }

    proptest! {
        #[test]
        fn max_sum_finds_what_trying_all_finds(
            angles in prop::collection::vec(0.0_f32..3.0, 1..8), top in 1_usize..5, pool in 1_usize..8,
        ) {
            let vectors = vectors(&angles);
            let candidates = candidates(&[1.0, 0.0], &vectors);
            let pool = NonZeroUsize::new(pool).unwrap();
            let chosen = select(&candidates, top, Selection::MaxSum { pool });
            prop_assert_eq!(chosen.len(), top.min(angles.len()));
            let sum = |places: &[usize]| -> f32 {
                places.iter().flat_map(|&a| places.iter().map(move |&b| (a, b))).filter(|(a, b)| a < b)
                    .map(|(a, b)| dot(&vectors[a], &vectors[b])).sum()
            };
            let mut by_similarity: Vec<usize> = (0..angles.len()).collect();
            by_similarity.sort_by(|&a, &b| candidates[b].similarity.total_cmp(&candidates[a].similarity));
            by_similarity.truncate(pool.get().max(top));
            for mask in 0_u32..1 << by_similarity.len() {
                let mut way: Vec<usize> =
                    by_similarity.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, &place)| place).collect();
                way.sort_unstable();
                if way.len() == chosen.len() {
                    prop_assert!(sum(&chosen) <= sum(&way) + 1e-4);
                }
            }
        }
    }
}
