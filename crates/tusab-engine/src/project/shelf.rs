use std::path::{Path, PathBuf};

use tusab_chunk::{DocId, SourceKind};

use crate::storage::Entry;

/// A folder of sources.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shelf {
    Documents,
    Texts,
    /// The videos of a channel, by its folder name.
    Youtube(String),
}

impl Shelf {
    pub(super) fn kind(&self) -> SourceKind {
        match self {
            Self::Documents => SourceKind::File,
            Self::Texts => SourceKind::Text,
            Self::Youtube(_) => SourceKind::Youtube,
        }
    }

    pub(super) fn dir(&self, neural: &Path) -> PathBuf {
        match self {
            Self::Documents => neural.join("documents"),
            Self::Texts => neural.join("texts"),
            Self::Youtube(channel) => neural.join("youtube").join(channel),
        }
    }

    /// The id of an entry's document; `None` when a foreign hand wrote what is no id.
    pub(super) fn document_id(&self, entry: &Entry) -> Option<DocId> {
        DocId::new(self.kind(), &entry.id).ok()
    }
}
