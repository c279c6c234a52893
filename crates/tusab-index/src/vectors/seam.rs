use tusab_chunk::ChunkId;

use super::space::{SpaceMismatch, VectorSpace};
use super::vector::{InvalidVector, Vector};
use crate::Error;

/// Says of a passage, by the store's number and by its id, whether it may be found. Called from several threads, on
/// rows in no particular order, at most once for each.
pub type KeepVector<'k> = dyn Fn(u64, &ChunkId) -> bool + Sync + 'k;

/// What to look for by meaning.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct VectorQuery<'q> {
    /// The space that the vector is of.
    pub space: &'q VectorSpace,
    /// The embedded question.
    pub vector: &'q Vector,
    /// Largest number of hits; 12 by default. Zero asks for none.
    pub limit: usize,
    /// Which passages may be found; `None`, the default, for all.
    pub keep: Option<&'q KeepVector<'q>>,
}

impl<'q> VectorQuery<'q> {
    /// Hits by default: the size of a candidate pool.
    pub const LIMIT: usize = 12;

    /// A query for a vector of a space.
    ///
    /// # Errors
    /// When the vector does not have the dimension of its space.
    pub fn new(space: &'q VectorSpace, vector: &'q Vector) -> Result<Self, InvalidVector> {
        vector.check(space.dimension())?;
        Ok(Self { space, vector, limit: Self::LIMIT, keep: None })
    }

    /// Sets the largest number of hits.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Sets which passages may be found.
    #[must_use]
    pub fn with_keep(mut self, keep: &'q KeepVector<'q>) -> Self {
        self.keep = Some(keep);
        self
    }
}

impl std::fmt::Debug for VectorQuery<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut fields = f.debug_struct("VectorQuery");
        fields.field("space", self.space).field("limit", &self.limit).finish_non_exhaustive()
    }
}

/// A passage found by meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct VectorHit {
    /// The passage.
    pub chunk: ChunkId,
    /// The store's number of it.
    pub key: u64,
    /// Cosine with the query, from -1 to 1.
    pub score: f32,
}

/// What a search by meaning came to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum VectorOutcome {
    /// The nearest passages; none is an answer too.
    Found(Vec<VectorHit>),
    /// Vectors cannot be used now; the rest of the search goes on without them.
    Off(VectorsOff),
}

/// Why vectors cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VectorsOff {
    /// No passage has one.
    #[error("no passage has a vector yet: embed the passages")]
    Missing,
    /// They are of another space than the query.
    #[error(transparent)]
    OtherSpace(#[from] SpaceMismatch),
    /// Their files cannot be read, and are made again from the store when the index is opened for writing.
    #[error(
        "the vectors cannot be read ({reason}): open the index again, which makes them anew from the store"
    )]
    Unreadable {
        /// What is wrong.
        reason: String,
    },
}

/// Finds passages by meaning.
///
/// The contract, held by one conformance suite for every implementation:
/// - The nearest by cosine, exactly, best first; equal scores in the order of [`ChunkId`]; scores are finite.
/// - At most `query.limit` hits, none twice, none that `query.keep` refuses; a limit of zero gives none.
/// - Vectors of another space are never compared: that is [`VectorOutcome::Off`], not an error and not a guess.
/// - The same vectors and query give the same hits in the same order.
pub trait VectorSearch: Send + Sync {
    /// The nearest passages to a query.
    ///
    /// # Errors
    /// When the store cannot be read. What only concerns the vectors is an outcome.
    fn nearest(&self, query: &VectorQuery<'_>) -> Result<VectorOutcome, Error>;
}
