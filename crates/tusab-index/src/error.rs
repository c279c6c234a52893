use std::path::{Path, PathBuf};

use crate::lock::is_denied;

/// Why the index could not do what was asked. A query never fails for what it says, only for what the disk does.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused a file operation.
    #[error("cannot {action} {path}: check that the disk has room and the folder may be written", path = path.display())]
    Io {
        /// What was tried, as a verb: `create`, `lock`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// Another process is writing this index; reading goes on.
    #[error(
        "{path} is being written by {holder}: close it, or write from there",
        path = path.display(),
        holder = holder.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The process that holds it, where it could be read.
        holder: Option<u32>,
    },
    /// The store, which is the truth of the index, cannot be read or written.
    #[error(
        "the store {path} failed: if this stays so, move its folder away and ingest again, which rebuilds it from the sources in neural/",
        path = path.display()
    )]
    Store {
        /// The database file.
        path: PathBuf,
        /// SQLite's reason.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The store was written by a later version of this crate.
    #[error(
        "the store {path} has format {found}, this version reads up to {supported}: update tusab",
        path = path.display()
    )]
    NewerFormat {
        /// The database file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format that this version reads.
        supported: u32,
    },
    /// The store was written by an earlier version and has to be brought to this one's format first, which opening the
    /// index does when no other process is writing.
    #[error("the store {path} has the format of an earlier version: close the program that is writing it, then open it again", path = path.display())]
    OlderFormat {
        /// The database file.
        path: PathBuf,
    },
    /// The folder may not be written, and what is in it cannot be read before it is mended.
    #[error(
        "the index {path} may not be written, and has to be mended before it can be read: open it once where it may be written, or make it again there from the sources in neural/",
        path = path.display()
    )]
    NotMended {
        /// Its folder.
        path: PathBuf,
        /// What has to be mended.
        #[source]
        source: Box<Self>,
    },
    /// A passage does not read as it was written: the store is damaged.
    #[error(
        "passage {ordinal} of {doc} in {path} is damaged: move the folder away and ingest again, which rebuilds it from the sources in neural/",
        path = path.display()
    )]
    Damaged {
        /// The database file, or the project on a server.
        path: PathBuf,
        /// The document.
        doc: tusab_chunk::DocId,
        /// Which of its passages.
        ordinal: u32,
    },
    /// The BM25 index, which is derived from the store, cannot be read or written.
    #[error("the BM25 index {path} failed: see that the disk has room, and open it again, which repairs it from the store", path = path.display())]
    Bm25 {
        /// Its folder.
        path: PathBuf,
        /// tantivy's reason.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The files of vectors, which are derived from the store, cannot be read or written.
    #[error("the vectors in {path} failed: see that the disk has room, and open them again, which repairs them from the store", path = path.display())]
    Vectors {
        /// Their folder.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: crate::VectorFileError,
    },
    /// The vectors of this store are of another space: they are never mixed.
    #[error(
        "the vectors of {path} are of another space: set the new space, which removes them, and embed the passages again",
        path = path.display()
    )]
    OtherSpace {
        /// The database file, or the project on a server.
        path: PathBuf,
        /// How the spaces differ.
        #[source]
        source: crate::SpaceMismatch,
    },
    /// A vector is not of the dimension of its space; nothing was written.
    #[error("the vector of passage {chunk} does not fit its space")]
    Vector {
        /// The passage.
        chunk: tusab_chunk::ChunkId,
        /// Why.
        #[source]
        source: crate::InvalidVector,
    },
    /// The server that the store is on could not do what was asked.
    #[cfg(feature = "postgres")]
    #[error(transparent)]
    Postgres(#[from] crate::PostgresError),
    /// A batch was begun from inside another batch's progress handler, which could only wait for itself.
    #[error(
        "a progress handler began a batch while its own is being written: begin it after that one has returned"
    )]
    Reentrant,
    /// The caller asked to stop; nothing of the batch was written.
    #[error("stopped as asked: nothing of this batch was written")]
    Stopped,
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    pub(crate) fn store(path: &Path) -> impl Fn(rusqlite::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Store { path: path.clone(), source: source.into() }
    }

    pub(crate) fn bm25(path: &Path) -> impl Fn(tantivy::TantivyError) -> Self {
        let path = path.to_owned();
        move |source| Self::Bm25 { path: path.clone(), source: source.into() }
    }

    pub(crate) fn vectors(path: &Path) -> impl Fn(crate::VectorFileError) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Vectors { path: path.clone(), source }
    }

    /// True when the store itself is damaged: its folder is to be moved away and made again from the sources, which the
    /// engine keeps in `neural/`. Nothing else loses anything then, and nothing is deleted here.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match self {
            Self::Damaged { .. } => true,
            Self::Store { source, .. } => {
                source.is::<Complaint>()
                    || source.downcast_ref::<rusqlite::Error>().is_some_and(|error| match error {
                        rusqlite::Error::FromSqlConversionFailure(..)
                        | rusqlite::Error::InvalidColumnType(..)
                        | rusqlite::Error::IntegralValueOutOfRange(..) => true,
                        error => matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase)),
                    })
            }
            _ => false,
        }
    }

    /// True when another process holds the index and trying again later can succeed.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::Locked { .. })
    }

    /// True when trying again later can succeed: another process holds the index, the disk was full or not there, or the
    /// server was away, busy or slow.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        use rusqlite::ErrorCode::{CannotOpen, DatabaseBusy, DiskFull, SystemIoFailure};
        match self {
            // What is derived is made again from the store.
            Self::Io { .. } | Self::Bm25 { .. } | Self::Vectors { .. } => true,
            Self::Store { source, .. } => {
                let code =
                    source.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
                matches!(code, Some(CannotOpen | DatabaseBusy | DiskFull | SystemIoFailure))
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(error) => error.is_retryable(),
            _ => self.is_locked(),
        }
    }

    /// True when the folder may not be written: its disk is read-only, or its user has not the right to. Reading goes on.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        match self {
            Self::Io { source, .. } => is_denied(source),
            Self::NotMended { .. } => true,
            _ => false,
        }
    }

    /// True when the caller asked to stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        matches!(self, Self::Stopped)
    }
}

/// What SQLite's own check found.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Complaint(pub(crate) String);
