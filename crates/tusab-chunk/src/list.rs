use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{Chunk, Error};

/// Chunks as they are written to a file or sent elsewhere, with the version of the format.
///
/// Ids are not written: they follow from the rest and are computed on reading, so they can never disagree with it.
/// A list of a later version is refused rather than half understood; fields that a later release adds within the
/// same version are ignored.
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
#[serde(try_from = "RawList<'static>", into = "RawList<'c>")]
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

#[derive(Serialize, Deserialize)]
struct RawList<'c> {
    format: String,
    version: u32,
    chunks: Cow<'c, [Chunk]>,
}

impl TryFrom<RawList<'static>> for ChunkList<'_> {
    type Error = Error;

    fn try_from(raw: RawList<'static>) -> Result<Self, Error> {
        if raw.format != Self::FORMAT || !(1..=Self::VERSION).contains(&raw.version) {
            return Err(Error::UnknownFormat { format: raw.format, version: raw.version });
        }
        Ok(Self { chunks: raw.chunks })
    }
}

impl<'c> From<ChunkList<'c>> for RawList<'c> {
    fn from(list: ChunkList<'c>) -> Self {
        Self { format: ChunkList::FORMAT.to_owned(), version: ChunkList::VERSION, chunks: list.chunks }
    }
}
