//! What waits to be taken in: kept on disk, taken in one after the other when the app says so.

mod file;
mod watch;

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use tusab_chunk::DocId;
use tusab_index::WriterLock;

use self::file::{Item, QueueFile};
use self::watch::Watch;
use super::{IngestReport, Inner, Outcome, Project, Source, ingest};
use crate::clock::timestamp;
use crate::runtime::blocking;
use crate::{Cancel, Error, Event};

/// Which of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct QueueId(u64);

/// A source that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct QueuedSource {
    /// Which.
    pub id: QueueId,
    /// The source, as a person names it.
    pub name: String,
    /// When it was added, in UTC (RFC 3339).
    pub added_at: String,
    /// How often it was tried and failed for an outside reason.
    pub tries: u32,
    /// Why it failed last.
    pub trouble: Option<String>,
    /// True while this process takes it in; another may.
    pub running: bool,
}

/// What a run of the queue did.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct QueueReport {
    /// What was taken in, in the order in which it was.
    pub sources: Vec<QueuedReport>,
    /// True when the run ended because the queue is paused.
    pub paused: bool,
    /// True when the caller asked to stop.
    pub cancelled: bool,
    /// What is left in the queue; the next run begins with it.
    pub left: usize,
}

/// What became of a source of the queue.
#[derive(Debug)]
#[non_exhaustive]
pub struct QueuedReport {
    /// Which.
    pub id: QueueId,
    /// What became of it and, if it is a folder, of its files.
    pub report: IngestReport,
    /// True when something failed for an outside reason, and it is left in the queue for another try.
    pub kept: bool,
}

/// What is being taken in by this process.
#[derive(Debug, Default)]
pub(super) struct Running(Mutex<Option<(QueueId, Cancel)>>);

impl Running {
    fn begin(&self, id: QueueId, cancel: Cancel) -> Ended<'_> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((id, cancel));
        Ended(self)
    }

    fn id(&self) -> Option<QueueId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|(id, _)| *id)
    }

    /// Asks what runs to stop, if it is one of those.
    fn stop(&self, is: impl Fn(QueueId) -> bool) {
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, cancel)) = running.as_ref().filter(|(id, _)| is(*id)) {
            cancel.cancel();
        }
    }
}

struct Ended<'r>(&'r Running);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The sources that wait to be taken into a project. Each change is durable when its call returns, and seen by other
/// processes: one that takes a source in looks at the queue between its documents, and stops when the source was cancelled or
/// the queue paused elsewhere.
///
/// Nothing happens by itself: the app calls [`run`](Self::run).
#[derive(Debug, Clone)]
pub struct IngestQueue {
    inner: Arc<Inner>,
}

impl Project {
    /// The sources that wait to be taken in.
    #[must_use]
    pub fn queue(&self) -> IngestQueue {
        IngestQueue { inner: Arc::clone(&self.inner) }
    }
}

impl IngestQueue {
    /// Adds sources at the end. Texts and bytes are kept with the queue; files are read when it is their turn.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn add(&self, sources: Vec<Source>) -> Result<Vec<QueueId>, Error> {
        self.change("adding to the queue", move |inner, queue| {
            let now = timestamp(&*inner.clock);
            sources.into_iter().map(|source| queue.add(source, now.clone())).collect()
        })
        .await
    }

    /// What waits, in the order in which it will be taken in.
    ///
    /// # Errors
    /// When the queue cannot be read.
    pub async fn items(&self) -> Result<Vec<QueuedSource>, Error> {
        let inner = Arc::clone(&self.inner);
        blocking("reading the queue", move || {
            let queue = QueueFile::read(&inner.dirs)?;
            let running = inner.running.id();
            Ok(queue.items().iter().map(|item| told(item, running)).collect())
        })
        .await
    }

    /// Takes a source out of the queue; one that is being taken in is stopped, and what was taken in of it until then
    /// stays. True when it was there.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn cancel(&self, id: QueueId) -> Result<bool, Error> {
        let was_there =
            self.change("cancelling a source", move |_, queue| Ok(queue.remove(id).is_some())).await?;
        self.inner.running.stop(|running| running == id);
        Ok(was_there)
    }

    /// Takes everything out of the queue, and stops what is being taken in; how many there were.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn cancel_all(&self) -> Result<usize, Error> {
        let count = self.change("cancelling the queue", |_, queue| Ok(queue.clear())).await?;
        self.inner.running.stop(|_| true);
        Ok(count)
    }

    /// Moves a source to that place in the queue, counted from 0. False when it is not there.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn move_to(&self, id: QueueId, place: usize) -> Result<bool, Error> {
        self.change("reordering the queue", move |_, queue| Ok(queue.move_to(id, place))).await
    }

    /// Holds the queue, also after a restart: what is being taken in is stopped and goes on later, and nothing is begun
    /// until [`resume`](Self::resume).
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn pause(&self) -> Result<(), Error> {
        self.change("pausing the queue", |_, queue| {
            queue.set_paused(true);
            Ok(())
        })
        .await?;
        self.inner.running.stop(|_| true);
        Ok(())
    }

    /// Lets the queue go on, with the next [`run`](Self::run).
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn resume(&self) -> Result<(), Error> {
        self.change("resuming the queue", |_, queue| {
            queue.set_paused(false);
            Ok(())
        })
        .await
    }

    /// True while the queue is held.
    ///
    /// # Errors
    /// When the queue cannot be read.
    pub async fn is_paused(&self) -> Result<bool, Error> {
        let inner = Arc::clone(&self.inner);
        blocking("reading the queue", move || Ok(QueueFile::read(&inner.dirs)?.is_paused())).await
    }

    /// Takes in what waits, each source once, until none is left. What is added meanwhile is taken in too.
    ///
    /// A source leaves the queue when all of it is durable, or failed for a reason that lies in itself; what failed for an
    /// outside reason is left for the next run. After a crash nothing is lost: the source that was being taken in is
    /// still there, and what of it was taken in before is not taken in twice. Dropping the future is a cancel.
    ///
    /// # Errors
    /// When another run of the queue is going on, another process is writing the project, or the disk refuses.
    pub async fn run(&self, cancel: &Cancel) -> Result<QueueReport, Error> {
        Project::new(Arc::clone(&self.inner)).work(cancel, "the queue", run).await
    }

    async fn change<T: Send + 'static>(
        &self,
        what: &'static str,
        change: impl FnOnce(&Inner, &mut QueueFile) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let inner = Arc::clone(&self.inner);
        blocking(what, move || {
            inner.still_here()?;
            QueueFile::change(&inner.dirs, |queue| change(&inner, queue))
        })
        .await
    }
}

impl Inner {
    /// Takes sources out of the queue that are being removed: the next run would bring them back.
    pub(super) fn wait_no_more(&self, docs: &[DocId]) -> Result<(), Error> {
        QueueFile::remove_of(&self.dirs, docs)
    }
}

fn told(item: &Item, running: Option<QueueId>) -> QueuedSource {
    QueuedSource {
        id: item.id,
        name: item.source.name(),
        added_at: item.added_at.clone(),
        tries: item.tries,
        trouble: item.trouble.clone(),
        running: running == Some(item.id),
    }
}

fn run(inner: &Inner, stop: &dyn Fn() -> bool, tell: &dyn Fn(Event)) -> Result<QueueReport, Error> {
    inner.still_here()?;
    let _run = WriterLock::acquire(&file::run_lock(&inner.dirs)?)?;
    let mut report = QueueReport::default();
    let mut tried = Vec::new();
    loop {
        // Read anew each time: another handle or process may have changed it.
        let queue = QueueFile::read(&inner.dirs)?;
        (report.paused, report.left) = (queue.is_paused(), queue.items().len());
        report.cancelled = stop();
        if report.paused || report.cancelled {
            return Ok(report);
        }
        let next = queue.items().iter().find(|item| !tried.contains(&item.id));
        let Some(item) = next.cloned() else { return Ok(report) };
        tried.push(item.id);
        let bytes = match file::bytes_of(&inner.dirs, &item) {
            Ok(bytes) => bytes,
            // One that cannot be read keeps no other from its turn.
            Err(error) => {
                let trouble = error.to_string();
                QueueFile::change(&inner.dirs, |queue| {
                    queue.note_failure(item.id, trouble);
                    Ok(())
                })?;
                continue;
            }
        };
        let cancel = Cancel::new();
        let running = inner.running.begin(item.id, cancel.clone());
        let source = item.source.clone().source(bytes);
        let watch = Watch::of(&inner.dirs, item.id);
        let stop = || stop() || cancel.is_cancelled() || watch.is_over();
        let taken = ingest::all(inner, vec![source], inner.models.key_phrase_order, &stop, tell)?;
        drop(running);
        // Deleted meanwhile, it must not come back as a folder with a queue.
        inner.still_here()?;
        // What was cancelled is taken out by who cancelled it, or stays for the next run.
        let kept = taken.cancelled || taken.is_worth_another_try();
        QueueFile::change(&inner.dirs, |queue| {
            if !kept {
                queue.remove(item.id);
            } else if !taken.cancelled {
                queue.note_failure(item.id, trouble(&taken));
            }
            Ok(())
        })?;
        report.sources.push(QueuedReport { id: item.id, report: taken, kept });
    }
}

/// Why something of it is worth another try.
fn trouble(report: &IngestReport) -> String {
    let of = |outcome: &Outcome| match outcome {
        Outcome::Failed(error) if error.is_retryable() => Some(error.to_string()),
        Outcome::YouTube(report) => match &report.stopped {
            Some(_) => Some("the site asked to be left alone for a while".to_owned()),
            None if report.left() > 0 => Some(format!("{} videos are left", report.left())),
            None => None,
        },
        _ => None,
    };
    report.items.iter().find_map(|item| of(&item.outcome)).unwrap_or_default()
}
