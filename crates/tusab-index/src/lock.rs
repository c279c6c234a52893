use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::Error;

/// Pause between two looks at a lock.
const POLL: Duration = Duration::from_millis(5);

/// The right to write a folder, held for as long as this lives.
///
/// A lock of the operating system, so it ends with its process, however that ends; the file says whose it is.
#[derive(Debug)]
pub struct WriterLock {
    _file: File,
}

impl WriterLock {
    /// Takes the lock of the file at `path`, waiting up to `patience` for whoever holds it.
    ///
    /// # Errors
    /// As [`acquire`](Self::acquire).
    pub fn acquire_within(path: &Path, patience: Duration) -> Result<Self, Error> {
        let deadline = Instant::now() + patience;
        loop {
            match Self::acquire(path) {
                Err(error) if error.is_locked() && Instant::now() < deadline => thread::sleep(POLL),
                result => return result,
            }
        }
    }

    /// Takes the lock of the file at `path`, making the file if needed.
    ///
    /// # Errors
    /// [`Error::Locked`], with the holder where it can be read, when the lock is taken; [`Error::Io`] when the file
    /// cannot be opened.
    pub fn acquire(path: &Path) -> Result<Self, Error> {
        let mut file = open(path).map_err(Error::io("open the lock", path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Unreadable on Windows while locked: then the error names no process.
                let holder = file.read_to_string(&mut holder).ok().and_then(|_| holder.trim().parse().ok());
                return Err(Error::Locked { path: path.to_owned(), holder });
            }
            Err(TryLockError::Error(source)) => return Err(Error::io("lock", path)(source)),
        }
        // Only a help for people: the lock holds without it.
        let pid = format!("{}\n", std::process::id());
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(pid.as_bytes()));
        Ok(Self { _file: file })
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Why what this lock is for may not be written: its disk is read-only, or its user has not the right to.
pub(crate) fn denial(path: &Path) -> Option<ErrorKind> {
    open(path).err().filter(is_denied).map(|error| error.kind())
}

/// True when the right to write is missing, and nothing else.
pub(crate) fn is_denied(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied)
}
