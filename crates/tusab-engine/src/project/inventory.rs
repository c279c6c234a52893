use std::collections::HashMap;

use tusab_chunk::{Date, DocId, SourceKind};
use tusab_index::ChunkStore;

use super::Inner;
use super::library::Library;
use crate::Error;

/// What a project holds, as a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Inventory {
    pub(crate) items: Vec<Item>,
    /// Passages of all of them.
    pub(crate) passages: usize,
}

/// A source in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) kind: SourceKind,
    pub(crate) title: String,
    /// When it was published or written, where known.
    pub(crate) date: Option<Date>,
    /// When it was taken in or changed last (RFC 3339, UTC), where known.
    pub(crate) added_at: Option<String>,
}

impl Inner {
    /// What can be searched for; blocks while the disk is read.
    pub(crate) fn inventory(&self) -> Result<Inventory, Error> {
        let documents = self.index.documents()?;
        // A library that has to be mended first says nothing of when; the documents are here all the same.
        let library = Library::peek(&self.dirs.neural)?;
        let added: HashMap<DocId, String> = library
            .iter()
            .flat_map(Library::entries)
            .filter_map(|(shelf, entry)| Some((shelf.document_id(entry)?, entry.ingested_at.clone())))
            .collect();
        let items = documents.into_iter().map(|document| Item {
            kind: document.id.kind(),
            added_at: added.get(&document.id).cloned(),
            title: document.title,
            date: document.date,
        });
        Ok(Inventory { items: items.collect(), passages: self.index.statistics()?.chunks })
    }
}
