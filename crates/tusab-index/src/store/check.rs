//! Looking at every byte of the store.

use rusqlite::{Connection, TransactionBehavior};
use tusab_chunk::{ChunkId, DocId};

use super::refill;
use super::row::parsed;
use super::write::Writer;
use crate::Error;
use crate::error::Complaint;

/// The literal index was made again.
#[derive(Debug)]
pub(crate) struct Refilled {
    pub(crate) reason: String,
    pub(crate) chunks: usize,
}

impl Writer {
    /// Checks the database, its literal index and each passage. The literal index, which is derived, is made again when
    /// something is wrong with it.
    ///
    /// # Errors
    /// When something else is wrong.
    pub(crate) fn check(&mut self) -> Result<Option<Refilled>, Error> {
        let store = Error::store(&self.path);
        let complaints = complaints(&self.connection).map_err(&store)?;
        // SQLite names the virtual table when it is the index in it that is wrong, and a tree of pages otherwise.
        let is_literal = |line: &String| {
            line.contains("FTS5 table main.literal") || line.ends_with(r#"from table "literal""#)
        };
        let (of_literal, others): (Vec<_>, Vec<_>) = complaints.into_iter().partition(is_literal);
        if !others.is_empty() {
            let source = Complaint(others.join("; ")).into();
            return Err(Error::Store { path: self.path.clone(), source });
        }
        self.check_passages()?;
        let reason = match of_literal.into_iter().next() {
            Some(complaint) => Some(complaint),
            None => self.other_rows().map_err(&store)?,
        };
        let Some(reason) = reason else { return Ok(None) };
        let mut refill = || {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let chunks = refill::literal(&transaction)?;
            transaction.commit()?;
            Ok(chunks)
        };
        let chunks = refill().map_err(&store)?;
        Ok(Some(Refilled { reason, chunks }))
    }

    /// Why the rows of the literal index are not those of the chunks.
    fn other_rows(&self) -> rusqlite::Result<Option<String>> {
        let differ = "SELECT EXISTS (SELECT key FROM chunks EXCEPT SELECT id FROM literal_docsize) \
                      OR EXISTS (SELECT id FROM literal_docsize EXCEPT SELECT key FROM chunks)";
        let differ: bool = self.connection.query_row(differ, (), |row| row.get(0))?;
        Ok(differ.then(|| "it has other passages than the store".to_owned()))
    }

    /// Compares every passage with the id that it was written with.
    fn check_passages(&self) -> Result<(), Error> {
        let damaged = || {
            let mut chunks = self.connection.prepare(
                "SELECT d.id, c.ordinal, c.original_text, c.id FROM chunks c JOIN documents d ON d.key = c.document",
            )?;
            let mut rows = chunks.query(())?;
            while let Some(row) = rows.next()? {
                let (doc, ordinal, text): (DocId, u32, String) = (parsed(row, 0)?, row.get(1)?, row.get(2)?);
                let id: Option<[u8; 16]> = row.get(3)?;
                if id.is_none_or(|id| id != *ChunkId::of(&doc, ordinal, &text).as_bytes()) {
                    return Ok(Some((doc, ordinal)));
                }
            }
            Ok(None)
        };
        match damaged().map_err(Error::store(&self.path))? {
            Some((doc, ordinal)) => Err(Error::Damaged { path: self.path.clone(), doc, ordinal }),
            None => Ok(()),
        }
    }
}

/// What SQLite finds wrong; FTS5 checks its own tables in the same pass.
fn complaints(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut check = connection.prepare("PRAGMA integrity_check(20)")?;
    let lines = check.query_map((), |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}
