//! Reading a source for the first time: what it is, where it goes, and what is stored of it.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::Path;

use tusab_chunk::{DocId, SourceKind};
use tusab_ingest::{
    CaptionFileName, Fetched, Notes, Options, Parsed, Problem, VideoInfo, Warning, parse, parse_video_info,
};

use super::Source;
use super::library::Library;
use super::shelf::Shelf;
use super::stored::{PARSER_VERSION, Prepared, describe, fingerprint, into_document, stem};
use super::video::VideoFile;
use crate::clock::timestamp;
use crate::storage::{Entry, Stamp, slug};
use crate::{Clock, Error};

/// Largest file that is taken, in bytes.
const LARGEST_FILE: u64 = 100 << 20;

/// Name of the folder of videos whose channel is not known.
const UNKNOWN_CHANNEL: &str = "unknown-channel";

/// The document of a file that was not written since it was taken in, by its size and time of change: it is not read.
pub(super) fn unchanged(path: &Path, library: &Library) -> Option<DocId> {
    let doc = of_file(path).ok()?;
    let (shelf, entry) = library.find(&doc)?;
    let stamp = Stamp::of(&fs::metadata(path).ok()?);
    let is_unchanged = entry.origin.is_some() && entry.origin == stamp && entry.parser == PARSER_VERSION;
    (is_unchanged && library.has_file(shelf, entry)).then_some(doc)
}

/// The document that a file is: the same path is the same source, so that an edited file takes its own place.
fn of_file(path: &Path) -> Result<DocId, Error> {
    let origin = fs::canonicalize(path).map_err(Error::io("read", path))?;
    of_origin(&[b"file", origin.as_os_str().as_encoded_bytes()])
}

/// The document that a file was, though it may be out of reach by now.
pub(super) fn of_file_that_was(path: &Path) -> Option<DocId> {
    let gone = || {
        let folder = fs::canonicalize(path.parent()?).ok()?;
        Some(folder.join(path.file_name()?))
    };
    let origin = fs::canonicalize(path).ok().or_else(gone).unwrap_or_else(|| path.to_owned());
    of_origin(&[b"file", origin.as_os_str().as_encoded_bytes()]).ok()
}

/// The document that an app's bytes are.
pub(super) fn of_bytes(name: &str) -> Result<DocId, Error> {
    of_origin(&[b"bytes", name.as_bytes()])
}

/// The document that a pasted text is.
pub(super) fn of_text(title: &str, text: &str) -> Result<DocId, Error> {
    let id = fingerprint(&[b"text", title.as_bytes(), text.as_bytes()]);
    DocId::new(SourceKind::Text, &id).map_err(|_| Error::Internal { what: "an id" })
}

fn of_origin(parts: &[&[u8]]) -> Result<DocId, Error> {
    DocId::new(SourceKind::File, &fingerprint(parts)).map_err(|_| Error::Internal { what: "an id" })
}

/// Reads a source.
pub(super) fn prepare(source: Source, library: &Library, clock: &dyn Clock) -> Result<Prepared, Error> {
    match source {
        Source::File(path) => file(&path, library, clock),
        Source::Bytes { name, bytes } => in_memory(&name, bytes, library, clock),
        Source::Folder { path, .. } => Err(Error::IsFolder { path }),
        Source::YouTube { .. } => Err(Error::Internal { what: "reading a video" }),
        Source::Text { title, text, replaces } => pasted(&title, text, replaces, library, clock),
    }
}

fn file(path: &Path, library: &Library, clock: &dyn Clock) -> Result<Prepared, Error> {
    let shown = path.display().to_string();
    let (bytes, metadata) = read(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (video, warnings) = info_beside(path, &name);
    let document = || of_file(path);
    let mut prepared =
        read_bytes(&Shown { shown, name }, bytes, video.as_ref(), warnings, library, &document, clock)?;
    prepared.entry.origin = Stamp::settled(&metadata);
    Ok(prepared)
}

/// What an app gives as the bytes of a file. Its name is all that says which source it is.
fn in_memory(name: &str, bytes: Vec<u8>, library: &Library, clock: &dyn Clock) -> Result<Prepared, Error> {
    let (size, limit) = (bytes.len() as u64, LARGEST_FILE);
    if size > limit {
        return Err(Error::TooLarge { name: name.to_owned(), bytes: size, limit });
    }
    let document = || of_bytes(name);
    let shown = Shown { shown: name.to_owned(), name: name.to_owned() };
    read_bytes(&shown, bytes, None, Vec::new(), library, &document, clock)
}

/// What a file is called: for people, and by itself.
struct Shown {
    shown: String,
    name: String,
}

fn read_bytes(
    Shown { shown, name }: &Shown,
    bytes: Vec<u8>,
    video: Option<&VideoInfo>,
    mut warnings: Vec<Warning>,
    library: &Library,
    document: &dyn Fn() -> Result<DocId, Error>,
    clock: &dyn Clock,
) -> Result<Prepared, Error> {
    let options = Options::default().with_video(video.cloned());
    let parsed =
        parse(name, &bytes, &options).map_err(|source| Error::Source { name: shown.clone(), source })?;
    warnings.extend(parsed.warnings);
    let source = parsed.value;
    let format = source.format.to_string();
    let title = stem(name);
    let placed = if let Some((id, file)) = VideoFile::of(&source, video) {
        of_video(id, &file, source, library)
    } else {
        let id = document()?;
        let extension = Path::new(name).extension().map(|extension| slug(&extension.to_string_lossy()));
        let stored_name =
            format!("{}_{}.{}", id.local(), slug(&title), extension.as_deref().unwrap_or("txt"));
        Placed { id, shelf: Shelf::Documents, stored_name, bytes, source, channel_id: None }
    };
    Ok(placed.prepared(name.clone(), &title, format, warnings, clock))
}

/// Reads the captions of a video as yt-dlp gave them.
pub(super) fn prepare_fetched(
    fetched: &Fetched,
    library: &Library,
    clock: &dyn Clock,
) -> Result<Prepared, Error> {
    let gone = || Error::Internal { what: "a video without captions" };
    let name = fetched.captions.as_ref().ok_or_else(gone)?.name(fetched.info.as_ref());
    let read = fetched.source(Notes::default());
    let read = read.map_err(|source| Error::Source { name: name.clone(), source })?.ok_or_else(gone)?;
    let source = read.value;
    let format = source.format.to_string();
    let (id, file) = VideoFile::of(&source, fetched.info.as_ref()).ok_or_else(gone)?;
    let placed = of_video(id, &file, source, library);
    Ok(placed.prepared(name.clone(), &stem(&name), format, read.warnings, clock))
}

/// A video stays in the folder it is in, and a new one goes to that of its channel, whatever this is called by now.
fn of_video(id: DocId, file: &VideoFile, source: tusab_ingest::Source, library: &Library) -> Placed {
    let known = library.find(&id).map(|(shelf, _)| shelf);
    let known = known.or_else(|| library.shelf_of_channel(file.channel_id()?));
    let named = || Shelf::Youtube(file.channel_name().map_or(UNKNOWN_CHANNEL.into(), slug));
    let shelf = known.cloned().unwrap_or_else(named);
    let stored_name = format!("{}.json", id.local());
    let channel_id = file.channel_id().map(str::to_owned);
    Placed { id, shelf, stored_name, bytes: file.to_bytes(), source, channel_id }
}

fn pasted(
    title: &str,
    text: String,
    replaces: Option<DocId>,
    library: &Library,
    clock: &dyn Clock,
) -> Result<Prepared, Error> {
    let failed = |source| Error::Source { name: title.to_owned(), source };
    let parsed = parse("", text.as_bytes(), &Options::default()).map_err(failed)?;
    let (id, stored_name) = if let Some(doc) = replaces {
        let here = library.find(&doc).filter(|(shelf, _)| **shelf == Shelf::Texts);
        let (_, old) = here.ok_or_else(|| Error::NoSuchSource { doc: doc.clone() })?;
        (doc, old.stored_name.clone())
    } else {
        let doc = of_text(title, &text)?;
        let stored_name = format!("{}_{}.txt", doc.local(), slug(title));
        (doc, stored_name)
    };
    let format = parsed.value.format.to_string();
    let bytes = text.into_bytes();
    let placed =
        Placed { id, shelf: Shelf::Texts, stored_name, bytes, source: parsed.value, channel_id: None };
    Ok(placed.prepared(title.to_owned(), title, format, parsed.warnings, clock))
}

/// A source with its place.
struct Placed {
    id: DocId,
    shelf: Shelf,
    stored_name: String,
    bytes: Vec<u8>,
    source: tusab_ingest::Source,
    channel_id: Option<String>,
}

impl Placed {
    fn prepared(
        self,
        original_name: String,
        title: &str,
        format: String,
        warnings: Vec<Warning>,
        clock: &dyn Clock,
    ) -> Prepared {
        let Self { id, shelf, stored_name, bytes, source, channel_id } = self;
        let pages = source.pages.clone();
        let document = into_document(source, id, title, &shelf);
        let ingested_at = timestamp(clock);
        let described = describe(&document, &shelf, &bytes, format);
        let entry = Entry { original_name, stored_name, ingested_at, channel_id, ..described };
        Prepared { document, pages, shelf, entry, bytes, warnings }
    }
}

/// The bytes of a file, and what it was before they were read; or why it is none.
fn read(path: &Path) -> Result<(Vec<u8>, Metadata), Error> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Error::NoSuchFile { path: path.to_owned() });
        }
        Err(error) => return Err(Error::io("read", path)(error)),
    };
    check(path, &metadata)?;
    Ok((fs::read(path).map_err(Error::io("read", path))?, metadata))
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
    let CaptionFileName { info_name, video, .. } = CaptionFileName::parse(name);
    let is_of_video = video.is_some();
    let beside = path.with_file_name(&info_name);
    if info_name == name || !beside.is_file() {
        return (None, Vec::new());
    }
    let unreadable =
        || (None, vec![Warning::of_whole(Problem::UnreadableVideoInfo { name: info_name.clone() })]);
    let Ok((bytes, _)) = read(&beside) else { return unreadable() };
    match parse_video_info(&bytes) {
        // What describes no known video is not kept with the captions, so it must not be read into them either.
        Ok(Parsed { value, .. }) if value.video.is_none() && !is_of_video => (None, Vec::new()),
        Ok(Parsed { value, warnings, .. }) => (Some(value), warnings),
        Err(_) => unreadable(),
    }
}
