//! The folder of a BM25 index, which may be one that cannot be written.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

use crate::lock::is_denied;

/// tantivy's folder, whose locks can be had where no file can be made: tantivy takes one to read.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    path: PathBuf,
    files: MmapDirectory,
}

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Self, OpenDirectoryError> {
        Ok(Self { path: path.to_owned(), files: MmapDirectory::open(path)? })
    }

    /// The lock of a file that may only be read; where there is none, nobody has ever written here, and nobody is kept out.
    fn lock_to_read(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        let file = match File::open(self.path.join(&lock.filepath)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(DirectoryLock::from(Box::new(())));
            }
            Err(error) => return Err(LockError::IoError(Arc::new(error))),
        };
        file.lock_shared().map_err(|error| LockError::IoError(Arc::new(error)))?;
        Ok(DirectoryLock::from(Box::new(file)))
    }
}

impl Directory for Folder {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.files.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.files.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.files.acquire_lock(lock) {
            // One that does not wait is a writer's, who has nothing to look for here.
            Err(LockError::IoError(error)) if lock.is_blocking && is_denied(&error) => {
                self.lock_to_read(lock)
            }
            taken => taken,
        }
    }

    fn watch(&self, watch_callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(watch_callback)
    }
}
