use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior, params};
use tusab_chunk::{Chunk, ChunkId, DocId, Language};

use super::row::json as parse;
use super::{ChunkKey, DocumentKey, connect, schema};
use crate::analyze::PassageAnalysis;
use crate::duplicate::Signature;
use crate::{ContentHash, DocumentRecord, Error, detect_language};

/// Pages that are copied in one go.
const PAGES: i32 = 4096;

/// The one connection that writes.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(super) path: PathBuf,
    pub(super) connection: Connection,
}

impl Writer {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let access = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut connection = connect(path, access)?;
        // Merging the literal index reads all of it once: as mapped pages it would stay in memory.
        connection.pragma_update(None, "mmap_size", 0).map_err(Error::store(path))?;
        schema::migrate(&mut connection, path)?;
        Ok(Self { path: path.to_owned(), connection })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes away what was replaced or removed up to now. Every derived index must have the present generation.
    pub(crate) fn sweep(&mut self) -> Result<(), Error> {
        let path = self.path.clone();
        let mut sweep = || {
            let any = "SELECT EXISTS (SELECT 1 FROM chunks WHERE replaced IS NOT NULL) \
                       OR EXISTS (SELECT 1 FROM documents WHERE removed IS NOT NULL)";
            if !self.connection.query_row(any, (), |row| row.get::<_, bool>(0))? {
                return Ok(());
            }
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute_batch(
                "DELETE FROM literal WHERE rowid IN (SELECT key FROM chunks WHERE replaced IS NOT NULL); \
                 DELETE FROM vectors WHERE chunk IN (SELECT key FROM chunks WHERE replaced IS NOT NULL); \
                 DELETE FROM chunks WHERE replaced IS NOT NULL; \
                 DELETE FROM documents WHERE removed IS NOT NULL; \
                 UPDATE state SET swept = generation, vectors_swept = vectors, traces = 1;",
            )?;
            transaction.commit()
        };
        sweep().map_err(Error::store(&path))
    }

    /// Merges the pieces that batches leave in the literal index into one, which halves what a lookup costs. Where
    /// something was deleted the file is written anew: SQLite leaves it in free pages and in the log otherwise.
    pub(crate) fn compact(&self) -> Result<(), Error> {
        let compact = || {
            self.connection.execute("INSERT INTO literal (literal) VALUES ('optimize')", ())?;
            if self.connection.query_row("SELECT traces FROM state", (), |row| row.get(0))? {
                self.connection.execute_batch("VACUUM")?;
                self.connection.execute("UPDATE state SET traces = 0", ())?;
            }
            // Answers with a row, and not with an error, when a reader is in the middle of a search: then the log goes
            // with a later one.
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()))
        };
        compact().map_err(Error::store(&self.path))
    }

    /// Copies the database, page by page, to a file that is not there yet.
    pub(crate) fn copy_to(&self, path: &Path) -> Result<(), Error> {
        let copy = || {
            let mut to = Connection::open(path)?;
            // A copy that is cut short is thrown away.
            to.pragma_update(None, "synchronous", "OFF")?;
            Backup::new(&self.connection, &mut to)?.run_to_completion(PAGES, Duration::ZERO, None)
        };
        copy().map_err(Error::store(path))
    }

    /// Starts a batch; dropping it without [`Transaction::commit`] leaves nothing of it.
    pub(crate) fn begin(&mut self) -> Result<Transaction<'_>, Error> {
        let failed = Error::store(&self.path);
        // Immediate: a deferred transaction that turns into a writing one can fail without waiting its turn.
        let inner =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&failed)?;
        let select = "SELECT generation, vectors, space IS NOT NULL FROM state";
        let (generation, vectors, has_space): (u64, u64, bool) = inner
            .query_row(select, (), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .map_err(&failed)?;
        Ok(Transaction {
            path: &self.path,
            inner,
            generation: generation + 1,
            vectors: vectors + 1,
            has_space,
        })
    }
}

/// A batch being written.
#[derive(Debug)]
pub(crate) struct Transaction<'w> {
    pub(super) path: &'w Path,
    pub(super) inner: rusqlite::Transaction<'w>,
    /// The generation that this batch will be.
    pub(super) generation: u64,
    /// What it will be by the count of commits that changed vectors, if it changes them.
    pub(super) vectors: u64,
    /// There are vectors, or may be.
    has_space: bool,
}

/// The row of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownDocument {
    pub(crate) key: DocumentKey,
    pub(crate) hash: ContentHash,
    /// It was not removed.
    pub(crate) is_here: bool,
}

/// What a chunk that is being replaced hands on to the one that has its id.
#[derive(Debug)]
pub(crate) struct Carried {
    key: ChunkKey,
    /// The key phrases that it was given, be they none.
    key_phrases: Option<Vec<String>>,
}

impl Transaction<'_> {
    /// The row of a document, which this batch may have removed.
    pub(crate) fn find(&self, doc: &DocId) -> Result<Option<KnownDocument>, Error> {
        let find = || {
            self.inner
                .prepare_cached("SELECT key, content_hash, removed IS NULL FROM documents WHERE id = ?")?
                .query_row([doc.as_str()], |row| {
                    let hash = ContentHash::from_bytes(row.get(1)?);
                    Ok(KnownDocument { key: DocumentKey(row.get(0)?), hash, is_here: row.get(2)? })
                })
                .optional()
        };
        find().map_err(Error::store(self.path))
    }

    /// Writes a document's record in place of the one that was there, whose key is `known`; its chunks are written one by
    /// one after. Gives the language that was detected for one whose source does not say.
    pub(crate) fn put_document(
        &self,
        known: Option<DocumentKey>,
        document: &DocumentRecord,
        chunks: &[Chunk],
    ) -> Result<(DocumentKey, Option<Language>), Error> {
        let detected = match document.language {
            Some(_) => None,
            // Of a long text the middle says more than its opening, which may be a list of names.
            None => chunks.get(chunks.len() / 2).and_then(|chunk| detect_language(chunk.original_text())),
        };
        let put = || {
            let tags = list(&document.tags)?;
            let row = params![
                document.id.as_str(),
                document.title,
                document.language.as_ref().map(Language::as_str),
                document.date.map(|date| date.to_string()),
                document.link,
                tags,
                document.content_hash.as_bytes(),
                self.generation,
                detected.as_ref().map(Language::as_str),
            ];
            // Plain statements: one with RETURNING or ON CONFLICT opens a savepoint, at which FTS5 writes out what it has
            // gathered, for every single document.
            if let Some(key) = known {
                self.inner
                    .prepare_cached(
                        "UPDATE documents SET title = ?2, language = ?3, date = ?4, link = ?5, tags = ?6, \
                         content_hash = ?7, generation = ?8, detected = ?9, removed = NULL WHERE id = ?1",
                    )?
                    .execute(row)?;
                return Ok(key);
            }
            self.inner
                .prepare_cached(
                    "INSERT INTO documents (id, title, language, date, link, tags, content_hash, generation, detected) \
                     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                )?
                .insert(row)
                .map(|key| DocumentKey(key.cast_unsigned()))
        };
        Ok((put().map_err(Error::store(self.path))?, detected))
    }

    /// Adds a chunk to a document whose old chunks were replaced; `old` are those, `analysis` the chunk's. Gives it as it
    /// was written, with the key phrases that it had when it brings none.
    pub(crate) fn put_chunk<'c>(
        &self,
        document: DocumentKey,
        chunk: &'c Chunk,
        analysis: &PassageAnalysis,
        old: &HashMap<ChunkId, Carried>,
    ) -> Result<(ChunkKey, Cow<'c, Chunk>), Error> {
        let Self { path, inner, generation, vectors, has_space } = self;
        let (mut chunk, mut has_key_phrases) = (Cow::Borrowed(chunk), !chunk.key_phrases().is_empty());
        let carried = if old.is_empty() { None } else { old.get(&chunk.id()) };
        if !has_key_phrases && let Some(Carried { key_phrases: Some(phrases), .. }) = carried {
            chunk = Cow::Owned(chunk.into_owned().with_key_phrases(phrases.clone()));
            has_key_phrases = true;
        }
        let put = || {
            let key = inner
                .prepare_cached(
                    "INSERT INTO chunks (document, ordinal, original_text, key_phrases, section, position, part, \
                     speakers, marks, page, added, id, signature, has_key_phrases) \
                     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                )?
                .insert(params![
                    document.0,
                    chunk.ordinal(),
                    chunk.original_text(),
                    list(chunk.key_phrases())?,
                    chunk.section(),
                    json(&chunk.position())?,
                    chunk.part().map(|part| json(&part)).transpose()?,
                    list(chunk.speakers())?,
                    list(chunk.marks())?,
                    chunk.page().map(std::num::NonZero::get),
                    *generation,
                    chunk.id().as_bytes(),
                    signature(analysis),
                    has_key_phrases,
                ])?
                .cast_unsigned();
            put_literal(inner, key, analysis)?;
            if *has_space && let Some(carried) = carried {
                // Plain statements here too, for the sake of FTS5.
                let vector: Option<(Vec<u8>, u32)> = inner
                    .prepare_cached("SELECT vector, sum FROM vectors WHERE chunk = ?")?
                    .query_row([carried.key.0], |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()?;
                if let Some((vector, sum)) = vector {
                    inner
                        .prepare_cached(
                            "INSERT INTO vectors (chunk, generation, vector, sum) VALUES (?, ?, ?, ?)",
                        )?
                        .execute(params![key, *vectors, vector, sum])?;
                }
            }
            Ok(ChunkKey(key))
        };
        let key = put().map_err(Error::store(path))?;
        Ok((key, chunk))
    }

    /// Marks a document's chunks as replaced from this batch on, and gives what they hand on.
    pub(crate) fn replace_chunks(&self, document: DocumentKey) -> Result<HashMap<ChunkId, Carried>, Error> {
        let replace = || {
            let mut select = self.inner.prepare_cached(
                "SELECT key, id, CASE has_key_phrases WHEN 1 THEN key_phrases END FROM chunks \
                 WHERE document = ? AND replaced IS NULL",
            )?;
            let old = select.query_map([document.0], |row| {
                let has_key_phrases = row.get::<_, Option<String>>(2)?.is_some();
                let key_phrases = if has_key_phrases { Some(parse(row, 2)?) } else { None };
                Ok((ChunkId::from_bytes(row.get(1)?), Carried { key: ChunkKey(row.get(0)?), key_phrases }))
            })?;
            let old = old.collect::<rusqlite::Result<_>>()?;
            self.inner
                .prepare_cached("UPDATE chunks SET replaced = ?1 WHERE document = ?2 AND replaced IS NULL")?
                .execute([self.generation, document.0])?;
            Ok(old)
        };
        replace().map_err(Error::store(self.path))
    }

    /// Marks a document, whose chunks were replaced by nothing, as removed from this batch on.
    pub(crate) fn remove_document(&self, document: DocumentKey) -> Result<(), Error> {
        self.inner
            .execute(
                "UPDATE documents SET removed = ?1, generation = ?1 WHERE key = ?2",
                [self.generation, document.0],
            )
            .map(drop)
            .map_err(Error::store(self.path))
    }

    /// Makes the batch durable and returns its generation. `replaces` says that chunks were replaced or removed, whose
    /// vectors, if they had any, no longer count.
    pub(crate) fn commit(self, replaces: bool) -> Result<u64, Error> {
        let vectors = if replaces && self.has_space { self.vectors } else { self.vectors - 1 };
        let Self { path, inner, generation, .. } = self;
        inner
            .execute("UPDATE state SET generation = ?, vectors = ?", [generation, vectors])
            .and_then(|_| inner.commit())
            .map_err(Error::store(path))?;
        Ok(generation)
    }
}

/// Writes the row of a chunk in the literal index.
pub(super) fn put_literal(
    connection: &Connection,
    chunk: u64,
    analysis: &PassageAnalysis,
) -> rusqlite::Result<()> {
    let PassageAnalysis { text, title, tags, compounds } = analysis;
    connection
        .prepare_cached("INSERT INTO literal (rowid, words, title, tags, compounds) VALUES (?, ?, ?, ?, ?)")?
        .execute(params![chunk, text.words, title.words, tags.words, compounds])
        .map(drop)
}

/// The sketch of a passage.
pub(super) fn signature(analysis: &PassageAnalysis) -> Option<[u8; Signature::BYTES]> {
    let words = analysis.text.words.split(' ').filter(|word| !word.is_empty());
    Signature::of(words).map(Signature::to_bytes)
}

/// Most lists of a passage are empty.
fn list<T: serde::Serialize>(items: &[T]) -> rusqlite::Result<Cow<'static, str>> {
    if items.is_empty() { Ok(Cow::Borrowed("[]")) } else { json(items).map(Cow::Owned) }
}

pub(super) fn json<T: serde::Serialize + ?Sized>(value: &T) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another connection cannot see this: it is a setting of the one that writes.
    #[test]
    fn a_commit_waits_for_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let writer = Writer::open(&dir.path().join("store.sqlite")).unwrap();
        let mode: String =
            writer.connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        let synchronous: u32 =
            writer.connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
        // 2 is FULL: the log is synced at every commit.
        assert_eq!((mode.as_str(), synchronous), ("wal", 2));
    }
}
