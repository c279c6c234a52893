use tusab_chunk::{Chunk, DocId};

use crate::{Applied, Batch, ContentHash, Control, DocumentRecord, Error, Found, Query};

/// Where documents and chunks are kept.
///
/// The contract, held by one conformance suite for every implementation:
/// - [`apply`](ChunkStore::apply) is all or nothing, durable when it returns, and found by the next search.
/// - A document with an unchanged content hash is left alone and counted as unchanged.
/// - Chunks come back by ordinal, exactly as they were given.
/// - What is deleted leaves no chunk behind.
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

    /// How much is stored.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn statistics(&self) -> Result<Statistics, Error>;
}

/// Finds passages.
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
