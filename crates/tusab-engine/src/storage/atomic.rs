use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use super::Stamp;
use crate::Error;

/// Files that are written at the same time, when there are more than a few.
const WRITERS: usize = 16;
const FEW: usize = 8;

/// How long ago a staged file says that it was written: longer than file systems need to tell two times apart, so that
/// whatever a hand does to it from now on shows in its time of change.
const AGE: Duration = Duration::from_secs(10);

/// Ends the names of files that are being written.
pub(crate) const UNFINISHED: &str = ".unfinished";

/// Writes files whole: each is either as before or as given, whenever the process or the machine stops, and all are
/// on the disk when this returns. Their folders are made as needed.
///
/// Every file is written beside its place and synced before the first takes its place, so that many files cost one
/// sync of the folder. Callers hold a lock: two writers of one file would share its unfinished one.
pub(crate) fn write_whole(files: &[(&Path, &[u8])]) -> Result<(), Error> {
    let paths: Vec<&Path> = files.iter().map(|(path, _)| *path).collect();
    let written = write_beside(files, Time::Now).and_then(|_| place(&paths));
    if written.is_err() {
        // A full disk has no room for what came to nothing.
        for path in paths {
            remove_leftover(path);
        }
    }
    written
}

/// The first half of [`write_whole`] for files that are looked at again later: writes and syncs them beside their places,
/// and gives the stamp of each, by which it will be known without being read.
pub(crate) fn stage(files: &[(&Path, &[u8])]) -> Result<Vec<Option<Stamp>>, Error> {
    write_beside(files, Time::Aged)
}

/// The time of change that a file is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Time {
    Now,
    Aged,
}

fn write_beside(files: &[(&Path, &[u8])], time: Time) -> Result<Vec<Option<Stamp>>, Error> {
    let mut folders = BTreeSet::new();
    for (path, _) in files {
        if let Some(folder) = path.parent()
            && folders.insert(folder)
        {
            make_folder(folder)?;
        }
    }
    let stamps = write_and_sync(files, time)?;
    folders.into_iter().try_for_each(sync_folder)?;
    Ok(stamps)
}

/// Writes files beside their places. Of many, several at a time: a disk that is asked to sync by several syncs them
/// together.
fn write_and_sync(files: &[(&Path, &[u8])], time: Time) -> Result<Vec<Option<Stamp>>, Error> {
    type Stamps = Result<Vec<Option<Stamp>>, Error>;
    let write = |files: &[(&Path, &[u8])]| -> Stamps {
        files.iter().map(|(path, bytes)| write_one(path, bytes, time)).collect()
    };
    if files.len() <= FEW {
        return write(files);
    }
    thread::scope(|scope| {
        let started: Vec<_> = files
            .chunks(files.len().div_ceil(WRITERS))
            .map(|share| (share, thread::Builder::new().spawn_scoped(scope, move || write(share))))
            .collect();
        let ended = started.into_iter().map(|(share, writer)| match writer {
            Ok(writer) => writer.join().unwrap_or(Err(Error::Internal { what: "writing files" })),
            // The system has no more threads to give.
            Err(_) => write(share),
        });
        // All are waited for, also after one failed.
        let ended: Vec<Stamps> = ended.collect();
        let stamps: Result<Vec<_>, Error> = ended.into_iter().collect();
        Ok(stamps?.concat())
    })
}

fn write_one(path: &Path, bytes: &[u8], time: Time) -> Result<Option<Stamp>, Error> {
    let unfinished = unfinished(path);
    let write = || {
        let mut file = File::create(&unfinished)?;
        file.write_all(bytes)?;
        let then = SystemTime::now().checked_sub(AGE).filter(|_| time == Time::Aged);
        // A file system that keeps no times is no reason not to keep the file: it is read again.
        let aged = then.filter(|then| file.set_modified(*then).is_ok());
        let stamp = if aged.is_some() { Stamp::settled(&file.metadata()?) } else { None };
        file.sync_all()?;
        Ok(stamp)
    };
    write().map_err(Error::io("write", &unfinished))
}

/// The second half of [`write_whole`]: puts staged files into their places, durably.
pub(crate) fn place(paths: &[&Path]) -> Result<(), Error> {
    for path in paths {
        fs::rename(unfinished(path), path).map_err(Error::io("put in place", path))?;
    }
    let folders: BTreeSet<&Path> = paths.iter().filter_map(|path| path.parent()).collect();
    folders.into_iter().try_for_each(sync_folder)
}

/// Moves a file or a folder, durably. The folder it goes to is made as needed.
pub(crate) fn move_whole(from: &Path, to: &Path) -> Result<(), Error> {
    move_all(&[(from, to)])
}

/// Moves files or folders, each in one step, all durable when this returns.
pub(crate) fn move_all(moves: &[(&Path, &Path)]) -> Result<(), Error> {
    let mut folders = BTreeSet::new();
    for (from, to) in moves {
        if let Some(parent) = to.parent()
            && folders.insert(parent)
        {
            make_folder(parent)?;
        }
        fs::rename(from, to).map_err(Error::io("move", from))?;
        folders.extend(from.parent());
    }
    folders.into_iter().try_for_each(sync_folder)
}

/// Removes a folder with all that is in it, or a file; what is not there is removed already.
pub(crate) fn remove_whole(path: &Path) -> Result<(), Error> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        removed => removed.map_err(Error::io("remove", path))?,
    }
    path.parent().map_or(Ok(()), sync_folder)
}

/// Makes a folder and those above it, each durable in its parent.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Error> {
    // The parent of a relative path's first part is the empty path: the present folder, which is there.
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let parent = folder.parent().unwrap_or(Path::new(""));
    make_folder(parent)?;
    match fs::create_dir(folder) {
        Ok(()) => sync_folder(parent),
        Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) => Err(Error::io("create", folder)(error)),
    }
}

/// Makes renames in a folder durable. Windows has no such call, and makes them durable by itself.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), Error> {
    if cfg!(unix) {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        File::open(folder).and_then(|file| file.sync_all()).map_err(Error::io("sync", folder))?;
    }
    Ok(())
}

/// Where a file is while it is being written.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(UNFINISHED);
    name.into()
}

/// The places in a folder of files that a process which died was writing.
pub(crate) fn leftovers(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut places: Vec<PathBuf> =
        names.filter_map(|name| Some(folder.join(name.strip_suffix(UNFINISHED)?))).collect();
    places.sort_unstable();
    places
}

/// What a leftover would have become.
pub(crate) fn read_leftover(place: &Path) -> Option<Vec<u8>> {
    fs::read(unfinished(place)).ok()
}

/// Removes a leftover. Callers hold the lock of who wrote it.
pub(crate) fn remove_leftover(place: &Path) {
    // One that stays does no harm; the next opening tries again.
    let _ = fs::remove_file(unfinished(place));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_appear_whole_and_leave_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("x/y/a.txt"), dir.path().join("x/b.txt"));
        write_whole(&[(&a, b"um"), (&b, b"dois")]).unwrap();
        write_whole(&[(&a, b"tres")]).unwrap();
        assert_eq!((fs::read(&a).unwrap(), fs::read(&b).unwrap()), (b"tres".to_vec(), b"dois".to_vec()));
        let names: Vec<_> =
            fs::read_dir(a.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["a.txt"]);
    }

    #[test]
    fn of_many_files_every_one_is_written_or_none() {
        let dir = tempfile::tempdir().unwrap();
        let files: Vec<(PathBuf, Vec<u8>)> =
            (0..100).map(|n| (dir.path().join(format!("{n}.txt")), vec![b'x'; n])).collect();
        let given: Vec<(&Path, &[u8])> =
            files.iter().map(|(path, bytes)| (path.as_path(), &bytes[..])).collect();
        fs::create_dir(unfinished(&files[57].0)).unwrap();
        assert!(write_whole(&given).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        fs::remove_dir(unfinished(&files[57].0)).unwrap();
        write_whole(&given).unwrap();
        for (path, bytes) in &files {
            assert_eq!(fs::read(path).unwrap(), *bytes);
        }
        assert!(leftovers(dir.path()).is_empty());
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a.txt"), dir.path().join("b.txt"));
        write_whole(&[(&a, b"antes")]).unwrap();
        // The second file cannot be written, so the first must not change either.
        fs::create_dir(unfinished(&b)).unwrap();
        assert!(write_whole(&[(&a, b"depois"), (&b, b"x")]).is_err());
        assert_eq!(fs::read(&a).unwrap(), b"antes");
        assert_eq!(leftovers(dir.path()), [b], "what came to nothing takes no room");
        stage(&[(&a, b"depois")]).unwrap();
        assert_eq!(read_leftover(&a).unwrap(), b"depois");
        remove_leftover(&a);
        assert!(!unfinished(&a).exists());
    }
}
