//! Where the Python app keeps what: the layouts of its versions.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::among::DESCRIPTION;
use crate::Error;

/// A project of the Python app, with every file of it.
#[derive(Debug, Default)]
pub(super) struct OldProject {
    pub(super) name: String,
    pub(super) files: Vec<OldFile>,
}

/// A file of a project.
#[derive(Debug)]
pub(super) struct OldFile {
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
}

/// What a file is, by where it is and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A transcript of a channel.
    Transcript {
        channel: String,
        part: u32,
    },
    /// What is known of a channel.
    ChannelSummary {
        channel: String,
    },
    /// The list of a channel's videos, and what became of each.
    ChannelList {
        channel: String,
    },
    Document,
    Text,
    /// The list of a folder of documents or texts.
    Manifest,
    /// Not needed here, and why.
    Other(&'static str),
    /// Not taken, and why.
    Refused(&'static str),
}

/// What a folder holds.
#[derive(Debug, Default)]
pub(super) struct Old {
    /// What the paths of a report begin after.
    pub(super) root: PathBuf,
    pub(super) projects: Vec<OldProject>,
    pub(super) settings: Option<PathBuf>,
    /// Files of no project, with the reason why they stay.
    pub(super) others: Vec<(PathBuf, &'static str)>,
}

/// Why no conversation is taken. A history from outside could put words into the assistant's mouth.
const CONVERSATION: &str = "a conversation, of which none is taken from outside: it stays where it is; to search it, take it \
                            in as a file";

pub(super) const YOUTUBE: [&str; 1] = ["youtube"];
pub(super) const DOCUMENTS: [&str; 2] = ["documents", "documentos"];
pub(super) const TEXTS: [&str; 2] = ["texts", "textos"];
pub(super) const SOURCES: [&str; 2] = ["neural", "cerebro"];

/// Looks over a folder, which may be the data directory, one above it, its folder of sources, or one project. `name`
/// is what a single project is called, where that is known.
pub(super) fn look(root: &Path, name: Option<&str>) -> Result<Old, Error> {
    let mut old = Old { root: root.to_owned(), ..Old::default() };
    let data = ["", "data"].iter().map(|it| root.join(it)).find(|it| sources_of(it).is_some());
    let Some(data) = data else {
        let own = root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        if is_project(root)? {
            old.projects.push(project(root, name.unwrap_or(&own))?);
        } else {
            old.add_projects(root, None)?;
        }
        return Ok(old);
    };
    let sources = sources_of(&data).unwrap_or_else(|| data.join("neural"));
    if name.is_some() && is_project(&sources)? {
        old.projects.push(project(&sources, name.unwrap_or_default())?);
    } else {
        old.add_projects(&sources, Some(&data.join("agent_index")))?;
        if let (Some(name), [one]) = (name, old.projects.as_mut_slice()) {
            name.clone_into(&mut one.name);
        }
    }
    for (folder, reason) in [
        ("agent_index", "an index, which is made again from the texts"),
        ("temp", "a file of the moment"),
        ("config", "settings of the app itself"),
    ] {
        for path in walk(&data.join(folder))? {
            if path.file_name().is_some_and(|name| name == "agent_config.json") && folder == "config" {
                old.settings = Some(path);
            } else {
                let reason = known(&path).unwrap_or(reason);
                old.others.push((path, reason));
            }
        }
    }
    for path in entries(&data)? {
        if !is_folder(&path) {
            let reason = known(&path).unwrap_or("a file of the app itself");
            old.others.push((path, reason));
        }
    }
    Ok(old)
}

/// Why files of a known name are not needed.
fn known(path: &Path) -> Option<&'static str> {
    match file_name(path).as_str() {
        "extraction_queue.json" => Some("what waited to be fetched: ask for it anew"),
        "feedback_stats.json" => Some("numbers of ratings, which do not say of which answers"),
        "corpus_profile.json" => Some("made from the sources, and made again here"),
        _ => None,
    }
}

fn sources_of(data: &Path) -> Option<PathBuf> {
    SOURCES.iter().map(|it| data.join(it)).find(|it| is_folder(it))
}

impl Old {
    /// The projects in the folder of sources: one a folder, and in the oldest layout one a prefix of files.
    fn add_projects(&mut self, sources: &Path, index: Option<&Path>) -> Result<(), Error> {
        let mut flat: BTreeMap<String, OldProject> = BTreeMap::new();
        for path in entries(sources)? {
            let name = file_name(&path);
            if is_folder(&path) && path.join(DESCRIPTION).exists() {
                self.others.push((path, "it is a project of this version, and stays what it is"));
            } else if is_folder(&path) {
                let shown = index.and_then(|index| shown_name(index, &name));
                self.projects.push(project(&path, shown.as_deref().unwrap_or(&name))?);
            } else if let Some((channel, kind)) = flat_kind(&name) {
                let one = flat.entry(channel.clone()).or_default();
                one.name = index.and_then(|index| shown_name(index, &channel)).unwrap_or(channel);
                one.files.push(OldFile { path, kind });
            } else {
                self.others.push((path, "it belongs to no project"));
            }
        }
        self.projects.extend(flat.into_values());
        Ok(())
    }
}

/// True for a folder of one project.
fn is_project(folder: &Path) -> Result<bool, Error> {
    let is_part = |path: &PathBuf| {
        let name = file_name(path);
        let named = |names: &[&str]| names.contains(&name.as_str());
        is_folder(path) && (named(&YOUTUBE) || named(&DOCUMENTS) || named(&TEXTS))
    };
    Ok(entries(folder)?.iter().any(is_part))
}

fn project(folder: &Path, name: &str) -> Result<OldProject, Error> {
    let mut project = OldProject { name: name.to_owned(), files: Vec::new() };
    for path in walk(folder)? {
        let inside = path.strip_prefix(folder).unwrap_or(&path);
        let parts: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let kind = kind(&parts);
        project.files.push(OldFile { path, kind });
    }
    Ok(project)
}

fn kind(parts: &[String]) -> Kind {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match parts.as_slice() {
        [.., name] if name.starts_with("_chat_history") => Kind::Refused(CONVERSATION),
        [.., "_chat_history", _] => Kind::Refused(CONVERSATION),
        [folder, .., "_manifest.json"] if is_shelf(folder) => Kind::Manifest,
        [.., name] if has_extension(name, &["tmp"]) => Kind::Other("a file that was not written to its end"),
        // The app searches them, like all texts of a project.
        ["estudo", .., name] if is_text(name) && !name.starts_with('_') => Kind::Text,
        ["estudo", ..] => {
            Kind::Refused("study cards, for which there is nothing here: they stay where they are")
        }
        ["management" | "gerenciamento", ..] => Kind::Other("made from the sources, and made again here"),
        [folder, name] if DOCUMENTS.contains(folder) && is_text(name) => Kind::Document,
        [folder, name] if TEXTS.contains(folder) && is_text(name) => Kind::Text,
        ["youtube", channel, name] => youtube_kind(channel, name),
        [name] | ["youtube", name] => {
            flat_kind(name).map_or(Kind::Other("it is no file of a project"), |(_, kind)| kind)
        }
        _ => Kind::Other("it is no file of a project"),
    }
}

fn is_shelf(folder: &str) -> bool {
    DOCUMENTS.contains(&folder) || TEXTS.contains(&folder)
}

fn is_text(name: &str) -> bool {
    has_extension(name, &["txt", "md"])
}

fn has_extension(name: &str, of: &[&str]) -> bool {
    Path::new(name).extension().is_some_and(|it| of.iter().any(|known| it.eq_ignore_ascii_case(known)))
}

fn youtube_kind(channel: &str, name: &str) -> Kind {
    let channel = channel.to_owned();
    match flat_kind(name) {
        Some((_, Kind::Transcript { part, .. })) => Kind::Transcript { channel, part },
        Some((_, Kind::ChannelSummary { .. })) => Kind::ChannelSummary { channel },
        Some((_, Kind::ChannelList { .. })) => Kind::ChannelList { channel },
        Some((_, kind)) => kind,
        None if is_text(name) && !name.starts_with('_') => Kind::Transcript { channel, part: 0 },
        None => Kind::Other("it is no transcript"),
    }
}

/// The channel and the kind of a file that carries the channel in its name.
pub(super) fn flat_kind(name: &str) -> Option<(String, Kind)> {
    if let Some((channel, number)) = name.strip_suffix(".txt").and_then(|stem| stem.rsplit_once("_Parte_")) {
        let (channel, part) = (channel.to_owned(), number.parse().ok()?);
        return Some((channel.clone(), Kind::Transcript { channel, part }));
    }
    if let Some(channel) = name.strip_suffix("_summary.json") {
        let channel = channel.to_owned();
        return Some((channel.clone(), Kind::ChannelSummary { channel }));
    }
    if let Some(channel) = name.strip_suffix("_base.csv") {
        let channel = channel.to_owned();
        return Some((channel.clone(), Kind::ChannelList { channel }));
    }
    let listed = ["_meta.json", "_resumo.json"].iter().find_map(|end| name.strip_suffix(end))?;
    Some((listed.to_owned(), Kind::Other("it says what the transcripts say too")))
}

/// What an index says its project is called; it stands at its beginning, before very much else.
pub(super) fn shown_name(index: &Path, prefix: &str) -> Option<String> {
    use std::io::Read;
    let mut head = Vec::new();
    let file = fs::File::open(index.join(format!("{prefix}_index.json"))).ok()?;
    file.take(4096).read_to_end(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    let after =
        ["\"projeto_nome\"", "\"canal_nome\""].iter().find_map(|key| Some(head.split_once(key)?.1))?;
    let value = after.trim_start().strip_prefix(':')?;
    let name: String = serde_json::Deserializer::from_str(value).into_iter().next()?.ok()?;
    (!name.trim().is_empty()).then_some(name)
}

/// Every file below a folder, by name; none where it does not exist. Links are files here, and never followed.
fn walk(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        if is_folder(&path) {
            files.extend(walk(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    if !is_folder(folder) {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(Error::io("list", folder))?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()
        .map_err(Error::io("list", folder))?;
    paths.sort_unstable();
    Ok(paths)
}

pub(super) fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(path: &str) -> Kind {
        kind(&path.split('/').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn files_are_told_by_their_places_and_names() {
        let transcript = |channel: &str, part| Kind::Transcript { channel: channel.to_owned(), part };
        assert_eq!(kind_of("youtube/Canal_X/Canal_X_Parte_12.txt"), transcript("Canal_X", 12));
        assert_eq!(kind_of("youtube/Canal_X/notas.txt"), transcript("Canal_X", 0));
        // The oldest layout; a channel whose name begins another's is not that one.
        assert_eq!(kind_of("abc_Parte_1.txt"), transcript("abc", 1));
        assert_eq!(kind_of("abcdef_Parte_1.txt"), transcript("abcdef", 1));
        assert_eq!(kind_of("documentos/1a_x.txt"), Kind::Document);
        assert_eq!(kind_of("texts/1a_x.txt"), Kind::Text);
        assert_eq!(kind_of("texts/_manifest.json"), Kind::Manifest);
        for other in ["management/corpus_profile.json", "x.tmp", "a/b/c/d"] {
            assert!(matches!(kind_of(other), Kind::Other(_)), "{other}");
        }
        for refused in ["estudo/x.json", "texts/_chat_history/a.txt", "texts/_chat_history_2.txt"] {
            assert!(matches!(kind_of(refused), Kind::Refused(_)), "{refused}");
        }
        let list = |channel: &str| Kind::ChannelList { channel: channel.to_owned() };
        assert_eq!(kind_of("youtube/Canal_X/antigo_base.csv"), list("Canal_X"));
        assert_eq!((kind_of("abc_base.csv"), kind_of("estudo/resumo.md")), (list("abc"), Kind::Text));
    }
}
