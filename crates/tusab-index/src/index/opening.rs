//! Opening an index, and what that mends.

use std::path::Path;
use std::sync::{Arc, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use super::notes::Notes;
use super::vectors::{self, Standing, Vectors};
use super::writing::WriterSlot;
use super::{Index, PATIENCE, bm25_path, lock_path, repair, store_path, vectors_path};
use crate::bm25::Bm25;
use crate::folder::make_folder;
use crate::lock::WriterLock;
use crate::store::Store;
use crate::{Control, Error, VectorFiles};

/// Pause between two looks at an index that is being made.
const POLL: Duration = Duration::from_millis(5);

/// An open index, and what had to be mended to open it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Opened {
    /// The index.
    pub index: Index,
    /// What was mended; empty after a clean end.
    pub repairs: Vec<Repair>,
    /// True when what is derived is behind the store and the folder may not be written: what came last is not found.
    pub is_behind: bool,
}

/// Something that the last process left undone or damaged, and that opening has mended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// The BM25 index was behind the store by these many documents and was caught up.
    CaughtUp {
        /// Documents written or removed again.
        documents: usize,
    },
    /// The BM25 index was missing, damaged or of another version and was made again from the store.
    Rebuilt {
        /// Why.
        reason: String,
        /// Documents indexed.
        documents: usize,
    },
    /// The store itself is behind what was derived from it: its log was damaged, or an older copy was put in its place,
    /// and the last batches are gone. Its content hashes say what to ingest again.
    StoreBehind {
        /// Batches that are missing.
        batches: u64,
    },
    /// The files of vectors were behind the store and were caught up.
    VectorsCaughtUp {
        /// Vectors written again.
        vectors: usize,
    },
    /// The files of vectors were missing, damaged or of another version and were made again from the store.
    VectorsRebuilt {
        /// Why.
        reason: String,
        /// Vectors written.
        vectors: usize,
    },
    /// The literal index did not agree with the passages and was made again from them; only
    /// [`check`](Index::check) looks.
    LiteralRebuilt {
        /// Why.
        reason: String,
        /// Chunks indexed.
        chunks: usize,
    },
}

impl Opened {
    fn as_it_is(index: Index) -> Self {
        Self { index, repairs: Vec::new(), is_behind: false }
    }
}

impl Index {
    /// Opens the index of a folder, making what is not there, and mends what a crash left behind.
    ///
    /// When another process is writing, nothing is mended here: that process keeps the index whole. A folder that may
    /// not be written is read as it is; see [`Opened::is_behind`].
    ///
    /// # Errors
    /// When the folder cannot be made or read, or was written by a later version; [`Error::NotMended`] when it may not be
    /// written and cannot be read as it is.
    pub fn open(dir: &Path) -> Result<Opened, Error> {
        Self::open_with(dir, Control::default())
    }

    /// As [`open`](Self::open); `control` is asked before each document and vector that mending writes again, and told
    /// after it: first of documents, then of vectors.
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`Error::Stopped`]: the next opening mends what is left.
    pub fn open_with(dir: &Path, control: Control<'_>) -> Result<Opened, Error> {
        make_folder(dir).map_err(Error::io("create", dir)).map_err(|error| {
            let refused = error.is_read_only();
            if refused { Error::NotMended { path: dir.to_owned(), source: error.into() } } else { error }
        })?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            // Most often all is well, and reading needs no lock.
            if let Some(index) = Self::open_whole(dir) {
                return Ok(Opened::as_it_is(index));
            }
            match WriterLock::acquire(&lock_path(dir)) {
                Ok(lock) => return Self::open_and_mend(dir, lock, control),
                // Another process is writing, or making the index just now.
                Err(error) if error.is_locked() => match Self::open_as_it_is(dir) {
                    Ok(index) => return Ok(Opened::as_it_is(index)),
                    Err(newer @ Error::NewerFormat { .. }) => return Err(newer),
                    Err(_) if Instant::now() < deadline => thread::sleep(POLL),
                    // The other process does not bring it up to date: it is of an earlier version.
                    Err(older @ Error::OlderFormat { .. }) => return Err(older),
                    Err(_) => return Err(error),
                },
                Err(error) if error.is_read_only() => return Self::open_to_read(dir),
                Err(error) => return Err(error),
            }
        }
    }

    /// Opens what may not be written: not whole, as was seen before.
    fn open_to_read(dir: &Path) -> Result<Opened, Error> {
        let open = || {
            let store = Store::open(&store_path(dir))?;
            let bm25 = Bm25::open_verified(&bm25_path(dir))?;
            let now = store.reader()?.generation().clone();
            match bm25.generation() {
                Some(then) if then.store == now.store => {
                    Ok((Self::with(dir, store, bm25, None), then != now))
                }
                _ => {
                    let reason = "it was made from another store, or by another version".to_owned();
                    Err(Error::bm25(&bm25_path(dir))(tantivy::TantivyError::SystemError(reason)))
                }
            }
        };
        match open() {
            Ok((index, is_behind)) => Ok(Opened { is_behind, ..Opened::as_it_is(index) }),
            Err(newer @ Error::NewerFormat { .. }) => Err(newer),
            Err(source) => Err(Error::NotMended { path: dir.to_owned(), source: source.into() }),
        }
    }

    fn open_whole(dir: &Path) -> Option<Self> {
        if !store_path(dir).is_file() {
            return None;
        }
        let store = Store::open(&store_path(dir)).ok()?;
        let bm25 = repair::open_whole(&store, &bm25_path(dir))?;
        let files = match vectors::standing(&store.reader().ok()?, &vectors_path(dir), false).ok()? {
            Standing::None => None,
            Standing::Whole(files) => Some(files),
            Standing::Behind(_) | Standing::Unusable(_) | Standing::Ahead(_) => return None,
        };
        Some(Self::with(dir, store, bm25, files))
    }

    fn open_and_mend(dir: &Path, lock: WriterLock, control: Control<'_>) -> Result<Opened, Error> {
        drop(Store::writer(&store_path(dir))?);
        let store = Store::open(&store_path(dir))?;
        let (bm25, files, repairs) = repair::mend(&store, dir, false, control)?;
        drop(lock);
        Ok(Opened { repairs, ..Opened::as_it_is(Self::with(dir, store, bm25, files)) })
    }

    fn open_as_it_is(dir: &Path) -> Result<Self, Error> {
        let store = Store::open(&store_path(dir))?;
        let bm25 = Bm25::open(&bm25_path(dir))?;
        // Where they cannot be opened, the outcome of a search says so.
        Ok(Self::with(dir, store, bm25, None))
    }

    fn with(dir: &Path, store: Store, bm25: Bm25, files: Option<VectorFiles>) -> Self {
        let (store, bm25) = (Arc::new(store), RwLock::new(Arc::new(bm25)));
        let vectors = Arc::new(Vectors::new(&vectors_path(dir), files));
        let notes = Arc::new(Notes::new(&store));
        Self { dir: dir.to_owned(), store, bm25, vectors, notes, writer: WriterSlot::default() }
    }
}
