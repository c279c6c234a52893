use std::path::{Path, PathBuf};

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
        "the store {path} failed: if this stays so, move its folder away and ingest again, which rebuilds it from the sources",
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
    /// A passage does not read as it was written: the store is damaged.
    #[error(
        "passage {ordinal} of {doc} in {path} is damaged: move the folder away and ingest again, which rebuilds it from the sources",
        path = path.display()
    )]
    Damaged {
        /// The database file.
        path: PathBuf,
        /// The document.
        doc: tusab_chunk::DocId,
        /// Which of its passages.
        ordinal: u32,
    },
    /// The BM25 index, which is derived from the store, cannot be read or written.
    #[error("the BM25 index {path} failed: opening again repairs it from the store", path = path.display())]
    Bm25 {
        /// Its folder.
        path: PathBuf,
        /// tantivy's reason.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
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

    pub(crate) fn store(path: &Path) -> impl Fn(rusqlite::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Store { path: path.clone(), source: source.into() }
    }

    pub(crate) fn bm25(path: &Path) -> impl Fn(tantivy::TantivyError) -> Self {
        let path = path.to_owned();
        move |source| Self::Bm25 { path: path.clone(), source: source.into() }
    }

    /// True when another process holds the index and trying again later can succeed.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::Locked { .. })
    }

    /// True when the caller asked to stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        matches!(self, Self::Stopped)
    }
}
