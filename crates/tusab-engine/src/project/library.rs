//! The sources of a project on disk: a manifest a folder, and the files it lists.

#![allow(clippy::similar_names, reason = "`shelf` beside `self`")]

mod files;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use tusab_chunk::DocId;
use tusab_index::ContentHash;

use super::shelf::Shelf;
use super::stored::{Called, adopt};
use crate::Error;
use crate::legacy::{OldEntry, read_date};
use crate::storage::{Entry, Manifest, leftovers, place, remove_leftover, stage, write_whole};

pub(super) use files::{MANIFEST, damaged_manifests, files};
use files::{Unread, finish_or_clear, keep_aside, read_manifest, shelves};

/// All sources of a project, and changes to them that are not yet written.
///
/// Callers hold the project's lock from loading to the last [`flush`](Library::flush).
#[derive(Debug)]
pub(super) struct Library {
    neural: PathBuf,
    shelves: BTreeMap<Shelf, Manifest>,
    by_content: HashMap<ContentHash, DocId>,
    files: BTreeMap<PathBuf, NewFile>,
    changed: BTreeSet<Shelf>,
}

/// The file of a source that is not yet written.
#[derive(Debug)]
struct NewFile {
    shelf: Shelf,
    id: String,
    bytes: Vec<u8>,
}

impl Library {
    /// Reads the manifests; `None` when there is something to mend first.
    pub(super) fn peek(neural: &Path) -> Result<Option<Self>, Error> {
        let mut library = Self::empty(neural);
        if !leftovers(neural).is_empty() {
            return Ok(None);
        }
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
                Err(unread) => library.make_manifest_again(&shelf, &dir, &unread, titles, &mut repairs)?,
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
        unread: &Unread,
        titles: &dyn Fn(&DocId) -> Option<String>,
        repairs: &mut Vec<String>,
    ) -> Result<Manifest, Error> {
        let path = dir.join(MANIFEST);
        let mut manifest = Manifest::default();
        for file in files(dir)? {
            let Some(called) = called(shelf, &file, &unread.legacy, &manifest, titles) else { continue };
            let read = fs::read(&file).map_err(Error::io("read", &file));
            match read.and_then(|bytes| adopt(shelf, &file, called, bytes)) {
                Ok(prepared) => manifest.put(prepared.entry),
                Err(error) => repairs.push(format!("{} was left out: {error}", file.display())),
            }
        }
        let aside = keep_aside(&path)?;
        if aside.is_some() || !manifest.is_empty() {
            let kept = aside
                .map(|aside| format!("; the old one is kept as {}", aside.display()))
                .unwrap_or_default();
            let (count, reason) = (manifest.entries().count(), &unread.reason);
            repairs.push(format!("{} was made again from {count} files: {reason}{kept}", path.display()));
            self.changed.insert(shelf.clone());
        }
        Ok(manifest)
    }

    /// Every source with its folder.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&Shelf, &Entry)> {
        self.shelves.iter().flat_map(|(shelf, manifest)| manifest.entries().map(move |entry| (shelf, entry)))
    }

    /// The folders of sources.
    pub(super) fn shelves(&self) -> Vec<Shelf> {
        self.shelves.keys().cloned().collect()
    }

    /// What the manifest of a folder says.
    pub(super) fn manifest(&self, shelf: &Shelf) -> Option<&Manifest> {
        self.shelves.get(shelf)
    }

    /// The folder and entry of a document.
    pub(super) fn find(&self, doc: &DocId) -> Option<(&Shelf, &Entry)> {
        self.shelves
            .iter()
            .filter(|(shelf, _)| shelf.kind() == doc.kind())
            .find_map(|(shelf, manifest)| manifest.by_id(doc.local()).map(|entry| (shelf, entry)))
    }

    /// The folder of a channel, by what its site knows it by: it may be called otherwise by now.
    pub(super) fn shelf_of_channel(&self, id: &str) -> Option<&Shelf> {
        let of_it = |(_, entry): &(&Shelf, &Entry)| entry.channel_id.as_deref() == Some(id);
        self.entries().find(of_it).map(|(shelf, _)| shelf)
    }

    /// The document that has this content already.
    pub(super) fn with_content(&self, hash: ContentHash) -> Option<&DocId> {
        self.by_content.get(&hash)
    }

    /// What its user removed and what must not come back by itself.
    pub(super) fn removed(&self) -> impl Iterator<Item = DocId> {
        let ids = |(shelf, manifest): (&'_ Shelf, &'_ Manifest)| {
            let kind = shelf.kind();
            manifest.removed().filter_map(|id| DocId::new(kind, id).ok()).collect::<Vec<_>>()
        };
        self.shelves.iter().flat_map(ids)
    }

    /// What a new file of a folder is called; `None` for what cannot be a source of it.
    pub(super) fn called(&self, shelf: &Shelf, file: &Path) -> Option<Called> {
        let empty = Manifest::default();
        called(shelf, file, &[], self.shelves.get(shelf).unwrap_or(&empty), &|_| None)
    }

    /// Adds a source or takes its old place; written at the next [`flush`](Self::flush).
    pub(super) fn put(&mut self, doc: &DocId, shelf: &Shelf, entry: Entry, bytes: Vec<u8>) {
        let new = NewFile { shelf: shelf.clone(), id: entry.id.clone(), bytes };
        self.files.insert(self.path(shelf, &entry), new);
        self.put_in_place(doc, shelf, entry);
    }

    /// The same for a source whose file is in its place already.
    pub(super) fn put_in_place(&mut self, doc: &DocId, shelf: &Shelf, entry: Entry) {
        self.forget_content(doc);
        self.by_content.insert(entry.content_hash, doc.clone());
        self.put_entry(shelf, entry);
    }

    /// Changes what is known of a source; written at the next [`flush`](Self::flush).
    pub(super) fn put_entry(&mut self, shelf: &Shelf, entry: Entry) {
        self.shelves.entry(shelf.clone()).or_default().put(entry);
        self.changed.insert(shelf.clone());
    }

    /// Takes a source out of its manifest; written at the next [`flush`](Self::flush). Its file is the caller's. A video
    /// that its user removed stays away until it is asked for by itself: `by_user`.
    pub(super) fn remove(&mut self, doc: &DocId, by_user: bool) -> Option<(Shelf, Entry)> {
        let shelf = self.find(doc)?.0.clone();
        self.forget_content(doc);
        let remember = by_user && matches!(shelf, Shelf::Youtube(_));
        let entry = self.shelves.get_mut(&shelf)?.remove(doc.local(), remember)?;
        self.files.remove(&self.path(&shelf, &entry));
        self.changed.insert(shelf.clone());
        Some((shelf, entry))
    }

    fn forget_content(&mut self, doc: &DocId) {
        if let Some((_, old)) = self.find(doc) {
            let old = old.content_hash;
            // Another document may have the same content.
            if self.by_content.get(&old) == Some(doc) {
                self.by_content.remove(&old);
            }
        }
    }

    pub(super) fn is_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Writes what was put. The files are staged beside their places before the manifests say what is in them, and
    /// put there after: when a crash comes between, [`load`](Self::load) finishes the work.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        let files: Vec<(&Path, &[u8])> =
            self.files.iter().map(|(path, new)| (path.as_path(), new.bytes.as_slice())).collect();
        let stamps = stage(&files)?;
        for (new, stamp) in self.files.values().zip(stamps) {
            if let Some(manifest) = self.shelves.get_mut(&new.shelf) {
                manifest.set_stored(&new.id, stamp);
            }
        }
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

    /// Where the file of a source is.
    pub(super) fn path(&self, shelf: &Shelf, entry: &Entry) -> PathBuf {
        shelf.dir(&self.neural).join(&entry.stored_name)
    }

    /// True when the file of a source is where it belongs, or is about to be written there.
    pub(super) fn has_file(&self, shelf: &Shelf, entry: &Entry) -> bool {
        let path = self.path(shelf, entry);
        self.files.contains_key(&path) || path.is_file()
    }

    /// The bytes of a source.
    pub(super) fn read(&self, shelf: &Shelf, entry: &Entry) -> Result<Vec<u8>, Error> {
        let path = self.path(shelf, entry);
        fs::read(&path).map_err(Error::io("read", &path))
    }
}

/// What a file that is in no manifest is called: by the Python app's manifest, by the index, or by its own name.
fn called(
    shelf: &Shelf,
    file: &Path,
    legacy: &[OldEntry],
    taken: &Manifest,
    titles: &dyn Fn(&DocId) -> Option<String>,
) -> Option<Called> {
    let stored_name = file.file_name()?.to_str()?;
    let mut called = Called::by_name(shelf, stored_name)?;
    let extension = |title: String| {
        let extension = file.extension().unwrap_or_default().to_string_lossy();
        if *shelf == Shelf::Documents { format!("{title}.{extension}") } else { title }
    };
    let old = legacy.iter().find(|old| old.is_of(stored_name));
    if let Some(old) = old {
        called.date = old.data.as_deref().and_then(read_date);
        called.url.clone_from(&old.fonte_externa);
        // What is stored of it is text, whatever it was read from.
        if let Some(name) = old.nome_original.as_ref().or(old.titulo.as_ref()) {
            called.name = match shelf {
                Shelf::Documents => extension(super::stored::stem(name)),
                _ => name.clone(),
            };
        }
    }
    // Two files that say they are the same source are two.
    if taken.by_id(&called.id).is_some_and(|entry| entry.stored_name != stored_name) {
        called.id = super::stored::fingerprint(&[b"by hand", stored_name.as_bytes()]);
    }
    if !matches!(shelf, Shelf::Youtube(_))
        && let Ok(doc) = DocId::new(shelf.kind(), &called.id)
        && let Some(title) = titles(&doc)
    {
        called.name = extension(title);
    }
    Some(called)
}
