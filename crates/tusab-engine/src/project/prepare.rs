//! From a source to what is stored of it and the document that is indexed.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::Path;

use serde_json::Map;
use tusab_chunk::{Body, DocId, Document, SourceKind};
use tusab_index::ContentHash;
use tusab_ingest::{CaptionFileName, Options, Parsed, Problem, VideoInfo, Warning, parse, parse_video_info};

use super::Source;
use super::library::{Library, Shelf, document_id};
use super::video::VideoFile;
use crate::clock::timestamp;
use crate::storage::{Entry, slug};
use crate::{Clock, Error};

/// Version of everything between a stored source and its chunks. Raising it makes every project read its sources
/// again when it is opened.
pub(super) const PARSER_VERSION: u32 = 1;

/// Largest file that is taken, in bytes.
const LARGEST_FILE: u64 = 100 << 20;

/// Name of the folder of videos whose channel is not known.
const UNKNOWN_CHANNEL: &str = "unknown-channel";

/// A source that was read, ready to be stored and indexed.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) document: Document,
    pub(super) shelf: Shelf,
    pub(super) entry: Entry,
    /// What is stored.
    pub(super) bytes: Vec<u8>,
    pub(super) warnings: Vec<Warning>,
}

/// Reads a source.
pub(super) fn prepare(source: Source, library: &Library, clock: &dyn Clock) -> Result<Prepared, Error> {
    match source {
        Source::File(path) => file(&path, library, clock),
        Source::Text { title, text } => pasted(&title, text, clock),
    }
}

fn file(path: &Path, library: &Library, clock: &dyn Clock) -> Result<Prepared, Error> {
    let shown = path.display().to_string();
    let bytes = read(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (video, mut warnings) = info_beside(path, &name);
    let channel = video.as_ref().and_then(|info| info.channel.clone().or_else(|| info.channel_id.clone()));
    let options = Options::default().with_video(video);
    let parsed =
        parse(&name, &bytes, &options).map_err(|source| Error::Source { name: shown.clone(), source })?;
    warnings.extend(parsed.warnings);
    let source = parsed.value;
    let format = source.format.to_string();
    let title = stem(&name);

    let placed = if let Some((id, file)) = VideoFile::of(&source, channel.as_deref()) {
        // A video stays in the folder it is in, whatever its channel is called by now.
        let known = library.find(&id).map(|(shelf, _)| shelf.clone());
        let shelf =
            known.unwrap_or_else(|| Shelf::Youtube(channel.as_deref().map_or(UNKNOWN_CHANNEL.into(), slug)));
        let stored_name = format!("{}.json", id.local());
        Placed { id, shelf, stored_name, bytes: file.to_bytes(), source }
    } else {
        // The same path is the same source, so that an edited file takes its own place.
        let origin = fs::canonicalize(path).map_err(Error::io("read", path))?;
        let id = fingerprint(&["file", &origin.to_string_lossy()]);
        let extension = path.extension().map(|extension| slug(&extension.to_string_lossy()));
        let stored_name = format!("{id}_{}.{}", slug(&title), extension.as_deref().unwrap_or("txt"));
        let id = DocId::new(SourceKind::File, &id).map_err(|_| Error::Internal { what: "an id" })?;
        Placed { id, shelf: Shelf::Documents, stored_name, bytes, source }
    };
    placed.prepared(name, &title, format, warnings, clock)
}

fn pasted(title: &str, text: String, clock: &dyn Clock) -> Result<Prepared, Error> {
    let failed = |source| Error::Source { name: title.to_owned(), source };
    let parsed = parse("", text.as_bytes(), &Options::default()).map_err(failed)?;
    let id = fingerprint(&["text", title, &text]);
    let stored_name = format!("{id}_{}.txt", slug(title));
    let id = DocId::new(SourceKind::Text, &id).map_err(|_| Error::Internal { what: "an id" })?;
    let format = parsed.value.format.to_string();
    let bytes = text.into_bytes();
    let placed = Placed { id, shelf: Shelf::Texts, stored_name, bytes, source: parsed.value };
    placed.prepared(title.to_owned(), title, format, parsed.warnings, clock)
}

/// Reads a stored source again, as it was read when it was taken in.
pub(super) fn reread(shelf: &Shelf, entry: &Entry, bytes: Vec<u8>) -> Result<Prepared, Error> {
    let failed = |source| Error::Source { name: entry.original_name.clone(), source };
    let id = document_id(shelf, entry).ok_or(Error::Internal { what: "an id" })?;
    let Parsed { value: source, warnings, .. } = match shelf {
        Shelf::Youtube(_) => Parsed::sound(VideoFile::parse(&bytes, &entry.stored_name)?.into_source()),
        Shelf::Documents => parse(&entry.original_name, &bytes, &Options::default()).map_err(failed)?,
        Shelf::Texts => parse("", &bytes, &Options::default()).map_err(failed)?,
    };
    let title = match shelf {
        Shelf::Texts => entry.original_name.clone(),
        _ => stem(&entry.original_name),
    };
    let document = into_document(source, id, &title, shelf);
    let entry = Entry {
        content_hash: ContentHash::of(PARSER_VERSION, &bytes),
        parser: PARSER_VERSION,
        characters: characters(&document),
        size: bytes.len() as u64,
        ..entry.clone()
    };
    Ok(Prepared { document, shelf: shelf.clone(), entry, bytes, warnings })
}

/// An entry for a file that is in a folder and in no manifest; `None` for what cannot be a source.
pub(super) fn adopt(shelf: &Shelf, file: &Path) -> Option<Entry> {
    let stored_name = file.file_name()?.to_str()?.to_owned();
    let (id, original_name) = if shelf.kind() == SourceKind::Youtube {
        (stored_name.strip_suffix(".json")?.to_owned(), stored_name.clone())
    } else {
        let (id, name) = stored_name.split_once('_')?;
        (id.to_owned(), name.to_owned())
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
        extra: Map::new(),
    };
    let prepared = reread(shelf, &blank, bytes).ok()?;
    let date = prepared.document.date;
    Some(Entry { date, ..prepared.entry })
}

/// A source with its place.
struct Placed {
    id: DocId,
    shelf: Shelf,
    stored_name: String,
    bytes: Vec<u8>,
    source: tusab_ingest::Source,
}

impl Placed {
    fn prepared(
        self,
        original_name: String,
        title: &str,
        format: String,
        warnings: Vec<Warning>,
        clock: &dyn Clock,
    ) -> Result<Prepared, Error> {
        let Self { id, shelf, stored_name, bytes, source } = self;
        let document = into_document(source, id, title, &shelf);
        let characters = characters(&document);
        if characters == 0 {
            return Err(Error::NothingSaid { name: original_name });
        }
        let entry = Entry {
            id: document.id.local().to_owned(),
            original_name,
            stored_name,
            format,
            size: bytes.len() as u64,
            characters,
            content_hash: ContentHash::of(PARSER_VERSION, &bytes),
            parser: PARSER_VERSION,
            ingested_at: timestamp(clock),
            date: document.date,
            extra: Map::new(),
        };
        Ok(Prepared { document, shelf, entry, bytes, warnings })
    }
}

/// A pasted text has the title that its user gave it; other sources have their own, or else their file's name.
fn into_document(source: tusab_ingest::Source, id: DocId, title: &str, shelf: &Shelf) -> Document {
    let mut document = source.into_document(id, title);
    if *shelf == Shelf::Texts {
        title.clone_into(&mut document.title);
    }
    document
}

fn characters(document: &Document) -> usize {
    let count = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    match &document.body {
        Body::Text(text) | Body::Markdown(text) => count(text),
        Body::Speech { segments, .. } => segments.iter().map(|segment| count(&segment.text)).sum(),
        _ => 0,
    }
}

/// The bytes of a file, or why it is none.
fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Error::NoSuchFile { path: path.to_owned() });
        }
        Err(error) => return Err(Error::io("read", path)(error)),
    };
    check(path, &metadata)?;
    fs::read(path).map_err(Error::io("read", path))
}

fn check(path: &Path, metadata: &Metadata) -> Result<(), Error> {
    if metadata.is_dir() {
        return Err(Error::IsFolder { path: path.to_owned() });
    }
    // A pipe or a device could be read for ever.
    if !metadata.is_file() {
        return Err(Error::NotAFile { path: path.to_owned() });
    }
    if metadata.len() > LARGEST_FILE {
        let (name, bytes) = (path.display().to_string(), metadata.len());
        return Err(Error::TooLarge { name, bytes, limit: LARGEST_FILE });
    }
    Ok(())
}

/// What the file beside captions tells of their video. One that cannot be read costs a warning, not the captions.
fn info_beside(path: &Path, name: &str) -> (Option<VideoInfo>, Vec<Warning>) {
    let info_name = CaptionFileName::parse(name).info_name;
    let beside = path.with_file_name(&info_name);
    if info_name == name || !beside.is_file() {
        return (None, Vec::new());
    }
    let unreadable =
        || (None, vec![Warning::of_whole(Problem::UnreadableVideoInfo { name: info_name.clone() })]);
    let Ok(bytes) = read(&beside) else { return unreadable() };
    match parse_video_info(&bytes) {
        Ok(Parsed { value, warnings, .. }) => (Some(value), warnings),
        Err(_) => unreadable(),
    }
}

/// A file's name without its last extension.
fn stem(name: &str) -> String {
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

/// 64 bits of the hash of those parts, in hexadecimal: the local part of an id.
fn fingerprint(parts: &[&str]) -> String {
    let mut state = blake2b_simd::Params::new().hash_length(8).personal(b"tusab-manifestid").to_state();
    for part in parts {
        state.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    state.finalize().to_hex().to_string()
}
