//! Between rows and the types they hold.

use std::num::NonZeroU32;

use rusqlite::types::{Type, ValueRef};
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
    let part = if is_null(row, at + 5)? { None } else { Some(json(row, at + 5)?) };
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
    text(row, at)?.parse().map_err(|error: T::Err| failed(at, error))
}

pub(super) fn optional<T>(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<T>>
where
    T: std::str::FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    if is_null(row, at)? { Ok(None) } else { parsed(row, at).map(Some) }
}

pub(super) fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, at: usize) -> rusqlite::Result<T> {
    serde_json::from_str(text(row, at)?).map_err(|error| failed(at, error))
}

/// A column as it lies in the row: reading it costs no copy.
fn text<'r>(row: &'r Row<'_>, at: usize) -> rusqlite::Result<&'r str> {
    row.get_ref(at)?.as_str().map_err(|error| failed(at, error))
}

fn is_null(row: &Row<'_>, at: usize) -> rusqlite::Result<bool> {
    Ok(row.get_ref(at)? == ValueRef::Null)
}

fn failed(at: usize, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::FromSqlConversionFailure(at, Type::Text, Box::new(error))
}
