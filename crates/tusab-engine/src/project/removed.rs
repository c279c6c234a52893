//! Sources that were removed from a project: out of reach at once, here until the project is purged.
//!
//! A removal is the move of the source's file out of its folder, after a record of it was written; what the manifest
//! and the index say follows, and [`finish`] makes them follow when a crash came between.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tusab_chunk::{DocId, SourceKind};

use super::library::Library;
use super::shelf::Shelf;
use super::stored::fingerprint;
use crate::Error;
use crate::storage::{Entry, ProjectDirs, move_all, remove_whole, write_whole};

/// A source that was removed, and can be had back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RemovedSource {
    /// Its document.
    pub doc: DocId,
    /// What its user called it.
    pub name: String,
    /// When it was removed, in UTC (RFC 3339).
    pub removed_at: String,
}

/// What is kept of a removed source, beside its file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    version: u32,
    doc: DocId,
    /// The channel's folder, of a video.
    channel: Option<String>,
    pub(super) entry: Entry,
    removed_at: String,
}

impl Record {
    pub(super) fn doc(&self) -> &DocId {
        &self.doc
    }

    pub(super) fn shelf(&self) -> Shelf {
        match (self.doc.kind(), &self.channel) {
            (SourceKind::Youtube, Some(channel)) => Shelf::Youtube(channel.clone()),
            (SourceKind::Text, _) => Shelf::Texts,
            _ => Shelf::Documents,
        }
    }

    fn told(&self) -> RemovedSource {
        RemovedSource {
            doc: self.doc.clone(),
            name: self.entry.original_name.clone(),
            removed_at: self.removed_at.clone(),
        }
    }
}

/// Where the two files of a removed source are.
fn places(dirs: &ProjectDirs, doc: &DocId) -> (PathBuf, PathBuf) {
    // Ids differ in the case of letters, which some file systems do not tell apart.
    let name = fingerprint(&[doc.as_str().as_bytes()]);
    (dirs.removed.join(format!("{name}.json")), dirs.removed.join(format!("{name}.source")))
}

/// Moves the files of sources out of the project's folders, and takes them out of the library, which is written.
/// The documents that were there; the index is the caller's.
pub(super) fn put(
    dirs: &ProjectDirs,
    library: &mut Library,
    docs: &[DocId],
    now: &str,
) -> Result<Vec<DocId>, Error> {
    let mut records = Vec::new();
    for doc in docs {
        let Some((shelf, entry)) = library.find(doc) else { continue };
        let channel = if let Shelf::Youtube(channel) = shelf { Some(channel.clone()) } else { None };
        let (doc, entry, removed_at) = (doc.clone(), entry.clone(), now.to_owned());
        records.push((Record { version: 1, doc, channel, entry, removed_at }, shelf.clone()));
    }
    let bytes: Vec<(PathBuf, Vec<u8>)> = records
        .iter()
        // Plain structures always serialise.
        .map(|(record, _)| (places(dirs, &record.doc).0, serde_json::to_vec(record).unwrap_or_default()))
        .collect();
    write_whole(&bytes.iter().map(|(path, bytes)| (path.as_path(), bytes.as_slice())).collect::<Vec<_>>())?;
    let moves: Vec<(PathBuf, PathBuf)> = records
        .iter()
        .map(|(record, shelf)| (library.path(shelf, &record.entry), places(dirs, &record.doc).1))
        // Somebody may have taken it away by hand.
        .filter(|(from, _)| from.is_file())
        .collect();
    move_all(&moves.iter().map(|(from, to)| (from.as_path(), to.as_path())).collect::<Vec<_>>())?;
    for (record, _) in &records {
        library.remove(&record.doc, true);
    }
    library.flush()?;
    Ok(records.into_iter().map(|(record, _)| record.doc).collect())
}

/// The records of what was removed, oldest first, with the file of each where there is one.
pub(super) fn records(dirs: &ProjectDirs) -> Result<Vec<(Record, Option<PathBuf>)>, Error> {
    let entries = match fs::read_dir(&dirs.removed) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io("list", &dirs.removed)(error)),
    };
    let mut records = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let bytes = fs::read(&path).map_err(Error::io("read", &path))?;
        // One that cannot be read leaves its file where the purge finds it.
        if let Ok(record) = serde_json::from_slice::<Record>(&bytes) {
            let source = path.with_extension("source");
            records.push((record, Some(source).filter(|source| source.is_file())));
        }
    }
    records.sort_by(|(a, _), (b, _)| (&a.removed_at, &a.doc).cmp(&(&b.removed_at, &b.doc)));
    Ok(records)
}

/// What a crash, or a full disk, has left half way between a project and what was removed from it.
#[derive(Debug, Default)]
pub(super) struct CutShort {
    /// The file is gone, and the library does not know.
    removals: Vec<DocId>,
    /// The source is here again, and what is kept of its removal is here too.
    returns: Vec<DocId>,
}

impl CutShort {
    pub(super) fn is_empty(&self) -> bool {
        self.removals.is_empty() && self.returns.is_empty()
    }
}

/// What was removed and what is half way, each by its record.
pub(super) fn cut_short(dirs: &ProjectDirs, library: &Library) -> Result<CutShort, Error> {
    let mut cut = CutShort::default();
    for (record, source) in records(dirs)? {
        let Some((shelf, entry)) = library.find(&record.doc) else { continue };
        match library.has_file(shelf, entry) {
            false if source.is_some() => cut.removals.push(record.doc),
            true if entry.content_hash == record.entry.content_hash => cut.returns.push(record.doc),
            _ => {}
        }
    }
    Ok(cut)
}

/// Ends what was cut short. The caller holds the project's lock, and brings the index up to it.
pub(super) fn finish(dirs: &ProjectDirs, library: &mut Library) -> Result<(), Error> {
    let CutShort { removals, returns } = cut_short(dirs, library)?;
    for doc in &removals {
        library.remove(doc, true);
    }
    if !removals.is_empty() {
        library.flush()?;
    }
    returns.iter().try_for_each(|doc| erase(dirs, doc))
}

/// What can be had back, oldest removal first.
pub(super) fn list(dirs: &ProjectDirs) -> Result<Vec<RemovedSource>, Error> {
    let records = records(dirs)?.into_iter().filter(|(_, source)| source.is_some());
    let mut removed: Vec<RemovedSource> = records.map(|(record, _)| record.told()).collect();
    if !removed.is_empty()
        && let Some(library) = Library::peek(&dirs.neural)?
    {
        let returns = cut_short(dirs, &library)?.returns;
        removed.retain(|removed| !returns.contains(&removed.doc));
    }
    Ok(removed)
}

/// The record and the bytes of a removed source.
pub(super) fn find(dirs: &ProjectDirs, doc: &DocId) -> Result<Option<(Record, Vec<u8>)>, Error> {
    let (record, source) = places(dirs, doc);
    if !record.is_file() || !source.is_file() {
        return Ok(None);
    }
    let bytes = fs::read(&record).map_err(Error::io("read", &record))?;
    let damaged = |error: serde_json::Error| Error::Damaged { path: record, reason: error.to_string() };
    let record: Record = serde_json::from_slice(&bytes).map_err(damaged)?;
    let bytes = fs::read(&source).map_err(Error::io("read", &source))?;
    Ok(Some((record, bytes)))
}

/// Erases what is kept of a removed source.
pub(super) fn erase(dirs: &ProjectDirs, doc: &DocId) -> Result<(), Error> {
    let (record, source) = places(dirs, doc);
    remove_whole(&source)?;
    remove_whole(&record)
}

/// Erases all of it.
pub(super) fn erase_all(dirs: &ProjectDirs) -> Result<(), Error> {
    remove_whole(&dirs.removed)
}
