//! Bringing the derived index to what the store says.

use std::fs;
use std::path::{Path, PathBuf};

use super::Repair;
use crate::Error;
use crate::bm25::{Bm25, Bm25Writer};
use crate::store::{DocumentKey, Generation, Reader, Store};

/// Opens the BM25 index at `path`, caught up with the store, or made again where that cannot be.
pub(super) fn mend(store: &Store, path: &Path) -> Result<(Bm25, Vec<Repair>), Error> {
    let reader = store.reader()?;
    let now = reader.generation().clone();
    let reason = match Bm25::open_verified(path) {
        Ok(bm25) => match bm25.generation() {
            Some(then) if then == now => return Ok((bm25, Vec::new())),
            Some(then) if then.store == now.store && then.number < now.number => {
                let behind = reader.changed_since(then.number)?;
                write_documents(&bm25, &reader, &behind, &now)?;
                return Ok((bm25, vec![Repair::CaughtUp { documents: behind.len() }]));
            }
            Some(_) => "it was made from another state of the store".to_owned(),
            None => "it was made by another version".to_owned(),
        },
        Err(error) => {
            std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string)
        }
    };
    let all = reader.changed_since(0)?;
    let fresh = !path.exists();
    let bm25 = rebuild(path, &reader, &all, &now)?;
    // Nothing was lost where nothing had been.
    let repairs = if fresh && all.is_empty() {
        Vec::new()
    } else {
        vec![Repair::Rebuilt { reason, documents: all.len() }]
    };
    Ok((bm25, repairs))
}

/// The BM25 index at `path`, when it is whole and says the same as the store.
pub(super) fn open_whole(store: &Store, path: &Path) -> Option<Bm25> {
    let bm25 = Bm25::open_verified(path).ok()?;
    let now = store.reader().ok()?.generation().clone();
    (bm25.generation()? == now).then_some(bm25)
}

/// Makes the index beside the old one and puts it in its place, so that a crash leaves one or the other.
fn rebuild(path: &Path, reader: &Reader<'_>, all: &[DocumentKey], now: &Generation) -> Result<Bm25, Error> {
    let (fresh, old) = (beside(path, "new"), beside(path, "old"));
    write_documents(&Bm25::create(&fresh)?, reader, all, now)?;
    if old.exists() {
        fs::remove_dir_all(&old).map_err(Error::io("remove", &old))?;
    }
    if path.exists() {
        fs::rename(path, &old).map_err(Error::io("move away", path))?;
    }
    fs::rename(&fresh, path).map_err(Error::io("put in place", path))?;
    if old.exists() {
        fs::remove_dir_all(&old).map_err(Error::io("remove", &old))?;
    }
    Bm25::open(path)
}

fn write_documents(
    bm25: &Bm25,
    reader: &Reader<'_>,
    documents: &[DocumentKey],
    now: &Generation,
) -> Result<(), Error> {
    let mut writer = Bm25Writer::new(bm25)?;
    for document in documents {
        writer.remove(*document);
        reader.each_chunk(*document, |of, key, chunk| writer.add(of, key, chunk))?;
    }
    writer.commit(now)?;
    writer.finish()?;
    bm25.reload()
}

fn beside(path: &Path, extension: &str) -> PathBuf {
    path.with_extension(extension)
}
