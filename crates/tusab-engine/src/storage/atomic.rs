use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::Error;

/// Ends the names of files that are being written.
const UNFINISHED: &str = ".unfinished";

/// Writes files whole: each is either as before or as given, whenever the process or the machine stops, and all are
/// on the disk when this returns. Their folders are made as needed.
///
/// Every file is written beside its place and synced before the first takes its place, so that many files cost one
/// sync of the folder. Callers hold the project's writer lock: two writers of one file would share its unfinished one.
pub(crate) fn write_whole(files: &[(PathBuf, &[u8])]) -> Result<(), Error> {
    let mut folders = BTreeSet::new();
    for (path, bytes) in files {
        if let Some(folder) = path.parent()
            && folders.insert(folder)
        {
            make_folder(folder)?;
        }
        let unfinished = unfinished(path);
        let write = || {
            let mut file = File::create(&unfinished)?;
            file.write_all(bytes)?;
            file.sync_all()
        };
        write().map_err(Error::io("write", &unfinished))?;
    }
    for (path, _) in files {
        fs::rename(unfinished(path), path).map_err(Error::io("put in place", path))?;
    }
    folders.into_iter().try_for_each(sync_folder)
}

/// Makes a folder and those above it, each durable in its parent.
fn make_folder(folder: &Path) -> Result<(), Error> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        make_folder(parent)?;
    }
    match fs::create_dir(folder) {
        Ok(()) => folder.parent().map_or(Ok(()), sync_folder),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::io("create", folder)(error)),
    }
}

/// Makes renames in a folder durable. Windows has no such call, and makes them durable by itself.
fn sync_folder(folder: &Path) -> Result<(), Error> {
    if cfg!(unix) && !folder.as_os_str().is_empty() {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::io("sync", folder))?;
    }
    Ok(())
}

fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(UNFINISHED);
    name.into()
}

/// Removes what a process that died while writing has left in a folder. Callers hold the project's writer lock.
pub(crate) fn clear_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().ends_with(UNFINISHED) {
            // A leftover does no harm; the next opening tries again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_appear_whole_and_leave_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("x/y/a.txt"), dir.path().join("x/b.txt"));
        write_whole(&[(a.clone(), b"um"), (b.clone(), b"dois")]).unwrap();
        write_whole(&[(a.clone(), b"tres")]).unwrap();
        assert_eq!((fs::read(&a).unwrap(), fs::read(&b).unwrap()), (b"tres".to_vec(), b"dois".to_vec()));
        let names: Vec<_> =
            fs::read_dir(a.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["a.txt"]);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a.txt"), dir.path().join("b.txt"));
        write_whole(&[(a.clone(), b"antes")]).unwrap();
        // The second file cannot be written, so the first must not change either.
        fs::create_dir(unfinished(&b)).unwrap();
        assert!(write_whole(&[(a.clone(), b"depois"), (b, b"x")]).is_err());
        assert_eq!(fs::read(&a).unwrap(), b"antes");
        clear_leftovers(dir.path());
        assert!(!unfinished(&a).exists());
    }
}
