use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};
use tusab_chunk::{Chunk, DocId, Language};

use super::frozen::Frozen;
use super::row::{CHUNK, CHUNK_COLUMNS, DOCUMENT, DOCUMENT_COLUMNS, chunk, document, optional, parsed};
use super::{ChunkKey, DocumentKey, Generation, Store};
use crate::bm25::Entry;
use crate::duplicate::Signature;
use crate::{ContentHash, DocumentRecord, Error, Filter, Statistics};

/// True of a chunk that is there in generation `?2`.
const THERE: &str = "c.added <= ?2 AND (c.replaced IS NULL OR c.replaced > ?2)";

/// A chunk with its row number and document.
#[derive(Debug, Clone)]
pub(crate) struct StoredChunk {
    pub(crate) chunk: Chunk,
    pub(crate) document: Arc<DocumentRecord>,
    pub(crate) signature: Option<Signature>,
}

/// One unchanging state of the store, on a connection of its own: a writer never blocks it, nor it a writer.
#[derive(Debug)]
pub(crate) struct Reader<'s> {
    pub(super) store: &'s Store,
    connection: Option<Connection>,
    /// What it reads, when that may not be written.
    frozen: Option<Frozen>,
    generation: Generation,
    swept: u64,
}

impl<'s> Reader<'s> {
    pub(super) fn begin(
        store: &'s Store,
        connection: Connection,
        frozen: Option<Frozen>,
    ) -> Result<Self, Error> {
        execute(&connection, "BEGIN").map_err(Error::store(&store.path))?;
        let mut reader =
            Self { store, connection: Some(connection), frozen, generation: Generation::default(), swept: 0 };
        // The first read is when SQLite takes the snapshot.
        (reader.generation, reader.swept) = reader.with(|connection| {
            connection.prepare_cached("SELECT store, generation, swept FROM state")?.query_row((), |row| {
                Ok((Generation { store: row.get(0)?, number: row.get(1)? }, row.get(2)?))
            })
        })?;
        Ok(reader)
    }

    /// Runs `read` on the connection, which is there until the reader is dropped.
    pub(super) fn with<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Error> {
        let connection = self.connection.as_ref().ok_or(rusqlite::Error::InvalidQuery);
        connection.and_then(read).map_err(Error::store(&self.store.path))
    }

    /// The state of the store that this reads.
    pub(crate) fn generation(&self) -> &Generation {
        &self.generation
    }

    /// True when every chunk of generation `at` can still be read here.
    pub(crate) fn has(&self, at: u64) -> bool {
        self.swept <= at && at <= self.generation.number
    }

    pub(crate) fn statistics(&self) -> Result<Statistics, Error> {
        let count = "SELECT (SELECT count(*) FROM documents) - (SELECT count(*) FROM documents WHERE removed IS NOT NULL), \
                     (SELECT count(*) FROM chunks) - (SELECT count(*) FROM chunks WHERE replaced IS NOT NULL)";
        self.with(|connection| {
            connection
                .prepare_cached(count)?
                .query_row((), |row| Ok(Statistics { documents: row.get(0)?, chunks: row.get(1)? }))
        })
    }

    pub(crate) fn document(&self, doc: &DocId) -> Result<Option<DocumentRecord>, Error> {
        self.with(|connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT {DOCUMENT} FROM documents d WHERE id = ? AND removed IS NULL"
                ))?
                .query_row([doc.as_str()], |row| document(row, 0))
                .optional()
        })
    }

    pub(crate) fn documents(&self) -> Result<Vec<DocumentRecord>, Error> {
        self.with(|connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT {DOCUMENT} FROM documents d WHERE removed IS NULL ORDER BY id"
                ))?
                .query_map((), |row| document(row, 0))?
                .collect()
        })
    }

    pub(crate) fn content_hashes(&self) -> Result<Vec<(DocId, ContentHash)>, Error> {
        self.with(|connection| {
            connection
                .prepare_cached("SELECT id, content_hash FROM documents WHERE removed IS NULL ORDER BY id")?
                .query_map((), |row| Ok((parsed(row, 0)?, ContentHash::from_bytes(row.get(1)?))))?
                .collect()
        })
    }

    pub(crate) fn chunks_of(&self, doc: &DocId) -> Result<Vec<Chunk>, Error> {
        let select = format!(
            "SELECT c.id, {CHUNK} FROM chunks c JOIN documents d ON d.key = c.document \
             WHERE d.id = ? AND replaced IS NULL ORDER BY ordinal"
        );
        let chunks = self.with(|connection| {
            connection
                .prepare_cached(&select)?
                .query_map([doc.as_str()], |row| {
                    let chunk = chunk(row, 1, doc.clone())?;
                    Ok((row.get::<_, [u8; 16]>(0)? == *chunk.id().as_bytes(), chunk))
                })?
                .collect::<rusqlite::Result<Vec<_>>>()
        })?;
        chunks.into_iter().map(|(is_whole, chunk)| self.whole_chunk(is_whole, chunk)).collect()
    }

    /// The chunk, unless it does not read as it was written.
    pub(super) fn whole_chunk(&self, is_whole: bool, chunk: Chunk) -> Result<Chunk, Error> {
        if is_whole {
            return Ok(chunk);
        }
        let (path, doc, ordinal) = (self.store.path.clone(), chunk.doc().clone(), chunk.ordinal());
        Err(Error::Damaged { path, doc, ordinal })
    }

    /// The chunks of those keys that are there in generation `at`, in the order of `keys`.
    ///
    /// # Errors
    /// When one does not read as it was written.
    pub(crate) fn load(&self, keys: &[ChunkKey], at: u64) -> Result<Vec<(ChunkKey, StoredChunk)>, Error> {
        let select = format!(
            "SELECT {DOCUMENT}, {CHUNK}, d.key, c.id, c.signature \
             FROM chunks c JOIN documents d ON d.key = c.document WHERE c.key = ?1 AND {THERE}"
        );
        // By number: looking for a name compares it with all.
        let after = DOCUMENT_COLUMNS + CHUNK_COLUMNS;
        let loaded = self.with(|connection| {
            let mut statement = connection.prepare_cached(&select)?;
            let mut documents: HashMap<u64, Arc<DocumentRecord>> = HashMap::new();
            let mut loaded = Vec::with_capacity(keys.len());
            for key in keys {
                let found = statement.query_row([key.0, at], |row| {
                    let document_key: u64 = row.get(after)?;
                    let record = if let Some(record) = documents.get(&document_key) {
                        Arc::clone(record)
                    } else {
                        let record = Arc::new(document(row, 0)?);
                        documents.insert(document_key, Arc::clone(&record));
                        record
                    };
                    let chunk = chunk(row, DOCUMENT_COLUMNS, record.id.clone())?;
                    let id: Option<[u8; 16]> = row.get(after + 1)?;
                    let is_whole = id.is_some_and(|id| id == *chunk.id().as_bytes());
                    let signature: Option<[u8; Signature::BYTES]> = row.get(after + 2)?;
                    let signature = signature.map(Signature::from_bytes);
                    Ok((is_whole, StoredChunk { chunk, document: record, signature }))
                });
                if let Some((is_whole, chunk)) = found.optional()? {
                    loaded.push((*key, is_whole, chunk));
                }
            }
            Ok(loaded)
        })?;
        loaded
            .into_iter()
            .map(|(key, is_whole, stored)| self.whole(is_whole, stored).map(|stored| (key, stored)))
            .collect()
    }

    fn whole(&self, is_whole: bool, stored: StoredChunk) -> Result<StoredChunk, Error> {
        if is_whole {
            return Ok(stored);
        }
        let (doc, ordinal) = (stored.chunk.doc().clone(), stored.chunk.ordinal());
        Err(Error::Damaged { path: self.store.path.clone(), doc, ordinal })
    }

    /// The original text of a chunk that is there in generation `at`, and its document's title.
    pub(crate) fn texts(&self, chunk: ChunkKey, at: u64) -> Result<Option<(String, String)>, Error> {
        let select = format!(
            "SELECT c.original_text, d.title FROM chunks c JOIN documents d ON d.key = c.document \
             WHERE c.key = ?1 AND {THERE}"
        );
        self.with(|connection| {
            let mut statement = connection.prepare_cached(&select)?;
            statement.query_row([chunk.0, at], |row| Ok((row.get(0)?, row.get(1)?))).optional()
        })
    }

    /// Number of rows of the literal index; `None` when some are of chunks that were replaced, or it does not say.
    pub(crate) fn literal_rows(&self) -> Result<Option<u64>, Error> {
        let select = "SELECT (SELECT block FROM literal_data WHERE id = 1), \
                      EXISTS (SELECT 1 FROM chunks WHERE replaced IS NOT NULL)";
        self.with(|connection| {
            connection.prepare_cached(select)?.query_row((), |row| {
                let any_replaced: bool = row.get(1)?;
                // FTS5's record of averages, which begins with the number of rows.
                let rows = row.get_ref(0)?.as_blob().ok().and_then(varint);
                Ok(rows.filter(|_| !any_replaced))
            })
        })
    }

    /// Up to `limit` chunks of generation `at` that hold `words`, given as the analysis gives them between spaces, one
    /// after the other, and that the filter lets through; oldest first.
    pub(crate) fn literal(
        &self,
        words: &str,
        at: u64,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<ChunkKey>, Error> {
        // A quoted string is all text to FTS5: operators inside it are words.
        self.matching(&format!("\"{}\"", words.replace(['\0', '"'], " ")), at, filter, limit)
    }

    /// Up to `limit` chunks of generation `at` for which an expression of FTS5 holds and that the filter lets through,
    /// oldest first.
    pub(crate) fn matching(
        &self,
        expression: &str,
        at: u64,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<ChunkKey>, Error> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        // Without LIMIT: as a parameter SQLite would compile the statement again for each value.
        let select = format!(
            "SELECT c.key FROM literal JOIN chunks c ON c.key = literal.rowid WHERE literal MATCH ?1 AND {THERE}"
        );
        let filtered = format!(
            "SELECT c.key, coalesce(d.language, d.detected) AS spoken, {DOCUMENT} FROM literal \
             JOIN chunks c ON c.key = literal.rowid JOIN documents d ON d.key = c.document \
             WHERE literal MATCH ?1 AND {THERE}"
        );
        self.with(|connection| {
            let everything = filter.is_empty();
            let mut statement = connection.prepare_cached(if everything { &select } else { &filtered })?;
            let mut rows = statement.query(params![expression, at])?;
            let mut found = Vec::new();
            while found.len() < limit
                && let Some(row) = rows.next()?
            {
                if everything || filter.accepts(&document(row, 2)?, optional(row, 1)?.as_ref()) {
                    found.push(ChunkKey(row.get(0)?));
                }
            }
            Ok(found)
        })
    }

    /// The keys of those documents that are here.
    pub(crate) fn document_keys(&self, documents: &[DocId]) -> Result<Vec<DocumentKey>, Error> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached("SELECT key FROM documents WHERE id = ?")?;
            let keys = documents
                .iter()
                .map(|doc| statement.query_row([doc.as_str()], |row| row.get(0).map(DocumentKey)).optional());
            keys.filter_map(Result::transpose).collect()
        })
    }

    /// The key of a document's chunk by its ordinal.
    pub(crate) fn chunk_key(&self, doc: &DocId, ordinal: u32) -> Result<Option<ChunkKey>, Error> {
        self.with(|connection| {
            connection
                .prepare_cached(
                    "SELECT c.key FROM chunks c JOIN documents d ON d.key = c.document \
                     WHERE d.id = ? AND c.ordinal = ? AND c.replaced IS NULL",
                )?
                .query_row(params![doc.as_str(), ordinal], |row| row.get(0).map(ChunkKey))
                .optional()
        })
    }

    /// Documents written or removed after generation `since`.
    pub(crate) fn changed_since(&self, since: u64) -> Result<Vec<DocumentKey>, Error> {
        let select = "SELECT key FROM documents WHERE generation > ? ORDER BY 1";
        self.with(|connection| {
            connection.prepare(select)?.query_map([since], |row| row.get(0).map(DocumentKey))?.collect()
        })
    }

    /// Calls `each` with every chunk of a document.
    ///
    /// # Errors
    /// When the store cannot be read, and what `each` gives.
    pub(crate) fn each_chunk(
        &self,
        document_key: DocumentKey,
        mut each: impl FnMut(&Entry<'_>, ChunkKey, &Chunk) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.with(|connection| each_chunk(connection, document_key, &mut each))?
    }
}

/// The number that a record of SQLite begins with: seven bits a byte, the highest first, and the last one where the
/// eighth bit is not set ("Database file format", section 1.6). Those of nine bytes are larger than any here.
fn varint(bytes: &[u8]) -> Option<u64> {
    let mut number = 0;
    for byte in bytes.iter().take(8) {
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Calls `each` with every chunk of a document; what it gives is inside.
pub(super) fn each_chunk(
    connection: &Connection,
    document_key: DocumentKey,
    mut each: impl FnMut(&Entry<'_>, ChunkKey, &Chunk) -> Result<(), Error>,
) -> rusqlite::Result<Result<(), Error>> {
    let select = format!(
        "SELECT {DOCUMENT}, {CHUNK}, c.key, coalesce(d.language, d.detected) AS spoken FROM chunks c \
         JOIN documents d ON d.key = c.document WHERE d.key = ? AND replaced IS NULL ORDER BY ordinal"
    );
    let mut outcome = Ok(());
    let mut statement = connection.prepare_cached(&select)?;
    let mut rows = statement.query([document_key.0])?;
    let mut of: Option<(DocumentRecord, Option<Language>)> = None;
    while outcome.is_ok()
        && let Some(row) = rows.next()?
    {
        let (record, language) = match &mut of {
            Some(of) => of,
            None => of.insert((document(row, 0)?, optional(row, row.as_ref().column_index("spoken")?)?)),
        };
        let chunk = chunk(row, DOCUMENT_COLUMNS, record.id.clone())?;
        let entry = Entry { key: document_key, record, language: language.as_ref() };
        outcome = each(&entry, ChunkKey(row.get("key")?), &chunk);
    }
    Ok(outcome)
}

/// As a statement that is kept: compiling it takes longer than running it.
fn execute(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute(()).map(drop)
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take()
            && execute(&connection, "COMMIT").is_ok()
        {
            self.store.give_back(connection, self.frozen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::varint;

    #[test]
    fn numbers_are_read_as_sqlite_writes_them() {
        let numbers = [&[0x05][..], &[0x82, 0x00, 0xff], &[0x81, 0x80, 0x01], &[0x80], &[]];
        assert_eq!(numbers.map(varint), [Some(5), Some(256), Some(16_385), None, None]);
    }
}
