use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tusab_chunk::{Chunk, ChunkId, DocId};

use crate::bm25::{Bm25, Bm25Writer, Snapshot};
use crate::folder::sync;
use crate::lock::WriterLock;
use crate::narrow::Part;
use crate::store::{LOCK, Reader, Refilled, Store};
use crate::{
    AdvancedQuery, Applied, Batch, ChunkStore, ContentHash, Control, DocumentRecord, Enriched, Enrichment,
    Error, Explain, Filter, Found, Hit, Lacking, Nearest, OfDocument, PageMark, Query, Retriever, Statistics,
    Vector, VectorOutcome, VectorQuery, VectorSpace, narrow,
};

mod copy;
mod enriching;
mod nearest;
mod notes;
mod opening;
mod repair;
mod vectors;
mod writing;

pub use notes::Hush;
use notes::Notes;
pub use opening::{Opened, Repair};
use vectors::Vectors;
use writing::{IndexWriter, Wait, WriterSlot};

/// Longest wait for a process that holds the lock for a moment, to open or to mend the index.
const PATIENCE: Duration = Duration::from_secs(5);

/// Attempts to read both halves of the index in one state.
const READS: usize = 100;

/// A project's index in a folder: the store, and the BM25 index that is derived from it.
///
/// Any number of processes may read it while one writes. The right to write is taken at the first
/// [`apply`](ChunkStore::apply) and kept until [`release_writer`](Index::release_writer) or drop.
#[derive(Debug)]
pub struct Index {
    dir: PathBuf,
    store: Arc<Store>,
    bm25: RwLock<Arc<Bm25>>,
    vectors: Arc<Vectors>,
    notes: Arc<Notes>,
    writer: WriterSlot,
}

impl Index {
    /// Gives up the right to write, so that another process can take it: now, or when the batch that is being
    /// written has ended. The next batch takes it again.
    ///
    /// After much was added this compacts the index first, which can take some seconds; see [`compact`](Index::compact).
    pub fn release_writer(&self) {
        let _telling = self.notes.telling(&self.dir);
        self.writer.close();
    }

    /// Brings what is derived up to the store, where [`open`](Self::open) could not, since the folder could not be written
    /// then ([`Opened::is_behind`]). Nothing happens where all is well.
    ///
    /// # Errors
    /// When the disk refuses or another process is writing.
    pub fn mend(&self) -> Result<(), Error> {
        self.writer.with(self, |_| Ok(()))
    }

    /// Has what the index tells the log wait until what this gives is dropped: for callers with locks of their own, which
    /// they must not hold while a subscriber runs. No lock of the index is ever held then.
    pub fn hush(&self) -> Hush {
        self.notes.hush(&self.dir)
    }

    /// Searches by the advanced syntax. Of `query` all counts but the text.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn retrieve_advanced(&self, advanced: &AdvancedQuery, query: &Query) -> Result<Found, Error> {
        let (bm25, reader) = self.read()?;
        narrow::search_advanced(advanced, query, &Part { bm25: &bm25, reader: &reader })
    }

    /// Searches several indexes as one: how rare a word is counts over all of them, so that scores compare. A hit says
    /// by [`Hit::index`](crate::Hit::index) which of them it is from.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn retrieve_all(indexes: &[&Self], query: &Query) -> Result<Found, Error> {
        let read = indexes.iter().map(|index| index.read()).collect::<Result<Vec<_>, _>>()?;
        let parts: Vec<Part<'_>> = read.iter().map(|(bm25, reader)| Part { bm25, reader }).collect();
        narrow::search(query, &parts)
    }

    /// Merges what many batches have left in pieces, which makes searches faster and the files smaller. Worth its time
    /// after much was added and when nobody waits: some seconds for a hundred thousand passages. Searches go on.
    ///
    /// Afterwards no file of the index holds anything of a document that was deleted or replaced before: without it such
    /// a document is found no more, but parts of it stay in free places of the files until they are used again. A
    /// search that is going on meanwhile, here or in another process, can keep SQLite's log until the next call, and
    /// what a disk does with blocks that files no longer use is its own affair.
    ///
    /// # Errors
    /// When the disk refuses or another process is writing. The index is as it was then.
    pub fn compact(&self) -> Result<(), Error> {
        self.writer.with(self, IndexWriter::compact)?;
        // What was taken away is not to come back with a crash of the machine: the files are gone, the log is empty.
        let mut log = store_path(&self.dir).into_os_string();
        log.push("-wal");
        for path in [bm25_path(&self.dir), log.into()] {
            if path.exists() {
                sync(&path).map_err(Error::io("sync", &path))?;
            }
        }
        Ok(())
    }

    /// Reads every byte of the index: SQLite's integrity check and that of its full-text index, every passage against
    /// its id, the checksums of the BM25 index and of the vectors. What is derived and wrong is made again. For when
    /// something seems wrong, or once in a while: it takes about as long as reading all files, and no batch is written
    /// meanwhile. Searches go on.
    ///
    /// # Errors
    /// When the store itself is damaged ([`Error::is_damaged`]): nothing is changed then. When the disk refuses or another
    /// process is writing.
    pub fn check(&self) -> Result<Vec<Repair>, Error> {
        let check = || {
            let lock = WriterLock::acquire_within(&lock_path(&self.dir), PATIENCE)?;
            let refilled = Store::writer(&store_path(&self.dir))?.check()?;
            let (bm25, files, mended) = repair::mend(&self.store, &self.dir, true, Control::default())?;
            *self.bm25.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(bm25);
            self.vectors.set(files);
            drop(lock);
            let literal = |Refilled { reason, chunks }| Repair::LiteralRebuilt { reason, chunks };
            Ok(refilled.map(literal).into_iter().chain(mended).collect())
        };
        let _telling = self.notes.telling(&self.dir);
        self.writer.without(check, Wait::ForBatches)
    }

    /// A state of the BM25 index, and a reader of the store that has everything the index was made from.
    fn read(&self) -> Result<(Arc<Snapshot>, Reader<'_>), Error> {
        let bm25 = Arc::clone(&self.bm25.read().unwrap_or_else(PoisonError::into_inner));
        for _ in 0..READS {
            // In this order: the store commits first, so a reader that begins later is never behind the snapshot.
            let snapshot = bm25.snapshot();
            let reader = self.store.reader()?;
            if reader.generation().number == snapshot.generation() {
                return Ok((snapshot, reader));
            }
            // Another process has written, or a batch is between its two commits.
            bm25.reload()?;
            let snapshot = bm25.snapshot();
            if reader.has(snapshot.generation()) {
                return Ok((snapshot, reader));
            }
        }
        // Batches follow each other so fast that every look came too late: what was replaced meanwhile is missed.
        let snapshot = bm25.snapshot();
        Ok((snapshot, self.store.reader()?))
    }
}

impl Retriever for Index {
    fn retrieve(&self, query: &Query) -> Result<Found, Error> {
        let (bm25, reader) = self.read()?;
        narrow::search(query, &[Part { bm25: &bm25, reader: &reader }])
    }

    fn retrieve_nearest(&self, query: &VectorQuery<'_>, filter: &Filter) -> Result<Nearest, Error> {
        Ok(match self.nearest_within(query, filter)? {
            VectorOutcome::Found(hits) => Nearest::Found(self.passages(&hits)?),
            VectorOutcome::Off(reason) => Nearest::Off(reason),
        })
    }

    fn following(&self, hit: &Hit) -> Result<Option<Hit>, Error> {
        let reader = self.store.reader()?;
        let Some(key) = reader.chunk_key(hit.chunk.doc(), hit.chunk.ordinal().saturating_add(1))? else {
            return Ok(None);
        };
        let loaded = reader.load(&[key], reader.generation().number)?;
        let of = |(_, stored)| Hit::new(hit.index, stored, 0.0, Explain::default());
        Ok(loaded.into_iter().map(of).next())
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

    fn content_hashes(&self) -> Result<Vec<(DocId, ContentHash)>, Error> {
        self.store.reader()?.content_hashes()
    }

    fn chunks(&self, doc: &DocId) -> Result<Vec<Chunk>, Error> {
        self.store.reader()?.chunks_of(doc)
    }

    fn set_key_phrases(&self, of: &[OfDocument<Vec<String>>]) -> Result<Enriched, Error> {
        self.writer.with(self, |writer| writer.set_key_phrases(of))
    }

    fn set_vectors(&self, space: &VectorSpace, of: &[OfDocument<Vector>]) -> Result<Enriched, Error> {
        self.writer.with(self, |writer| writer.set_vectors(space, of))
    }

    fn vectors(&self, doc: &DocId) -> Result<Vec<(ChunkId, Vector)>, Error> {
        self.store.reader()?.vectors_of(doc)
    }

    fn vector_space(&self) -> Result<Option<VectorSpace>, Error> {
        Ok(self.store.reader()?.vector_state()?.map(|state| state.space))
    }

    fn set_vector_space(&self, space: &VectorSpace) -> Result<(), Error> {
        self.writer.with(self, |writer| writer.set_vector_space(space))
    }

    fn lacking(&self, what: Enrichment, from: PageMark, limit: usize) -> Result<Lacking, Error> {
        self.store.reader()?.lacking(what, from, limit)
    }

    fn count_lacking(&self, what: Enrichment) -> Result<usize, Error> {
        self.store.reader()?.count_lacking(what)
    }

    fn statistics(&self) -> Result<Statistics, Error> {
        self.store.reader()?.statistics()
    }
}

fn lock_path(dir: &Path) -> PathBuf {
    dir.join(LOCK)
}

fn store_path(dir: &Path) -> PathBuf {
    dir.join("store.sqlite")
}

fn vectors_path(dir: &Path) -> PathBuf {
    dir.join("vectors")
}

fn bm25_path(dir: &Path) -> PathBuf {
    dir.join("bm25")
}
