use std::io;

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DownloadProgress<'f> {
    /// The file that is being read.
    pub file: &'f str,
    /// Bytes of all files that are here, those of an earlier attempt among them.
    pub bytes: u64,
    /// Bytes of all files.
    pub total: u64,
}

/// Why a model could not be downloaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DownloadError {
    /// The store is offline.
    #[error("{model} is not here and the store is offline: go online, or put the model into {folder}", folder = folder.display())]
    Offline {
        /// Which model.
        model: String,
        /// Where it belongs.
        folder: std::path::PathBuf,
    },
    /// The hub answered with an error.
    #[error("{url} answered with status {status}")]
    Status {
        /// What was asked for.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// The connection failed, also when it was tried again. What has come is kept for the next attempt.
    #[error("the connection to {url} failed; install again to go on from there")]
    Connection {
        /// What was asked for.
        url: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// What came is not what the hub lists. It was thrown away.
    #[error("{file} is damaged: its hash is {got}, the hub lists {listed}; install again")]
    Damaged {
        /// The file.
        file: String,
        /// The hash that the hub lists.
        listed: String,
        /// The hash of what came.
        got: String,
    },
    /// The hub's list of the model's files is of an unknown kind, or lacks one that is needed.
    #[error("the hub's list of the files of {repository} cannot be used: {reason}")]
    Listing {
        /// Which model.
        repository: String,
        /// What is wrong.
        reason: String,
    },
}

impl DownloadError {
    /// The same call may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Connection { .. } | Self::Damaged { .. } => true,
            Self::Status { status, .. } => matches!(status, 408 | 429 | 500..),
            Self::Offline { .. } | Self::Listing { .. } => false,
        }
    }
}
