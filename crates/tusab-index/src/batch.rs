use tusab_chunk::{Chunk, ChunkId, DocId};

use crate::DocumentRecord;

/// Changes that become durable and searchable together.
///
/// Documents are written and removed as wholes. Of several changes to one document the last counts.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    changes: Vec<Change>,
}

/// One change to the index.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Change {
    /// Writes a document and its chunks in place of what was there of it. Costs nothing when the stored content
    /// hash is the same.
    Upsert {
        /// What is known of it.
        document: DocumentRecord,
        /// Its chunks; those of another document are left out, as they would be unfindable by their own.
        chunks: Vec<Chunk>,
    },
    /// Removes a document and every trace of its chunks.
    Delete(DocId),
}

impl Batch {
    /// A batch without changes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the writing of a document and its chunks.
    pub fn upsert(&mut self, document: DocumentRecord, mut chunks: Vec<Chunk>) {
        chunks.retain(|chunk| *chunk.doc() == document.id);
        self.changes.push(Change::Upsert { document, chunks });
    }

    /// Adds the removal of a document.
    pub fn delete(&mut self, doc: DocId) {
        self.changes.push(Change::Delete(doc));
    }

    /// The changes, in the order they were added.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Number of changes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// True when there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

/// What a batch did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// Documents written.
    pub written: usize,
    /// Documents whose content hash was the same, left as they were.
    pub unchanged: usize,
    /// Documents removed.
    pub deleted: usize,
    /// Chunks written.
    pub chunks: usize,
}

/// What chunks of one document are given, by their ids.
pub type OfDocument<T> = (DocId, Vec<(ChunkId, T)>);

/// What a setting of key phrases or vectors did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Enriched {
    /// Chunks that were given something new.
    pub written: usize,
    /// Chunks that had just that.
    pub unchanged: usize,
    /// Ids that no chunk of the document has: it was removed, or written again with another text.
    pub unknown: usize,
}

/// What can be given to a chunk after it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Enrichment {
    /// Key phrases, which BM25 reads with the text.
    KeyPhrases,
    /// A vector.
    Vectors,
}

/// A place among all chunks, from which a look for those that lack something goes on; by default the beginning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageMark(pub(crate) u64);

/// Some of the chunks that lack something.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Lacking {
    /// The chunks; those of one document may be on two pages.
    pub chunks: Vec<Chunk>,
    /// Where the next page begins; `None` after the last one.
    pub next: Option<PageMark>,
}
