//! Bringing the derived index to what the store says.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Repair, bm25_path, vectors, vectors_path};
use crate::analyze::PassageAnalysis;
use crate::bm25::{Bm25, Bm25Writer};
use crate::store::{DocumentKey, Generation, Reader, Store};
use crate::{Control, Error, VectorFiles};

/// Opens what is derived from the store of a folder, caught up with it, or made again where that cannot be. `verify`
/// says to look at every byte of the vectors, and not only at how the files hang together.
pub(super) fn mend(
    store: &Store,
    dir: &Path,
    verify: bool,
    control: Control<'_>,
) -> Result<(Bm25, Option<VectorFiles>, Vec<Repair>), Error> {
    let reader = store.reader()?;
    let (bm25, mut repairs) = mend_bm25(&reader, &bm25_path(dir), verify, control)?;
    let (files, more) = vectors::mend(&reader, &vectors_path(dir), verify, control)?;
    repairs.extend(more);
    Ok((bm25, files, repairs))
}

fn mend_bm25(
    reader: &Reader<'_>,
    path: &Path,
    verify: bool,
    control: Control<'_>,
) -> Result<(Bm25, Vec<Repair>), Error> {
    let now = reader.generation().clone();
    let mut ahead = None;
    let reason = match Bm25::open_verified(path) {
        Ok(bm25) => match bm25.generation() {
            // One that says what the store says, but does not hold it, was put there by something else.
            Some(then) if then == now && verify && bm25.chunks() != reader.statistics()?.chunks as u64 => {
                "it has other passages than the store".to_owned()
            }
            Some(then) if then == now => return Ok((bm25, Vec::new())),
            // What was removed before the last sweep is known to nobody any more.
            Some(then) if then.store == now.store && reader.has(then.number) => {
                let behind = reader.changed_since(then.number)?;
                match write_documents(&bm25, reader, &behind, &now, control) {
                    Ok(()) => return Ok((bm25, vec![Repair::CaughtUp { documents: behind.len() }])),
                    Err(Error::Bm25 { source, .. }) => format!("it could not be caught up: {source}"),
                    Err(error) => return Err(error),
                }
            }
            Some(then) => {
                ahead = then.number.checked_sub(now.number).filter(|n| *n > 0 && then.store == now.store);
                "it was made from another state of the store".to_owned()
            }
            None => "it was made by another version".to_owned(),
        },
        Err(error) => {
            std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string)
        }
    };
    let all = reader.changed_since(0)?;
    let fresh = !path.exists();
    let bm25 = rebuild(path, reader, &all, &now, control)?;
    // Nothing was lost where nothing had been.
    let rebuilt = (!fresh || !all.is_empty()).then_some(Repair::Rebuilt { reason, documents: all.len() });
    Ok((bm25, ahead.map(|batches| Repair::StoreBehind { batches }).into_iter().chain(rebuilt).collect()))
}

/// The BM25 index at `path`, when it is whole and says the same as the store.
pub(super) fn open_whole(store: &Store, path: &Path) -> Option<Bm25> {
    let bm25 = Bm25::open_verified(path).ok()?;
    let now = store.reader().ok()?.generation().clone();
    (bm25.generation()? == now).then_some(bm25)
}

/// Makes the index beside the old one and puts it in its place, so that a crash leaves one or the other.
fn rebuild(
    path: &Path,
    reader: &Reader<'_>,
    all: &[DocumentKey],
    now: &Generation,
    control: Control<'_>,
) -> Result<Bm25, Error> {
    let (fresh, old) = (beside(path, "new"), beside(path, "old"));
    write_documents(&Bm25::create(&fresh)?, reader, all, now, control)?;
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
    control: Control<'_>,
) -> Result<(), Error> {
    let mut writer = Bm25Writer::new(bm25)?;
    let mut analysis = PassageAnalysis::default();
    for (done, document) in (1..).zip(documents) {
        if (control.stop)() {
            return Err(Error::Stopped);
        }
        writer.remove(*document);
        reader.each_chunk(*document, |of, key, chunk| {
            analysis.read_document(&of.record.title, &of.record.tags);
            analysis.read_text(chunk.original_text());
            writer.add(of, key, chunk, &analysis)
        })?;
        (control.progress)(done, documents.len());
    }
    writer.commit(now)?;
    writer.finish()?;
    bm25.reload()
}

fn beside(path: &Path, extension: &str) -> PathBuf {
    path.with_extension(extension)
}
