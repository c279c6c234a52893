//! A file that is to be imported: opened, looked over, and unpacked with every byte compared.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use zip::ZipArchive;
use zip::read::ZipFile;

use super::manifest::{FileEntry, Manifest, PortableFault, Unusable};
use super::meter::Meter;
use super::{BLOCK, hash};
use crate::Error;
use crate::storage::sync_folder;

/// Largest manifest, in bytes: one of half a million files.
const LARGEST_MANIFEST: u64 = 128 << 20;

/// What a file may unpack to is this, and as many times its own size: deflate makes text 2 to 5 times smaller, and
/// nothing that a project holds 200 times.
const SMALL: u64 = 64 << 20;
const TIMES: u64 = 200;

/// Files that are put on the disk at the same time.
const SYNCS: usize = 16;

/// An archive whose list is whole.
pub(super) struct Archive {
    path: PathBuf,
    zip: ZipArchive<BufReader<File>>,
    pub(super) manifest: Manifest,
}

impl Archive {
    /// Opens an archive and compares what it holds with its list; no file in it is read yet.
    pub(super) fn open(path: &Path, largest: u64) -> Result<Self, Error> {
        let file = open_file(path)?;
        let size = file.metadata().map_err(Error::io("read", path))?.len();
        let fail = |source| Error::Portable { path: path.to_owned(), source };
        let mut zip = ZipArchive::new(BufReader::new(file))
            .map_err(|error| fail(PortableFault::NotAnArchive { reason: error.to_string() }))?;
        let bytes = read_manifest(&mut zip).map_err(fail)?;
        let manifest = Manifest::parse(&bytes).map_err(|unusable| match unusable {
            Unusable::Fault(fault) => fail(fault),
            Unusable::Newer(version) => Error::Newer { path: path.to_owned(), version },
        })?;
        let limit = largest.min(size.saturating_mul(TIMES).saturating_add(SMALL));
        check_size(&manifest, limit).map_err(fail)?;
        check_entries(&zip, &manifest).map_err(fail)?;
        Ok(Self { path: path.to_owned(), zip, manifest })
    }

    /// Unpacks the files whose path in the archive `place` gives a place, in new folders, synced.
    pub(super) fn unpack(
        &mut self,
        place: &dyn Fn(&str) -> Option<PathBuf>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Error> {
        let mut folders = HashSet::new();
        let mut block = vec![0; BLOCK];
        let mut unpacked = Vec::new();
        for file in &self.manifest.files {
            let Some(to) = place(&file.path) else { continue };
            if let Some(folder) = to.parent()
                && folders.insert(folder.to_owned())
            {
                fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
            }
            let fail = |source| Error::Portable { path: self.path.clone(), source };
            let damaged = |reason: &dyn ToString| PortableFault::Damaged {
                entry: file.path.clone(),
                reason: reason.to_string(),
            };
            let mut entry = self.zip.by_name(&file.path).map_err(|error| fail(damaged(&error)))?;
            check_entry(&entry, file).map_err(fail)?;
            let mut out = File::create_new(&to).map_err(Error::io("write", &to))?;
            let (mut size, mut hash) = (0, hash());
            loop {
                let read = entry.read(&mut block).map_err(|error| fail(damaged(&error)))?;
                let Some(bytes) = block.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
                size += read as u64;
                if size > file.size {
                    return Err(fail(damaged(&"it is longer than its list says")));
                }
                hash.update(bytes);
                out.write_all(bytes).map_err(Error::io("write", &to))?;
                meter.add(read)?;
            }
            if size != file.size || hash.finalize().to_hex().as_str() != file.hash {
                return Err(fail(damaged(&"it is not what its list says")));
            }
            unpacked.push(to);
        }
        sync_files(&unpacked)?;
        folders.iter().try_for_each(|folder| sync_folder(folder))
    }
}

/// Puts files on the disk, several at a time: a file system writes them together, where one after another waits for each.
fn sync_files(paths: &[PathBuf]) -> Result<(), Error> {
    let sync = |path: &PathBuf| {
        let file = File::options().write(true).open(path);
        file.and_then(|file| file.sync_all()).map_err(Error::io("write", path))
    };
    let share = paths.len().div_ceil(SYNCS).max(1);
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            paths.chunks(share).map(|paths| scope.spawn(move || paths.iter().try_for_each(sync))).collect();
        let ended = |thread: std::thread::ScopedJoinHandle<'_, Result<(), Error>>| {
            thread.join().unwrap_or(Err(Error::Internal { what: "writing files" }))
        };
        // All are waited for, whatever the first says.
        threads.into_iter().map(ended).collect::<Vec<_>>().into_iter().collect()
    })
}

fn open_file(path: &Path) -> Result<File, Error> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::NoSuchFile { path: path.to_owned() });
        }
        Err(error) => return Err(Error::io("read", path)(error)),
    };
    if metadata.is_dir() {
        return Err(Error::IsFolder { path: path.to_owned() });
    }
    // A pipe could be waited for for ever.
    if !metadata.is_file() {
        return Err(Error::NotAFile { path: path.to_owned() });
    }
    File::open(path).map_err(Error::io("read", path))
}

fn read_manifest(zip: &mut ZipArchive<BufReader<File>>) -> Result<Vec<u8>, PortableFault> {
    let damaged = |reason: String| PortableFault::Damaged { entry: Manifest::NAME.to_owned(), reason };
    let entry = match zip.by_name(Manifest::NAME) {
        Ok(entry) => entry,
        Err(zip::result::ZipError::FileNotFound) => return Err(PortableFault::NotAProject),
        Err(error) => return Err(damaged(error.to_string())),
    };
    let mut bytes = Vec::new();
    entry.take(LARGEST_MANIFEST + 1).read_to_end(&mut bytes).map_err(|error| damaged(error.to_string()))?;
    if bytes.len() as u64 > LARGEST_MANIFEST {
        return Err(PortableFault::TooLarge { bytes: bytes.len() as u64, limit: LARGEST_MANIFEST });
    }
    Ok(bytes)
}

fn check_size(manifest: &Manifest, limit: u64) -> Result<(), PortableFault> {
    let bytes = manifest.files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
    if bytes > limit {
        return Err(PortableFault::TooLarge { bytes, limit });
    }
    Ok(())
}

/// Refuses what is there and not in the list, and what is there twice.
fn check_entries(zip: &ZipArchive<BufReader<File>>, manifest: &Manifest) -> Result<(), PortableFault> {
    let refuse = |entry: &str, reason: &str| {
        Err(PortableFault::Refused { entry: entry.to_owned(), reason: reason.to_owned() })
    };
    if zip.has_duplicate_names() {
        return refuse("a file", "it is there twice");
    }
    let listed: HashSet<&[u8]> = manifest.files.iter().map(|file| file.path.as_bytes()).collect();
    for name in zip.file_names_raw() {
        if name != Manifest::NAME.as_bytes() && !listed.contains(name) {
            return refuse(&String::from_utf8_lossy(name), "it is not in its list");
        }
    }
    Ok(())
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
