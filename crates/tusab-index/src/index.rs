use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use tusab_chunk::{Chunk, DocId};

use crate::bm25::{Bm25, Bm25Writer};
use crate::lock::WriterLock;
use crate::store::{Generation, Store};
use crate::{
    Applied, Batch, ChunkStore, Control, DocumentRecord, Error, Hit, Query, Retriever, Statistics, narrow,
};

mod repair;
mod writing;

use writing::WriterSlot;

/// A project's index in a folder: the store, and the BM25 index that is derived from it.
///
/// Any number of processes may read it while one writes. The right to write is taken at the first
/// [`apply`](ChunkStore::apply) and kept until [`release_writer`](Index::release_writer) or drop.
#[derive(Debug)]
pub struct Index {
    dir: PathBuf,
    store: Store,
    bm25: RwLock<Arc<Bm25>>,
    writer: WriterSlot,
}

/// An open index, and what had to be mended to open it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Opened {
    /// The index.
    pub index: Index,
    /// What was mended; empty after a clean end.
    pub repairs: Vec<Repair>,
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
}

impl Index {
    /// Opens the index of a folder, making what is not there, and mends what a crash left behind.
    ///
    /// When another process is writing, nothing is mended here: that process keeps the index whole.
    ///
    /// # Errors
    /// When the folder cannot be made or read, or was written by a later version.
    pub fn open(dir: &Path) -> Result<Opened, Error> {
        fs::create_dir_all(dir).map_err(Error::io("create", dir))?;
        let (bm25, repairs) = match WriterLock::acquire(&lock_path(dir)) {
            Ok(lock) => {
                drop(Store::writer(&store_path(dir))?);
                let store = Store::open(&store_path(dir))?;
                let mended = repair::mend(&store, &bm25_path(dir))?;
                drop(lock);
                mended
            }
            Err(error) if error.is_locked() => (Bm25::open(&bm25_path(dir))?, Vec::new()),
            Err(error) => return Err(error),
        };
        let store = Store::open(&store_path(dir))?;
        let bm25 = RwLock::new(Arc::new(bm25));
        let index = Self { dir: dir.to_owned(), store, bm25, writer: WriterSlot::default() };
        Ok(Opened { index, repairs })
    }

    /// Gives up the right to write, so that another process can take it. The next batch takes it again.
    pub fn release_writer(&self) {
        self.writer.clear();
    }

    /// The BM25 index, brought up to what the store has if another process wrote meanwhile.
    fn bm25(&self, generation: &Generation) -> Result<Arc<Bm25>, Error> {
        let bm25 = Arc::clone(&self.bm25.read().unwrap_or_else(PoisonError::into_inner));
        if bm25.seen() != generation.number {
            bm25.reload()?;
        }
        Ok(bm25)
    }
}

impl Retriever for Index {
    fn retrieve(&self, query: &Query) -> Result<Vec<Hit>, Error> {
        let reader = self.store.reader()?;
        let bm25 = self.bm25(&reader.generation()?)?;
        narrow::search(query, &bm25, &reader)
    }
}

impl ChunkStore for Index {
    fn apply(&self, batch: &Batch, control: Control<'_>) -> Result<Applied, Error> {
        if batch.is_empty() {
            return Ok(Applied::default());
        }
        self.writer.with(self, |writer| writer.apply(batch, control))
    }

    fn document(&self, doc: &DocId) -> Result<Option<DocumentRecord>, Error> {
        self.store.reader()?.document(doc)
    }

    fn documents(&self) -> Result<Vec<DocumentRecord>, Error> {
        self.store.reader()?.documents()
    }

    fn chunks(&self, doc: &DocId) -> Result<Vec<Chunk>, Error> {
        self.store.reader()?.chunks_of(doc)
    }

    fn statistics(&self) -> Result<Statistics, Error> {
        self.store.reader()?.statistics()
    }
}

fn lock_path(dir: &Path) -> PathBuf {
    dir.join("writer.lock")
}

fn store_path(dir: &Path) -> PathBuf {
    dir.join("store.sqlite")
}

fn bm25_path(dir: &Path) -> PathBuf {
    dir.join("bm25")
}
