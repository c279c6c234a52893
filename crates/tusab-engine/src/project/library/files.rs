//! The folders of sources as they are on the disk.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tusab_index::ContentHash;

use crate::Error;
use crate::legacy::{OldEntry, parse_manifest};
use crate::project::catalog::folders;
use crate::project::shelf::Shelf;
use crate::project::stored::PARSER_VERSION;
use crate::storage::{
    DAMAGED_MANIFEST, Entry, Fault, Manifest, leftovers, place, read_leftover, remove_leftover,
};

pub(in crate::project) const MANIFEST: &str = "_manifest.json";

/// Why a manifest has to be made again.
pub(super) struct Unread {
    pub(super) reason: String,
    /// What the Python app's manifest says of the files.
    pub(super) legacy: Vec<OldEntry>,
}

impl Unread {
    fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), legacy: Vec::new() }
    }
}

/// The folders of sources that are there. Links are not followed: they lead out of the project.
pub(super) fn shelves(neural: &Path) -> Result<Vec<Shelf>, Error> {
    let channels = folders(&neural.join("youtube"))?.into_iter().map(Shelf::Youtube);
    let here = folders(neural)?;
    let own = [("documents", Shelf::Documents), ("texts", Shelf::Texts)];
    let own = own.into_iter().filter(|(name, _)| here.iter().any(|here| here == name));
    Ok(own.map(|(_, shelf)| shelf).chain(channels).collect())
}

/// The manifest of a folder, or why it has to be made again.
pub(super) fn read_manifest(dir: &Path) -> Result<Result<Manifest, Unread>, Error> {
    let path = dir.join(MANIFEST);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(Err(Unread::because("it was missing")));
        }
        Err(error) => return Err(Error::io("read", &path)(error)),
    };
    match Manifest::parse(&bytes) {
        Ok(manifest) => Ok(Ok(manifest)),
        Err(Fault::Damaged(reason)) => Ok(Err(Unread::because(reason))),
        Err(Fault::Legacy) => {
            // Its own fault: it is an array, which may still be damaged.
            let legacy = match parse_manifest(&bytes) {
                Ok(legacy) => legacy,
                Err(reason) => return Ok(Err(Unread::because(reason))),
            };
            let reason = "it was the Python app's".to_owned();
            Ok(Err(Unread { reason, legacy }))
        }
        Err(Fault::Newer(version)) => Err(Error::Newer { path, version }),
    }
}

/// Puts a file that a dead writer had staged into its place if the manifest already speaks of it; else removes it.
pub(super) fn finish_or_clear(dir: &Path, manifest: &Manifest) -> Result<(), Error> {
    let leftovers = leftovers(dir);
    if leftovers.is_empty() {
        return Ok(());
    }
    let by_name: HashMap<&str, &Entry> =
        manifest.entries().map(|entry| (entry.stored_name.as_str(), entry)).collect();
    for place_of in leftovers {
        let name = place_of.file_name().unwrap_or_default().to_string_lossy();
        let hash = read_leftover(&place_of).map(|bytes| ContentHash::of(PARSER_VERSION, &bytes));
        if by_name.get(&*name).is_some_and(|entry| Some(entry.content_hash) == hash) {
            place(&[&place_of])?;
        } else {
            remove_leftover(&place_of);
        }
    }
    Ok(())
}

/// Moves a damaged manifest out of the way, under the first free name.
pub(super) fn keep_aside(path: &Path) -> Result<Option<PathBuf>, Error> {
    if !path.exists() {
        return Ok(None);
    }
    let mut number = 1_u32;
    let aside = loop {
        let free = path.with_file_name(format!("{DAMAGED_MANIFEST}{number}.json"));
        if !free.exists() {
            break free;
        }
        number += 1;
    };
    fs::rename(path, &aside).map_err(Error::io("keep aside", path))?;
    Ok(Some(aside))
}

/// The damaged manifests that are kept in a folder.
pub(in crate::project) fn damaged_manifests(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    Ok(all_files(dir)?.into_iter().filter(|path| file_name(path).starts_with(DAMAGED_MANIFEST)).collect())
}

/// The source files of a folder, in order; those whose names start with `_` or `.` are not sources.
pub(in crate::project) fn files(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let is_source = |path: &PathBuf| {
        let name = file_name(path);
        !name.starts_with(['_', '.']) && !name.ends_with(".unfinished")
    };
    Ok(all_files(dir)?.into_iter().filter(is_source).collect())
}

fn all_files(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir)
        .map_err(Error::io("list", dir))?
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| entry.path())
        .collect();
    files.sort_unstable();
    Ok(files)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
