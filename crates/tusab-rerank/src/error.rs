/// Why a model gave no scores or vectors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Vectors of different lengths, or a number that is not finite, cannot be compared.
    #[error("embeddings are malformed: {reason}")]
    MalformedEmbeddings {
        /// Which rule is broken.
        reason: String,
    },
    /// The model failed.
    #[error("the model {model} failed")]
    Model {
        /// Which model.
        model: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
