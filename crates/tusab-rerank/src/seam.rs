use std::num::NonZeroUsize;

use crate::{Embeddings, Error};

/// Reads a question and a passage together and says how well the passage answers it.
///
/// The contract: one finite score a passage, in the order given; higher is better; a passage's score does not depend
/// on the others; empty texts have a score too; no passages give no scores.
pub trait Reranker: Send + Sync {
    /// The model's name, as results show it.
    fn model(&self) -> &str;

    /// The score of each passage for `query`.
    ///
    /// # Errors
    /// When the model cannot be run.
    fn scores(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, Error>;
}

/// Turns texts into vectors whose direction is their meaning.
///
/// The contract: one vector a text, in the order given, all of [`dimension`](Embedder::dimension) finite numbers;
/// a text's vector does not depend on the others; no texts give no vectors.
pub trait Embedder: Send + Sync {
    /// The model's name; vectors of different models are never compared.
    fn model(&self) -> &str;

    /// Length of each vector.
    fn dimension(&self) -> NonZeroUsize;

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
}
