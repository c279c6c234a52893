//! Opening a project, and bringing its index to what its sources say.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;
use tusab_chunk::{DocId, Document};
use tusab_index::{Batch, ChunkStore, Control, DocumentRecord, Hush, Index, Opened, Repair, WriterLock};

use super::group::cut;
use super::held::Standing;
use super::ingest;
use super::library::Library;
use super::removed;
use super::shelf::Shelf;
use super::sources::mended;
use super::stored::{PARSER_VERSION, Prepared, reread};
use super::{Held, IngestReport, Inner, Located, MANAGEMENT, Place, Source, YtDlpSetup};
use crate::chat::{ChatModels, Feedback};
use crate::event::Handler;
use crate::models::Models;
use crate::progress::Pulse;
use crate::storage::{Entry, ProjectDirs};
use crate::{Clock, Error, Event, KeyPhraseOrder, Stage};

/// Searches that run at the same time; more wait their turn. Each holds a connection to the store.
const PARALLEL_SEARCHES: usize = 16;

/// Stored sources that are indexed together, at most, and bytes of theirs. More than of new ones: they are on the disk
/// already, and a cancel leaves the batch that it comes in.
const BATCH_SOURCES: usize = 1000;
const BATCH_BYTES: usize = 16 << 20;

/// What the engine gives each of its projects.
pub(crate) struct Given {
    pub(crate) handler: Handler,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chat_models: ChatModels,
    pub(crate) models: Models,
    pub(crate) yt_dlp: YtDlpSetup,
}

/// A project that was opened.
pub(crate) struct Ready {
    pub(crate) inner: Inner,
    /// What was mended, for people.
    pub(crate) told: Vec<String>,
    /// Dropped when the caller holds no lock: until then the index tells the log nothing.
    pub(crate) hush: Option<Hush>,
}

impl Inner {
    /// Opens the project of those folders; `stop` is asked before each document that has to be indexed again, and `tell`
    /// told how far that is.
    pub(crate) fn open(
        located: Located,
        dirs: ProjectDirs,
        place: &Place,
        given: Given,
        stop: &dyn Fn() -> bool,
        tell: &dyn Fn(Event),
    ) -> Result<Ready, Error> {
        let Given { handler, clock, chat_models, models, yt_dlp } = given;
        let Holding { index, is_behind, mut told } = hold(place, &located, &dirs, stop, tell)?;
        let hush = index.hush();
        let ingesting = Mutex::new(());
        let running = super::queue::Running::default();
        let index = Arc::new(index);
        let searches = Semaphore::new(PARALLEL_SEARCHES);
        let sessions = Mutex::default();
        let id = located.description.id;
        let name = Mutex::new(located.description.name);
        let feedback = Arc::new(Feedback::new(index.keep(MANAGEMENT, || dirs.management())));
        let inner = Self {
            id,
            name,
            dirs,
            index,
            is_behind: AtomicBool::new(is_behind),
            handler,
            clock,
            chat_models,
            models,
            feedback,
            yt_dlp,
            searches,
            sessions,
            ingesting,
            running,
        };
        // Most often all is well, and reading needs no lock.
        let is_current = Library::peek(&inner.dirs.neural)?
            .map(|library| {
                let cut_short = removed::cut_short(&inner.dirs, &library)?;
                let current = inner.behind(&library)?.is_empty() && inner.ahead(&library)?.is_empty();
                Ok::<bool, Error>(current && cut_short.is_empty())
            })
            .transpose()?;
        if is_current != Some(true) || is_behind {
            match WriterLock::acquire(&inner.dirs.lock()) {
                Ok(_lock) => told.extend(inner.mend(stop, tell)?.1),
                // Another process is taking sources in, and keeps the index whole itself.
                Err(error) if error.is_locked() => {}
                Err(error) if error.is_read_only() => inner.is_behind.store(true, Ordering::Release),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Ready { inner, told, hush })
    }

    /// Takes sources in, on a thread that may block: searchable first, whatever the engine's order.
    pub(crate) fn take_in(
        &self,
        sources: Vec<Source>,
        stop: &dyn Fn() -> bool,
        tell: &dyn Fn(Event),
    ) -> Result<IngestReport, Error> {
        ingest::all(self, sources, KeyPhraseOrder::AfterIndexing, stop, tell)
    }

    /// Number of the sources that are stored.
    pub(crate) fn count_sources(&self) -> Result<usize, Error> {
        Ok(Library::peek(&self.dirs.neural)?.map_or(0, |library| library.entries().count()))
    }

    /// Every source, read from its stored bytes. One that cannot be read is left out: it is not searchable either.
    pub(crate) fn documents(&self) -> Result<Vec<Document>, Error> {
        let Some(library) = Library::peek(&self.dirs.neural)? else { return Ok(Vec::new()) };
        let read = |(shelf, entry): (&Shelf, &Entry)| {
            let bytes = library.read(shelf, entry).ok()?;
            Some(reread(shelf, entry, bytes).ok()?.document)
        };
        Ok(library.entries().filter_map(read).collect())
    }

    /// Does work while no source is taken in, here or in another process, and the index says what the sources say. Where
    /// nothing may be written, which the work is told, they are as they are.
    pub(crate) fn still<T>(
        &self,
        stop: &dyn Fn() -> bool,
        tell: &dyn Fn(Event),
        work: impl FnOnce(bool) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _writing = match self.write() {
            Ok(writing) => writing,
            Err(error) if error.is_read_only() => return work(false),
            Err(error) => return Err(error),
        };
        mended(self, stop, tell)?;
        let done = work(true);
        self.index.release_writer();
        done
    }

    /// Reads the library, mending it, and brings the index to what it says. The caller holds the project's lock.
    pub(super) fn mend(
        &self,
        stop: &dyn Fn() -> bool,
        tell: &dyn Fn(Event),
    ) -> Result<(Library, Vec<String>), Error> {
        let title = |doc: &DocId| Some(self.index.document(doc).ok()??.title);
        let (mut library, mut told) = Library::load(&self.dirs.neural, &title)?;
        removed::finish(&self.dirs, &mut library)?;
        let ahead = self.ahead(&library)?;
        if !ahead.is_empty() {
            told.push(format!("{} documents without a source were taken out of the index", ahead.len()));
            let mut batch = Batch::new();
            for doc in ahead {
                batch.delete(doc);
            }
            self.index.apply(&batch, Control { stop, ..Control::default() })?;
            self.index.release_writer();
        }
        let behind = self.behind(&library)?;
        if !behind.is_empty() {
            let count = behind.len();
            let failed = index_stored(self, &mut library, behind, stop, tell)?;
            if count > failed.len() {
                told.push(format!("{} stored sources were indexed", count - failed.len()));
            }
            told.extend(failed);
        }
        self.catch_up()?;
        Ok((library, told))
    }

    /// Takes note that the index says what the sources say, once it may be written again.
    fn catch_up(&self) -> Result<(), Error> {
        if self.is_behind.load(Ordering::Acquire) {
            match self.index.mend() {
                Ok(()) => self.is_behind.store(false, Ordering::Release),
                // Of the folders of a project, that of the index alone may still be shut.
                Err(error) if error.is_read_only() => return Ok(()),
                Err(error) => return Err(error.into()),
            }
            self.index.release_writer();
        }
        Ok(())
    }

    /// The documents of the index that are no source's.
    fn ahead(&self, library: &Library) -> Result<Vec<DocId>, Error> {
        let here: HashSet<DocId> =
            library.entries().filter_map(|(shelf, entry)| shelf.document_id(entry)).collect();
        let indexed = self.index.standing()?.own.into_keys();
        let mut ahead: Vec<DocId> = indexed.filter(|doc| !here.contains(doc)).collect();
        ahead.sort_unstable();
        Ok(ahead)
    }

    /// The sources that are not in the index as they are stored, or that an older version read.
    fn behind(&self, library: &Library) -> Result<Vec<(Shelf, Entry)>, Error> {
        let Standing { own, others } = self.index.standing()?;
        let is_behind = |shelf: &Shelf, entry: &Entry| {
            shelf.document_id(entry).is_some_and(|doc| {
                let is_ours = !others.contains(&doc);
                is_ours && (entry.parser != PARSER_VERSION || own.get(&doc) != Some(&entry.content_hash))
            })
        };
        let entries = library.entries().filter(|(shelf, entry)| is_behind(shelf, entry));
        Ok(entries.map(|(shelf, entry)| (shelf.clone(), entry.clone())).collect())
    }
}

/// Indexes sources from their stored bytes. Those that cannot be read are told, for people, and left as they are.
///
/// The caller holds the project's lock.
fn index_stored(
    inner: &Inner,
    library: &mut Library,
    stored: Vec<(Shelf, Entry)>,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<Vec<String>, Error> {
    let total = stored.len();
    let (reading, indexing) = (Pulse::start(), Pulse::start());
    let beat = |pulse: &Pulse, stage, done| {
        if let Some(progress) = pulse.beat(done, total) {
            tell(Event::Progress { project: inner.name(), stage, progress });
        }
    };
    let (mut failed, mut indexed) = (Vec::new(), 0);
    let mut batch = Batch::new();
    let mut bytes_read = 0;
    let mut apply = |batch: &mut Batch, failed: usize| {
        let progress = |done, _| beat(&indexing, Stage::Indexing, indexed + failed + done);
        inner.index.apply(batch, Control { stop, progress: &progress })?;
        indexed += batch.len();
        *batch = Batch::new();
        Ok::<(), Error>(())
    };
    for (done, (shelf, entry)) in (1..).zip(stored) {
        if stop() {
            return Err(Error::Cancelled);
        }
        let read = library.read(&shelf, &entry).and_then(|bytes| reread(&shelf, &entry, bytes));
        match read {
            Ok(Prepared { document, pages, entry, bytes, .. }) => {
                let chunks = cut(&document, &pages);
                batch.upsert(DocumentRecord::new(&document, entry.content_hash), chunks);
                library.put_entry(&shelf, entry);
                bytes_read += bytes.len();
            }
            Err(error) => failed.push(format!("{} could not be indexed: {error}", entry.original_name)),
        }
        beat(&reading, Stage::Reading, done);
        if batch.len() >= BATCH_SOURCES || bytes_read >= BATCH_BYTES {
            apply(&mut batch, failed.len())?;
            bytes_read = 0;
        }
    }
    apply(&mut batch, failed.len())?;
    inner.index.release_writer();
    // After the index: an entry that says it was read by this version is then never ahead of it.
    library.flush()?;
    Ok(failed)
}

/// What holds a project's passages, as it was opened.
struct Holding {
    index: Held,
    /// It does not say all that it should, and may not be written.
    is_behind: bool,
    /// What was mended, for people.
    told: Vec<String>,
}

fn hold(
    place: &Place,
    located: &Located,
    dirs: &ProjectDirs,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<Holding, Error> {
    match place {
        Place::Folders => {
            let pulse = Pulse::start();
            let progress = |done, total| {
                if let Some(progress) = pulse.beat(done, total) {
                    let project = located.description.name.clone();
                    tell(Event::Progress { project, stage: Stage::Indexing, progress });
                }
            };
            let control = Control { stop, progress: &progress };
            let Opened { index, repairs, is_behind, .. } = Index::open_with(&dirs.index, control)?;
            Ok(Holding {
                index: Held::Folder(Box::new(index)),
                is_behind,
                told: repairs.iter().map(describe).collect(),
            })
        }
        #[cfg(feature = "postgres")]
        Place::Server(postgres) => {
            let (store, told) = super::server::open(postgres, located, dirs)?;
            Ok(Holding { index: Held::Server(store), is_behind: false, told })
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Degradation, Engine};

    #[tokio::test]
    async fn what_was_behind_is_said_until_it_could_be_mended() {
        let data = tempfile::tempdir().unwrap();
        let engine = Engine::builder().data_dir(data.path()).build().unwrap();
        let project = engine.project("P").await.unwrap();
        project.ingest(Source::text("t", "umbu")).await.unwrap();
        // As when it was opened on a disk that could not be written then.
        let behind = || project.inner().is_behind.store(true, Ordering::Release);
        behind();
        assert_eq!(project.search("umbu").await.unwrap().degraded, [Degradation::IndexBehind]);
        project.ingest(Source::text("u", "cajá")).await.unwrap();
        assert_eq!(project.search("umbu").await.unwrap().degraded, []);
        behind();
        project.sync(&crate::Cancel::new()).await.unwrap();
        assert_eq!(engine.search(std::slice::from_ref(&project), "cajá").await.unwrap().degraded, []);
    }
}
