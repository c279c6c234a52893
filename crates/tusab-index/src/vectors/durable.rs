//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::VectorFileError;

/// Ends the names of files that are being written.
const UNFINISHED: &str = ".unfinished";

/// Where a file is while it is being written.
pub(super) fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(UNFINISHED);
    name.into()
}

/// True of the name of a file that a writer which died has left.
pub(super) fn is_unfinished(name: &str) -> bool {
    name.ends_with(UNFINISHED)
}

/// Puts a file, written and synced under its unfinished name, in its place. Durable after [`sync_folder`].
pub(super) fn place(path: &Path) -> Result<(), VectorFileError> {
    fs::rename(unfinished(path), path).map_err(VectorFileError::io("put in place", path))
}

/// Writes a small file whole and durably.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), VectorFileError> {
    let beside = unfinished(path);
    let write = || {
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(VectorFileError::io("write", &beside))?;
    place(path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Makes renames in a folder durable. Windows has no such call, and makes them durable by itself.
pub(super) fn sync_folder(folder: &Path) -> Result<(), VectorFileError> {
    if cfg!(unix) {
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(VectorFileError::io("sync", folder))?;
    }
    Ok(())
}

/// Makes a folder, durable in its parent, unless it is there.
pub(super) fn make_folder(folder: &Path) -> Result<(), VectorFileError> {
    match fs::create_dir(folder) {
        Ok(()) => folder.parent().filter(|parent| !parent.as_os_str().is_empty()).map_or(Ok(()), sync_folder),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) => Err(VectorFileError::io("create", folder)(error)),
    }
}
