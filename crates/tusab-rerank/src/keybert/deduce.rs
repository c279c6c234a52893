//! Guesses which phrases are worth the model's time.

use super::select::{Candidate, marginal_relevance};

/// A vector for a phrase from those of its words: their mean, of length 1. It serves to choose candidates, and is never
/// told.
pub(super) fn deduced<'v>(words: impl Iterator<Item = &'v [f32]>) -> Vec<f32> {
    let mut sum: Vec<f32> = Vec::new();
    for vector in words {
        sum.resize(sum.len().max(vector.len()), 0.0);
        for (sum, number) in sum.iter_mut().zip(vector) {
            *sum += number;
        }
    }
    let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        for number in &mut sum {
            *number /= length;
        }
    }
    sum
}

/// The places of the `count` candidates that marginal relevance would choose by these vectors, half of them at the
/// diversity asked for and the rest by nearness to the text.
pub(super) fn shortlist(candidates: &[Candidate<'_>], count: usize, diversity: f32) -> Vec<usize> {
    let mut chosen = marginal_relevance(candidates, count.div_ceil(2), diversity);
    let similarity = |at: usize| candidates.get(at).map_or(0.0, |candidate| candidate.similarity);
    let mut rest: Vec<usize> = (0..candidates.len()).filter(|at| !chosen.contains(at)).collect();
    rest.sort_by(|&a, &b| similarity(b).total_cmp(&similarity(a)));
    rest.truncate(count - chosen.len());
    chosen.extend(rest);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deduced_vector_is_the_direction_of_the_mean() {
        let words: [&[f32]; 2] = [&[3.0, 0.0], &[0.0, 4.0]];
        assert_eq!(deduced(words.into_iter()), [0.6, 0.8]);
        assert!(deduced(std::iter::empty()).is_empty());
        assert_eq!(deduced([&[0.0, 0.0][..]].into_iter()), [0.0, 0.0]);
    }

    #[test]
    fn half_of_the_shortlist_is_chosen_for_nearness_alone() {
        // Four that say nearly the same and are near, and two that are far off and different.
        let vectors: Vec<Vec<f32>> =
            [0.1_f32, 0.11, 0.12, 0.13, 1.2, -1.2].iter().map(|a| vec![a.cos(), a.sin()]).collect();
        let candidates: Vec<Candidate<'_>> =
            vectors.iter().map(|vector| Candidate { vector, similarity: vector[0] }).collect();
        assert_eq!(marginal_relevance(&candidates, 4, 0.9)[..3], [0, 5, 4]);
        assert_eq!(shortlist(&candidates, 4, 0.9), [0, 5, 1, 2]);
        assert_eq!(shortlist(&candidates, 99, 0.9).len(), 6);
    }
}
