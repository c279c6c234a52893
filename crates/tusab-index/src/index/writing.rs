//! The one writer of an index: taken when first needed, used by one thread at a time.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use super::notes::{Note, Notes};
use super::vectors::Vectors;
use super::{Bm25Writer, Index, lock_path, repair, store_path};
use crate::analyze::PassageAnalysis;
use crate::bm25::Entry;
use crate::lock::WriterLock;
use crate::store::{self, KnownDocument, Store};
use crate::{Applied, Batch, Change, Control, Error, VectorWriter};

/// A writer that has added as many chunks compacts the index before it lets go.
const MANY_CHUNKS: usize = 5_000;

/// Holds the writer between batches. While a batch is written the writer is out of the slot and no lock is held, so
/// that a progress handler may call back into the index.
#[derive(Debug, Default)]
pub(super) struct WriterSlot {
    state: Mutex<SlotState>,
    returned: Condvar,
}

#[derive(Debug, Default)]
struct SlotState {
    idle: Option<IndexWriter>,
    /// Whose batch is being written.
    user: Option<ThreadId>,
    /// The writer is to be closed when it comes back.
    release: bool,
}

impl WriterSlot {
    /// Runs `write` with the writer, waiting for other threads' batches first.
    pub(super) fn with<T>(
        &self,
        index: &Index,
        write: impl FnOnce(&mut IndexWriter) -> Result<T, Error>,
    ) -> Result<T, Error> {
        // Dropped after the turn, when no lock is held.
        let _telling = index.notes.telling(&index.dir);
        // The turn ends last: the next thread finds the writer back, or its lock free.
        let (turn, idle) = self.take_turn(Wait::ForBatches)?;
        let mut writer = match idle {
            Some(writer) => writer,
            None => IndexWriter::open(index)?,
        };
        let result = write(&mut writer);
        // After a failure the halves may disagree: dropped here, mended when it is opened again.
        if result.is_ok() {
            self.give_back(writer);
        } else {
            drop(writer);
        }
        drop(turn);
        result
    }

    /// Runs `work` in a turn of its own with the writer closed, so that the lock is free for it.
    pub(super) fn without<T>(&self, work: impl FnOnce() -> Result<T, Error>, wait: Wait) -> Result<T, Error> {
        let (turn, idle) = self.take_turn(wait)?;
        if let Some(writer) = idle {
            writer.close();
        }
        let result = work();
        drop(turn);
        result
    }

    /// Waits for other threads' batches; the writer is out of the slot for as long as the turn lasts.
    fn take_turn(&self, wait: Wait) -> Result<(Turn<'_>, Option<IndexWriter>), Error> {
        let mut state = self.lock();
        while let Some(user) = state.user {
            if user == thread::current().id() || wait == Wait::Never {
                return Err(Error::Reentrant);
            }
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.user = Some(thread::current().id());
        let idle = state.idle.take();
        drop(state);
        Ok((Turn { slot: self }, idle))
    }

    fn give_back(&self, writer: IndexWriter) {
        let mut state = self.lock();
        if std::mem::take(&mut state.release) {
            drop(state);
            writer.close();
        } else {
            state.idle = Some(writer);
        }
    }

    /// Closes the writer: now, or once the batch that is being written has ended.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.release = state.user.is_some();
        let idle = state.idle.take();
        drop(state);
        if let Some(writer) = idle {
            writer.close();
        }
    }

    fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether to wait for other threads' batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    ForBatches,
    /// Refused at once: a search waits for nobody.
    Never,
}

/// Ends a thread's turn however it ends.
struct Turn<'s> {
    slot: &'s WriterSlot,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.slot.lock().user = None;
        self.slot.returned.notify_one();
    }
}

/// The right to write, and the writers of both halves.
#[derive(Debug)]
pub(super) struct IndexWriter {
    pub(super) store: store::Writer,
    /// The store as readers see it, for what is derived from it.
    pub(super) reads: Arc<Store>,
    bm25: Arc<crate::bm25::Bm25>,
    pub(super) bm25_writer: Bm25Writer,
    pub(super) vectors: Arc<Vectors>,
    /// Opened when first needed, with the number of the store's vectors that it has written.
    pub(super) vector_writer: Option<(VectorWriter, u64)>,
    /// What is told to the log later, when no lock is held.
    pub(super) notes: Arc<Notes>,
    /// Chunks written since the index was last compacted.
    added: usize,
    /// Random name of the store, which the BM25 index repeats.
    pub(super) store_name: String,
    _lock: WriterLock,
}

impl IndexWriter {
    fn open(index: &Index) -> Result<Self, Error> {
        let lock = WriterLock::acquire_within(&lock_path(&index.dir), super::PATIENCE)?;
        let mut store = Store::writer(&store_path(&index.dir))?;
        // Another process may have written, or died writing, since this one opened.
        let (bm25, files, repairs) = repair::mend(&index.store, &index.dir, false, Control::default())?;
        store.sweep()?;
        index.vectors.set(files);
        index.notes.add(repairs.into_iter().map(Note::Mended));
        let bm25 = Arc::new(bm25);
        let bm25_writer = Bm25Writer::new(&bm25)?;
        let store_name = index.store.reader()?.generation().store.clone();
        *index.bm25.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&bm25);
        Ok(Self {
            store,
            reads: Arc::clone(&index.store),
            bm25,
            bm25_writer,
            vectors: Arc::clone(&index.vectors),
            vector_writer: None,
            notes: Arc::clone(&index.notes),
            added: 0,
            store_name,
            _lock: lock,
        })
    }

    /// Takes away what was replaced, merges what was left in pieces if that is much, and lets another process write.
    fn close(mut self) {
        // What is left is not found, and is swept away by the next writer.
        let tidied = if self.added >= MANY_CHUNKS { self.compact() } else { self.store.sweep() };
        if let Err(error) = tidied {
            self.notes.add([Note::Untidied(error)]);
        }
    }

    /// Merges what many batches have left in pieces, both halves side by side.
    pub(super) fn compact(&mut self) -> Result<(), Error> {
        self.added = 0;
        self.store.sweep()?;
        let Self { store, bm25_writer, .. } = &mut *self;
        thread::scope(|scope| {
            let merging = thread::Builder::new()
                .spawn_scoped(scope, || bm25_writer.compact())
                .map_err(Error::io("start a thread to merge", store.path()))?;
            let stored = store.compact();
            let panicked = |_| Err(Error::io("merge", store.path())(io::ErrorKind::Other.into()));
            merging.join().unwrap_or_else(panicked).and(stored)
        })?;
        self.bm25.reload()?;
        self.bm25_writer.collect_garbage()?;
        self.compact_vectors()
    }

    /// Writes a batch to the store and to the BM25 index, durably, in this order: a crash in between leaves the
    /// store ahead, which opening mends.
    pub(super) fn apply(&mut self, batch: &Batch, control: Control<'_>) -> Result<Applied, Error> {
        let applied = self.commit_both(|writer| writer.write_batch(batch, control))?;
        self.added += applied.applied.chunks;
        if applied.replaced {
            self.bring_vectors_up()?;
        }
        Ok(applied.applied)
    }

    /// Shows what `write` has committed to both halves, if anything; what it left half done is forgotten.
    pub(super) fn commit_both<T>(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(T, bool), Error>,
    ) -> Result<T, Error> {
        let (result, is_changed) = match write(self) {
            Ok(written) => written,
            Err(error) => {
                self.bm25_writer.rollback()?;
                return Err(error);
            }
        };
        if is_changed {
            self.bm25.reload()?;
        }
        Ok(result)
    }

    /// Writes the batch to both halves; true if anything changed.
    fn write_batch(&mut self, batch: &Batch, control: Control<'_>) -> Result<(Done, bool), Error> {
        // The BM25 index has the present generation: nobody needs what was replaced up to now.
        self.store.sweep()?;
        let transaction = self.store.begin()?;
        let mut analysis = PassageAnalysis::default();
        let mut applied = Applied::default();
        let mut replaced = false;
        for (done, change) in (1..).zip(batch.changes()) {
            if (control.stop)() {
                return Err(Error::Stopped);
            }
            match change {
                Change::Upsert { document, chunks } => {
                    let known = transaction.find(&document.id)?;
                    let is_here = known.is_some_and(|known| known.is_here);
                    if is_here && known.is_some_and(|known| known.hash == document.content_hash) {
                        applied.unchanged += 1;
                    } else {
                        let known = known.map(|known| known.key);
                        let (key, detected) = transaction.put_document(known, document, chunks)?;
                        let mut old = HashMap::new();
                        if is_here {
                            old = transaction.replace_chunks(key)?;
                            self.bm25_writer.remove(key);
                            replaced = true;
                        }
                        let language = document.language.as_ref().or(detected.as_ref());
                        let entry = Entry { key, record: document, language };
                        analysis.read_document(&document.title, &document.tags);
                        for chunk in chunks {
                            analysis.read_text(chunk.original_text());
                            let (chunk_key, chunk) = transaction.put_chunk(key, chunk, &analysis, &old)?;
                            self.bm25_writer.add(&entry, chunk_key, &chunk, &analysis)?;
                        }
                        applied.written += 1;
                        applied.chunks += chunks.len();
                    }
                }
                Change::Delete(doc) => {
                    if let Some(KnownDocument { key, is_here: true, .. }) = transaction.find(doc)? {
                        transaction.replace_chunks(key)?;
                        transaction.remove_document(key)?;
                        self.bm25_writer.remove(key);
                        replaced = true;
                        applied.deleted += 1;
                    }
                }
            }
            (control.progress)(done, batch.len());
        }
        let is_changed = applied.written + applied.deleted > 0;
        if is_changed {
            self.bm25_writer.commit_after(&self.store_name, || transaction.commit(replaced))?;
        }
        Ok((Done { applied, replaced }, is_changed))
    }
}

/// What a batch did to the store.
#[derive(Debug)]
struct Done {
    applied: Applied,
    /// Chunks were replaced or removed, and with them their vectors.
    replaced: bool,
}
