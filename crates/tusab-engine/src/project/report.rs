use tusab_chunk::DocId;
use tusab_ingest::Warning;

use crate::{Degradation, Error, YouTubeReport};

/// What became of each source of an ingest, in the order given.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct IngestReport {
    /// One entry a source that was looked at.
    pub items: Vec<ItemReport>,
    /// True when the caller asked to stop before the last source; those not looked at have no entry.
    pub cancelled: bool,
    /// What was missing or failed, and cost no source: key phrases that could not be found.
    pub degraded: Vec<Degradation>,
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
    /// A channel, a playlist or a video: what became of each of its videos.
    YouTube(Box<YouTubeReport>),
    /// It could not be read or understood; the error says what to do.
    Failed(Error),
}

impl Outcome {
    /// The document that is new or changed.
    fn document(&self) -> Option<&DocId> {
        match self {
            Self::Added { doc, .. } | Self::Updated { doc, .. } => Some(doc),
            _ => None,
        }
    }
}

impl IngestReport {
    /// Number of sources that are new or changed; of YouTube, the videos.
    #[must_use]
    pub fn stored(&self) -> usize {
        let of_youtube = self.items.iter().map(|item| match &item.outcome {
            Outcome::YouTube(report) => report.stored(),
            _ => 0,
        });
        of_youtube.sum::<usize>() + self.changes().filter(|item| item.outcome.document().is_some()).count()
    }

    /// What changed: the sources that are new, other than before, gone or called otherwise, and the channels of which a
    /// video is.
    pub fn changes(&self) -> impl Iterator<Item = &ItemReport> {
        self.items.iter().filter(|item| match &item.outcome {
            Outcome::YouTube(report) => report.stored() > 0,
            Outcome::Unchanged { .. } | Outcome::Duplicate { .. } | Outcome::Failed(_) => false,
            _ => true,
        })
    }

    /// True when something failed for a reason outside of what was given, so that trying again can succeed: see
    /// [`Error::is_retryable`].
    #[must_use]
    pub fn is_worth_another_try(&self) -> bool {
        self.items.iter().any(|item| match &item.outcome {
            Outcome::YouTube(report) => report.left() > 0 || report.stopped.is_some(),
            Outcome::Failed(error) => error.is_retryable(),
            _ => false,
        })
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.items.extend(other.items);
        self.cancelled |= other.cancelled;
        self.degrade(other.degraded);
    }

    /// Adds what is not yet said.
    pub(super) fn degrade(&mut self, degraded: impl IntoIterator<Item = Degradation>) {
        for degradation in degraded {
            if !self.degraded.contains(&degradation) {
                self.degraded.push(degradation);
            }
        }
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
