//! Unpacking by several threads, with every byte compared, while the disk takes what is there already.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use zip::ZipArchive;
use zip::read::ZipFile;

use super::manifest::{FileEntry, PortableFault};
use super::meter::Meter;
use super::reading::Reading;
use super::{BLOCK, hash};
use crate::Error;
use crate::storage::sync_folder;

/// Threads that unpack, at most: more would wait for the disk.
const THREADS: usize = 4;

/// Files that are put on the disk at the same time.
const SYNCS: usize = 16;

/// Of a large file the disk gets so many bytes at a time while the next are unpacked: left to the end, they would all have
/// to be waited for then.
const STRETCH: u64 = 32 << 20;

/// A file of an archive, and where it goes.
pub(super) type Wanted<'a> = (&'a FileEntry, PathBuf);

/// Unpacks files into new folders, synced. `archive` is the file that `zip` reads, for what is said of it.
pub(super) fn unpack(
    archive: &Path,
    zip: &ZipArchive<Reading>,
    mut wanted: Vec<Wanted<'_>>,
    meter: &mut Meter<'_>,
) -> Result<(), Error> {
    let folders: BTreeSet<&Path> = wanted.iter().filter_map(|(_, to)| to.parent()).collect();
    for folder in &folders {
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    }
    let folders: Vec<PathBuf> = folders.into_iter().map(Path::to_owned).collect();
    // The largest first, so that no thread is left with it at the end.
    wanted.sort_by_key(|(file, _)| std::cmp::Reverse(file.size));
    let threads =
        thread::available_parallelism().map_or(1, usize::from).min(THREADS).min(wanted.len()).max(1);
    let shared =
        Shared { archive, wanted: &wanted, next: AtomicUsize::new(0), is_over: AtomicBool::new(false) };
    thread::scope(|scope| {
        let (stretches, written) = channel();
        let (beats, ticks) = channel();
        let (shared, told) = (&shared, beats.clone());
        let syncing = thread::Builder::new().spawn_scoped(scope, move || shared.sync(&written, &told));
        for number in 0..threads {
            let (zip, beats) = (zip.clone(), beats.clone());
            // What nobody puts on the disk meanwhile is put there at the end.
            let stretches = syncing.is_ok().then(|| stretches.clone());
            let worker = move || shared.work(zip, &beats, stretches.as_ref());
            // Fewer threads do as well, and one has to be there.
            if let Err(source) = thread::Builder::new().spawn_scoped(scope, worker)
                && number == 0
            {
                return Err(Error::io("unpack", archive)(source));
            }
        }
        drop((stretches, beats));
        let told = ticks.into_iter().try_for_each(|beat| meter.add(beat?));
        shared.is_over.store(true, Ordering::Relaxed);
        told
    })?;
    sync_files(&wanted)?;
    folders.iter().try_for_each(|folder| sync_folder(folder))
}

/// A file of which a stretch was written, and its path.
type Stretch = (Arc<File>, PathBuf);

/// What the threads share.
struct Shared<'a> {
    archive: &'a Path,
    wanted: &'a [Wanted<'a>],
    /// Which file is begun next.
    next: AtomicUsize,
    is_over: AtomicBool,
}

impl Shared<'_> {
    /// Unpacks files until none is left, or one is wrong, or nobody wants them any more.
    fn work(
        &self,
        mut zip: ZipArchive<Reading>,
        beats: &Sender<Result<usize, Error>>,
        stretches: Option<&Sender<Stretch>>,
    ) {
        let mut block = vec![0; BLOCK];
        while let Some((file, to)) = self.wanted.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let unpacked = self.one(&mut zip, file, to, &mut block, beats, stretches);
            if let Err(error) = unpacked {
                // Whoever has gone wants to know nothing more.
                let _ = beats.send(Err(error));
                return;
            }
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    fn one(
        &self,
        zip: &mut ZipArchive<Reading>,
        file: &FileEntry,
        to: &Path,
        block: &mut [u8],
        beats: &Sender<Result<usize, Error>>,
        stretches: Option<&Sender<Stretch>>,
    ) -> Result<(), Error> {
        let fail = |source| Error::Portable { path: self.archive.to_owned(), source };
        let damaged = |reason: &dyn ToString| {
            fail(PortableFault::Damaged { entry: file.path.clone(), reason: reason.to_string() })
        };
        let mut entry = zip.by_name(&file.path).map_err(|error| damaged(&error))?;
        check_entry(&entry, file).map_err(fail)?;
        let out = Arc::new(File::create_new(to).map_err(Error::io("write", to))?);
        let (mut size, mut hash, mut stretch) = (0, hash(), 0);
        loop {
            let read = entry.read(block).map_err(|error| damaged(&error))?;
            let Some(bytes) = block.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
            if self.is_over.load(Ordering::Relaxed) {
                return Ok(());
            }
            size += read as u64;
            if size > file.size {
                return Err(damaged(&"it is longer than its list says"));
            }
            hash.update(bytes);
            (&*out).write_all(bytes).map_err(Error::io("write", to))?;
            stretch += read as u64;
            if stretch >= STRETCH {
                stretch = 0;
                // Put there at the end otherwise.
                let _ = stretches.map(|stretches| stretches.send((Arc::clone(&out), to.to_owned())));
            }
            let _ = beats.send(Ok(read));
        }
        if size != file.size || hash.finalize().to_hex().as_str() != file.hash {
            return Err(damaged(&"it is not what its list says"));
        }
        Ok(())
    }

    /// Puts what was written up to now on the disk. What fails has to be told here: a system says it once.
    fn sync(&self, written: &Receiver<Stretch>, beats: &Sender<Result<usize, Error>>) {
        while let Ok((file, path)) = written.recv() {
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
            if let Err(source) = file.sync_data() {
                let _ = beats.send(Err(Error::io("write", &path)(source)));
                return;
            }
        }
    }
}

/// Puts files on the disk, several at a time: a file system writes them together, where one after another waits for each.
fn sync_files(files: &[Wanted<'_>]) -> Result<(), Error> {
    let sync = |(_, path): &Wanted<'_>| {
        let file = File::options().write(true).open(path);
        file.and_then(|file| file.sync_all()).map_err(Error::io("write", path))
    };
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            sync(file)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..SYNCS.min(files.len())).map(|_| scope.spawn(work)).collect();
        let ended = |thread: thread::ScopedJoinHandle<'_, Result<(), Error>>| {
            thread.join().unwrap_or(Err(Error::Internal { what: "writing files" }))
        };
        // All are waited for, whatever the first says.
        threads.into_iter().map(ended).collect::<Vec<_>>().into_iter().collect()
    })
}

fn check_entry<R: Read>(entry: &ZipFile<'_, R>, file: &FileEntry) -> Result<(), PortableFault> {
    let refuse =
        |reason: &str| Err(PortableFault::Refused { entry: file.path.clone(), reason: reason.to_owned() });
    if entry.is_symlink() {
        return refuse("it is a link");
    }
    if !entry.is_file() {
        return refuse("it is no file");
    }
    if entry.encrypted() {
        return refuse("it is encrypted");
    }
    Ok(())
}
