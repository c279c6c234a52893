use std::fmt;

use serde::{Deserialize, Serialize};
use tusab_chunk::{Date, DocId, Document, Language};

/// What the store knows of a document beside its chunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DocumentRecord {
    /// Identity of the source.
    pub id: DocId,
    /// What a person calls it; its words count in the search.
    pub title: String,
    /// The language it is in, where known.
    pub language: Option<Language>,
    /// When it was published or written, where known.
    pub date: Option<Date>,
    /// Where a person can open it.
    pub link: Option<String>,
    /// The author's own tags.
    pub tags: Vec<String>,
    /// Says whether anything changed since it was indexed.
    pub content_hash: ContentHash,
}

impl DocumentRecord {
    /// The record of `document`, whose source has the given hash.
    #[must_use]
    pub fn new(document: &Document, content_hash: ContentHash) -> Self {
        Self {
            id: document.id.clone(),
            title: document.title.clone(),
            language: document.language.clone(),
            date: document.date,
            link: document.link.clone(),
            tags: document.tags.clone(),
            content_hash,
        }
    }
}

/// Fingerprint of a source: BLAKE2b-256 of the version of the code that read it and of its bytes.
///
/// A new version therefore counts as a change, and the document is read again.
///
/// ```
/// use tusab_index::ContentHash;
/// assert_eq!(ContentHash::of(1, b"abc"), ContentHash::of(1, b"abc"));
/// assert_ne!(ContentHash::of(1, b"abc"), ContentHash::of(2, b"abc"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The fingerprint of `bytes`, read by version `version` of the parser.
    #[must_use]
    pub fn of(version: u32, bytes: &[u8]) -> Self {
        let mut state = blake2b_simd::Params::new().hash_length(32).personal(b"tusab-content-id").to_state();
        state.update(&version.to_le_bytes()).update(bytes);
        let mut hash = [0; 32];
        for (to, from) in hash.iter_mut().zip(state.finalize().as_bytes()) {
            *to = *from;
        }
        Self(hash)
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> Self {
        hash.to_string()
    }
}

impl TryFrom<String> for ContentHash {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let bad = || format!("{text:?} is not a content hash: expected 64 hexadecimal digits");
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(bad());
        }
        let mut hash = [0; 32];
        for (to, at) in hash.iter_mut().zip((0..).step_by(2)) {
            let digits = text.get(at..at + 2).ok_or_else(bad)?;
            *to = u8::from_str_radix(digits, 16).map_err(|_| bad())?;
        }
        Ok(Self(hash))
    }
}
