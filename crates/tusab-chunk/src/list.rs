use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{Chunk, Error};

/// Chunks as they are written to a file or sent elsewhere, with the version of the format.
///
/// Ids are not written: they follow from the rest and are computed on reading, so they can never disagree with it.
/// A list of a later version is refused rather than half understood; fields that a later release adds within the
/// same version are ignored. Fields that a chunk does not have are left out, so the format must be one that names them:
/// JSON, CBOR and the like.
///
/// ```
/// use tusab_chunk::{ChunkList, DocId, TextWindows};
/// let doc: DocId = "text:a1".parse()?;
/// let chunks = TextWindows::default().chunks(&doc, "água mole em pedra dura");
/// let json = serde_json::to_string(&ChunkList::new(&chunks))?;
/// assert!(json.starts_with(r#"{"format":"tusab-chunks","version":1,"chunks":[{"doc":"text:a1","ordinal":0,"#));
/// let read: ChunkList = serde_json::from_str(&json)?;
/// assert_eq!(read.into_chunks(), chunks);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "RawList<'static>", into = "RawList<'c>")]
pub struct ChunkList<'c> {
    chunks: Cow<'c, [Chunk]>,
}

impl<'c> ChunkList<'c> {
    /// What a list says it is.
    pub const FORMAT: &'static str = "tusab-chunks";
    /// The version that is written, and the latest one that is read.
    pub const VERSION: u32 = 1;

    /// A list of `chunks`, owned or borrowed.
    pub fn new(chunks: impl Into<Cow<'c, [Chunk]>>) -> Self {
        Self { chunks: chunks.into() }
    }

    /// The chunks in their order.
    #[must_use]
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// The chunks in their order.
    #[must_use]
    pub fn into_chunks(self) -> Vec<Chunk> {
        self.chunks.into_owned()
    }
}

/// What is written. Format and version come first and are checked as they are read, so that chunks of a later version,
/// whatever they look like, are not even looked at.
#[derive(Serialize, Deserialize)]
struct RawList<'c> {
    format: Format,
    version: Version,
    chunks: Cow<'c, [Chunk]>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Format;

impl TryFrom<String> for Format {
    type Error = Error;

    fn try_from(format: String) -> Result<Self, Error> {
        if format == ChunkList::FORMAT { Ok(Self) } else { Err(Error::UnknownFormat { format }) }
    }
}

impl From<Format> for String {
    fn from(_: Format) -> Self {
        ChunkList::FORMAT.to_owned()
    }
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
struct Version;

impl TryFrom<u32> for Version {
    type Error = Error;

    fn try_from(version: u32) -> Result<Self, Error> {
        let latest = ChunkList::VERSION;
        if (1..=latest).contains(&version) {
            Ok(Self)
        } else {
            Err(Error::UnknownVersion { version, latest })
        }
    }
}

impl From<Version> for u32 {
    fn from(_: Version) -> Self {
        ChunkList::VERSION
    }
}

impl From<RawList<'static>> for ChunkList<'_> {
    fn from(raw: RawList<'static>) -> Self {
        Self { chunks: raw.chunks }
    }
}

impl<'c> From<ChunkList<'c>> for RawList<'c> {
    fn from(list: ChunkList<'c>) -> Self {
        Self { format: Format, version: Version, chunks: list.chunks }
    }
}
