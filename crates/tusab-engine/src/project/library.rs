//! The sources of a project on disk: a manifest a folder, and the files it lists.

#![allow(clippy::similar_names, reason = "`shelf` beside `self`")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tusab_chunk::DocId;
use tusab_index::ContentHash;

use super::catalog::folders;
use super::shelf::Shelf;
use super::stored::{PARSER_VERSION, adopt};
use crate::Error;
use crate::storage::{
    Entry, Fault, Manifest, leftovers, place, read_leftover, remove_leftover, stage, write_whole,
};

const MANIFEST: &str = "_manifest.json";

/// All sources of a project, and changes to them that are not yet written.
///
/// Callers hold the project's lock from loading to the last [`flush`](Library::flush).
#[derive(Debug)]
pub(super) struct Library {
    neural: PathBuf,
    shelves: BTreeMap<Shelf, Manifest>,
    by_content: HashMap<ContentHash, DocId>,
    files: BTreeMap<PathBuf, Vec<u8>>,
    changed: BTreeSet<Shelf>,
}

impl Library {
    /// Reads the manifests; `None` when there is something to mend first.
    pub(super) fn peek(neural: &Path) -> Result<Option<Self>, Error> {
        let mut library = Self::empty(neural);
        for shelf in shelves(neural)? {
            let dir = shelf.dir(neural);
            if !leftovers(&dir).is_empty() {
                return Ok(None);
            }
            match read_manifest(&dir)? {
                Ok(manifest) => library.shelves.insert(shelf, manifest),
                Err(_) if files(&dir)?.is_empty() => None,
                Err(_) => return Ok(None),
            };
        }
        library.index_contents();
        Ok(Some(library))
    }

    /// Reads the manifests. Finishes or clears what a dead writer left, and makes a lost or damaged manifest again
    /// from its files, with the `titles` that are known of them; the second value says so, for people.
    pub(super) fn load(
        neural: &Path,
        titles: &dyn Fn(&DocId) -> Option<String>,
    ) -> Result<(Self, Vec<String>), Error> {
        let mut library = Self::empty(neural);
        let mut repairs = Vec::new();
        for place in leftovers(neural) {
            remove_leftover(&place);
        }
        for shelf in shelves(neural)? {
            let dir = shelf.dir(neural);
            let manifest = match read_manifest(&dir)? {
                Ok(manifest) => manifest,
                Err(reason) => library.make_manifest_again(&shelf, &dir, &reason, titles, &mut repairs)?,
            };
            finish_or_clear(&dir, &manifest)?;
            library.shelves.insert(shelf, manifest);
        }
        library.index_contents();
        if !library.changed.is_empty() {
            library.flush()?;
        }
        Ok((library, repairs))
    }

    fn empty(neural: &Path) -> Self {
        Self {
            neural: neural.to_owned(),
            shelves: BTreeMap::new(),
            by_content: HashMap::new(),
            files: BTreeMap::new(),
            changed: BTreeSet::new(),
        }
    }

    fn index_contents(&mut self) {
        self.by_content = self
            .entries()
            .filter_map(|(shelf, entry)| Some((entry.content_hash, shelf.document_id(entry)?)))
            .collect();
    }

    fn make_manifest_again(
        &mut self,
        shelf: &Shelf,
        dir: &Path,
        reason: &str,
        titles: &dyn Fn(&DocId) -> Option<String>,
        repairs: &mut Vec<String>,
    ) -> Result<Manifest, Error> {
        let path = dir.join(MANIFEST);
        let aside = keep_aside(&path)?;
        let mut manifest = Manifest::default();
        for file in files(dir)? {
            if let Some(entry) = adopt(shelf, &file, titles) {
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
            // Another document may have the same content.
            if self.by_content.get(&old) == Some(doc) {
                self.by_content.remove(&old);
            }
        }
        self.by_content.insert(entry.content_hash, doc.clone());
        self.files.insert(shelf.dir(&self.neural).join(&entry.stored_name), bytes);
        self.put_entry(shelf, entry);
    }

    /// Changes what is known of a source; written at the next [`flush`](Self::flush).
    pub(super) fn put_entry(&mut self, shelf: &Shelf, entry: Entry) {
        self.shelves.entry(shelf.clone()).or_default().put(entry);
        self.changed.insert(shelf.clone());
    }

    /// Writes what was put. The files are staged beside their places before the manifests say what is in them, and
    /// put there after: when a crash comes between, [`load`](Self::load) finishes the work.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        let files: Vec<(&Path, &[u8])> =
            self.files.iter().map(|(path, bytes)| (path.as_path(), bytes.as_slice())).collect();
        stage(&files)?;
        let manifests: Vec<(PathBuf, Vec<u8>)> = self
            .shelves
            .iter()
            .filter(|(shelf, _)| self.changed.contains(shelf))
            .map(|(shelf, manifest)| (shelf.dir(&self.neural).join(MANIFEST), manifest.to_bytes()))
            .collect();
        let manifests: Vec<(&Path, &[u8])> =
            manifests.iter().map(|(path, bytes)| (path.as_path(), bytes.as_slice())).collect();
        write_whole(&manifests)?;
        place(&self.files.keys().map(PathBuf::as_path).collect::<Vec<&Path>>())?;
        self.files.clear();
        self.changed.clear();
        Ok(())
    }

    /// True when the file of a source is where it belongs, or is about to be written there.
    pub(super) fn has_file(&self, shelf: &Shelf, entry: &Entry) -> bool {
        let path = shelf.dir(&self.neural).join(&entry.stored_name);
        self.files.contains_key(&path) || path.is_file()
    }

    /// The bytes of a source.
    pub(super) fn read(&self, shelf: &Shelf, entry: &Entry) -> Result<Vec<u8>, Error> {
        let path = shelf.dir(&self.neural).join(&entry.stored_name);
        fs::read(&path).map_err(Error::io("read", &path))
    }
}

/// The folders of sources that are there.
fn shelves(neural: &Path) -> Result<Vec<Shelf>, Error> {
    let channels = folders(&neural.join("youtube"))?.into_iter().map(Shelf::Youtube);
    let all = [Shelf::Documents, Shelf::Texts].into_iter().chain(channels);
    Ok(all.filter(|shelf| shelf.dir(neural).is_dir()).collect())
}

/// The manifest of a folder, or why it has to be made again.
fn read_manifest(dir: &Path) -> Result<Result<Manifest, String>, Error> {
    let path = dir.join(MANIFEST);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Err("it was missing".to_owned())),
        Err(error) => return Err(Error::io("read", &path)(error)),
    };
    match Manifest::parse(&bytes) {
        Ok(manifest) => Ok(Ok(manifest)),
        Err(Fault::Damaged(reason)) => Ok(Err(reason)),
        Err(Fault::Newer(version)) => Err(Error::Newer { path, version }),
    }
}

/// Puts a file that a dead writer had staged into its place if the manifest already speaks of it; else removes it.
fn finish_or_clear(dir: &Path, manifest: &Manifest) -> Result<(), Error> {
    for place_of in leftovers(dir) {
        let name = place_of.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let entry = manifest.entries().iter().find(|entry| entry.stored_name == name);
        let hash = read_leftover(&place_of).map(|bytes| ContentHash::of(PARSER_VERSION, &bytes));
        if entry.is_some_and(|entry| Some(entry.content_hash) == hash) {
            place(&[&place_of])?;
        } else {
            remove_leftover(&place_of);
        }
    }
    Ok(())
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
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            !name.starts_with(['_', '.']) && !name.ends_with(".unfinished")
        })
        .map(|entry| entry.path())
        .collect();
    files.sort_unstable();
    Ok(files)
}
