//! Between rows and the types they hold.

use serde::de::DeserializeOwned;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, Json};
use tusab_chunk::{Chunk, ChunkId, Language};

use super::error::PostgresError;
use crate::{ContentHash, DocumentRecord};

/// A value of a row; an error where it is not of the type that this version writes.
pub(super) fn get<'r, T: FromSql<'r>>(row: &'r Row, column: usize) -> Result<T, PostgresError> {
    row.try_get(column).map_err(PostgresError::request("read a row"))
}

pub(super) fn json<T: DeserializeOwned>(row: &Row, column: usize) -> Result<T, PostgresError> {
    get::<Json<T>>(row, column).map(|json| json.0)
}

pub(super) fn record(row: &Row, column: usize) -> Result<DocumentRecord, PostgresError> {
    json(row, column)
}

pub(super) fn chunk(row: &Row, column: usize) -> Result<Chunk, PostgresError> {
    json(row, column)
}

pub(super) fn language(row: &Row, column: usize) -> Result<Option<Language>, PostgresError> {
    parsed(get(row, column)?)
}

pub(super) fn parsed<T>(text: Option<&str>) -> Result<Option<T>, PostgresError>
where
    T: std::str::FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    let unreadable = |error: T::Err| PostgresError::Request { doing: "read a row", source: error.into() };
    text.map(str::parse).transpose().map_err(unreadable)
}

/// `None` for a document whose first batch is being written.
pub(super) fn content_hash(row: &Row, column: usize) -> Result<Option<ContentHash>, PostgresError> {
    let bytes: &[u8] = get(row, column)?;
    Ok(<[u8; 32]>::try_from(bytes).ok().map(ContentHash::from_bytes))
}

/// A value as JSON, which PostgreSQL keeps as it is written.
pub(super) fn to_json<T: serde::Serialize>(value: &T) -> Result<String, PostgresError> {
    serde_json::to_string(value)
        .map_err(|error| PostgresError::Request { doing: "write a row", source: error.into() })
}

pub(super) fn chunk_id(bytes: &[u8]) -> Result<ChunkId, PostgresError> {
    let bytes = <[u8; 16]>::try_from(bytes)
        .map_err(|error| PostgresError::Request { doing: "read a row", source: error.into() })?;
    Ok(ChunkId::from_bytes(bytes))
}
