//! Opening a project, and bringing its index to what its sources say.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;
use tusab_chunk::DocId;
use tusab_index::{ChunkStore, ContentHash, Index, Opened, Repair, WriterLock};
use tusab_llm::ChatModel;

use super::ingest::index_stored;
use super::library::Library;
use super::shelf::Shelf;
use super::stored::PARSER_VERSION;
use super::{Inner, Located, YtDlpSetup};
use crate::event::Handler;
use crate::storage::{Entry, ProjectDirs};
use crate::{Clock, Error};

/// Searches that run at the same time; more wait their turn. Each holds a connection to the store.
const PARALLEL_SEARCHES: usize = 16;

impl Inner {
    /// Opens the project of those folders. The second value says what was mended, for people.
    pub(crate) fn open(
        located: Located,
        dirs: ProjectDirs,
        handler: Handler,
        clock: Arc<dyn Clock>,
        model: Option<Arc<dyn ChatModel>>,
        yt_dlp: YtDlpSetup,
    ) -> Result<(Self, Vec<String>), Error> {
        let Opened { index, repairs, .. } = Index::open(&dirs.index)?;
        let mut told: Vec<String> = repairs.iter().map(describe).collect();
        let ingesting = Mutex::new(());
        let index = Arc::new(index);
        let searches = Semaphore::new(PARALLEL_SEARCHES);
        let sessions = Mutex::default();
        let id = located.description.id;
        let name = Mutex::new(located.description.name);
        let inner =
            Self { id, name, dirs, index, handler, clock, model, yt_dlp, searches, sessions, ingesting };
        // Most often all is well, and reading needs no lock.
        let is_current = Library::peek(&inner.dirs.neural)?
            .map(|library| Ok::<bool, Error>(inner.behind(&library)?.is_empty()))
            .transpose()?;
        if is_current != Some(true) {
            match WriterLock::acquire(&inner.dirs.lock()) {
                Ok(_lock) => told.extend(inner.mend()?.1),
                // Another process is taking sources in, and keeps the index whole itself.
                Err(error) if error.is_locked() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok((inner, told))
    }

    /// Reads the library, mending it, and brings the index to what it says. The caller holds the project's lock.
    pub(super) fn mend(&self) -> Result<(Library, Vec<String>), Error> {
        let title = |doc: &DocId| Some(self.index.document(doc).ok()??.title);
        let (mut library, mut told) = Library::load(&self.dirs.neural, &title)?;
        let behind = self.behind(&library)?;
        if !behind.is_empty() {
            let count = behind.len();
            let failed = index_stored(self, &mut library, behind)?;
            if count > failed.len() {
                told.push(format!("{} stored sources were indexed", count - failed.len()));
            }
            told.extend(failed);
        }
        Ok((library, told))
    }

    /// The sources that are not in the index as they are stored, or that an older version read.
    fn behind(&self, library: &Library) -> Result<Vec<(Shelf, Entry)>, Error> {
        let indexed: HashMap<DocId, ContentHash> = self.index.content_hashes()?.into_iter().collect();
        let is_behind = |shelf: &Shelf, entry: &Entry| {
            shelf.document_id(entry).is_some_and(|doc| {
                entry.parser != PARSER_VERSION || indexed.get(&doc) != Some(&entry.content_hash)
            })
        };
        let entries = library.entries().filter(|(shelf, entry)| is_behind(shelf, entry));
        Ok(entries.map(|(shelf, entry)| (shelf.clone(), entry.clone())).collect())
    }
}

fn describe(repair: &Repair) -> String {
    match repair {
        Repair::CaughtUp { documents } => format!("the BM25 index was caught up by {documents} documents"),
        Repair::Rebuilt { reason, documents } => {
            format!("the BM25 index was made again from {documents} documents: {reason}")
        }
        _ => "the index was mended".to_owned(),
    }
}
