//! The truth of the index: documents and chunks in SQLite, with the literal (FTS5) index beside them.

mod check;
mod enrich;
mod frozen;
mod read;
mod refill;
mod row;
mod schema;
mod vectors;
mod write;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

pub(crate) use check::Refilled;
use frozen::Frozen;
pub(crate) use read::{Reader, StoredChunk};
pub(crate) use vectors::VectorState;
pub(crate) use write::{KnownDocument, Writer};

use crate::Error;

/// Read connections that are kept open for the next reader.
const IDLE_CONNECTIONS: usize = 8;

/// The writer's lock, beside the store.
pub(crate) const LOCK: &str = "writer.lock";

/// Row number of a chunk; never used twice, so that a derived index cannot mistake a new chunk for an old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ChunkKey(pub(crate) u64);

/// Row number of a document; kept for as long as the document is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DocumentKey(pub(crate) u64);

/// Says which store, and which state of it, a derived index was made from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Generation {
    /// Random name of the store file, given when it was made.
    pub(crate) store: String,
    /// Number of batches committed to it.
    pub(crate) number: u64,
}

/// The store file and its idle read connections.
#[derive(Debug)]
pub(crate) struct Store {
    path: PathBuf,
    idle: Mutex<Idle>,
    /// Vectors that were not as they were written, since this was asked for last.
    damaged_vectors: AtomicUsize,
}

/// Connections that wait for the next reader.
#[derive(Debug, Default)]
struct Idle {
    connections: Vec<Connection>,
    /// What they read, when it is a store that may not be written.
    frozen: Option<Frozen>,
}

impl Store {
    /// Opens a store that is there, for reading.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let store =
            Self { path: path.to_owned(), idle: Mutex::default(), damaged_vectors: AtomicUsize::new(0) };
        if schema::is_older(&store.connect()?.0, path)? {
            return Err(Error::OlderFormat { path: path.to_owned() });
        }
        Ok(store)
    }

    /// Number of vectors that were not as they were written, since this was asked last.
    pub(crate) fn take_damaged_vectors(&self) -> usize {
        self.damaged_vectors.swap(0, Ordering::Relaxed)
    }

    /// Opens the store for writing, making or migrating it first.
    pub(crate) fn writer(path: &Path) -> Result<Writer, Error> {
        Writer::open(path)
    }

    /// A reader that sees one unchanging state of the store.
    pub(crate) fn reader(&self) -> Result<Reader<'_>, Error> {
        let idle = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.frozen.is_some_and(|frozen| !frozen.is_still(&self.path)) {
                *idle = Idle::default();
            }
            let frozen = idle.frozen;
            idle.connections.pop().map(|connection| (connection, frozen))
        };
        let (connection, frozen) = match idle {
            Some(idle) => idle,
            None => self.connect()?,
        };
        Reader::begin(self, connection, frozen)
    }

    /// Takes back a connection to what it was opened to.
    fn give_back(&self, connection: Connection, frozen: Option<Frozen>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // After a rush of readers the surplus is closed, and what reads another state of things.
        if idle.frozen == frozen && idle.connections.len() < IDLE_CONNECTIONS {
            idle.connections.push(connection);
        }
    }

    /// A connection for reading, and what it reads when that may not be written.
    fn connect(&self) -> Result<(Connection, Option<Frozen>), Error> {
        let Some(frozen) = Frozen::of(&self.path) else {
            return Ok((connect(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY)?, None));
        };
        let connection = frozen.connect(&self.path)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).frozen = Some(frozen);
        Ok((connection, Some(frozen)))
    }
}

fn connect(path: &Path, access: OpenFlags) -> Result<Connection, Error> {
    // The connection never leaves its thread while in use, so SQLite's own mutex is left out.
    let opened = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    opened.and_then(set_up).map_err(Error::store(path))
}

fn set_up(connection: Connection) -> rusqlite::Result<Connection> {
    connection.busy_timeout(std::time::Duration::from_secs(10))?;
    // Plans do not depend on what is bound: SQLite would compile FTS5's own statements again for each new word.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "mmap_size", 1_u64 << 30)?;
    connection.pragma_update(None, "cache_size", -16_384)?;
    Ok(connection)
}
