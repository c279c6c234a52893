use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use blake2b_simd::Params;
use blake2b_simd::many::{HashManyJob, hash_many};
use serde::{Deserialize, Serialize};

use crate::Error;

/// Where a document comes from; the first part of its [`DocId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SourceKind {
    /// A YouTube video; the local part is the video id.
    Youtube,
    /// A file; the local part is the id its manifest gave it at first ingest.
    File,
    /// A pasted text; the local part is the id its manifest gave it.
    Text,
}

impl SourceKind {
    /// The prefix in a [`DocId`], without the colon.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Youtube => "youtube",
            Self::File => "file",
            Self::Text => "text",
        }
    }
}

/// Identity of a source, such as `youtube:dQw4w9WgXcQ` or `file:3f9a01c2`.
///
/// It names the source, not its content: it stays when the file is edited or renamed.
///
/// ```
/// use tusab_chunk::{DocId, SourceKind};
/// let id: DocId = "youtube:dQw4w9WgXcQ".parse()?;
/// assert_eq!(id.kind(), SourceKind::Youtube);
/// assert_eq!(id.local(), "dQw4w9WgXcQ");
/// assert!("../etc/passwd".parse::<DocId>().is_err());
/// # Ok::<(), tusab_chunk::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DocId {
    kind: SourceKind,
    /// Shared, since every chunk of a document carries it.
    text: Arc<str>,
}

impl DocId {
    /// Longest local part, in bytes.
    const MAX_LOCAL: usize = 64;

    /// Builds an id from its two parts.
    ///
    /// # Errors
    /// [`Error::BadDocId`] unless `local` is 1 to 64 ASCII letters, digits, `-` or `_`.
    pub fn new(kind: SourceKind, local: &str) -> Result<Self, Error> {
        let text = format!("{}:{local}", kind.as_str());
        let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        if (1..=Self::MAX_LOCAL).contains(&local.len()) && local.bytes().all(allowed) {
            Ok(Self { kind, text: text.into() })
        } else {
            Err(Error::BadDocId { text })
        }
    }

    /// Where the document comes from.
    #[must_use]
    pub fn kind(&self) -> SourceKind {
        self.kind
    }

    /// The part after the colon: a video id or a manifest id.
    #[must_use]
    pub fn local(&self) -> &str {
        self.text.split_once(':').map_or("", |(_, local)| local)
    }

    /// The whole id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for DocId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = || Error::BadDocId { text: text.to_owned() };
        let (kind, local) = text.split_once(':').ok_or_else(bad)?;
        let kind = match kind {
            "youtube" => SourceKind::Youtube,
            "file" => SourceKind::File,
            "text" => SourceKind::Text,
            _ => return Err(bad()),
        };
        Self::new(kind, local)
    }
}

impl TryFrom<String> for DocId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<DocId> for String {
    fn from(id: DocId) -> Self {
        id.as_str().to_owned()
    }
}

impl fmt::Display for DocId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Identity of a chunk: BLAKE2b-128 of its document id, ordinal and original text.
///
/// The same on every platform, and unchanged by key phrases, vectors or titles set later.
/// Shown and serialised as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ChunkId([u8; 16]);

impl ChunkId {
    /// The id of chunk number `ordinal` of `doc`, whose shown text is `original_text`.
    #[must_use]
    pub fn of(doc: &DocId, ordinal: u32, original_text: &str) -> Self {
        let mut state = parameters().to_state();
        // The document id cannot contain NUL, so it ends the field unambiguously.
        state.update(doc.as_str().as_bytes()).update(b"\0");
        state.update(&ordinal.to_le_bytes()).update(original_text.as_bytes());
        Self::from_hash(state.finalize())
    }

    /// The ids of the chunks of `doc` from number `first` on. More than twice as fast as one by one where the
    /// processor can hash several side by side; `buffer` is scratch space, to be given again.
    pub(crate) fn of_each<'c>(
        doc: &DocId,
        first: u32,
        texts: impl Iterator<Item = &'c str>,
        buffer: &mut Vec<u8>,
    ) -> Vec<Self> {
        buffer.clear();
        let mut ends = Vec::new();
        for (ordinal, text) in (first..).zip(texts) {
            buffer.extend_from_slice(doc.as_str().as_bytes());
            buffer.push(0);
            buffer.extend_from_slice(&ordinal.to_le_bytes());
            buffer.extend_from_slice(text.as_bytes());
            ends.push(buffer.len());
        }
        let parameters = parameters();
        let mut start = 0;
        let mut jobs: Vec<HashManyJob<'_>> = ends
            .into_iter()
            .map(|end| {
                let message = buffer.get(start..end).unwrap_or_default();
                start = end;
                HashManyJob::new(&parameters, message)
            })
            .collect();
        hash_many(jobs.iter_mut());
        jobs.iter().map(|job| Self::from_hash(job.to_hash())).collect()
    }

    fn from_hash(hash: blake2b_simd::Hash) -> Self {
        let mut bytes = [0; 16];
        for (to, from) in bytes.iter_mut().zip(hash.as_bytes()) {
            *to = *from;
        }
        Self(bytes)
    }

    /// The id's 16 bytes, as stores keep them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// An id read back from a store.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

fn parameters() -> Params {
    let mut parameters = Params::new();
    parameters.hash_length(16).personal(b"tusab-chunk-id-1");
    parameters
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChunkId({self})")
    }
}

impl FromStr for ChunkId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = || Error::BadChunkId { text: text.to_owned() };
        if text.len() != 32 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(bad());
        }
        u128::from_str_radix(text, 16).map(|n| Self(n.to_be_bytes())).map_err(|_| bad())
    }
}

impl TryFrom<String> for ChunkId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<ChunkId> for String {
    fn from(id: ChunkId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_id_is_the_same_on_every_platform() {
        let doc: DocId = "youtube:abcdefghijk".parse().unwrap();
        // Checked with Python: hashlib.blake2b(b"youtube:abcdefghijk\0" + (3).to_bytes(4, "little") +
        // "informação".encode(), digest_size=16, person=b"tusab-chunk-id-1").hexdigest()
        assert_eq!(ChunkId::of(&doc, 3, "informação").to_string(), "d1bbffcd4dd011864eb16a17539293a1");
    }

    #[test]
    fn ids_made_together_are_those_made_one_by_one() {
        let doc: DocId = "file:a1".parse().unwrap();
        let texts: Vec<String> = (0..9).map(|n| "é ".repeat(n * 70)).collect();
        let together = ChunkId::of_each(&doc, 5, texts.iter().map(String::as_str), &mut b"scratch".to_vec());
        let one_by_one: Vec<ChunkId> =
            (5..).zip(&texts).map(|(n, text)| ChunkId::of(&doc, n, text)).collect();
        assert_eq!(together, one_by_one);
    }

    #[test]
    fn each_part_of_the_identity_matters() {
        let (a, b): (DocId, DocId) = ("file:a1".parse().unwrap(), "text:a1".parse().unwrap());
        let id = ChunkId::of(&a, 1, "x");
        assert_ne!(id, ChunkId::of(&b, 1, "x"));
        assert_ne!(id, ChunkId::of(&a, 2, "x"));
        assert_ne!(id, ChunkId::of(&a, 1, "y"));
        assert_eq!(id, id.to_string().parse().unwrap());
    }

    #[test]
    fn ids_refuse_what_could_be_a_path_or_an_option() {
        for bad in ["", "youtube", "youtube:", "web:x", "file:../x", "file:a b", "text:á", "file:a\0"] {
            assert!(bad.parse::<DocId>().is_err(), "{bad:?}");
        }
        assert!(DocId::new(SourceKind::File, &"x".repeat(65)).is_err());
        for bad in ["", "zz", "+0000000000000000000000000000000", "ááááááááááááááaá"] {
            assert!(bad.parse::<ChunkId>().is_err(), "{bad:?}");
        }
    }
}
