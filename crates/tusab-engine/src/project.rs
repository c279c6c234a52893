//! A user's collection of sources, ready to be searched.

pub(crate) mod catalog;
mod enrich;
mod group;
pub(crate) mod held;
mod ingest;
mod inventory;
mod library;
mod merge;
mod open;
mod phrases;
mod prepare;
pub(crate) mod purge;
mod queue;
mod refresh;
mod removed;
mod report;
#[cfg(feature = "postgres")]
pub(crate) mod server;
mod shelf;
mod source;
mod sources;
mod stored;
mod sync;
pub(crate) mod trash;
mod video;
mod youtube;

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tusab_index::{ChunkStore, Hush, Retriever, WriterLock};

pub(crate) use catalog::Located;
pub use catalog::{ProjectInfo, Projects};
pub use enrich::{EnrichReport, Enricher};
pub(crate) use held::{Fate, Held, Place};
pub(crate) use inventory::{Inventory, Item};
pub use merge::MergeReport;
pub(crate) use open::{Given, Ready};
pub use purge::PurgeReport;
pub use queue::{IngestQueue, QueueId, QueueReport, QueuedReport, QueuedSource};
pub use refresh::{Followed, RefreshReport, RefreshedSource, Schedule};
pub use removed::RemovedSource;
pub use report::{IngestReport, ItemReport, Outcome};
pub use source::{FolderOptions, Source};
pub use sources::SourceInfo;
pub use sync::SyncReport;
pub use trash::TrashedProject;
pub(crate) use youtube::YtDlpSetup;
pub use youtube::{QueuedYouTube, VideoReport, YouTubeOptions, YouTubeReport};

use crate::chat::{ChatModels, Feedback, History};
use crate::event::Handler;
use crate::keep::Keep;
use crate::models::Models;
use crate::runtime::{self, blocking};
use crate::search::expand::variants;
use crate::storage::ProjectDirs;
use crate::{
    Cancel, ChatSession, Clock, Degradation, Error, Event, Found, Search, SearchMode, Searcher, pool_for,
};

pub use tusab_index::Statistics;

/// A user's collection of sources. Cheap to clone; clones are the same project.
#[derive(Debug, Clone)]
pub struct Project {
    inner: Arc<Inner>,
}

/// What all handles of a project share.
pub(crate) struct Inner {
    /// Tells it from another project that was in its folder before.
    id: String,
    /// As its user names it; it may be renamed while it is open.
    name: Mutex<String>,
    pub(crate) dirs: ProjectDirs,
    pub(crate) index: Arc<Held>,
    /// What its sources say could not be brought into the index, as nothing here could be written when it was opened.
    is_behind: AtomicBool,
    pub(crate) handler: Handler,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chat_models: ChatModels,
    /// What Broad Search works with.
    pub(crate) models: Models,
    /// What people think of its answers.
    pub(crate) feedback: Arc<Feedback>,
    pub(crate) yt_dlp: YtDlpSetup,
    /// One permit a search.
    pub(crate) searches: Semaphore,
    /// Histories by their files, so that all handles of a session share one.
    pub(crate) sessions: Mutex<HashMap<PathBuf, Arc<History>>>,
    /// Held by the blocking thread that takes sources in, never while an event handler runs.
    ingesting: Mutex<()>,
    /// What of the queue is being taken in.
    running: queue::Running,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").field("name", &self.name()).field("dirs", &self.dirs).finish_non_exhaustive()
    }
}

/// What conversations are under, on a server.
const SESSIONS: &str = "sessions";

/// What ratings and summaries are under, on a server.
const MANAGEMENT: &str = "management";

/// Longest wait for another process to end its ingest or to mend the project.
const PATIENCE: Duration = Duration::from_secs(5);

/// The right to change a project's sources: of all threads of this process, then of all processes.
#[derive(Debug)]
pub(crate) struct Writing<'a> {
    // In this order: they are dropped so, and what the index tells the log it tells when nothing is held.
    _lock: WriterLock,
    _turn: MutexGuard<'a, ()>,
    _hush: Option<Hush>,
}

impl Inner {
    /// Its name, as its user gave it.
    pub(crate) fn name(&self) -> String {
        self.name.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes note that it has another name by now.
    pub(crate) fn set_name(&self, name: &str) {
        name.clone_into(&mut self.name.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Its conversations.
    pub(crate) fn kept_sessions(&self) -> Keep {
        self.index.keep(SESSIONS, || self.dirs.sessions.clone())
    }

    /// Its ratings and summaries.
    pub(crate) fn kept_management(&self) -> Keep {
        self.index.keep(MANAGEMENT, || self.dirs.management())
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Waits for the right to change the project's sources. No handler of the user's runs while it is held.
    pub(crate) fn write(&self) -> Result<Writing<'_>, Error> {
        let hush = self.index.hush();
        let turn = self.ingesting.lock().unwrap_or_else(PoisonError::into_inner);
        // First too: of what is gone, no lock is made again.
        self.still_here()?;
        let lock = WriterLock::acquire_within(&self.dirs.lock(), PATIENCE)?;
        self.still_here()?;
        Ok(Writing { _lock: lock, _turn: turn, _hush: hush })
    }

    /// Refuses to go on with a project that was deleted, be it by another process, or replaced by another one.
    pub(crate) fn still_here(&self) -> Result<(), Error> {
        let gone = || Error::NoSuchProject { name: self.name() };
        let description = catalog::Description::read(&self.dirs.description())?;
        if description.is_some_and(|description| description.id == self.id) { Ok(()) } else { Err(gone()) }
    }
}

impl Project {
    pub(crate) fn new(inner: Arc<Inner>) -> Self {
        Self { inner }
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }

    /// Its name, as its user gave it.
    #[must_use]
    pub fn name(&self) -> String {
        self.inner.name()
    }

    /// Name of its folder in `neural/`, which stays whatever the project is called.
    #[must_use]
    pub fn folder(&self) -> String {
        self.inner.dirs.neural.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Takes in one source: reads it, keeps it, and makes it searchable. See [`ingest_all`](Self::ingest_all).
    ///
    /// # Errors
    /// When the data directory cannot be written, or another process is writing this project. A source that cannot
    /// be read is no error but an [`Outcome::Failed`] in the report.
    pub async fn ingest(&self, source: Source) -> Result<IngestReport, Error> {
        self.ingest_all(vec![source], &Cancel::new()).await
    }

    /// Takes in several sources, in their order. One that fails does not stop the others. A folder is as many sources as
    /// it has files; of a channel or a playlist the report tells as [`Outcome::YouTube`].
    ///
    /// What the report counts as stored is durable and searchable when this returns. A source that was taken in
    /// before and has not changed costs nothing. Dropping the future, or cancelling, stops between sources: what was
    /// read until then is made durable, and the report says that it is not all. That is never more than 500 sources and
    /// 4 MiB, or one source that is larger by itself.
    ///
    /// Where the engine has a model for key phrases, passages get theirs before they are indexed, unless it was made with
    /// [`KeyPhraseOrder::AfterIndexing`](crate::KeyPhraseOrder::AfterIndexing). No lock is held while the model works.
    ///
    /// # Errors
    /// As [`ingest`](Self::ingest). What earlier events told as indexed stays; the rest is taken in by the next call
    /// with the same sources.
    pub async fn ingest_all(&self, sources: Vec<Source>, cancel: &Cancel) -> Result<IngestReport, Error> {
        self.work(cancel, "an ingest", |inner, stop, tell| {
            ingest::all(inner, sources, inner.models.key_phrase_order, stop, tell)
        })
        .await
    }

    /// Gives the passages what they lack and the engine has a model for: key phrases, which BM25 reads with their texts, and
    /// vectors, which Broad Search finds by. It takes long, and what is done is durable and found at once; the next call goes
    /// on with what is left. Dropping the future, or cancelling, stops between batches.
    ///
    /// # Errors
    /// When the index cannot be written. What only concerns models is in the report.
    pub async fn enrich(&self, cancel: &Cancel) -> Result<EnrichReport, Error> {
        self.enrich_with(self.inner.models.clone(), cancel).await
    }

    /// The same for key phrases alone.
    pub(crate) async fn find_key_phrases(&self, cancel: &Cancel) -> Result<EnrichReport, Error> {
        self.enrich_with(Models { embedder: None, ..self.inner.models.clone() }, cancel).await
    }

    async fn enrich_with(&self, models: Models, cancel: &Cancel) -> Result<EnrichReport, Error> {
        let enrich = |inner: &Inner, stop: &dyn Fn() -> bool, tell: &dyn Fn(Event)| {
            inner.still_here()?;
            let store = Arc::clone(&inner.index) as Arc<dyn ChunkStore>;
            let report = Enricher::new(store).with_models(models).run(stop, &|stage, progress| {
                tell(Event::Progress { project: inner.name(), stage, progress });
            });
            inner.index.release_writer();
            report
        };
        self.work(cancel, "an enrichment", enrich).await
    }

    /// Does long work on a blocking thread, and passes on what it tells. Dropping the future asks it to stop.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        cancel: &Cancel,
        what: &'static str,
        work: impl FnOnce(&Inner, &dyn Fn() -> bool, &dyn Fn(Event)) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let inner = Arc::clone(&self.inner);
        runtime::work(&self.inner.handler, cancel, what, move |stop, tell| work(&inner, stop, tell)).await
    }

    /// Finds the passages that fit the user's words best. Any text is allowed.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub async fn search(&self, search: impl Into<Search>) -> Result<Found, Error> {
        Arc::clone(&self.inner).search(search.into()).await
    }

    /// Opens the conversation with this name over the project, or begins it.
    #[must_use]
    pub fn chat(&self, session: &str) -> ChatSession {
        ChatSession::new(Arc::clone(&self.inner), session)
    }

    /// How much it holds.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub async fn statistics(&self) -> Result<Statistics, Error> {
        let index = Arc::clone(&self.inner.index);
        blocking("counting", move || Ok(index.statistics()?)).await
    }
}

impl Inner {
    /// Searches, on a thread that may block. Dropping the future stops the models.
    pub(crate) async fn search(self: Arc<Self>, search: Search) -> Result<Found, Error> {
        let (started, mut degraded) = (Instant::now(), Vec::new());
        let variants = match search.mode {
            SearchMode::Broad => variants(&self.chat_models, &search, &mut degraded).await,
            SearchMode::Narrow => Vec::new(),
        };
        let expansion = started.elapsed();
        let gone = Cancel::new();
        let _guard = gone.on_drop();
        let inner = Arc::clone(&self);
        let _permit = self.searches.acquire().await;
        let mut found = blocking("a search", move || {
            inner.still_here()?;
            inner.searcher(search.mode)?.search_until(&search, &variants, &|| gone.is_cancelled())
        })
        .await?;
        found.timings.total += expansion;
        found.timings.expansion = expansion;
        found.degraded.append(&mut degraded);
        found.degraded.extend(self.told_behind());
        found.degraded.extend(self.index.degradation());
        Ok(found)
    }

    /// What a search says of an index that could not be mended.
    pub(crate) fn told_behind(&self) -> Option<Degradation> {
        self.is_behind.load(Ordering::Acquire).then_some(Degradation::IndexBehind)
    }

    fn searcher(&self, mode: SearchMode) -> Result<Searcher, Error> {
        let searcher = Searcher::new(Arc::clone(&self.index) as Arc<dyn Retriever>)
            .with_models(self.models.clone())
            .with_clock(Arc::clone(&self.clock));
        Ok(match mode {
            SearchMode::Broad => {
                searcher.with_pool(pool_for(self.index.statistics()?.chunks, self.feedback.disliked()))
            }
            // Its pool does not depend on how much there is.
            SearchMode::Narrow => searcher,
        })
    }
}
