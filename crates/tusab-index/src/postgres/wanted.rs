//! What is wanted of the passages of a project, said to whichever search the server has.

use serde_json::Value;
use tokio_postgres::Row;
use tokio_postgres::types::{Json, ToSql};

use super::connection::Connection;
use super::error::PostgresError;
use super::rank::Nominating;
use super::rows::get;
use super::{TextSearch, built_in, pg_search};
use crate::store::ChunkKey;

/// Which passages are looked at, by what is known of their documents.
#[derive(Debug, Clone, Default)]
pub(super) struct Restriction {
    /// Of each of these lists of labels a passage has one.
    pub(super) labels: Vec<Vec<String>>,
    /// First and last day, as numbers.
    pub(super) since: Option<i32>,
    pub(super) until: Option<i32>,
}

/// A query by words.
#[derive(Debug)]
pub(super) struct Wanted {
    /// What passages are ranked by; where nothing is required, a passage holds one of them.
    pub(super) terms: Vec<Nominating>,
    /// Phrases that stand in a passage, and phrases that do not: words between spaces.
    pub(super) required: Vec<String>,
    pub(super) excluded: Vec<String>,
    pub(super) within: Restriction,
}

impl Wanted {
    /// The best passages with their scores, best first.
    pub(super) fn best(
        &self,
        connection: &Connection,
        project: i64,
        limit: usize,
    ) -> Result<Vec<(ChunkKey, f32)>, PostgresError> {
        let most = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = match connection.text_search() {
            TextSearch::PgSearch => {
                let query = Json(pg_search::query(self, project));
                connection.query(pg_search::BEST, &[&query, &most])?
            }
            TextSearch::BuiltIn => built_in::best(self, connection, project, most)?,
        };
        rows.iter().map(|row| Ok((key(row)?, get(row, 1)?))).collect()
    }
}

/// For each text, given as words between spaces, the first passages that hold them one after the other.
pub(super) fn first_with(
    connection: &Connection,
    project: i64,
    texts: &[&str],
    within: &Restriction,
    limit: usize,
) -> Result<Vec<Vec<ChunkKey>>, PostgresError> {
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let answers = match connection.text_search() {
        TextSearch::PgSearch => {
            let query = |text: &&str| Json(pg_search::literal(project, text, within));
            let queries: Vec<Json<Value>> = texts.iter().map(query).collect();
            let params: Vec<[&(dyn ToSql + Sync); 2]> =
                queries.iter().map(|query| [query as _, &most as _]).collect();
            let requests: Vec<_> =
                params.iter().map(|params| (pg_search::LITERAL, params.as_slice())).collect();
            connection.query_all(&requests)?
        }
        TextSearch::BuiltIn => built_in::first_with(connection, project, texts, within, most)?,
    };
    answers.iter().map(|rows| rows.iter().map(key).collect()).collect()
}

pub(super) fn key(row: &Row) -> Result<ChunkKey, PostgresError> {
    get::<i64>(row, 0).map(|key| ChunkKey(key.cast_unsigned()))
}
