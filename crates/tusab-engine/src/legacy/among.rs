//! Projects of the Python app that stand in a data directory: told of, since they are not read in place.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::find::{
    DOCUMENTS, Kind, SOURCES, TEXTS, YOUTUBE, entries, file_name, flat_kind, is_folder, shown_name,
};
use crate::Error;

/// What says that a folder is a project of this engine, whatever else is in it.
pub(super) const DESCRIPTION: &str = "project.json";

/// A project of the Python app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OldHere {
    /// What that app called it.
    pub(crate) name: String,
    /// Its folder; of the oldest layout, that of all of them.
    pub(crate) path: PathBuf,
}

/// The projects of the Python app in a data directory, by name; its own, or one that this engine shares with it.
pub(crate) fn old_projects(data: &Path) -> Result<Vec<OldHere>, Error> {
    let mut found = BTreeMap::new();
    for data in [data.to_owned(), data.join("data")] {
        let index = data.join("agent_index");
        for sources in SOURCES.map(|name| data.join(name)) {
            for path in entries(&sources)? {
                let file = file_name(&path);
                let (prefix, path) = if is_folder(&path) {
                    if !is_old(&path)? {
                        continue;
                    }
                    (file, path)
                } else {
                    let Some((channel, Kind::Transcript { .. })) = flat_kind(&file) else { continue };
                    (channel, sources.clone())
                };
                let name = shown_name(&index, &prefix).unwrap_or(prefix);
                found.entry(name.clone()).or_insert(OldHere { name, path });
            }
        }
    }
    Ok(found.into_values().collect())
}

/// True for a folder with what that app alone writes: transcripts and lists of channels, and lists of documents.
fn is_old(project: &Path) -> Result<bool, Error> {
    if project.join(DESCRIPTION).exists() {
        return Ok(false);
    }
    let is_of_channel = |path: &PathBuf| {
        let kind = flat_kind(&file_name(path)).map(|(_, kind)| kind);
        matches!(kind, Some(Kind::Transcript { .. } | Kind::ChannelSummary { .. } | Kind::ChannelList { .. }))
    };
    if entries(project)?.iter().any(is_of_channel) {
        return Ok(true);
    }
    for youtube in YOUTUBE.map(|name| project.join(name)) {
        for channel in entries(&youtube)? {
            if is_of_channel(&channel) || entries(&channel)?.iter().any(is_of_channel) {
                return Ok(true);
            }
        }
    }
    let mut shelves = DOCUMENTS.into_iter().chain(TEXTS);
    Ok(shelves.any(|shelf| is_old_list(&project.join(shelf).join("_manifest.json"))))
}

/// True for a list where this engine's manifests have fields.
fn is_old_list(manifest: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(manifest).and_then(|file| file.take(64).read_to_end(&mut start));
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
    read.is_ok() && start.trim_ascii_start().first() == Some(&b'[')
}
