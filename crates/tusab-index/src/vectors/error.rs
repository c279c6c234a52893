use std::io;
use std::path::{Path, PathBuf};

use super::vector::InvalidVector;

/// Why files of vectors could not be used. They are derived: what is wrong with them is mended by writing them again
/// from the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VectorFileError {
    /// There are none.
    #[error("there are no vectors at {path}: write them from the store", path = path.display())]
    Missing {
        /// The file that would name them.
        path: PathBuf,
    },
    /// A file is not as it was written.
    #[error("{path} is damaged ({what}): write the vectors again from the store", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The files were written by another version, or on a machine with another order of bytes.
    #[error(
        "{path} was written by another version or on another kind of machine: write the vectors again from the store",
        path = path.display()
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
    },
    /// A vector that does not belong to these.
    #[error("the vector does not belong to these files")]
    Vector {
        /// Why.
        #[source]
        source: InvalidVector,
    },
    /// The operating system refused a file operation.
    #[error("cannot {action} {path}: check that the disk has room and the folder may be written", path = path.display())]
    Io {
        /// What was tried, as a verb: `create`, `open`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
}

impl VectorFileError {
    /// True when writing the files again from the store mends it.
    #[must_use]
    pub fn needs_rebuild(&self) -> bool {
        matches!(self, Self::Missing { .. } | Self::Damaged { .. } | Self::OtherVersion { .. })
    }

    pub(super) fn damaged(path: &Path, what: &'static str) -> Self {
        Self::Damaged { path: path.to_owned(), what }
    }

    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}

impl From<InvalidVector> for VectorFileError {
    fn from(source: InvalidVector) -> Self {
        Self::Vector { source }
    }
}
