//! A file that is to be imported: opened, looked over, and unpacked.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use super::manifest::{Manifest, PortableFault, Unusable};
use super::meter::Meter;
use super::reading::Reading;
use super::unpack::unpack;
use crate::Error;

/// Largest manifest, in bytes: one of half a million files.
const LARGEST_MANIFEST: u64 = 128 << 20;

/// What a file may unpack to is this, and as many times its own size: deflate makes text 2 to 5 times smaller, and
/// nothing that a project holds 200 times.
const SMALL: u64 = 64 << 20;
const TIMES: u64 = 200;

/// An archive whose list is whole.
pub(super) struct Archive {
    path: PathBuf,
    zip: ZipArchive<Reading>,
    pub(super) manifest: Manifest,
}

impl Archive {
    /// Opens an archive and compares what it holds with its list; no file in it is read yet.
    pub(super) fn open(path: &Path, largest: u64) -> Result<Self, Error> {
        let file = open_file(path)?;
        let size = file.metadata().map_err(Error::io("read", path))?.len();
        let fail = |source| Error::Portable { path: path.to_owned(), source };
        let mut zip = ZipArchive::new(Reading::of(file))
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
        &self,
        place: &dyn Fn(&str) -> Option<PathBuf>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Error> {
        let wanted = self.manifest.files.iter().filter_map(|file| Some((file, place(&file.path)?)));
        unpack(&self.path, &self.zip, wanted.collect(), meter)
    }
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

fn read_manifest(zip: &mut ZipArchive<Reading>) -> Result<Vec<u8>, PortableFault> {
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
fn check_entries(zip: &ZipArchive<Reading>, manifest: &Manifest) -> Result<(), PortableFault> {
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
