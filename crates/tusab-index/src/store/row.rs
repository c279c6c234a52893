//! Between rows and the types they hold.

use std::num::NonZeroU32;

use rusqlite::types::Type;
use rusqlite::{Error, Row};
use tusab_chunk::{Chunk, DocId};

use crate::{ContentHash, DocumentRecord};

/// Columns that [`document`] reads, in its order.
pub(super) const DOCUMENT: &str = "d.id, d.title, d.language, d.date, d.link, d.tags, d.content_hash";

/// Number of columns in [`DOCUMENT`].
pub(super) const DOCUMENT_COLUMNS: usize = 7;

/// Columns that [`chunk`] reads, in its order.
pub(super) const CHUNK: &str =
    "c.ordinal, c.original_text, c.key_phrases, c.section, c.position, c.part, c.speakers, c.marks, c.page";

/// Number of columns in [`CHUNK`].
pub(super) const CHUNK_COLUMNS: usize = 9;

/// Reads a document whose columns start at `at`.
pub(super) fn document(row: &Row<'_>, at: usize) -> rusqlite::Result<DocumentRecord> {
    Ok(DocumentRecord {
        id: parsed(row, at)?,
        title: row.get(at + 1)?,
        language: optional(row, at + 2)?,
        date: optional(row, at + 3)?,
        link: row.get(at + 4)?,
        tags: json(row, at + 5)?,
        content_hash: ContentHash::from_bytes(row.get(at + 6)?),
    })
}

/// Reads a chunk of `doc` whose columns start at `at`.
pub(super) fn chunk(row: &Row<'_>, at: usize, doc: DocId) -> rusqlite::Result<Chunk> {
    let original_text: String = row.get(at + 1)?;
    let part: Option<String> = row.get(at + 5)?;
    let part = match part {
        Some(_) => Some(json(row, at + 5)?),
        None => None,
    };
    Ok(Chunk::new(doc, row.get(at)?, original_text, json(row, at + 4)?)
        .with_key_phrases(json(row, at + 2)?)
        .with_section(row.get(at + 3)?)
        .with_part(part)
        .with_speakers(json(row, at + 6)?)
        .with_marks(json(row, at + 7)?)
        .with_page(row.get::<_, Option<u32>>(at + 8)?.and_then(NonZeroU32::new)))
}

pub(super) fn parsed<T>(row: &Row<'_>, at: usize) -> rusqlite::Result<T>
where
    T: std::str::FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    let text: String = row.get(at)?;
    text.parse().map_err(|error: T::Err| Error::FromSqlConversionFailure(at, Type::Text, error.into()))
}

pub(super) fn optional<T>(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<T>>
where
    T: std::str::FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    let text: Option<String> = row.get(at)?;
    text.map(|_| parsed(row, at)).transpose()
}

pub(super) fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, at: usize) -> rusqlite::Result<T> {
    let text: String = row.get(at)?;
    serde_json::from_str(&text).map_err(|error| Error::FromSqlConversionFailure(at, Type::Text, error.into()))
}
