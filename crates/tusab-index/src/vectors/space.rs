use serde::{Deserialize, Serialize};

use super::vector::Dimension;

/// Whose numbers vectors are: only vectors of one space can be compared.
///
/// ```
/// use tusab_index::{Dimension, VectorSpace};
/// let space = VectorSpace::new("nomic-embed-text", Dimension::new(768)?)
///     .with_prefixes("search_query: ", "search_document: ");
/// assert_eq!(space.dimension().get(), 768);
/// # Ok::<(), tusab_index::InvalidVector>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorSpace {
    model: String,
    dimension: Dimension,
    query_prefix: String,
    passage_prefix: String,
}

impl VectorSpace {
    /// The space of a model that is given texts as they are. `model` names it with its version, as the application
    /// does: other names are other models.
    pub fn new(model: impl Into<String>, dimension: Dimension) -> Self {
        Self { model: model.into(), dimension, query_prefix: String::new(), passage_prefix: String::new() }
    }

    /// Sets what is put before queries and before passages when they are embedded.
    #[must_use]
    pub fn with_prefixes(mut self, query: impl Into<String>, passage: impl Into<String>) -> Self {
        (self.query_prefix, self.passage_prefix) = (query.into(), passage.into());
        self
    }

    /// The model's name.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// How many numbers its vectors have.
    #[must_use]
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// What is put before a query.
    #[must_use]
    pub fn query_prefix(&self) -> &str {
        &self.query_prefix
    }

    /// What is put before a passage.
    #[must_use]
    pub fn passage_prefix(&self) -> &str {
        &self.passage_prefix
    }

    /// Why vectors of the space `asked` cannot be compared with those of this one; `None` when they can.
    #[must_use]
    pub fn mismatch(&self, asked: &Self) -> Option<SpaceMismatch> {
        if self.model != asked.model {
            let (stored, asked) = (self.model.clone(), asked.model.clone());
            Some(SpaceMismatch::Model { stored, asked })
        } else if self.dimension != asked.dimension {
            let (stored, asked) = (self.dimension.get(), asked.dimension.get());
            Some(SpaceMismatch::Dimension { stored, asked })
        } else if self != asked {
            Some(SpaceMismatch::Prefixes)
        } else {
            None
        }
    }

    /// A short name of the space, which every file of vectors carries.
    pub(super) fn fingerprint(&self) -> [u8; 16] {
        let mut state = blake2b_simd::Params::new().hash_length(16).personal(b"tusab-vecspace-1").to_state();
        for text in [&self.model, &self.query_prefix, &self.passage_prefix] {
            // No text runs into the next.
            state.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        }
        state.update(&(self.dimension.get() as u64).to_le_bytes());
        let mut fingerprint = [0; 16];
        for (to, from) in fingerprint.iter_mut().zip(state.finalize().as_bytes()) {
            *to = *from;
        }
        fingerprint
    }
}

/// Why two spaces are not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceMismatch {
    /// Another model.
    #[error(
        "the stored vectors were made by {stored}, the query by {asked}: embed the passages again, or ask with {stored}"
    )]
    Model {
        /// The model of the stored vectors.
        stored: String,
        /// The model of the query.
        asked: String,
    },
    /// One name, but other lengths.
    #[error("the stored vectors have {stored} numbers, the query {asked}: embed the passages again")]
    Dimension {
        /// Numbers of the stored vectors.
        stored: usize,
        /// Numbers of the query.
        asked: usize,
    },
    /// Other words before the texts.
    #[error("the stored vectors were made with other prefixes: embed the passages again")]
    Prefixes,
}
