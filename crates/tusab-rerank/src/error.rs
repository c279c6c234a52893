use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::Missing;

/// Why a model gave no scores or vectors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Vectors of different lengths, or a number that is not finite, cannot be compared.
    #[error("embeddings are malformed: {reason}")]
    MalformedEmbeddings {
        /// Which rule is broken.
        reason: String,
    },
    /// The model failed.
    #[error("the model {model} failed")]
    Model {
        /// Which model.
        model: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A part that has to be installed is not there.
    #[error("{0}: {remedy}", remedy = .0.remedy())]
    Missing(Missing),
    /// A file of a model's folder does not say what it has to.
    #[error("{path} cannot be used: {reason}")]
    MalformedFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {path}")]
    File {
        /// What was attempted: `read`, `write`, `lock`...
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Opening the model failed a while ago; it will be tried again on the first use after `retry_in`.
    #[error("the model {model} could not be opened; the next attempt is due in {} s", retry_in.as_secs())]
    Unavailable {
        /// Which model.
        model: String,
        /// Time until opening it is attempted again.
        retry_in: Duration,
        /// Why it failed.
        #[source]
        source: Arc<Error>,
    },
    /// The caller's stop said yes.
    #[error("stopped as asked")]
    Stopped,
    /// A model could not be downloaded.
    #[cfg(feature = "hub")]
    #[error(transparent)]
    Download(#[from] crate::DownloadError),
}

impl Error {
    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }

    /// The same call may succeed later without anything being changed.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Unavailable { .. } => true,
            #[cfg(feature = "hub")]
            Self::Download(error) => error.is_retryable(),
            _ => false,
        }
    }

    /// The part that has to be installed, when that is what is wrong: also where it was found missing earlier.
    #[must_use]
    pub fn missing(&self) -> Option<&Missing> {
        match self {
            Self::Missing(missing) => Some(missing),
            Self::Unavailable { source, .. } => source.missing(),
            _ => None,
        }
    }
}
