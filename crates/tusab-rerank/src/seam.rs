use std::num::NonZeroUsize;

use crate::{Backend, Embeddings, Error, Limits, Scored};

/// Reads a question and a passage together and says how well the passage answers it.
///
/// The contract: one finite score a passage, in the order given; higher is better; a passage's score does not depend
/// on the others; empty texts have a score too; no passages give no scores.
pub trait Reranker: Send + Sync {
    /// The model's name, as results show it.
    fn model(&self) -> &str;

    /// What runs the model; `None` where that is unknown, or where none was needed yet.
    fn backend(&self) -> Option<Backend> {
        None
    }

    /// How many of the model's own pieces a word of `text` falls into, on average: near 1 where the model was made for
    /// the language, above 2 where it has to spell. `None` where that cannot be said; may load the model.
    fn pieces_per_word(&self, text: &str) -> Option<f32> {
        let _ = text;
        None
    }

    /// Share of a question that the model reads, from 0 to 1: less than all of a question that is longer than it takes.
    /// May load the model.
    fn question_read(&self, query: &str) -> f32 {
        let _ = query;
        1.0
    }

    /// The score of each passage for `query`.
    ///
    /// # Errors
    /// When the model cannot be run.
    fn scores(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, Error>;

    /// The scores that are to be had within `limits`: the passages that come first are scored first. Those who cannot
    /// stop midway score all or, when the limits are reached already, none.
    ///
    /// # Errors
    /// When the model cannot be run.
    fn scores_within(&self, query: &str, passages: &[&str], limits: &Limits<'_>) -> Result<Scored, Error> {
        match limits.reached() {
            Some(end) => Ok(Scored { scores: vec![None; passages.len()], end }),
            None => self.scores(query, passages).map(Scored::complete),
        }
    }
}

/// Turns texts into vectors whose direction is their meaning.
///
/// The contract: one vector a text, in the order given, all of [`dimension`](Embedder::dimension) finite numbers;
/// a text's vector does not depend on the others; no texts give no vectors; a text longer than the model's window is
/// not cut silently.
pub trait Embedder: Send + Sync {
    /// The model's name, as results show it.
    fn model(&self) -> &str;

    /// What the vectors depend on (weights, pooling, prefixes) in a few characters: only vectors of one identity may be
    /// compared or kept together. May load the model.
    ///
    /// # Errors
    /// When the model cannot be loaded.
    fn identity(&self) -> Result<String, Error> {
        Ok(self.model().to_owned())
    }

    /// Length of each vector. May load the model.
    ///
    /// # Errors
    /// When the model cannot be loaded.
    fn dimension(&self) -> Result<NonZeroUsize, Error>;

    /// How many of the model's own pieces a word of `text` falls into, as [`Reranker::pieces_per_word`]. Who searches may
    /// leave a model that does not say this without a say.
    fn pieces_per_word(&self, text: &str) -> Option<f32> {
        let _ = text;
        None
    }

    /// The vectors of texts that are searched.
    ///
    /// # Errors
    /// When the model cannot be run.
    fn embed_passages(&self, passages: &[&str]) -> Result<Embeddings, Error>;

    /// The vector of a question. Many models want questions and passages marked differently.
    ///
    /// # Errors
    /// When the model cannot be run.
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, Error>;

    /// The vectors of phrases of a few words, many at once, without prefix. Here throughput comes first: on quantised
    /// models, whose rounding depends on what shares a batch, a vector may differ in the third decimal from what it
    /// would be alone.
    ///
    /// # Errors
    /// When the model cannot be run.
    fn embed_phrases(&self, phrases: &[&str]) -> Result<Embeddings, Error> {
        self.embed_passages(phrases)
    }

    /// The vectors of texts as phrases are compared with: without prefix, and of a long text the first window only,
    /// as sentence-transformers takes it.
    ///
    /// # Errors
    /// When the model cannot be run.
    fn embed_heads(&self, texts: &[&str]) -> Result<Embeddings, Error> {
        self.embed_passages(texts)
    }
}
