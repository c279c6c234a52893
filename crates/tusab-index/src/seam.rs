use tusab_chunk::{Chunk, ChunkId, DocId};

use crate::{
    Applied, Batch, ContentHash, Control, DocumentRecord, Enriched, Enrichment, Error, Filter, Found, Hit,
    Lacking, OfDocument, PageMark, Query, Vector, VectorQuery, VectorSpace, VectorsOff,
};

/// Where documents and chunks are kept.
///
/// The contract, held by one conformance suite for every implementation:
/// - [`apply`](ChunkStore::apply) is all or nothing, durable when it returns, and found by the next search.
/// - A document with an unchanged content hash is left alone and counted as unchanged.
/// - Chunks come back by ordinal, exactly as they were given.
/// - What is deleted leaves no chunk behind.
/// - Key phrases and vectors that are set later change no id, are durable when the call returns, and stay with a chunk
///   whose id is still among its document's after that was written again.
pub trait ChunkStore: Send + Sync {
    /// Writes a batch.
    ///
    /// # Errors
    /// When the disk refuses, another process is writing, or `control` asks to stop. Nothing of the batch is found
    /// then; what a failing disk has kept of it is found or swept away when the index is opened again.
    fn apply(&self, batch: &Batch, control: Control<'_>) -> Result<Applied, Error>;

    /// What is known of a document; `None` when it is not here.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn document(&self, doc: &DocId) -> Result<Option<DocumentRecord>, Error>;

    /// Every document, by id.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn documents(&self) -> Result<Vec<DocumentRecord>, Error>;

    /// The content hash of every document, by id.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn content_hashes(&self) -> Result<Vec<(DocId, ContentHash)>, Error>;

    /// The chunks of a document, by ordinal; none when it is not here.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn chunks(&self, doc: &DocId) -> Result<Vec<Chunk>, Error>;

    /// Gives chunks their key phrases in place of those that they had; found by the next search. Ids that their document
    /// does not have are counted and left out. Many chunks in one call cost less than many calls.
    ///
    /// # Errors
    /// As [`apply`](Self::apply). All or nothing.
    fn set_key_phrases(&self, of: &[OfDocument<Vec<String>>]) -> Result<Enriched, Error>;

    /// Gives chunks their vectors in place of those that they had; found by the next search. Ids that their document
    /// does not have are counted and left out. The first call says what space the vectors of this store are of.
    ///
    /// # Errors
    /// [`Error::OtherSpace`] when the store's vectors are of another space, [`Error::Vector`] for one of another
    /// dimension than the space, and as [`apply`](Self::apply). All or nothing.
    fn set_vectors(&self, space: &VectorSpace, of: &[OfDocument<Vector>]) -> Result<Enriched, Error>;

    /// The vectors that the chunks of a document have, by ordinal.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn vectors(&self, doc: &DocId) -> Result<Vec<(ChunkId, Vector)>, Error>;

    /// The space of the vectors; `None` before the first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn vector_space(&self) -> Result<Option<VectorSpace>, Error>;

    /// Says what space the vectors are of from now on, and removes those of any other: the explicit step to another
    /// model. Nothing happens when it is the one already.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn set_vector_space(&self, space: &VectorSpace) -> Result<(), Error>;

    /// Up to `limit` chunks that were never given what is asked about, from a mark on. A chunk that was given no key
    /// phrases on purpose, as an empty list, does not lack them.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn lacking(&self, what: Enrichment, from: PageMark, limit: usize) -> Result<Lacking, Error>;

    /// Number of chunks that were never given what is asked about.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn count_lacking(&self, what: Enrichment) -> Result<usize, Error>;

    /// How much is stored.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn statistics(&self) -> Result<Statistics, Error>;
}

/// Finds passages by words, and by meaning where it has vectors: what every search stands on.
///
/// The contract, held by one conformance suite for every implementation:
/// - Best first; equal scores in the order of [`ChunkId`](tusab_chunk::ChunkId); scores are finite.
/// - At most `query.limit` hits, none twice; a limit of zero or a query without words gives none.
/// - No text makes it fail. The same index and query give the same hits in the same order.
pub trait Retriever: Send + Sync {
    /// The best passages for a query.
    ///
    /// # Errors
    /// When the index cannot be read.
    fn retrieve(&self, query: &Query) -> Result<Found, Error>;

    /// The nearest passages by meaning among those that the filter lets through, with their texts: best first, each with
    /// its place in [`Explain::vector_rank`](crate::Explain::vector_rank) and a score of 0, since a cosine compares with
    /// no other score. Those who keep no vectors say that none are there, as this does.
    ///
    /// # Errors
    /// When the index cannot be read. What only concerns the vectors is an outcome.
    fn retrieve_nearest(&self, query: &VectorQuery<'_>, filter: &Filter) -> Result<Nearest, Error> {
        let _ = (query, filter);
        Ok(Nearest::Off(VectorsOff::Missing))
    }

    /// The passage that follows a hit in its document; `None` after the last, and from those who cannot say, as here. It
    /// was not searched for: its score is 0.
    ///
    /// # Errors
    /// When the index cannot be read.
    fn following(&self, hit: &Hit) -> Result<Option<Hit>, Error> {
        let _ = hit;
        Ok(None)
    }
}

/// What a search for passages by meaning came to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Nearest {
    /// The nearest passages; none is an answer too.
    Found(Vec<Hit>),
    /// Vectors cannot be used now; the rest of the search goes on without them.
    Off(VectorsOff),
}

/// How much a store holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Number of documents.
    pub documents: usize,
    /// Number of chunks.
    pub chunks: usize,
}
