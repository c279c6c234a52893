//! Keeping fresh: sources that are looked at again from time to time, when the app says that it is a good time.

use std::fs;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::source::Kept;
use super::stored::fingerprint;
use super::{IngestReport, Inner, PATIENCE, Project, Source, ingest};
use crate::clock::timestamp;
use crate::runtime::blocking;
use crate::storage::{ProjectDirs, lock, write_whole};
use crate::{Cancel, Clock, Error, Event};

/// How often a source is looked at again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Schedule {
    /// At every refresh, such as whenever the app is opened.
    Always,
    /// Once a day.
    Daily,
    /// Once a week.
    Weekly,
    /// Once in thirty days.
    Monthly,
}

impl Schedule {
    /// The shortest time between two looks.
    #[must_use]
    pub fn period(self) -> Duration {
        match self {
            Self::Always => Duration::ZERO,
            Self::Daily => Duration::from_hours(24),
            Self::Weekly => Duration::from_hours(7 * 24),
            Self::Monthly => Duration::from_hours(30 * 24),
        }
    }
}

/// A source that is looked at again from time to time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Followed {
    /// Which; the same source has the same id.
    pub id: String,
    /// The source, as a person names it.
    pub name: String,
    /// How often.
    pub schedule: Schedule,
    /// When it was looked at last and nothing outside of it was in the way, in UTC (RFC 3339).
    pub looked_at: Option<String>,
}

/// What a refresh found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct RefreshReport {
    /// What became of each source that was due.
    pub sources: Vec<RefreshedSource>,
    /// Number of sources that were not due.
    pub not_due: usize,
    /// True when the caller asked to stop before all was looked at.
    pub cancelled: bool,
}

/// What became of a source that was due.
#[derive(Debug)]
#[non_exhaustive]
pub struct RefreshedSource {
    /// Which.
    pub id: String,
    /// What became of it: see [`IngestReport::changes`].
    pub report: IngestReport,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Following {
    version: u32,
    sources: Vec<Entry>,
    /// What a later version may have written; kept.
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    id: String,
    source: Kept,
    schedule: Schedule,
    looked_at: Option<String>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

impl Entry {
    /// One that was looked at in the future was so by another clock, and is due.
    fn is_due(&self, now: SystemTime) -> bool {
        let looked_at = self.looked_at.as_deref().and_then(|at| at.parse::<jiff::Timestamp>().ok());
        let Some(looked_at) = looked_at.map(SystemTime::from) else { return true };
        now.duration_since(looked_at).map_or(true, |since| since >= self.schedule.period())
    }
}

impl Following {
    const VERSION: u32 = 1;

    fn path(dirs: &ProjectDirs) -> std::path::PathBuf {
        // Beside the queue, not in `neural/`: it tells of the user's folders, and that is safe to share.
        dirs.queue.join("_following.json")
    }

    fn read(dirs: &ProjectDirs) -> Result<Self, Error> {
        let path = Self::path(dirs);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(Error::io("read", &path)(error)),
        };
        let read: Self = serde_json::from_slice(&bytes)
            .map_err(|error| Error::Damaged { path: path.clone(), reason: error.to_string() })?;
        if read.version > Self::VERSION {
            return Err(Error::Newer { path, version: read.version });
        }
        Ok(read)
    }

    fn change<T>(dirs: &ProjectDirs, change: impl FnOnce(&mut Self) -> T) -> Result<T, Error> {
        let _lock = lock(&dirs.queue.join("_following.lock"), PATIENCE)?;
        let mut following = Self::read(dirs)?;
        let result = change(&mut following);
        following.version = Self::VERSION;
        let path = Self::path(dirs);
        let bytes = serde_json::to_vec_pretty(&following)
            .map_err(|error| Error::Damaged { path: path.clone(), reason: error.to_string() })?;
        write_whole(&[(&path, &bytes)])?;
        Ok(result)
    }
}

impl Project {
    /// Has a source looked at again from time to time: a file, a folder, a channel, a playlist. Its id. One that is
    /// followed already gets the new schedule.
    ///
    /// Nothing happens by itself: the app calls [`refresh`](Self::refresh).
    ///
    /// # Errors
    /// [`Error::CannotFollow`] for a text or bytes, which are nowhere to be looked at; or when the disk refuses.
    pub async fn follow(&self, source: Source, schedule: Schedule) -> Result<String, Error> {
        let inner = Arc::clone(&self.inner);
        blocking("following a source", move || {
            inner.still_here()?;
            let (source, beside) = Kept::of(source)?;
            if beside.is_some() {
                return Err(Error::CannotFollow { name: source.name() });
            }
            let id = fingerprint(&[&serde_json::to_vec(&source).unwrap_or_default()]);
            let entry = Entry { id: id.clone(), source, schedule, looked_at: None, extra: Map::new() };
            Following::change(&inner.dirs, |following| {
                match following.sources.iter_mut().find(|known| known.id == entry.id) {
                    Some(known) => known.schedule = schedule,
                    None => following.sources.push(entry),
                }
            })?;
            Ok(id)
        })
        .await
    }

    /// Leaves a source alone from now on; what was taken in of it stays. True when it was followed.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn unfollow(&self, id: &str) -> Result<bool, Error> {
        let (inner, id) = (Arc::clone(&self.inner), id.to_owned());
        blocking("leaving a source alone", move || {
            inner.still_here()?;
            Following::change(&inner.dirs, |following| {
                let before = following.sources.len();
                following.sources.retain(|entry| entry.id != id);
                following.sources.len() < before
            })
        })
        .await
    }

    /// The sources that are looked at again.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub async fn followed(&self) -> Result<Vec<Followed>, Error> {
        let inner = Arc::clone(&self.inner);
        blocking("reading what is followed", move || {
            let told = |entry: Entry| Followed {
                name: entry.source.name(),
                id: entry.id,
                schedule: entry.schedule,
                looked_at: entry.looked_at,
            };
            Ok(Following::read(&inner.dirs)?.sources.into_iter().map(told).collect())
        })
        .await
    }

    /// Looks again at the sources that are due, and takes in what is new. One that something outside was in the way of
    /// is due again at the next refresh. Dropping the future is a cancel.
    ///
    /// # Errors
    /// When another process is writing the project, or the disk refuses.
    pub async fn refresh(&self, cancel: &Cancel) -> Result<RefreshReport, Error> {
        self.work(cancel, "a refresh", run).await
    }
}

fn run(inner: &Inner, stop: &dyn Fn() -> bool, tell: &dyn Fn(Event)) -> Result<RefreshReport, Error> {
    inner.still_here()?;
    let now = inner.clock.now();
    let (due, not_due): (Vec<Entry>, Vec<Entry>) =
        Following::read(&inner.dirs)?.sources.into_iter().partition(|entry| entry.is_due(now));
    let mut report = RefreshReport { not_due: not_due.len(), ..RefreshReport::default() };
    for entry in due {
        if stop() {
            report.cancelled = true;
            break;
        }
        let taken = {
            let source = entry.source.clone().source(Vec::new());
            ingest::all(inner, vec![source], inner.models.key_phrase_order, stop, tell)?
        };
        report.cancelled = taken.cancelled;
        if !taken.cancelled && !taken.is_worth_another_try() {
            note(inner, &entry.id, &*inner.clock)?;
        }
        report.sources.push(RefreshedSource { id: entry.id, report: taken });
        if report.cancelled {
            break;
        }
    }
    Ok(report)
}

fn note(inner: &Inner, id: &str, clock: &dyn Clock) -> Result<(), Error> {
    Following::change(&inner.dirs, |following| {
        if let Some(entry) = following.sources.iter_mut().find(|entry| entry.id == id) {
            entry.looked_at = Some(timestamp(clock));
        }
    })
}
