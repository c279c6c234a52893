//! A copy of the index as it stands.

use std::fs;
use std::path::Path;

use super::writing::IndexWriter;
use super::{Index, bm25_path, store_path, vectors_path};
use crate::Error;

impl Index {
    /// Writes the index as it stands into a new folder, where it opens without anything to mend. It is
    /// [compacted](Self::compact) first, so that the copy holds nothing of what was deleted. Searches go on; the right
    /// to write is needed, so that both halves are of one state, and kept.
    ///
    /// Files that never change are linked where the file system can, and are on the disk as they are here; the others
    /// are not synced.
    ///
    /// # Errors
    /// When `folder` exists and is not empty, the disk refuses, or another process is writing.
    pub fn copy_to(&self, folder: &Path) -> Result<(), Error> {
        self.writer.with(self, |writer| {
            writer.compact()?;
            writer.copy_to(&self.dir, folder)
        })
    }
}

impl IndexWriter {
    fn copy_to(&self, from: &Path, to: &Path) -> Result<(), Error> {
        fs::create_dir_all(to).map_err(Error::io("create", to))?;
        if fs::read_dir(to).map_err(Error::io("list", to))?.next().is_some() {
            let taken = std::io::Error::from(std::io::ErrorKind::DirectoryNotEmpty);
            return Err(Error::io("copy into", to)(taken));
        }
        // Not as a file: closing a second handle of SQLite's own would drop its locks (see "How To Corrupt An SQLite
        // Database File", 2.2).
        self.store.copy_to(&store_path(to))?;
        copy_files(&bm25_path(from), &bm25_path(to), is_part_of_bm25)?;
        if self.reads.reader()?.vector_state()?.is_some() {
            copy_files(&vectors_path(from), &vectors_path(to), |_| true)?;
        }
        Ok(())
    }
}

/// tantivy's lock files say something about processes, not about the index.
fn is_part_of_bm25(name: &str) -> bool {
    Path::new(name).extension().is_none_or(|extension| extension != "lock")
}

fn copy_files(from: &Path, to: &Path, wanted: impl Fn(&str) -> bool) -> Result<(), Error> {
    fs::create_dir(to).map_err(Error::io("create", to))?;
    for entry in fs::read_dir(from).map_err(Error::io("list", from))? {
        let entry = entry.map_err(Error::io("list", from))?;
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && wanted(&entry.file_name().to_string_lossy()) {
            copy_file(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Links what is written once under its name; copies what is replaced under it, and where links cannot be made.
fn copy_file(from: &Path, to: &Path) -> Result<(), Error> {
    let is_replaced = from.extension().is_some_and(|extension| extension == "json");
    if is_replaced || fs::hard_link(from, to).is_err() {
        fs::copy(from, to).map_err(Error::io("copy", from))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tusab_chunk::{Body, Chunker, Document, Windows};

    use super::*;
    use crate::{Batch, ChunkStore, ContentHash, Control, DocumentRecord, Query, Retriever};

    fn put(index: &Index, id: &str, text: &str) {
        let document = Document::new(id.parse().unwrap(), id, Body::Text(text.into()));
        let mut batch = Batch::new();
        let record = DocumentRecord::new(&document, ContentHash::of(1, text.as_bytes()));
        batch.upsert(record, Windows::default().chunks(&document));
        index.apply(&batch, Control::default()).unwrap();
    }

    fn holds(folder: &Path, word: &[u8]) -> bool {
        fs::read_dir(folder).unwrap().any(|entry| {
            let path = entry.unwrap().path();
            if path.is_dir() {
                return holds(&path, word);
            }
            fs::read(path).unwrap().windows(word.len()).any(|bytes| bytes == word)
        })
    }

    #[test]
    fn a_copy_opens_as_it_was_and_holds_nothing_that_was_deleted() {
        let dir = tempfile::tempdir().unwrap();
        let (here, there) = (dir.path().join("here"), dir.path().join("there"));
        let index = Index::open(&here).unwrap().index;
        put(&index, "text:a", "jabuticaba madura");
        put(&index, "text:b", "segredo xyzzyplugh");
        let mut batch = Batch::new();
        batch.delete("text:b".parse().unwrap());
        index.apply(&batch, Control::default()).unwrap();
        index.copy_to(&there).unwrap();
        // The first goes on by itself.
        put(&index, "text:c", "graviola");
        assert!(!holds(&there, b"xyzzyplugh"));
        let copy = Index::open(&there).unwrap();
        assert_eq!(copy.repairs, []);
        assert_eq!(copy.index.retrieve(&Query::new("jabuticaba")).unwrap().hits.len(), 1);
        assert!(copy.index.retrieve(&Query::new("graviola")).unwrap().hits.is_empty());
        assert_eq!(copy.index.check().unwrap(), []);
        put(&copy.index, "text:d", "pitanga");
        assert_eq!(index.check().unwrap(), []);
        assert!(index.copy_to(&there).is_err());
    }
}
