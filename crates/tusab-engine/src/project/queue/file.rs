use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tusab_chunk::DocId;

use super::QueueId;
use crate::Error;
use crate::project::Source;
use crate::project::source::Kept;
use crate::storage::{ProjectDirs, lock, make_lock_folder, remove_whole, write_whole};

/// Longest wait for another process that changes the queue.
const PATIENCE: Duration = Duration::from_secs(5);

/// Ends the names of files with what a source had in memory.
const BYTES: &str = "bytes";

/// A source that waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Item {
    pub(super) id: QueueId,
    pub(super) source: Kept,
    pub(super) added_at: String,
    #[serde(default)]
    pub(super) tries: u32,
    #[serde(default)]
    pub(super) trouble: Option<String>,
    /// What a later version may have written; kept.
    #[serde(flatten)]
    extra: Map<String, Value>,
}

/// The queue as it is in its file. Names that begin with `_` are apart from the jobs of YouTube in the same folder.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct QueueFile {
    version: u32,
    /// The number of the next source; none is given twice.
    next: u64,
    paused: bool,
    items: Vec<Item>,
    #[serde(flatten)]
    extra: Map<String, Value>,
    /// What has to be written beside it first.
    #[serde(skip)]
    bytes: Vec<(QueueId, Vec<u8>)>,
}

impl QueueFile {
    const VERSION: u32 = 1;

    pub(super) fn path(dirs: &ProjectDirs) -> PathBuf {
        dirs.queue.join("_ingest.json")
    }

    /// A damaged file is an error, never an empty queue: the next change would overwrite it.
    pub(super) fn read(dirs: &ProjectDirs) -> Result<Self, Error> {
        let path = Self::path(dirs);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(Error::io("read", &path)(error)),
        };
        let value: Value = serde_json::from_slice(&bytes).map_err(damaged(&path))?;
        // The version first: what a later one looks like otherwise is not known.
        let version =
            value.get("version").and_then(Value::as_u64).and_then(|version| version.try_into().ok());
        if let Some(version) = version.filter(|version| *version > Self::VERSION) {
            return Err(Error::Newer { path, version });
        }
        serde_json::from_value(value).map_err(damaged(&path))
    }

    /// Changes the queue; durable when this returns.
    pub(super) fn change<T>(
        dirs: &ProjectDirs,
        change: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _lock = lock(&dirs.queue.join("_ingest.lock"), PATIENCE)?;
        let mut queue = Self::read(dirs)?;
        let result = change(&mut queue)?;
        queue.version = Self::VERSION;
        let path = Self::path(dirs);
        let bytes = serde_json::to_vec_pretty(&queue).map_err(damaged(&path))?;
        let beside: Vec<(PathBuf, Vec<u8>)> = std::mem::take(&mut queue.bytes)
            .into_iter()
            .map(|(id, bytes)| (beside(dirs, id), bytes))
            .collect();
        // First what the queue speaks of, then the queue.
        write_whole(
            &beside.iter().map(|(path, bytes)| (path.as_path(), bytes.as_slice())).collect::<Vec<_>>(),
        )?;
        write_whole(&[(&path, &bytes)])?;
        queue.clear_bytes(dirs)?;
        Ok(result)
    }

    pub(super) fn items(&self) -> &[Item] {
        &self.items
    }

    pub(super) fn is_paused(&self) -> bool {
        self.paused
    }

    pub(super) fn set_paused(&mut self, paused: bool) {
        self.paused = paused;
    }

    pub(super) fn add(&mut self, source: Source, added_at: String) -> Result<QueueId, Error> {
        let id = QueueId(self.next);
        self.next = self.next.checked_add(1).ok_or(Error::Internal { what: "numbering" })?;
        let (source, bytes) = Kept::of(source)?;
        self.bytes.extend(bytes.map(|bytes| (id, bytes)));
        self.items.push(Item { id, source, added_at, tries: 0, trouble: None, extra: Map::new() });
        Ok(id)
    }

    pub(super) fn remove(&mut self, id: QueueId) -> Option<Item> {
        let at = self.items.iter().position(|item| item.id == id)?;
        Some(self.items.remove(at))
    }

    /// Takes out what is one of those sources, and no more; the queue is not touched when nothing is. What is a folder, a
    /// channel or a playlist stays: it is more than any of them.
    pub(super) fn remove_of(dirs: &ProjectDirs, docs: &[DocId]) -> Result<(), Error> {
        let is_of = |item: &Item| {
            let beside = || bytes_of(dirs, item).ok();
            item.source.is_one_of(docs, &beside)
        };
        // One that cannot be read is not run either.
        if Self::read(dirs).is_ok_and(|queue| queue.items.iter().any(is_of)) {
            Self::change(dirs, |queue| {
                queue.items.retain(|item| !is_of(item));
                Ok(())
            })?;
        }
        Ok(())
    }

    pub(super) fn clear(&mut self) -> usize {
        std::mem::take(&mut self.items).len()
    }

    pub(super) fn move_to(&mut self, id: QueueId, place: usize) -> bool {
        let Some(item) = self.remove(id) else { return false };
        self.items.insert(place.min(self.items.len()), item);
        true
    }

    pub(super) fn note_failure(&mut self, id: QueueId, trouble: String) {
        if let Some(item) = self.items.iter_mut().find(|item| item.id == id) {
            item.tries = item.tries.saturating_add(1);
            item.trouble = Some(trouble);
        }
    }

    /// Removes what no source in the queue needs any more.
    fn clear_bytes(&self, dirs: &ProjectDirs) -> Result<(), Error> {
        let needed: HashSet<PathBuf> = self.items.iter().map(|item| beside(dirs, item.id)).collect();
        let here = fs::read_dir(&dirs.queue).map_err(Error::io("list", &dirs.queue))?;
        for path in here.flatten().map(|entry| entry.path()) {
            if path.extension().is_some_and(|end| end == BYTES) && !needed.contains(&path) {
                remove_whole(&path)?;
            }
        }
        Ok(())
    }
}

/// What a source had in memory when it was added.
pub(super) fn bytes_of(dirs: &ProjectDirs, item: &Item) -> Result<Vec<u8>, Error> {
    if !item.source.has_bytes_beside() {
        return Ok(Vec::new());
    }
    let path = beside(dirs, item.id);
    fs::read(&path).map_err(Error::io("read", &path))
}

fn beside(dirs: &ProjectDirs, id: QueueId) -> PathBuf {
    dirs.queue.join(format!("_{}.{BYTES}", id.0))
}

/// Held by the one run of the queue.
pub(super) fn run_lock(dirs: &ProjectDirs) -> Result<PathBuf, Error> {
    let lock = dirs.queue.join("_run.lock");
    make_lock_folder(&lock)?;
    Ok(lock)
}

fn damaged(path: &Path) -> impl FnOnce(serde_json::Error) -> Error + use<> {
    let path = path.to_owned();
    move |error| Error::Damaged { path, reason: error.to_string() }
}
