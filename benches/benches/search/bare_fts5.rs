use std::path::Path;

use benches::passages::Passage;
use rusqlite::{Connection, params};

use crate::finder::{Asked, Finder, WANTED};

/// One table of SQLite's FTS5.
pub(crate) struct Fts5(Connection);

impl Finder for Fts5 {
    const NAME: &'static str = "FTS5 bare";

    fn open(folder: &Path) -> Self {
        let connection = Connection::open(folder.join("passages.db")).expect("a database");
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
                 CREATE VIRTUAL TABLE passages USING fts5(title, text, tokenize = 'unicode61 remove_diacritics 2');",
            )
            .expect("a table");
        Self(connection)
    }

    fn write(&mut self, from: usize, passages: &[Passage]) {
        let transaction = self.0.transaction().expect("a transaction");
        let mut insert = transaction
            .prepare_cached("INSERT INTO passages (rowid, title, text) VALUES (?, ?, ?)")
            .expect("a statement");
        for (number, Passage { title, text }) in (from..).zip(passages) {
            insert.execute(params![number, title, text]).expect("a row");
        }
        drop(insert);
        transaction.commit().expect("a commit");
    }

    fn settle(&mut self) {
        self.0.execute("INSERT INTO passages (passages) VALUES ('optimize')", ()).expect("a table");
    }

    fn find(&self, asked: &Asked) -> usize {
        let query = match asked {
            Asked::Words(words) => {
                let quoted: Vec<String> = words_of(words).map(|word| format!("\"{word}\"")).collect();
                quoted.join(" OR ")
            }
            Asked::Phrase(phrase) => format!("\"{}\"", words_of(phrase).collect::<Vec<_>>().join(" ")),
        };
        let mut select = self
            .0
            .prepare_cached(
                "SELECT title, text FROM passages WHERE passages MATCH ? ORDER BY bm25(passages, 5.0, 1.0) LIMIT ?",
            )
            .expect("a statement");
        let bytes =
            |row: &rusqlite::Row<'_>| Ok(row.get::<_, String>(0)?.len() + row.get::<_, String>(1)?.len());
        let rows = select.query_map(params![query, WANTED], bytes).expect("rows");
        rows.map(|bytes| bytes.expect("a row")).sum()
    }
}

/// What is no letter and no digit would be read as the query language.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}
