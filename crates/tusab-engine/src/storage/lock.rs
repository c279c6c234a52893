use std::path::Path;
use std::time::Duration;

use tusab_index::WriterLock;

use super::make_folder;
use crate::Error;

/// Takes the lock of a file, in a folder that is made as needed, waiting up to `patience` for whoever holds it.
///
/// All that is written begins with a lock: where the data directory may not be written, this is what says so.
pub(crate) fn lock(path: &Path, patience: Duration) -> Result<WriterLock, Error> {
    make_lock_folder(path)?;
    Ok(WriterLock::acquire_within(path, patience)?)
}

/// The folder of a lock, for who takes it in another way.
pub(crate) fn make_lock_folder(path: &Path) -> Result<(), Error> {
    make_folder(path.parent().unwrap_or(Path::new(""))).map_err(|error| match error {
        Error::Io { path, source, .. } if Error::is_denied(&source) => Error::ReadOnly { path, source },
        error => error,
    })
}
