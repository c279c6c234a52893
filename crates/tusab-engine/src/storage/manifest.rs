use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tusab_chunk::{Date, Language, SourceKind};
use tusab_index::ContentHash;

use super::{Stamp, is_file_name};

/// Begins the names under which damaged manifests are kept.
pub(crate) const DAMAGED_MANIFEST: &str = "_manifest.damaged-";

/// What a folder of sources holds, kept in its `_manifest.json`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Manifest {
    /// The folder's sources, by their ids.
    entries: BTreeMap<String, Entry>,
    /// Ids of what its user removed, and what must not come back by itself.
    removed: BTreeSet<String>,
    /// What a later version may have written; kept.
    extra: Map<String, Value>,
}

/// A manifest as it is in its file.
#[derive(Serialize, Deserialize)]
struct Written<E> {
    version: u32,
    entries: Vec<E>,
    #[serde(default = "BTreeSet::new", skip_serializing_if = "BTreeSet::is_empty")]
    removed: BTreeSet<String>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

/// Why a manifest cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fault {
    /// It is no manifest any more; with the reason.
    Damaged(String),
    /// A later version of the engine wrote it.
    Newer(u32),
    /// The Python app wrote it, or nobody: it is a list, where ours has fields.
    Legacy,
}

/// One source of a folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Where it comes from. Manifests of the first days do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<SourceKind>,
    /// Local part of the document's id; stays when the file is edited or renamed in place.
    pub(crate) id: String,
    /// What the user's file or text was called.
    pub(crate) original_name: String,
    /// The file's name in this folder.
    pub(crate) stored_name: String,
    /// Its detected format.
    pub(crate) format: String,
    /// Its size in bytes.
    pub(crate) size: u64,
    /// Number of characters of its text.
    pub(crate) characters: usize,
    /// Fingerprint of its bytes and of the version of the parser; equal for equal content.
    pub(crate) content_hash: ContentHash,
    /// Version of the parser that read it last.
    pub(crate) parser: u32,
    /// When it was taken in or changed last, in UTC.
    pub(crate) ingested_at: String,
    /// When the source was published or written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) date: Option<Date>,
    /// The language it is in, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) language: Option<Language>,
    /// Where a person can open it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// The channel of a video, by what its site knows it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) channel_id: Option<String>,
    /// The stored file, when it was read last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stored: Option<Stamp>,
    /// The user's own file, when it was read last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<Stamp>,
    /// Its file begins with the header of the Python app, which is not part of what it says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) old_header: bool,
    /// What a later version may have written; kept.
    #[serde(flatten)]
    pub(crate) extra: Map<String, Value>,
}

impl Manifest {
    const VERSION: u32 = 1;

    /// Reads a manifest.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let damaged = |error: serde_json::Error| Fault::Damaged(error.to_string());
        let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        if start.first() == Some(&b'[') {
            return Err(Fault::Legacy);
        }
        // The version first: what a later one looks like otherwise is not known.
        if let Ok(Versioned { version }) = serde_json::from_slice(bytes)
            && version > Self::VERSION
        {
            return Err(Fault::Newer(version));
        }
        let read: Written<Entry> = serde_json::from_slice(bytes).map_err(damaged)?;
        // Names are joined to the folder's path: one that leads out of it is none of ours.
        if let Some(entry) = read.entries.iter().find(|entry| !is_file_name(&entry.stored_name)) {
            return Err(Fault::Damaged(format!("{:?} names no file of its folder", entry.stored_name)));
        }
        let entries = read.entries.into_iter().map(|entry| (entry.id.clone(), entry)).collect();
        Ok(Self { entries, removed: read.removed, extra: read.extra })
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let written = Written {
            version: Self::VERSION,
            entries: self.entries.values().collect::<Vec<&Entry>>(),
            removed: self.removed.clone(),
            extra: self.extra.clone(),
        };
        // Maps with text keys and plain values always serialise.
        serde_json::to_vec_pretty(&written).unwrap_or_default()
    }

    /// The folder's sources, in the order of their ids.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn by_id(&self, id: &str) -> Option<&Entry> {
        self.entries.get(id)
    }

    /// Ids of what its user removed.
    pub(crate) fn removed(&self) -> impl Iterator<Item = &str> {
        self.removed.iter().map(String::as_str)
    }

    /// Adds an entry, or puts it in the place of the one with its id.
    pub(crate) fn put(&mut self, mut entry: Entry) {
        self.removed.remove(&entry.id);
        if let Some(old) = self.entries.get_mut(&entry.id) {
            // What this entry does not say itself, it does not know of.
            if entry.extra.is_empty() {
                entry.extra = std::mem::take(&mut old.extra);
            }
            *old = entry;
        } else {
            self.entries.insert(entry.id.clone(), entry);
        }
    }

    /// Notes what the file of an entry is, as it was just written.
    pub(crate) fn set_stored(&mut self, id: &str, stored: Option<Stamp>) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.stored = stored;
        }
    }

    /// Takes an entry out; `remember` that it must not come back by itself.
    pub(crate) fn remove(&mut self, id: &str, remember: bool) -> Option<Entry> {
        let entry = self.entries.remove(id)?;
        if remember {
            self.removed.insert(entry.id.clone());
        }
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, text: &str) -> Entry {
        Entry {
            id: id.to_owned(),
            original_name: format!("{id}.txt"),
            stored_name: format!("{id}_x.txt"),
            format: "text".to_owned(),
            size: 1,
            characters: 1,
            content_hash: ContentHash::of(1, text.as_bytes()),
            parser: 1,
            ingested_at: "2026-01-01T00:00:00Z".to_owned(),
            date: None,
            language: None,
            kind: None,
            url: None,
            channel_id: None,
            stored: None,
            origin: None,
            old_header: false,
            extra: Map::new(),
        }
    }

    #[test]
    fn entries_are_found_replaced_and_kept_in_order() {
        let mut manifest = Manifest::default();
        for id in ["b", "c", "a"] {
            manifest.put(entry(id, "x"));
        }
        manifest.put(entry("b", "y"));
        let ids: Vec<&str> = manifest.entries().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "c"]);
        assert_eq!(manifest.by_id("b"), Some(&entry("b", "y")));
        assert_eq!(Manifest::parse(&manifest.to_bytes()).unwrap(), manifest);
        assert_eq!(manifest.remove("b", true).map(|entry| entry.id), Some("b".to_owned()));
        let read = Manifest::parse(&manifest.to_bytes()).unwrap();
        assert_eq!((read.by_id("b"), read.removed().collect::<Vec<_>>()), (None, vec!["b"]));
        manifest.put(entry("b", "z"));
        assert_eq!(manifest.removed().count(), 0);
    }

    #[test]
    fn what_a_later_version_added_survives_a_round_trip() {
        let mut manifest = Manifest::default();
        manifest.put(entry("a", "x"));
        let mut json: Value = serde_json::from_slice(&manifest.to_bytes()).unwrap();
        json["colour"] = "blue".into();
        json["entries"][0]["rating"] = 5.into();
        let mut read = Manifest::parse(json.to_string().as_bytes()).unwrap();
        read.put(entry("a", "changed"));
        let again: Value = serde_json::from_slice(&read.to_bytes()).unwrap();
        assert_eq!((&again["colour"], &again["entries"][0]["rating"]), (&"blue".into(), &5.into()));
        json["version"] = 99.into();
        assert_eq!(Manifest::parse(json.to_string().as_bytes()), Err(Fault::Newer(99)));
        assert!(matches!(Manifest::parse(b"{\"version\": 1, \"entries\": ["), Err(Fault::Damaged(_))));
    }

    #[test]
    fn a_name_that_leads_out_of_the_folder_is_damage() {
        for name in ["../other.txt", "/etc/passwd", "a/b", "..", "", "a\0b"] {
            let mut manifest = Manifest::default();
            manifest.put(Entry { stored_name: name.to_owned(), ..entry("a", "x") });
            assert!(matches!(Manifest::parse(&manifest.to_bytes()), Err(Fault::Damaged(_))), "{name:?}");
        }
    }

    #[test]
    fn a_manifest_of_the_python_app_is_known_for_what_it_is() {
        let json = r#" [{"id": "1a2b3c4d", "nome_original": "Ata.pdf", "nome_txt": "1a2b3c4d_Ata.txt", "tipo": "pdf"},
            {"id": "2a2b3c4d", "titulo": "Colado", "nome_txt": "2a2b3c4d_Colado.txt"}]"#;
        for json in [json.to_owned(), format!("\u{feff}{json}")] {
            assert_eq!(Manifest::parse(json.as_bytes()), Err(Fault::Legacy));
        }
    }
}
