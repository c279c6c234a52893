//! What is given to chunks after they were written: key phrases and vectors.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, params};
use tusab_chunk::{Chunk, ChunkId};

use super::read::each_chunk;
use super::row::json as parse;
use super::write::{Transaction, json};
use super::{ChunkKey, DocumentKey};
use crate::bm25::Entry;
use crate::{Error, Vector, VectorSpace};

impl Transaction<'_> {
    /// The chunks of a document, by id.
    pub(crate) fn chunk_keys(&self, document: DocumentKey) -> Result<HashMap<ChunkId, ChunkKey>, Error> {
        let select = "SELECT id, key FROM chunks WHERE document = ? AND replaced IS NULL";
        let keys = || {
            self.inner
                .prepare_cached(select)?
                .query_map([document.0], |row| Ok((ChunkId::from_bytes(row.get(0)?), ChunkKey(row.get(1)?))))?
                .collect::<rusqlite::Result<_>>()
        };
        keys().map_err(Error::store(self.path))
    }

    /// Gives a chunk key phrases; false when it had just those.
    pub(crate) fn put_key_phrases(&self, chunk: ChunkKey, phrases: &[String]) -> Result<bool, Error> {
        let put = || {
            let phrases = json(phrases)?;
            self.inner
                .prepare_cached(
                    "UPDATE chunks SET key_phrases = ?2, has_key_phrases = 1 \
                     WHERE key = ?1 AND (has_key_phrases = 0 OR key_phrases <> ?2)",
                )?
                .execute(params![chunk.0, phrases])
        };
        Ok(put().map_err(Error::store(self.path))? > 0)
    }

    /// Marks a document as changed by this batch, so that a derived index that is behind reads it again.
    pub(crate) fn touch(&self, document: DocumentKey) -> Result<(), Error> {
        self.inner
            .execute("UPDATE documents SET generation = ?1 WHERE key = ?2", [self.generation, document.0])
            // Earlier phrases may still stand in the file.
            .and_then(|_| self.inner.execute("UPDATE state SET traces = 1", ()))
            .map(drop)
            .map_err(Error::store(self.path))
    }

    /// Calls `each` with every chunk of a document, as it is within this batch.
    pub(crate) fn each_chunk(
        &self,
        document: DocumentKey,
        each: impl FnMut(&Entry<'_>, ChunkKey, &Chunk) -> Result<(), Error>,
    ) -> Result<(), Error> {
        each_chunk(&self.inner, document, each).map_err(Error::store(self.path))?
    }

    /// The space of the vectors; `None` before the first.
    pub(crate) fn vector_space(&self) -> Result<Option<VectorSpace>, Error> {
        let space = || {
            self.inner
                .query_row("SELECT space FROM state WHERE space IS NOT NULL", (), |row| parse(row, 0))
                .optional()
        };
        space().map_err(Error::store(self.path))
    }

    /// Makes `space` the space of the vectors, and removes all that there are.
    pub(crate) fn begin_space(&self, space: &VectorSpace) -> Result<(), Error> {
        let begin = || {
            self.inner.execute("DELETE FROM vectors", ())?;
            let update = "UPDATE state SET space = ?, vectors_swept = ?, traces = 1";
            self.inner.execute(update, params![json(space)?, self.vectors])
        };
        begin().map(drop).map_err(Error::store(self.path))
    }

    /// Gives a chunk its vector; false when it had just that.
    pub(crate) fn put_vector(&self, chunk: ChunkKey, vector: &Vector) -> Result<bool, Error> {
        let bytes = vector.to_bytes();
        let put = || {
            // Nothing goes into FTS5 in such a batch.
            self.inner
                .prepare_cached(
                    "INSERT INTO vectors (chunk, generation, vector, sum) VALUES (?1, ?2, ?3, ?4) \
                     ON CONFLICT (chunk) DO UPDATE SET generation = ?2, vector = ?3, sum = ?4 \
                     WHERE vector <> ?3 OR sum <> ?4",
                )?
                .execute(params![chunk.0, self.vectors, bytes, crc32fast::hash(&bytes)])
        };
        Ok(put().map_err(Error::store(self.path))? > 0)
    }

    /// Makes a batch durable that changed nothing but vectors.
    pub(crate) fn commit_vectors(self) -> Result<(), Error> {
        let Self { path, inner, vectors, .. } = self;
        inner
            .execute("UPDATE state SET vectors = ?", [vectors])
            .and_then(|_| inner.commit())
            .map_err(Error::store(path))
    }
}
