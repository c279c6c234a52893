//! What a migration computes from rows of an older format.

use rusqlite::{Transaction, params};
use tusab_chunk::{ChunkId, DocId};

use super::row::{json, parsed};
use super::write::{put_literal, signature};
use crate::analyze::PassageAnalysis;
use crate::detect_language;

/// The literal index, from the chunks that are there.
pub(super) fn literal(transaction: &Transaction<'_>) -> rusqlite::Result<usize> {
    transaction.execute("INSERT INTO literal (literal) VALUES ('delete-all')", ())?;
    let mut analysis = PassageAnalysis::default();
    let mut written = 0;
    let mut chunks = transaction.prepare(
        "SELECT c.key, c.original_text, d.title, d.tags FROM chunks c JOIN documents d ON d.key = c.document ORDER BY c.key",
    )?;
    let mut rows = chunks.query(())?;
    while let Some(row) = rows.next()? {
        let (text, title): (String, String) = (row.get(1)?, row.get(2)?);
        analysis.read_document(&title, &json::<Vec<String>>(row, 3)?);
        analysis.read_text(&text);
        put_literal(transaction, row.get(0)?, &analysis)?;
        written += 1;
    }
    Ok(written)
}

/// Languages, identities, sketches and the literal index, as the present analysis gives them.
pub(super) fn analysis(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut analysis = PassageAnalysis::default();
    let mut documents =
        transaction.prepare("SELECT key, id, title, tags, language IS NULL FROM documents")?;
    let mut rows = documents.query(())?;
    while let Some(row) = rows.next()? {
        let (key, doc): (u64, DocId) = (row.get(0)?, parsed(row, 1)?);
        let (title, tags): (String, Vec<String>) = (row.get(2)?, json(row, 3)?);
        let mut is_unknown: bool = row.get(4)?;
        analysis.read_document(&title, &tags);
        let mut chunks = transaction.prepare_cached(
            "SELECT key, ordinal, original_text FROM chunks WHERE document = ? ORDER BY ordinal",
        )?;
        let mut chunks = chunks.query([key])?;
        while let Some(row) = chunks.next()? {
            let (chunk, ordinal, text): (u64, u32, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            if std::mem::take(&mut is_unknown) {
                let language = detect_language(&text);
                transaction
                    .prepare_cached("UPDATE documents SET detected = ? WHERE key = ?")?
                    .execute(params![language.as_ref().map(tusab_chunk::Language::as_str), key])?;
            }
            analysis.read_text(&text);
            put_literal(transaction, chunk, &analysis)?;
            transaction.prepare_cached("UPDATE chunks SET id = ?, signature = ? WHERE key = ?")?.execute(
                params![ChunkId::of(&doc, ordinal, &text).as_bytes(), signature(&analysis), chunk],
            )?;
        }
    }
    Ok(())
}
