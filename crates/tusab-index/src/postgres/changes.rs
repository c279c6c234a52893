//! What a batch changes of the counts that scores need, written at its end.

use std::collections::BTreeMap;

use super::connection::{Connection, Sql};
use super::entry::Ranked;
use super::error::PostgresError;
use super::rows::get;

// By term, as every batch does: two batches that change the same terms wait for each other and never in a circle.
const TERMS: Sql = Sql {
    doing: "count terms",
    text: "INSERT INTO terms AS t (project, term, chunks, titles) \
           SELECT $1, u.term, u.chunks, u.titles FROM unnest($2::text[], $3::int[], $4::int[]) AS u (term, chunks, titles) \
           ON CONFLICT (project, term) DO UPDATE SET chunks = t.chunks + excluded.chunks, titles = t.titles + excluded.titles",
};
// Nothing of what was deleted stays, words included.
const FORGET: Sql = Sql {
    doing: "forget terms",
    text: "DELETE FROM terms WHERE project = $1 AND term = ANY($2) AND chunks <= 0 AND titles <= 0",
};
const TOTALS: Sql = Sql {
    doing: "count chunks",
    text: "UPDATE projects SET chunks = chunks + $2, text_tokens = text_tokens + $3, title_tokens = title_tokens + $4, \
           batches = batches + 1 WHERE key = $1 RETURNING batches",
};

/// The changes so far.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// By term: chunks that hold it, and titles.
    terms: BTreeMap<String, (i32, i32)>,
    chunks: i64,
    text_tokens: i64,
    title_tokens: i64,
}

impl Changes {
    pub(super) fn add(&mut self, chunk: &Ranked) {
        self.count(chunk, 1);
    }

    pub(super) fn remove(&mut self, chunk: &Ranked) {
        self.count(chunk, -1);
    }

    fn count(&mut self, chunk: &Ranked, by: i32) {
        for term in chunk.text.of.keys() {
            self.of(term).0 += by;
        }
        for term in chunk.title.of.keys() {
            self.of(term).1 += by;
        }
        let by = i64::from(by);
        self.chunks += by;
        self.text_tokens += by * i64::from(chunk.text.length);
        self.title_tokens += by * i64::from(chunk.title.length);
    }

    fn of(&mut self, term: &str) -> &mut (i32, i32) {
        if !self.terms.contains_key(term) {
            self.terms.insert(term.to_owned(), (0, 0));
        }
        self.terms.entry(term.to_owned()).or_default()
    }

    /// Writes them; the last thing of a batch, since others wait for these rows until it has ended. The number of the batch;
    /// `None` when the project is not there any more.
    pub(super) fn write(&self, connection: &Connection, project: i64) -> Result<Option<i64>, PostgresError> {
        let changed: Vec<(&String, &(i32, i32))> =
            self.terms.iter().filter(|(_, change)| **change != (0, 0)).collect();
        let terms: Vec<&str> = changed.iter().map(|(term, _)| term.as_str()).collect();
        let chunks: Vec<i32> = changed.iter().map(|(_, (chunks, _))| *chunks).collect();
        let titles: Vec<i32> = changed.iter().map(|(_, (_, titles))| *titles).collect();
        if !terms.is_empty() {
            connection.execute(TERMS, &[&project, &terms, &chunks, &titles])?;
        }
        let fewer = |(_, (chunks, titles)): &&(&String, &(i32, i32))| *chunks < 0 || *titles < 0;
        let lost: Vec<&str> = changed.iter().filter(fewer).map(|(term, _)| term.as_str()).collect();
        if !lost.is_empty() {
            connection.execute(FORGET, &[&project, &lost])?;
        }
        let counts: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&project, &self.chunks, &self.text_tokens, &self.title_tokens];
        connection.query_one(TOTALS, &counts)?.map(|row| get(&row, 0)).transpose()
    }
}
