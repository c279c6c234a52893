//! A folder in the data directory for what is not yet part of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tusab_index::WriterLock;

use crate::Error;
use crate::storage::{lock, remove_whole};

/// Longest wait for another process that makes or clears such a folder.
const PATIENCE: Duration = Duration::from_secs(5);

const PREFIX: &str = "carry-";

/// A folder of this process, most often in the same file system as the projects; removed when it is dropped. What a process that
/// died has left is removed by the next.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    lock: Option<WriterLock>,
}

impl Scratch {
    /// Makes one in the data directory's folder `temp`.
    pub(crate) fn make(temp: &Path) -> Result<Self, Error> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let _turn = lock(&temp.join("carry.lock"), PATIENCE)?;
        clear(temp);
        // The number of a process that has ended can come again: the first free name.
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = temp.join(format!("{PREFIX}{}-{number}", std::process::id()));
            if path.exists() {
                continue;
            }
            let lock = WriterLock::acquire(&lock_of(&path))?;
            fs::create_dir(&path).map_err(Error::io("create", &path))?;
            return Ok(Self { path, lock: Some(lock) });
        }
    }

    /// Makes one beside a file that is being written, where the data directory may not be. One that a dead process has left
    /// there is made anew.
    pub(crate) fn beside(file: &Path) -> Result<Self, Error> {
        let mut path = file.as_os_str().to_owned();
        path.push("-parts");
        let path = PathBuf::from(path);
        let lock = WriterLock::acquire(&lock_of(&path))?;
        remove_whole(&path)?;
        fs::create_dir(&path).map_err(Error::io("create", &path))?;
        Ok(Self { path, lock: Some(lock) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays is removed by the next.
        let _ = fs::remove_dir_all(&self.path);
        self.lock = None;
        let _ = fs::remove_file(lock_of(&self.path));
    }
}

/// Removes the folders that processes which died have left; most often there are none, and then this costs nothing.
pub(crate) fn clear_dead(temp: &Path) {
    let is_ours = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(PREFIX);
    let Ok(mut entries) = fs::read_dir(temp) else { return };
    if !entries.any(|entry| entry.is_ok_and(|entry| is_ours(&entry.file_name()))) {
        return;
    }
    // Somebody who makes one just now clears the others too.
    if let Ok(_turn) = WriterLock::acquire(&temp.join("carry.lock")) {
        clear(temp);
    }
}

fn clear(temp: &Path) {
    let Ok(entries) = fs::read_dir(temp) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        if !is_ours || !path.is_dir() {
            continue;
        }
        if let Ok(lock) = WriterLock::acquire(&lock_of(&path)) {
            let _ = fs::remove_dir_all(&path);
            drop(lock);
            let _ = fs::remove_file(lock_of(&path));
        }
    }
}

fn lock_of(path: &Path) -> PathBuf {
    path.with_extension("lock")
}
