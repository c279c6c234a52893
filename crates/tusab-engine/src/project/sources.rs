//! What a project holds: listed, removed, had back.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use tusab_chunk::{Chunk, Date, DocId, Language, SourceKind};
use tusab_index::{ChunkStore, DocumentRecord};

use super::enrich::phrases_of;
use super::group::{Bytes, Group};
use super::library::Library;
use super::stored::reread;
use super::{Inner, Outcome, Project, RemovedSource, removed};
use crate::clock::timestamp;
use crate::runtime::blocking;
use crate::{Cancel, Error, Event};

/// A source of a project, as a list of sources shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SourceInfo {
    /// Its document.
    pub doc: DocId,
    /// What its user called it: a file's name, a text's title.
    pub name: String,
    /// Where it comes from.
    pub kind: SourceKind,
    /// Its detected format.
    pub format: String,
    /// Size of what is stored, in bytes.
    pub bytes: u64,
    /// Number of characters of its text, spaces left out.
    pub characters: usize,
    /// When it was published or written, where known.
    pub date: Option<Date>,
    /// The language it is in, where known.
    pub language: Option<Language>,
    /// Where a person can open it, where known.
    pub url: Option<String>,
    /// When it was taken in or changed last, in UTC (RFC 3339).
    pub ingested_at: String,
    /// The stored file.
    pub path: PathBuf,
}

impl Project {
    /// What was taken in: documents first, then texts, then videos, each by its id.
    ///
    /// # Errors
    /// When the manifests cannot be read.
    pub async fn sources(&self) -> Result<Vec<SourceInfo>, Error> {
        let inner = Arc::clone(&self.inner);
        blocking("listing the sources", move || {
            inner.still_here()?;
            let library = if let Some(library) = Library::peek(&inner.dirs.neural)? {
                library
            } else {
                // Something has to be mended first, or is being written just now.
                let _writing = inner.write()?;
                inner.mend(&|| false, &|_| {})?.0
            };
            Ok(list(&library))
        })
        .await
    }

    /// What can be searched, by id.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub async fn documents(&self) -> Result<Vec<DocumentRecord>, Error> {
        let inner = Arc::clone(&self.inner);
        blocking("listing the documents", move || {
            inner.still_here()?;
            Ok(inner.index.documents()?)
        })
        .await
    }

    /// What is known of a document that can be searched; `None` when it is not here.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub async fn document(&self, doc: &DocId) -> Result<Option<DocumentRecord>, Error> {
        let (inner, doc) = (Arc::clone(&self.inner), doc.clone());
        blocking("finding a document", move || {
            inner.still_here()?;
            Ok(inner.index.document(&doc)?)
        })
        .await
    }

    /// The passages of a document, in their order; none when it is not here.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub async fn chunks(&self, doc: &DocId) -> Result<Vec<Chunk>, Error> {
        let (inner, doc) = (Arc::clone(&self.inner), doc.clone());
        blocking("reading a document", move || {
            inner.still_here()?;
            Ok(inner.index.chunks(&doc)?)
        })
        .await
    }

    /// Removes a source: from then on it is found no more. True when it was there.
    ///
    /// It can be had back by [`restore`](Self::restore) until [`purge`](Self::purge) erases it. A video that was removed
    /// is not fetched again with its channel; asked for by itself, it comes back. What waits in the queue to be taken in and is
    /// that source is taken out of it; a folder that waits stays, and takes in what is in it.
    ///
    /// # Errors
    /// When another process is writing the project, or the disk refuses.
    pub async fn remove(&self, doc: &DocId) -> Result<bool, Error> {
        Ok(!self.remove_all(std::slice::from_ref(doc)).await?.is_empty())
    }

    /// Removes several sources; those that were there.
    ///
    /// # Errors
    /// As [`remove`](Self::remove).
    pub async fn remove_all(&self, docs: &[DocId]) -> Result<Vec<DocId>, Error> {
        let docs = docs.to_vec();
        self.work(&Cancel::new(), "removing sources", move |inner, stop, tell| {
            let _writing = inner.write()?;
            // First: what is removed must not be there again with the next run of the queue, also after a crash here.
            inner.wait_no_more(&docs)?;
            let mut group = Group::new(inner, mended(inner, stop, tell)?, tell);
            let now = timestamp(&*inner.clock);
            let removed = removed::put(&inner.dirs, &mut group.library, &docs, &now)?;
            for doc in &removed {
                group.delete(doc.clone());
            }
            group.finish()?;
            Ok(removed)
        })
        .await
    }

    /// What was removed and not yet purged, oldest removal first.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn removed(&self) -> Result<Vec<RemovedSource>, Error> {
        let inner = Arc::clone(&self.inner);
        blocking("listing what was removed", move || removed::list(&inner.dirs)).await
    }

    /// Takes a removed source back, as it was. It gets its key phrases anew, before this returns or by
    /// [`enrich`](Self::enrich), as the engine's order has it.
    ///
    /// # Errors
    /// [`Error::NotInTrash`]; when another process is writing the project, or the disk refuses.
    pub async fn restore(&self, doc: &DocId) -> Result<Outcome, Error> {
        let doc = doc.clone();
        self.work(&Cancel::new(), "restoring a source", move |inner, stop, tell| {
            let outcome = take_back(inner, &doc, stop, tell)?;
            if let Outcome::Added { doc, .. } | Outcome::Updated { doc, .. } = &outcome {
                // What fails is told by the next enrichment, which tries it again.
                phrases_of(inner, std::slice::from_ref(doc), stop, tell)?;
            }
            Ok(outcome)
        })
        .await
    }
}

/// Puts a removed source where it was.
fn take_back(
    inner: &Inner,
    doc: &DocId,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<Outcome, Error> {
    let _writing = inner.write()?;
    let (record, bytes) =
        removed::find(&inner.dirs, doc)?.ok_or_else(|| Error::NotInTrash { id: doc.to_string() })?;
    let mut group = Group::new(inner, mended(inner, stop, tell)?, tell);
    let prepared = reread(&record.shelf(), &record.entry, bytes)?;
    let outcome = group.add(prepared, Bytes::ToWrite)?;
    group.finish()?;
    // Else what it said is here under another name, and its own stays where it is.
    if !matches!(outcome, Outcome::Duplicate { .. }) {
        removed::erase(&inner.dirs, record.doc())?;
    }
    Ok(outcome)
}

/// The library, mended, and what was mended told.
pub(super) fn mended(inner: &Inner, stop: &dyn Fn() -> bool, tell: &dyn Fn(Event)) -> Result<Library, Error> {
    let (library, repairs) = inner.mend(stop, tell)?;
    for what in repairs {
        tell(Event::Repaired { project: inner.name(), what });
    }
    Ok(library)
}

fn list(library: &Library) -> Vec<SourceInfo> {
    let entries = library.entries();
    let info = entries.filter_map(|(shelf, entry)| {
        Some(SourceInfo {
            doc: shelf.document_id(entry)?,
            name: entry.original_name.clone(),
            kind: shelf.kind(),
            format: entry.format.clone(),
            bytes: entry.size,
            characters: entry.characters,
            date: entry.date,
            language: entry.language.clone(),
            url: entry.url.clone(),
            ingested_at: entry.ingested_at.clone(),
            path: library.path(shelf, entry),
        })
    });
    info.collect()
}
