//! The files of vectors, derived from the store's table.

use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use super::Repair;
use crate::store::{Reader, VectorState};
use crate::{Control, Error, VectorFileError, VectorFiles, VectorGeneration, VectorWriter, VectorsOff};

/// The files of an index, open for searching.
#[derive(Debug)]
pub(super) struct Vectors {
    folder: PathBuf,
    files: RwLock<Option<VectorFiles>>,
}

impl Vectors {
    pub(super) fn new(folder: &Path, files: Option<VectorFiles>) -> Self {
        Self { folder: folder.to_owned(), files: RwLock::new(files) }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn set(&self, files: Option<VectorFiles>) {
        *self.files.write().unwrap_or_else(PoisonError::into_inner) = files;
    }

    /// The files, opened again when they are not those of the state that is read. They may still be others then, while
    /// another thread or process is between its two commits.
    pub(super) fn at(&self, now: &VectorGeneration) -> Result<VectorFiles, VectorsOff> {
        let known = self.files.read().unwrap_or_else(PoisonError::into_inner).clone();
        let files = match known {
            Some(files) if files.generation() == now => return Ok(files),
            Some(files) => files.reopen(),
            None => VectorFiles::open(&self.folder),
        };
        let unreadable = |reason| VectorsOff::Unreadable { reason };
        let files = files.map_err(|error| match error {
            // The first vectors are between their two commits, or somebody removed the files.
            VectorFileError::Missing { .. } => VectorsOff::Missing,
            error => unreadable(error.to_string()),
        })?;
        if files.generation().store != now.store {
            return Err(unreadable("they were made from another store".to_owned()));
        }
        self.set(Some(files.clone()));
        Ok(files)
    }
}

/// How the files stand to the store.
#[derive(Debug)]
pub(super) enum Standing {
    /// The store has no vectors.
    None,
    Whole(VectorFiles),
    /// They can be caught up from this number on.
    Behind(u64),
    /// They have to be made again.
    Unusable(String),
    /// They have what the store had once and has no more, by this many commits; and have to be made again.
    Ahead(u64),
}

/// Looks at the files; at every byte of them with `verify`.
pub(super) fn standing(reader: &Reader<'_>, folder: &Path, verify: bool) -> Result<Standing, Error> {
    let Some(state) = reader.vector_state()? else {
        let files = VectorFiles::open(folder).ok();
        let own = files.filter(|files| files.generation().store == reader.generation().store);
        return Ok(own.map_or(Standing::None, |files| Standing::Ahead(files.generation().number)));
    };
    let files = VectorFiles::open(folder).and_then(|files| {
        if verify {
            files.check()?;
        }
        Ok(files)
    });
    let now = generation(reader, &state);
    Ok(match files {
        Ok(files) if *files.space() != state.space => {
            Standing::Unusable("they are of another space".to_owned())
        }
        Ok(files) if *files.generation() == now => Standing::Whole(files),
        Ok(files) => {
            let VectorGeneration { store, number } = files.generation();
            if *store == now.store && *number > now.number {
                Standing::Ahead(*number - now.number)
            } else if *store == now.store && (state.swept..now.number).contains(number) {
                Standing::Behind(*number)
            } else {
                Standing::Unusable("they were made from another state of the store".to_owned())
            }
        }
        Err(error) if error.needs_rebuild() => Standing::Unusable(error.to_string()),
        Err(error) => return Err(Error::vectors(folder)(error)),
    })
}

/// The files as the store says, caught up or made again where needed. The caller holds the writer lock.
pub(super) fn mend(
    reader: &Reader<'_>,
    folder: &Path,
    verify: bool,
    control: Control<'_>,
) -> Result<(Option<VectorFiles>, Vec<Repair>), Error> {
    let failed = Error::vectors(folder);
    let repairs = match standing(reader, folder, verify)? {
        Standing::None => return Ok((None, Vec::new())),
        Standing::Whole(files) => return Ok((Some(files), Vec::new())),
        Standing::Behind(since) => {
            let mut writer = VectorWriter::open(folder).map_err(&failed)?;
            match write(&mut writer, reader, since, control) {
                Ok(vectors) => vec![Repair::VectorsCaughtUp { vectors }],
                // What is there turned out to be damaged once it was needed.
                Err(Error::Vectors { source, .. }) if source.needs_rebuild() => {
                    vec![Repair::VectorsRebuilt {
                        reason: source.to_string(),
                        vectors: rebuild(reader, folder, control)?,
                    }]
                }
                Err(error) => return Err(error),
            }
        }
        Standing::Ahead(batches) if reader.vector_state()?.is_none() => {
            std::fs::remove_dir_all(folder).map_err(Error::io("remove", folder))?;
            return Ok((None, vec![Repair::StoreBehind { batches }]));
        }
        Standing::Ahead(batches) => {
            let reason = "they were made from another state of the store".to_owned();
            let vectors = rebuild(reader, folder, control)?;
            vec![Repair::StoreBehind { batches }, Repair::VectorsRebuilt { reason, vectors }]
        }
        Standing::Unusable(reason) => {
            let vectors = rebuild(reader, folder, control)?;
            // Nothing was lost where nothing had been.
            Vec::from_iter((vectors > 0).then_some(Repair::VectorsRebuilt { reason, vectors }))
        }
    };
    Ok((Some(VectorFiles::open(folder).map_err(&failed)?), repairs))
}

/// Makes the files again from the store; gives the number of vectors.
pub(super) fn rebuild(reader: &Reader<'_>, folder: &Path, control: Control<'_>) -> Result<usize, Error> {
    let Some(state) = reader.vector_state()? else { return Ok(0) };
    let mut writer = VectorWriter::create(folder, state.space, true).map_err(Error::vectors(folder))?;
    write(&mut writer, reader, 0, control)
}

/// Writes what the store has had since number `since`, and commits; gives the number of vectors written.
pub(super) fn write(
    writer: &mut VectorWriter,
    reader: &Reader<'_>,
    since: u64,
    control: Control<'_>,
) -> Result<usize, Error> {
    let failed = Error::vectors(writer.folder());
    let Some(state) = reader.vector_state()? else { return Ok(0) };
    for chunk in reader.replaced_chunks()? {
        writer.remove(chunk.0);
    }
    let (total, mut written) = (reader.count_vectors(since)?, 0);
    reader.each_vector(since, |key, id, vector| {
        if (control.stop)() {
            return Err(Error::Stopped);
        }
        written += 1;
        writer.add(key.0, id, vector).map_err(&failed)?;
        (control.progress)(written, total.max(written));
        Ok(())
    })?;
    writer.commit(generation(reader, &state)).map_err(&failed)?;
    Ok(written)
}

/// What files made from that state say.
pub(super) fn generation(reader: &Reader<'_>, state: &VectorState) -> VectorGeneration {
    VectorGeneration { store: reader.generation().store.clone(), number: state.number }
}
