//! The sources of a project on disk: a manifest a folder, and the files it lists.

#![allow(clippy::similar_names, reason = "`shelf` beside `self`")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tusab_chunk::DocId;
use tusab_index::ContentHash;

use super::folder::folders;
use super::shelf::Shelf;
use super::stored::adopt;
use crate::Error;
use crate::storage::{Entry, Manifest, clear_leftovers, write_whole};

const MANIFEST: &str = "_manifest.json";

/// All sources of a project, and changes to them that are not yet written.
///
/// Callers hold the project's lock from loading to the last [`flush`](Library::flush).
#[derive(Debug)]
pub(super) struct Library {
    neural: PathBuf,
    shelves: BTreeMap<Shelf, Manifest>,
    by_content: HashMap<ContentHash, DocId>,
    files: Vec<(PathBuf, Vec<u8>)>,
    changed: BTreeSet<Shelf>,
}

impl Library {
    /// Reads the manifests. Clears what a dead writer left, and makes a lost or damaged manifest again from its files;
    /// the second value says so, for people.
    pub(super) fn load(neural: &Path) -> Result<(Self, Vec<String>), Error> {
        let mut library = Self {
            neural: neural.to_owned(),
            shelves: BTreeMap::new(),
            by_content: HashMap::new(),
            files: Vec::new(),
            changed: BTreeSet::new(),
        };
        let mut repairs = Vec::new();
        clear_leftovers(neural);
        let channels = folders(&neural.join("youtube"))?.into_iter().map(Shelf::Youtube);
        for shelf in [Shelf::Documents, Shelf::Texts].into_iter().chain(channels) {
            let dir = shelf.dir(neural);
            if dir.is_dir() {
                clear_leftovers(&dir);
                let manifest = library.load_manifest(&shelf, &dir, &mut repairs)?;
                library.shelves.insert(shelf, manifest);
            }
        }
        library.by_content = library
            .entries()
            .filter_map(|(shelf, entry)| Some((entry.content_hash, shelf.document_id(entry)?)))
            .collect();
        if !library.changed.is_empty() {
            library.flush()?;
        }
        Ok((library, repairs))
    }

    fn load_manifest(
        &mut self,
        shelf: &Shelf,
        dir: &Path,
        repairs: &mut Vec<String>,
    ) -> Result<Manifest, Error> {
        let path = dir.join(MANIFEST);
        let reason = match fs::read(&path) {
            Ok(bytes) => match Manifest::parse(&bytes) {
                Ok(manifest) => return Ok(manifest),
                Err(reason) => reason,
            },
            Err(error) if error.kind() == ErrorKind::NotFound => "it was missing".to_owned(),
            Err(error) => return Err(Error::io("read", &path)(error)),
        };
        let aside = keep_aside(&path)?;
        let mut manifest = Manifest::default();
        for file in files(dir)? {
            if let Some(entry) = adopt(shelf, &file) {
                manifest.put(entry);
            }
        }
        if aside.is_some() || !manifest.entries().is_empty() {
            let kept = aside
                .map(|aside| format!("; the old one is kept as {}", aside.display()))
                .unwrap_or_default();
            let count = manifest.entries().len();
            repairs.push(format!("{} was made again from {count} files: {reason}{kept}", path.display()));
            self.changed.insert(shelf.clone());
        }
        Ok(manifest)
    }

    /// Every source with its folder.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&Shelf, &Entry)> {
        self.shelves
            .iter()
            .flat_map(|(shelf, manifest)| manifest.entries().iter().map(move |entry| (shelf, entry)))
    }

    /// The folder and entry of a document.
    pub(super) fn find(&self, doc: &DocId) -> Option<(&Shelf, &Entry)> {
        self.shelves
            .iter()
            .filter(|(shelf, _)| shelf.kind() == doc.kind())
            .find_map(|(shelf, manifest)| manifest.by_id(doc.local()).map(|entry| (shelf, entry)))
    }

    /// The document that has this content already.
    pub(super) fn with_content(&self, hash: ContentHash) -> Option<&DocId> {
        self.by_content.get(&hash)
    }

    /// Adds a source or takes its old place; written at the next [`flush`](Self::flush).
    pub(super) fn put(&mut self, doc: &DocId, shelf: &Shelf, entry: Entry, bytes: Vec<u8>) {
        if let Some((_, old)) = self.find(doc) {
            let old = old.content_hash;
            self.by_content.remove(&old);
        }
        self.by_content.insert(entry.content_hash, doc.clone());
        self.files.push((shelf.dir(&self.neural).join(&entry.stored_name), bytes));
        self.put_entry(shelf, entry);
    }

    /// Changes what is known of a source; written at the next [`flush`](Self::flush).
    pub(super) fn put_entry(&mut self, shelf: &Shelf, entry: Entry) {
        self.shelves.entry(shelf.clone()).or_default().put(entry);
        self.changed.insert(shelf.clone());
    }

    /// Writes what was put: the files first, then the manifests that list them, so that a manifest never lists a file
    /// that is not there.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        let files: Vec<(PathBuf, &[u8])> =
            self.files.iter().map(|(path, bytes)| (path.clone(), bytes.as_slice())).collect();
        write_whole(&files)?;
        self.files.clear();
        let manifests: Vec<(PathBuf, Vec<u8>)> = self
            .shelves
            .iter()
            .filter(|(shelf, _)| self.changed.contains(shelf))
            .map(|(shelf, manifest)| (shelf.dir(&self.neural).join(MANIFEST), manifest.to_bytes()))
            .collect();
        let manifests: Vec<(PathBuf, &[u8])> =
            manifests.iter().map(|(path, bytes)| (path.clone(), bytes.as_slice())).collect();
        write_whole(&manifests)?;
        self.changed.clear();
        Ok(())
    }

    /// The bytes of a source.
    pub(super) fn read(&self, shelf: &Shelf, entry: &Entry) -> Result<Vec<u8>, Error> {
        let path = shelf.dir(&self.neural).join(&entry.stored_name);
        fs::read(&path).map_err(Error::io("read", &path))
    }
}

/// Moves a damaged manifest out of the way, under the first free name.
fn keep_aside(path: &Path) -> Result<Option<PathBuf>, Error> {
    if !path.exists() {
        return Ok(None);
    }
    let mut number = 1_u32;
    let aside = loop {
        let free = path.with_file_name(format!("_manifest.damaged-{number}.json"));
        if !free.exists() {
            break free;
        }
        number += 1;
    };
    fs::rename(path, &aside).map_err(Error::io("keep aside", path))?;
    Ok(Some(aside))
}

/// The source files of a folder, in order; those whose names start with `_` or `.` are not sources.
fn files(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir)
        .map_err(Error::io("list", dir))?
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with(['_', '.']))
        .map(|entry| entry.path())
        .collect();
    files.sort_unstable();
    Ok(files)
}
