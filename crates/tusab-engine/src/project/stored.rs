//! What is stored of a source, and the document that is read from it: at ingest, and ever after.

use std::fs;
use std::path::Path;

use serde_json::Map;
use tusab_chunk::{Body, DocId, Document, SourceKind};
use tusab_index::ContentHash;
use tusab_ingest::{Options, Pages, Parsed, Warning, parse};

use super::shelf::Shelf;
use super::video::VideoFile;
use crate::clock::timestamp;
use crate::storage::Entry;
use crate::{Clock, Error};

/// Version of everything between a stored source and its chunks. Raising it makes every project read its sources
/// again when it is opened.
pub(super) const PARSER_VERSION: u32 = 1;

/// A source that was read, ready to be stored and indexed.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) document: Document,
    /// Where its pages start in the text; none in what has no pages.
    pub(super) pages: Pages,
    pub(super) shelf: Shelf,
    pub(super) entry: Entry,
    /// What is stored.
    pub(super) bytes: Vec<u8>,
    pub(super) warnings: Vec<Warning>,
}

/// Reads a stored source again, as it was read when it was taken in.
pub(super) fn reread(shelf: &Shelf, entry: &Entry, bytes: Vec<u8>) -> Result<Prepared, Error> {
    let failed = |source| Error::Source { name: entry.original_name.clone(), source };
    let id = shelf.document_id(entry).ok_or(Error::Internal { what: "an id" })?;
    let Parsed { value: source, warnings, .. } = match shelf {
        Shelf::Youtube(_) => Parsed::sound(VideoFile::parse(&bytes, &entry.stored_name)?.into_source()),
        Shelf::Documents => parse(&entry.original_name, &bytes, &Options::default()).map_err(failed)?,
        Shelf::Texts => parse("", &bytes, &Options::default()).map_err(failed)?,
    };
    let title = match shelf {
        Shelf::Texts => entry.original_name.clone(),
        _ => stem(&entry.original_name),
    };
    let (pages, format) = (source.pages.clone(), source.format.to_string());
    let document = into_document(source, id, &title, shelf);
    let entry = Entry {
        content_hash: ContentHash::of(PARSER_VERSION, &bytes),
        parser: PARSER_VERSION,
        format,
        characters: characters(&document),
        size: bytes.len() as u64,
        ..entry.clone()
    };
    Ok(Prepared { document, pages, shelf: shelf.clone(), entry, bytes, warnings })
}

/// An entry for a file that is in a folder and in no manifest; `None` for what cannot be a source.
///
/// Its name is the stored one, without what the user had called it, unless `titles` knows.
pub(super) fn adopt(shelf: &Shelf, file: &Path, titles: &dyn Fn(&DocId) -> Option<String>) -> Option<Entry> {
    let stored_name = file.file_name()?.to_str()?.to_owned();
    let (id, original_name) = if shelf.kind() == SourceKind::Youtube {
        (stored_name.strip_suffix(".json")?.to_owned(), stored_name.clone())
    } else {
        let (id, name) = stored_name.split_once('_')?;
        (id.to_owned(), name.to_owned())
    };
    let doc = DocId::new(shelf.kind(), &id).ok()?;
    let original_name = match (titles(&doc), shelf.kind()) {
        (Some(title), SourceKind::Text) => title,
        (Some(title), SourceKind::File) => {
            let extension = file.extension().unwrap_or_default().to_string_lossy();
            format!("{title}.{extension}")
        }
        _ => original_name,
    };
    let bytes = fs::read(file).ok()?;
    let blank = Entry {
        id,
        original_name,
        stored_name,
        format: String::new(),
        size: 0,
        characters: 0,
        content_hash: ContentHash::of(PARSER_VERSION, &bytes),
        parser: PARSER_VERSION,
        ingested_at: modified(file),
        date: None,
        language: None,
        extra: Map::new(),
    };
    let prepared = reread(shelf, &blank, bytes).ok()?;
    let (date, language) = (prepared.document.date, prepared.document.language.clone());
    Some(Entry { date, language, ..prepared.entry })
}

/// A pasted text has the title that its user gave it; other sources have their own, or else their file's name.
pub(super) fn into_document(source: tusab_ingest::Source, id: DocId, title: &str, shelf: &Shelf) -> Document {
    let mut document = source.into_document(id, title);
    if *shelf == Shelf::Texts {
        title.clone_into(&mut document.title);
    }
    document
}

pub(super) fn characters(document: &Document) -> usize {
    let count = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    match &document.body {
        Body::Text(text) | Body::Markdown(text) => count(text),
        Body::Speech { segments, .. } => segments.iter().map(|segment| count(&segment.text)).sum(),
        Body::Turns(turns) => turns.iter().map(|turn| count(&turn.text)).sum(),
        _ => 0,
    }
}

/// A file's name without its last extension.
pub(super) fn stem(name: &str) -> String {
    Path::new(name).file_stem().map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// When a file was written last, in UTC; the epoch where the file system does not say.
fn modified(file: &Path) -> String {
    struct At(std::time::SystemTime);
    impl Clock for At {
        fn now(&self) -> std::time::SystemTime {
            self.0
        }
    }
    let time = fs::metadata(file).and_then(|metadata| metadata.modified());
    timestamp(&At(time.unwrap_or(std::time::SystemTime::UNIX_EPOCH)))
}
