//! What the index tells the log, told when it holds no lock: a subscriber may call back into it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Repair;
use crate::store::Store;
use crate::{Error, VectorsOff};

/// Something to be told.
#[derive(Debug)]
pub(super) enum Note {
    /// What another process has left was mended before this one wrote.
    Mended(Repair),
    /// What was replaced could not be taken away.
    Untidied(Error),
    /// The files of vectors that were just written could not be opened.
    VectorsLater(VectorsOff),
    /// Vectors were made again, as a search needed them.
    VectorsMended(Repair),
    /// They could not be.
    VectorsDamaged(Error),
}

/// What waits to be told.
#[derive(Debug)]
pub(super) struct Notes {
    store: Arc<Store>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Note>,
    /// How many have asked for quiet.
    hushed: usize,
}

impl Notes {
    pub(super) fn new(store: &Arc<Store>) -> Self {
        Self { store: Arc::clone(store), state: Mutex::default() }
    }

    pub(super) fn add(&self, notes: impl IntoIterator<Item = Note>) {
        self.lock().waiting.extend(notes);
    }

    /// Tells what waits when it is dropped, unless somebody has asked for quiet. Made before a lock is taken, it is
    /// dropped after it.
    pub(super) fn telling<'n>(&'n self, dir: &'n Path) -> Telling<'n> {
        Telling { notes: self, dir }
    }

    pub(super) fn hush(self: &Arc<Self>, dir: &Path) -> Hush {
        self.lock().hushed += 1;
        Hush { notes: Arc::clone(self), dir: dir.to_owned() }
    }

    fn tell(&self, dir: &Path) {
        let waiting = {
            let mut state = self.lock();
            if state.hushed > 0 {
                return;
            }
            std::mem::take(&mut state.waiting)
        };
        let dir = dir.display();
        for note in waiting {
            match note {
                Note::Mended(repair) => tracing::info!(?repair, %dir, "index mended before writing"),
                Note::Untidied(error) => tracing::warn!(%error, %dir, "the index could not be tidied up"),
                Note::VectorsLater(reason) => {
                    tracing::debug!(%reason, %dir, "the vectors just written are opened by the next search");
                }
                Note::VectorsMended(repair) => tracing::info!(?repair, %dir, "vectors mended for a search"),
                Note::VectorsDamaged(error) => {
                    tracing::warn!(%error, %dir, "damaged vectors could not be mended");
                }
            }
        }
        let damaged = self.store.take_damaged_vectors();
        if damaged > 0 {
            tracing::warn!(damaged, %dir, "stored vectors are damaged and were passed over");
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells what waits when it is dropped.
pub(super) struct Telling<'n> {
    notes: &'n Notes,
    dir: &'n Path,
}

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        self.notes.tell(self.dir);
    }
}

/// Has an index tell the log nothing until this is dropped, and then what waited: see [`Index::hush`](super::Index::hush).
#[derive(Debug)]
#[must_use = "what waits is told when this is dropped"]
pub struct Hush {
    notes: Arc<Notes>,
    dir: PathBuf,
}

impl Drop for Hush {
    fn drop(&mut self) {
        self.notes.lock().hushed -= 1;
        self.notes.tell(&self.dir);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tracing::span::{Attributes, Id, Record};
    use tracing::{Metadata, Subscriber};
    use tusab_chunk::{Body, Chunker, Document, Windows};

    use super::*;
    use crate::{Batch, ChunkStore, ContentHash, Control, DocumentRecord, Index};

    /// Writes to the index whenever something is logged.
    #[derive(Clone, Default)]
    struct Writing(Arc<(OnceLock<Index>, AtomicUsize)>);

    impl Subscriber for Writing {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target().starts_with("tusab")
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, _: &tracing::Event<'_>) {
            let (index, calls) = &*self.0;
            let call = calls.fetch_add(1, Ordering::SeqCst);
            // In a turn of its own, which is refused to the thread that has one.
            put(index.get().unwrap(), &format!("text:chamada-{call}"));
        }

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    fn put(index: &Index, id: &str) {
        let document = Document::new(id.parse().unwrap(), id, Body::Text(format!("jabuticaba de {id}")));
        let mut batch = Batch::new();
        let record = DocumentRecord::new(&document, ContentHash::of(1, id.as_bytes()));
        batch.upsert(record, Windows::default().chunks(&document));
        index.apply(&batch, Control::default()).unwrap();
    }

    #[test]
    fn the_log_is_told_when_nothing_is_held() {
        let dir = tempfile::tempdir().unwrap();
        let writing = Writing::default();
        let index = writing.0.0.get_or_init(|| Index::open(dir.path()).unwrap().index);
        let calls = &writing.0.1;
        tracing::subscriber::with_default(writing.clone(), || {
            put(index, "text:a");
            for (hushed, before) in [(false, 0), (true, 1)] {
                index.release_writer();
                std::fs::remove_dir_all(dir.path().join("bm25")).unwrap();
                let hush = hushed.then(|| index.hush());
                put(index, if hushed { "text:c" } else { "text:b" });
                assert_eq!(calls.load(Ordering::SeqCst), if hushed { before } else { before + 1 });
                drop(hush);
                assert_eq!(calls.load(Ordering::SeqCst), before + 1);
            }
        });
        assert_eq!(index.statistics().unwrap().documents, 5);
    }
}
