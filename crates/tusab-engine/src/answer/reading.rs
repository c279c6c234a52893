//! What a cross-encoder says of the best passage, read a few sentences at a time.

use serde::Serialize;
use tusab_chunk::{Chars, TextWindows};
use tusab_rerank::Reranker;

use crate::Found;
use crate::models::passage_text;
use crate::search::SPELLING;

/// Characters that are read at a time, two or three sentences: a whole passage of the topic gets a high score whether it
/// answers or not; the stretch that answers stands out.
const STRETCH: Chars = Chars(320);

/// Of these, how many the next stretch repeats, so that a sentence at the edge of one is whole in the next.
const OVERLAP: Chars = Chars(140);

/// Stretches that are read of a passage. A chunk of the usual size has eleven.
const MOST: usize = 16;

/// Passages after the first that it is compared with: those that a search gives by default.
const OTHERS: u8 = 5;

/// What the first passage's logit is above the mean of the others' on average, over four judged collections in two
/// languages (3.1 to 4.1). Where there are fewer others, each that is missing counts as this, so that a small base is
/// neither favoured nor held back.
const USUAL_LEAD: f32 = 3.7;

/// What a cross-encoder says of the best passage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Reading {
    /// Its score of the first passage: the model's raw logit.
    pub first: f32,
    /// Its score of the stretch of that passage that it likes best.
    pub closely: f32,
    /// How far its score of the first passage is above the mean of its scores of the next five, in logits. A model that
    /// likes all that was found for a question is pleased by the question's topic.
    pub over_rest: f32,
    /// How far it knows the language, from 0 to 1.
    pub trust: f32,
}

impl Reading {
    /// How far it knows the language beyond spelling it, from 0 to 1.
    pub(super) fn known(&self) -> f32 {
        ((self.trust - SPELLING) / (1.0 - SPELLING)).max(0.0)
    }

    /// How far it has a say where it spells the words, from 0 to 1: none once it has read no more than half of the question.
    pub(super) fn spelled(&self) -> f32 {
        (2.0 * self.trust / SPELLING - 1.0).clamp(0.0, 1.0)
    }

    /// Reads the first passage of a Broad Search closely; `None` where the cross-encoder has not read it yet, or fails.
    pub(super) fn of(question: &str, found: &Found, reranker: &dyn Reranker) -> Option<Self> {
        let first = found.ranks.first()?.cross_encoder_score?;
        let hit = found.hits.first()?;
        let text = hit.chunk.original_text();
        let windows = TextWindows::new(STRETCH, OVERLAP).ok()?;
        let stretches: Vec<String> = windows
            .spans(text)
            .filter_map(|span| text.get(span.byte_start().0..span.byte_end().0))
            .map(|stretch| passage_text(&hit.document.title, hit.chunk.section(), stretch))
            .take(MOST)
            .collect();
        let stretches: Vec<&str> = stretches.iter().map(String::as_str).collect();
        let scores = reranker.scores(question, &stretches).ok()?;
        let closely = scores.into_iter().filter(|score| score.is_finite()).max_by(f32::total_cmp)?;
        let others = found.ranks.iter().skip(1).filter_map(|ranks| ranks.cross_encoder_score);
        Some(Self { first, closely, over_rest: over_rest(first, others), trust: found.cross_encoder_trust })
    }
}

fn over_rest(first: f32, others: impl Iterator<Item = f32>) -> f32 {
    let leads = others.map(|other| first - other).chain(std::iter::repeat(USUAL_LEAD)).take(OTHERS.into());
    leads.sum::<f32>() / f32::from(OTHERS)
}

#[cfg(test)]
mod tests {
    use super::over_rest;

    #[test]
    fn the_lead_is_over_the_next_five_and_a_missing_one_has_the_usual() {
        let close = |others: &[f32], expected: f32| {
            let lead = over_rest(4.0, others.iter().copied());
            assert!((lead - expected).abs() < 1e-5, "{others:?}: {lead}");
        };
        close(&[], 3.7);
        close(&[4.0], 3.7 * 0.8);
        close(&[0.0, 1.0, 2.0, 3.0, 4.0], 2.0);
        close(&[0.0, 1.0, 2.0, 3.0, 4.0, -90.0], 2.0);
    }
}
