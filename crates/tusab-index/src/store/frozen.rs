//! A store in a folder that may not be written.
//!
//! SQLite keeps a file of shared memory beside a store with a log, and makes it where it is not: a folder that may not be
//! written has none, unless the last writer has left it. Nobody writes the store then, so it is read without: see
//! "Read-Only Databases" in SQLite's page on write-ahead logging.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::{Connection, OpenFlags};

use super::set_up;
use crate::Error;
use crate::lock::denial;

/// The VFS that takes no locks, which a file that may only be read does not let itself be taken.
const WITHOUT_LOCKS: &str = if cfg!(windows) { "win32-none" } else { "unix-none" };

/// What the files of a store were when they were opened without shared memory: other ones say that somebody writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frozen {
    store: Option<(u64, SystemTime)>,
    log: Option<(u64, SystemTime)>,
    has_shared_memory: bool,
}

impl Frozen {
    /// What a store is that is to be read without shared memory; `None` for any other.
    ///
    /// On a disk that is read-only nobody writes. Shared memory that was mapped there would keep this process from writing
    /// when the disk may be written again. A user without the right to write shares the memory of a process with it.
    pub(super) fn of(store: &Path) -> Option<Self> {
        let denial = denial(&store.with_file_name(super::LOCK))?;
        let frozen = Self::look(store);
        let is_alone = denial == ErrorKind::ReadOnlyFilesystem || !frozen.has_shared_memory;
        (is_alone && frozen.store.is_some()).then_some(frozen)
    }

    /// True while the files are as they were.
    pub(super) fn is_still(self, store: &Path) -> bool {
        self == Self::look(store)
    }

    fn look(store: &Path) -> Self {
        let stamp = |path: &Path| {
            let metadata = fs::metadata(path).ok()?;
            Some((metadata.len(), metadata.modified().ok()?))
        };
        Self {
            store: stamp(store),
            log: stamp(&beside(store, "-wal")).filter(|(size, _)| *size > 0),
            has_shared_memory: beside(store, "-shm").exists(),
        }
    }

    pub(super) fn connect(self, store: &Path) -> Result<Connection, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || {
            if self.log.is_none() {
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                return Connection::open_with_flags(immutable(store), flags).and_then(set_up);
            }
            let connection = Connection::open_with_flags_and_vfs(store, flags, WITHOUT_LOCKS)?;
            // Alone, SQLite keeps in its own memory what it would share.
            connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
            set_up(connection)
        };
        open().map_err(Error::store(store))
    }
}

fn beside(store: &Path, end: &str) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// The name by which SQLite takes a file for one that never changes.
fn immutable(store: &Path) -> String {
    let path = store.as_os_str().as_encoded_bytes();
    let mut uri = String::from(if cfg!(windows) && store.is_absolute() { "file:///" } else { "file:" });
    for byte in path {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                uri.push(char::from(*byte));
            }
            b'\\' if cfg!(windows) => uri.push('/'),
            b':' if cfg!(windows) => uri.push(':'),
            byte => {
                uri.push('%');
                uri.extend(
                    [byte >> 4, byte & 15].map(|half| char::from_digit(half.into(), 16).unwrap_or('0')),
                );
            }
        }
    }
    uri.push_str("?immutable=1");
    uri
}
