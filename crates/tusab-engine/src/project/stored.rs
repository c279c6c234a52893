//! What is stored of a source, and the document that is read from it: at ingest, and ever after.

use std::fs;
use std::path::Path;

use serde_json::Map;
use tusab_chunk::{Body, Date, DocId, Document, SourceKind};
use tusab_index::ContentHash;
use tusab_ingest::{Options, Pages, Parsed, Warning, decode, parse};

use super::shelf::Shelf;
use super::video::VideoFile;
use crate::clock::timestamp;
use crate::legacy::OldText;
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
    let id = shelf.document_id(entry).ok_or(Error::Internal { what: "an id" })?;
    let name = || entry.original_name.clone();
    let failed = |source| Error::Source { name: name(), source };
    let mut channel_id = None;
    let Parsed { value: source, warnings, .. } = match shelf {
        Shelf::Youtube(_) => {
            let file = VideoFile::parse(&bytes, &entry.stored_name)?;
            channel_id = file.channel_id().map(str::to_owned);
            Parsed::sound(file.into_source())
        }
        _ if entry.old_header => of_python_app(entry, &bytes)?,
        Shelf::Documents => parse(&entry.original_name, &bytes, &Options::default()).map_err(failed)?,
        Shelf::Texts => parse("", &bytes, &Options::default()).map_err(failed)?,
    };
    let title = match shelf {
        Shelf::Texts => entry.original_name.clone(),
        _ => stem(&entry.original_name),
    };
    let (pages, format) = (source.pages.clone(), source.format.to_string());
    let mut document = into_document(source, id, &title, shelf);
    // What it does not say itself was told by what lay beside it when it was taken in, and is not here.
    document.date = document.date.or(entry.date);
    document.link = document.link.or_else(|| entry.url.clone());
    document.language = document.language.or_else(|| entry.language.clone());
    let read = describe(&document, shelf, &bytes, format);
    let (date, language) = (entry.date.or(read.date), entry.language.clone().or(read.language));
    let entry = Entry {
        content_hash: read.content_hash,
        parser: read.parser,
        format: read.format,
        characters: read.characters,
        size: read.size,
        kind: read.kind,
        url: read.url.or_else(|| entry.url.clone()),
        date,
        language,
        channel_id: channel_id.or_else(|| entry.channel_id.clone()),
        ..entry.clone()
    };
    Ok(Prepared { document, pages, shelf: shelf.clone(), entry, bytes, warnings })
}

/// What the Python app stored of a source: its header tells of the source, and is not part of what it says.
fn of_python_app(entry: &Entry, bytes: &[u8]) -> Result<Parsed<tusab_ingest::Source>, Error> {
    let failed = |source| Error::Source { name: entry.original_name.clone(), source };
    let Parsed { value: decoded, warnings, .. } = decode(bytes).map_err(failed)?;
    let old = OldText::parse(&decoded.text);
    // As it is read where it is taken over: headings and all.
    let mut read = parse("text.md", old.body.as_bytes(), &Options::default()).map_err(failed)?;
    let source = &mut read.value;
    source.title = old.title.or(source.title.take());
    source.date = old.date.or(source.date);
    source.link = old.link.or(source.link.take());
    read.warnings.extend(warnings);
    Ok(read)
}

/// True for a file that begins with the header of the Python app.
fn has_old_header(bytes: &[u8]) -> bool {
    decode(bytes).is_ok_and(|decoded| OldText::parse(&decoded.value.text).has_header)
}

/// What is said of a document where it is listed; names and times are the caller's.
pub(super) fn describe(document: &Document, shelf: &Shelf, bytes: &[u8], format: String) -> Entry {
    Entry {
        id: document.id.local().to_owned(),
        original_name: String::new(),
        stored_name: String::new(),
        kind: Some(shelf.kind()),
        format,
        size: bytes.len() as u64,
        characters: characters(document),
        content_hash: ContentHash::of(PARSER_VERSION, bytes),
        parser: PARSER_VERSION,
        ingested_at: String::new(),
        date: document.date,
        language: document.language.clone(),
        url: document.link.clone(),
        channel_id: None,
        stored: None,
        origin: None,
        old_header: false,
        extra: Map::new(),
    }
}

/// What people called a file that is in no manifest, and its id.
#[derive(Debug, Clone)]
pub(super) struct Called {
    pub(super) id: String,
    pub(super) name: String,
    /// What a manifest of the Python app says of it.
    pub(super) date: Option<Date>,
    pub(super) url: Option<String>,
}

impl Called {
    /// From the file's name alone: what the engine stored bears its id in it. `None` for what cannot be a source of
    /// the folder.
    pub(super) fn by_name(shelf: &Shelf, stored_name: &str) -> Option<Self> {
        if shelf.kind() == SourceKind::Youtube {
            let id = stored_name.strip_suffix(".json")?.to_owned();
            return Some(Self::new(id, stored_name.to_owned()));
        }
        let is_id = |id: &str| matches!(id.len(), 8 | 16) && id.bytes().all(|b| b.is_ascii_hexdigit());
        let (id, name) = match stored_name.split_once('_').filter(|(id, _)| is_id(id)) {
            Some((id, name)) => (id.to_owned(), name),
            None => (fingerprint(&[b"by hand", stored_name.as_bytes()]), stored_name),
        };
        let name = if *shelf == Shelf::Texts { stem(name) } else { name.to_owned() };
        Some(Self::new(id, name))
    }

    fn new(id: String, name: String) -> Self {
        Self { id, name, date: None, url: None }
    }
}

/// Reads a file that is in a folder and in no manifest.
pub(super) fn adopt(shelf: &Shelf, file: &Path, called: Called, bytes: Vec<u8>) -> Result<Prepared, Error> {
    let stored_name = file.file_name().and_then(|name| name.to_str());
    let blank = Entry {
        id: called.id,
        original_name: called.name,
        stored_name: stored_name.ok_or(Error::Internal { what: "a file's name" })?.to_owned(),
        kind: Some(shelf.kind()),
        format: String::new(),
        size: 0,
        characters: 0,
        content_hash: ContentHash::of(PARSER_VERSION, &bytes),
        parser: PARSER_VERSION,
        ingested_at: modified(file),
        date: called.date,
        language: None,
        url: called.url,
        channel_id: None,
        stored: None,
        origin: None,
        old_header: matches!(shelf, Shelf::Documents | Shelf::Texts) && has_old_header(&bytes),
        extra: Map::new(),
    };
    reread(shelf, &blank, bytes)
}

/// 64 bits of the hash of those parts, in hexadecimal: the local part of an id.
pub(super) fn fingerprint(parts: &[&[u8]]) -> String {
    let mut state = blake2b_simd::Params::new().hash_length(8).personal(b"tusab-manifestid").to_state();
    for part in parts {
        state.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    state.finalize().to_hex().to_string()
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
