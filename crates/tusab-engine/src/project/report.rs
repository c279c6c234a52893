use tusab_chunk::DocId;
use tusab_ingest::Warning;

use crate::Error;

/// What became of each source of an ingest, in the order given.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct IngestReport {
    /// One entry a source that was looked at.
    pub items: Vec<ItemReport>,
    /// True when the caller asked to stop before the last source; those not looked at have no entry.
    pub cancelled: bool,
}

/// What became of one source.
#[derive(Debug)]
#[non_exhaustive]
pub struct ItemReport {
    /// The source, as a person names it.
    pub name: String,
    /// What became of it.
    pub outcome: Outcome,
    /// What was wrong with it and could be lived with.
    pub warnings: Vec<Warning>,
}

/// What became of a source.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// It is new, and now durable and searchable.
    Added {
        /// Its document.
        doc: DocId,
        /// Number of its chunks.
        chunks: usize,
    },
    /// It had changed since it was taken in; the new content has taken the old one's place.
    Updated {
        /// Its document.
        doc: DocId,
        /// Number of its chunks.
        chunks: usize,
    },
    /// It was here already and has not changed.
    Unchanged {
        /// Its document.
        doc: DocId,
    },
    /// The same content is here under another name, and was not stored twice.
    Duplicate {
        /// The document that has the content.
        of: DocId,
    },
    /// Its file has another name; it is the same source.
    Renamed {
        /// Its document.
        doc: DocId,
    },
    /// Its file was taken away, and it is found no more.
    Removed {
        /// The document that it was.
        doc: DocId,
    },
    /// It could not be read or understood; the error says what to do.
    Failed(Error),
}

impl IngestReport {
    /// Number of sources that are new or changed.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Added { .. } | Outcome::Updated { .. }))
    }

    /// Number of sources that failed.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Failed(_)))
    }

    fn count(&self, of: impl Fn(&Outcome) -> bool) -> usize {
        self.items.iter().filter(|item| of(&item.outcome)).count()
    }
}
