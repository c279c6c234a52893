//! The truth of the index: documents and chunks in SQLite, with the literal (FTS5) index beside them.

mod check;
mod enrich;
mod read;
mod refill;
mod row;
mod schema;
mod vectors;
mod write;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

pub(crate) use check::Refilled;
pub(crate) use read::{Reader, StoredChunk};
pub(crate) use vectors::VectorState;
pub(crate) use write::Writer;

use crate::Error;

/// Read connections that are kept open for the next reader.
const IDLE_CONNECTIONS: usize = 8;

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
    idle: Mutex<Vec<Connection>>,
}

impl Store {
    /// Opens a store that is there, for reading.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let store = Self { path: path.to_owned(), idle: Mutex::new(Vec::new()) };
        if schema::is_older(&store.connect(OpenFlags::SQLITE_OPEN_READ_ONLY)?, path)? {
            return Err(Error::OlderFormat { path: path.to_owned() });
        }
        Ok(store)
    }

    /// Opens the store for writing, making or migrating it first.
    pub(crate) fn writer(path: &Path) -> Result<Writer, Error> {
        Writer::open(path)
    }

    /// A reader that sees one unchanging state of the store.
    pub(crate) fn reader(&self) -> Result<Reader<'_>, Error> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.connect(OpenFlags::SQLITE_OPEN_READ_ONLY)?,
        };
        Reader::begin(self, connection)
    }

    fn give_back(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // After a rush of readers the surplus is closed.
        if idle.len() < IDLE_CONNECTIONS {
            idle.push(connection);
        }
    }

    fn connect(&self, access: OpenFlags) -> Result<Connection, Error> {
        connect(&self.path, access)
    }
}

fn connect(path: &Path, access: OpenFlags) -> Result<Connection, Error> {
    let open = || {
        // The connection never leaves its thread while in use, so SQLite's own mutex is left out.
        let connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(std::time::Duration::from_secs(10))?;
        // Plans do not depend on what is bound: SQLite would compile FTS5's own statements again for each new word.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.pragma_update(None, "mmap_size", 1_u64 << 30)?;
        connection.pragma_update(None, "cache_size", -16_384)?;
        Ok(connection)
    };
    open().map_err(Error::store(path))
}
