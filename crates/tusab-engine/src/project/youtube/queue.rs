//! The queue on disk: each job as it stands, and when the site was asked last, for all of them.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tusab_index::WriterLock;
use tusab_ingest::{Job, JobOptions, Pace, Wanted, YouTubeUrl};

use crate::Error;
use crate::project::stored::fingerprint;
use crate::storage::{ProjectDirs, make_lock_folder, slug, write_whole};

/// Pause between two looks at a lock, and at whether to stop.
const POLL: Duration = Duration::from_millis(50);

/// The queue of a data directory, held by one run at a time: together, all runs ask the site no faster than one.
#[derive(Debug)]
pub(super) struct Queue {
    dirs: ProjectDirs,
    _lock: WriterLock,
}

/// A file of the queue.
#[derive(Serialize, Deserialize)]
struct Stored<T> {
    version: u32,
    value: T,
}

const VERSION: u32 = 1;

impl Queue {
    /// Waits for the queue, and clears what a run that died has left; none when `stop` came first. `waiting` is called
    /// once if another run has it.
    pub(super) fn claim(
        dirs: &ProjectDirs,
        stop: &dyn Fn() -> bool,
        waiting: &dyn Fn(),
    ) -> Result<Option<Self>, Error> {
        let lock = dirs.queue_lock();
        make_lock_folder(&lock)?;
        let Some(lock) = acquire(&lock, stop, waiting)? else { return Ok(None) };
        let queue = Self { dirs: dirs.clone(), _lock: lock };
        // What stays does no harm: each fetch has a folder of its own in it.
        let _ = fs::remove_dir_all(queue.scratch());
        Ok(Some(queue))
    }

    /// Where yt-dlp's files are while a track is fetched.
    pub(super) fn scratch(&self) -> PathBuf {
        self.dirs.scratch.clone()
    }

    /// The file of a job. What is asked for, and of what, makes the job; how fast does not.
    pub(super) fn path(&self, url: &YouTubeUrl, wanted: &Wanted, options: &JobOptions) -> PathBuf {
        let address = url.url();
        let tabs: Vec<&str> = options.tabs.iter().map(|tab| tab.as_str()).collect();
        let day = |date: Option<tusab_chunk::Date>| date.map(|date| date.to_string()).unwrap_or_default();
        let most = options.max_videos.map(|most| most.to_string()).unwrap_or_default();
        let id = fingerprint(&[
            address.as_bytes(),
            wanted.language.as_str().as_bytes(),
            day(wanted.since).as_bytes(),
            day(wanted.until).as_bytes(),
            tabs.join(",").as_bytes(),
            most.as_bytes(),
        ]);
        let name = address.rsplit_once(".com/").map_or(address.as_str(), |(_, name)| name);
        self.dirs.queue.join(format!("{}_{id}.json", slug(name)))
    }

    /// When the site was asked last, by whichever job.
    pub(super) fn pace(&self) -> Result<Pace, Error> {
        // One that cannot be read costs politeness at most once.
        Ok(read(&self.dirs.pace())?.and_then(Result::ok).unwrap_or_default())
    }

    /// Stores a job as it stands, and the pace.
    pub(super) fn store(&self, path: &Path, job: &Job) -> Result<(), Error> {
        let damaged =
            |error: serde_json::Error| Error::Damaged { path: path.to_owned(), reason: error.to_string() };
        let stored = serde_json::to_vec(&Stored { version: VERSION, value: job }).map_err(damaged)?;
        let pace = serde_json::to_vec(&Stored { version: VERSION, value: job.pace() }).map_err(damaged)?;
        write_whole(&[(path, &stored), (&self.dirs.pace(), &pace)])
    }
}

/// A stored job; and, for people, what had to be put aside instead.
pub(super) fn load(path: &Path) -> Result<(Option<Job>, Option<String>), Error> {
    match read(path)? {
        Some(Ok(job)) => Ok((Some(job), None)),
        None => Ok((None, None)),
        Some(Err(reason)) => {
            let mut free = (1_u32..).map(|number| path.with_extension(format!("damaged-{number}")));
            let aside = free.find(|aside| !aside.exists()).ok_or(Error::Internal { what: "a free name" })?;
            fs::rename(path, &aside).map_err(Error::io("keep aside", path))?;
            let told = format!(
                "{} was damaged and is begun anew: {reason}; the old one is kept as {}",
                path.display(),
                aside.display()
            );
            Ok((None, Some(told)))
        }
    }
}

/// The jobs of a project, in the order of their names. Those that cannot be read are left out here; the run that needs
/// one says what is wrong with it.
pub(super) fn jobs(dirs: &ProjectDirs) -> Result<Vec<Job>, Error> {
    let entries = match fs::read_dir(&dirs.queue) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io("list", &dirs.queue)(error)),
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort_unstable();
    let mut jobs = Vec::new();
    for path in paths {
        if let Some(Ok(job)) = read(&path)? {
            jobs.push(job);
        }
    }
    Ok(jobs)
}

/// A file's value, or why it cannot be read; none when there is no file.
fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<Result<T, String>>, Error> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("read", path)(error)),
    };
    // The version first: what a later one looks like otherwise is not known.
    match serde_json::from_slice(&bytes) {
        Ok(Versioned { version }) if version > VERSION => {
            return Err(Error::Newer { path: path.to_owned(), version });
        }
        _ => {}
    }
    let stored = serde_json::from_slice::<Stored<T>>(&bytes);
    Ok(Some(stored.map(|stored| stored.value).map_err(|error| error.to_string())))
}

/// Waits for a lock; none when `stop` came first.
fn acquire(path: &Path, stop: &dyn Fn() -> bool, waiting: &dyn Fn()) -> Result<Option<WriterLock>, Error> {
    let mut told = false;
    loop {
        match WriterLock::acquire(path) {
            Ok(lock) => return Ok(Some(lock)),
            Err(error) if error.is_locked() => {}
            Err(error) => return Err(error.into()),
        }
        if stop() {
            return Ok(None);
        }
        if !std::mem::replace(&mut told, true) {
            waiting();
        }
        thread::sleep(POLL);
    }
}
