//! How far a model can be trusted for the language that is before it.

use tusab_rerank::{Embedder, Reranker};

use super::blend::Candidate;

/// Weights of the models' votes, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Trust {
    pub(super) cross_encoder: f32,
    pub(super) embedder: f32,
}

/// Passages that are looked at, and characters of each: a language shows in a few sentences.
const PASSAGES: usize = 3;
const CHARACTERS: usize = 400;

/// Pieces a word up to which a text is in a language that the model was made for. English under BERT's English vocabulary
/// has 1.1 to 1.4, the English of science included; Portuguese under it 1.8 to 2.2.
const KNOWN: f32 = 1.5;

/// Pieces a word from which the model has to spell.
const SPELLED: f32 = 1.9;

impl Trust {
    /// Looks at how many pieces the models' vocabularies cut the words of the question and the first passages into.
    ///
    /// That number, a vocabulary's fertility, tells how well a model knows a language without anybody listing its
    /// languages, and goes with how well it does there (Rust et al., "How Good is Your Tokenizer?", ACL 2021). A model
    /// that cannot say is trusted as one that has to spell.
    pub(super) fn of(
        question: &str,
        pool: &[Candidate],
        reranker: &dyn Reranker,
        embedder: Option<&dyn Embedder>,
    ) -> Self {
        let mut sample = question.to_owned();
        for candidate in pool.iter().take(PASSAGES) {
            sample.push('\n');
            sample.extend(candidate.hit.chunk.original_text().chars().take(CHARACTERS));
        }
        // Who has read half of a letter has half a say in what answers it.
        let read = reranker.question_read(question).clamp(0.0, 1.0);
        Self {
            cross_encoder: read * weight(reranker.pieces_per_word(&sample), SPELLING),
            embedder: embedder.map_or(0.0, |model| weight(model.pieces_per_word(&sample), SPELLING_EMBEDDER)),
        }
    }
}

/// Weight of a cross-encoder that has to spell: it still sees the same word in question and passage.
pub(crate) const SPELLING: f32 = 0.2;

/// Weight of an embedder that has to spell: its neighbours are mostly chance.
const SPELLING_EMBEDDER: f32 = 0.0;

fn weight(pieces_per_word: Option<f32>, spelling: f32) -> f32 {
    let Some(pieces) = pieces_per_word else { return spelling };
    let knows = ((SPELLED - pieces) / (SPELLED - KNOWN)).clamp(0.0, 1.0);
    spelling + (1.0 - spelling) * knows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_falls_with_the_pieces_of_a_word() {
        let close = |a: f32, b: f32| assert!((a - b).abs() < 1e-6, "{a} {b}");
        close(weight(Some(1.3), 0.5), 1.0);
        close(weight(Some(1.7), 0.5), 0.75);
        close(weight(Some(3.0), 0.5), 0.5);
        close(weight(None, 0.0), 0.0);
    }
}
