use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tusab_chunk::{Date, Language};
use tusab_index::ContentHash;

/// What a folder of sources holds, kept in its `_manifest.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    version: u32,
    /// The folder's sources, in the order of their ids.
    entries: Vec<Entry>,
    /// What a later version may have written; kept.
    #[serde(flatten)]
    extra: Map<String, Value>,
}

/// Why a manifest cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is no manifest any more; with the reason.
    Damaged(String),
    /// A later version of the engine wrote it.
    Newer(u32),
}

/// One source of a folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
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
        // The version first: what a later one looks like otherwise is not known.
        if let Ok(Versioned { version }) = serde_json::from_slice(bytes)
            && version > Self::VERSION
        {
            return Err(Fault::Newer(version));
        }
        serde_json::from_slice(bytes).map_err(|error| Fault::Damaged(error.to_string()))
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let written = Self { version: Self::VERSION, ..self.clone() };
        // Maps with text keys and plain values always serialise.
        serde_json::to_vec_pretty(&written).unwrap_or_default()
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(crate) fn by_id(&self, id: &str) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| entry.id.as_str().cmp(id)).ok()?;
        self.entries.get(at)
    }

    /// Adds an entry, or puts it in the place of the one with its id.
    pub(crate) fn put(&mut self, entry: Entry) {
        match self.entries.binary_search_by(|other| other.id.cmp(&entry.id)) {
            Ok(at) => {
                if let Some(old) = self.entries.get_mut(at) {
                    let extra = std::mem::take(&mut old.extra);
                    *old = entry;
                    old.extra = extra;
                }
            }
            Err(at) => self.entries.insert(at, entry),
        }
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
        let ids: Vec<&str> = manifest.entries().iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "c"]);
        assert_eq!(manifest.by_id("b"), Some(&entry("b", "y")));
        assert_eq!(Manifest::parse(&manifest.to_bytes()).unwrap().entries(), manifest.entries());
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
}
