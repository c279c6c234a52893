//! The sources of an old project, written as what they are read from here.

mod channel;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use tusab_ingest::decode;

use self::channel::Channel;
use super::document::{OldEntry, OldText, parse_manifest};
use super::find::{Kind, OldFile, OldProject};
use super::report::{LegacyChannel, LegacyFate, LegacyReport};
use super::transcript;
use crate::error::chain;
use crate::{Error, Source};

/// Largest file that is read, in bytes.
const LARGEST: u64 = 100 << 20;

/// A source that is ready to be taken in.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) source: Source,
    pub(super) kind: Was,
    /// The old file, as the report names it, and what it is in it.
    pub(super) path: PathBuf,
    pub(super) what: String,
}

/// What there is in an old project.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub(super) ready: Vec<Ready>,
    pub(super) channels: Vec<LegacyChannel>,
}

/// What a source was in the old app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Was {
    Video,
    Document,
    Text,
}

/// Reads a project's files and writes what they become into `scratch`.
pub(super) fn read(
    project: OldProject,
    root: &Path,
    scratch: &Path,
    report: &mut LegacyReport,
) -> Result<Sources, Error> {
    let mut reader = Reader { root, scratch, report, ready: Vec::new(), written: 0 };
    let mut channels: BTreeMap<String, Channel> = BTreeMap::new();
    let (mut known, mut lists, mut texts) = (Vec::new(), HashMap::new(), Vec::new());
    for OldFile { path, kind } in project.files {
        match kind {
            Kind::Transcript { channel, part } => {
                channels.entry(channel).or_default().parts.push((part, path));
            }
            Kind::ChannelSummary { channel } => {
                let Some(read) = reader.summary(&path) else { continue };
                channels.entry(channel).or_default().name.clone_from(&read.name);
                known.push(read);
            }
            Kind::ChannelList { channel } => channels.entry(channel).or_default().lists.push(path),
            Kind::Manifest => {
                let list = reader.list(&path);
                lists.insert(path.parent().unwrap_or(Path::new("")).to_owned(), list);
            }
            Kind::Document => texts.push((path, Was::Document)),
            Kind::Text => texts.push((path, Was::Text)),
            Kind::Other(reason) => reader.left_out(&path, reason),
            Kind::Refused(reason) => reader.note(&path, LegacyFate::Refused, reason),
        }
    }
    for (folder, channel) in channels {
        reader.channel(&folder, channel)?;
    }
    let mut listed = HashSet::new();
    for (path, was) in texts {
        let list = path.parent().and_then(|folder| lists.get(folder)).map(Vec::as_slice).unwrap_or_default();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let entry = list.iter().find(|entry| entry.is_of(&name));
        if entry.is_none() {
            reader.note(&path, LegacyFate::Repaired, "no list names it; it was taken all the same");
        }
        if let Some(named) = entry.and_then(|entry| entry.nome_txt.clone()) {
            listed.insert((path.parent().unwrap_or(Path::new("")).to_owned(), named));
        }
        reader.text(&path, was, entry)?;
    }
    for (folder, list) in &lists {
        for name in list.iter().filter_map(|entry| entry.nome_txt.as_deref()) {
            // Only a name: a path would lead elsewhere.
            let path = folder.join(Path::new(name).file_name().unwrap_or_default());
            if !listed.contains(&(folder.clone(), name.to_owned())) {
                reader.note(
                    &path,
                    LegacyFate::Refused,
                    format!("the list names {name:?}, and it is not there"),
                );
            }
        }
    }
    Ok(Sources { ready: reader.ready, channels: known })
}

struct Reader<'a> {
    root: &'a Path,
    scratch: &'a Path,
    report: &'a mut LegacyReport,
    ready: Vec<Ready>,
    written: usize,
}

impl Reader<'_> {
    fn note(&mut self, path: &Path, fate: LegacyFate, what: impl Into<String>) {
        let path = path.strip_prefix(self.root).unwrap_or(path).to_owned();
        self.report.add(&path, fate, what);
    }

    fn left_out(&mut self, path: &Path, reason: &str) {
        self.note(path, LegacyFate::LeftOut, reason);
    }

    /// A file's bytes; none when they cannot be had, which the report then says.
    fn bytes(&mut self, path: &Path) -> Option<Vec<u8>> {
        match read_file(path) {
            Ok(bytes) => Some(bytes),
            Err(reason) => {
                self.note(path, LegacyFate::Refused, reason);
                None
            }
        }
    }

    /// A file's text, whatever it is encoded in.
    fn decoded(&mut self, path: &Path) -> Option<String> {
        let bytes = self.bytes(path)?;
        match decode(&bytes) {
            Ok(decoded) => {
                for warning in decoded.warnings {
                    self.note(path, LegacyFate::Repaired, warning.to_string());
                }
                Some(decoded.value.text.into_owned())
            }
            Err(error) => {
                self.note(path, LegacyFate::Refused, chain(&error));
                None
            }
        }
    }

    fn list(&mut self, path: &Path) -> Vec<OldEntry> {
        let Some(bytes) = self.bytes(path) else { return Vec::new() };
        match parse_manifest(&bytes) {
            Ok(list) => {
                self.left_out(path, "what it says of the files was used");
                list
            }
            Err(error) => {
                let what = format!("it is damaged ({error}); the files were taken without it");
                self.note(path, LegacyFate::Repaired, what);
                Vec::new()
            }
        }
    }

    fn text(&mut self, path: &Path, was: Was, entry: Option<&OldEntry>) -> Result<(), Error> {
        let Some(text) = self.decoded(path) else { return Ok(()) };
        let mut read = OldText::parse(&text);
        let original = entry.and_then(|entry| entry.nome_original.as_deref());
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let title = entry.and_then(|entry| entry.titulo.clone()).or(read.title);
        let title = title.or_else(|| original.map(str::to_owned)).unwrap_or(stem);
        read.date = read.date.or_else(|| transcript::read_date(entry?.data.as_deref()?));
        read.link = read.link.or_else(|| entry?.fonte_externa.clone());
        if read.body.is_empty() {
            self.note(path, LegacyFate::Refused, "there is no text in it");
            return Ok(());
        }
        read.title = Some(title.clone());
        let what = format!("{} {title:?}", if was == Was::Text { "text" } else { "document" });
        let markdown = read.to_markdown(original);
        let source = if was == Was::Text && read.date.is_none() && read.link.is_none() {
            Source::text(title, read.body)
        } else {
            // What is known of it stands in front of it, where it is read from.
            let file = self.next_dir()?.join(format!("{}.md", crate::storage::slug(&title)));
            write(&file, markdown.as_bytes())?;
            Source::file(file)
        };
        self.push(source, was, path, what);
        Ok(())
    }

    fn push(&mut self, source: Source, kind: Was, path: &Path, what: String) {
        let path = path.strip_prefix(self.root).unwrap_or(path).to_owned();
        self.ready.push(Ready { source, kind, path, what });
    }

    /// A folder for one source, so that names cannot meet.
    fn next_dir(&mut self) -> Result<PathBuf, Error> {
        self.written += 1;
        let dir = self.scratch.join(self.written.to_string());
        fs::create_dir_all(&dir).map_err(Error::io("create", &dir))?;
        Ok(dir)
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    fs::write(path, bytes).map_err(Error::io("write", path))
}

fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let metadata = fs::symlink_metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is a link or a device".to_owned());
    }
    if metadata.len() > LARGEST {
        return Err(format!("it has {} bytes, more than the {LARGEST} that are taken", metadata.len()));
    }
    fs::read(path).map_err(|error| error.to_string())
}
