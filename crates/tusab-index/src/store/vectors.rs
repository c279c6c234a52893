//! Reading what was given to chunks, and which lack it.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use rusqlite::{OptionalExtension, params};
use tusab_chunk::{ChunkId, DocId};

use super::read::Reader;
use super::row::{CHUNK, DOCUMENT, chunk, document, json, optional, parsed};
use super::{ChunkKey, DocumentKey};
use crate::{Enrichment, Error, Filter, Lacking, PageMark, Vector, VectorSpace};

/// What the store says of its vectors.
#[derive(Debug, Clone)]
pub(crate) struct VectorState {
    pub(crate) space: VectorSpace,
    /// Number of commits that changed them.
    pub(crate) number: u64,
    /// Files of an earlier number than this cannot be caught up.
    pub(crate) swept: u64,
}

impl Reader<'_> {
    /// `None` before the first vector.
    pub(crate) fn vector_state(&self) -> Result<Option<VectorState>, Error> {
        self.with(|connection| {
            connection
                .prepare_cached("SELECT space, vectors, vectors_swept FROM state WHERE space IS NOT NULL")?
                .query_row((), |row| {
                    Ok(VectorState { space: json(row, 0)?, number: row.get(1)?, swept: row.get(2)? })
                })
                .optional()
        })
    }

    /// Number of vectors that came after number `since`.
    pub(crate) fn count_vectors(&self, since: u64) -> Result<usize, Error> {
        let count = "SELECT count(*) FROM vectors WHERE generation > ?";
        let count: u64 = self.with(|connection| connection.query_row(count, [since], |row| row.get(0)))?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// Calls `each` with the vectors that came after number `since` and still count. One that is not as it was written
    /// is passed over: its chunk counts as one without.
    pub(crate) fn each_vector(
        &self,
        since: u64,
        mut each: impl FnMut(ChunkKey, &ChunkId, &Vector) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut outcome = Ok(());
        self.with(|connection| {
            let mut statement = connection.prepare(
                "SELECT v.chunk, c.id, v.vector, v.sum FROM vectors v JOIN chunks c ON c.key = v.chunk \
                 WHERE v.generation > ? AND c.replaced IS NULL ORDER BY v.generation, v.chunk",
            )?;
            let mut rows = statement.query([since])?;
            while outcome.is_ok()
                && let Some(row) = rows.next()?
            {
                let (key, id) = (ChunkKey(row.get(0)?), ChunkId::from_bytes(row.get(1)?));
                let (bytes, sum): (Vec<u8>, u32) = (row.get(2)?, row.get(3)?);
                let vector = Vector::from_bytes(&bytes).ok().filter(|_| crc32fast::hash(&bytes) == sum);
                if let Some(vector) = vector {
                    outcome = each(key, &id, &vector);
                } else {
                    self.store.damaged_vectors.fetch_add(1, Ordering::Relaxed);
                }
            }
            Ok(())
        })?;
        outcome
    }

    /// The vectors of a document's chunks, by ordinal. One that is not as it was written is passed over.
    pub(crate) fn vectors_of(&self, doc: &DocId) -> Result<Vec<(ChunkId, Vector)>, Error> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT c.id, v.vector, v.sum FROM documents d JOIN chunks c ON c.document = d.key \
                 JOIN vectors v ON v.chunk = c.key \
                 WHERE d.id = ? AND d.removed IS NULL AND c.replaced IS NULL ORDER BY c.ordinal, c.key",
            )?;
            let (mut rows, mut vectors) = (statement.query([doc.as_str()])?, Vec::new());
            while let Some(row) = rows.next()? {
                let (bytes, sum): (Vec<u8>, u32) = (row.get(1)?, row.get(2)?);
                let vector = Vector::from_bytes(&bytes).ok().filter(|_| crc32fast::hash(&bytes) == sum);
                vectors.extend(vector.map(|vector| Ok((ChunkId::from_bytes(row.get(0)?), vector))));
            }
            vectors.into_iter().collect()
        })
    }

    /// True when a chunk that is there has a vector.
    pub(crate) fn any_vector(&self) -> Result<bool, Error> {
        self.with(|connection| {
            let select = "SELECT EXISTS (SELECT 1 FROM vectors v JOIN chunks c ON c.key = v.chunk WHERE c.replaced IS NULL)";
            connection.prepare_cached(select)?.query_row((), |row| row.get(0))
        })
    }

    /// The chunks that were replaced or removed and not yet swept away.
    pub(crate) fn replaced_chunks(&self) -> Result<Vec<ChunkKey>, Error> {
        self.with(|connection| {
            connection
                .prepare_cached("SELECT key FROM chunks WHERE replaced IS NOT NULL")?
                .query_map((), |row| row.get(0).map(ChunkKey))?
                .collect()
        })
    }

    /// The chunks that are there and that the filter lets through.
    pub(crate) fn chunks_within(&self, filter: &Filter) -> Result<HashSet<u64>, Error> {
        self.with(|connection| {
            let select = format!("SELECT coalesce(d.language, d.detected), d.key, {DOCUMENT} FROM documents d WHERE removed IS NULL");
            let mut documents = connection.prepare_cached(&select)?;
            let mut chunks =
                connection.prepare_cached("SELECT key FROM chunks WHERE document = ? AND replaced IS NULL")?;
            let (mut rows, mut within) = (documents.query(())?, HashSet::new());
            while let Some(row) = rows.next()? {
                if filter.is_empty() || filter.accepts(&document(row, 2)?, optional(row, 0)?.as_ref()) {
                    let key = DocumentKey(row.get(1)?);
                    for chunk in chunks.query_map([key.0], |row| row.get(0))? {
                        within.insert(chunk?);
                    }
                }
            }
            Ok(within)
        })
    }

    /// Number of chunks that were not given what is asked about.
    pub(crate) fn count_lacking(&self, what: Enrichment) -> Result<usize, Error> {
        let select = format!("SELECT count(*) FROM chunks c WHERE c.replaced IS NULL AND {}", lacks(what));
        self.with(|connection| connection.prepare_cached(&select)?.query_row((), |row| row.get(0)))
    }

    /// Up to `limit` chunks from a mark on that were not given what is asked about.
    pub(crate) fn lacking(&self, what: Enrichment, from: PageMark, limit: usize) -> Result<Lacking, Error> {
        if limit == 0 {
            return Ok(Lacking { chunks: Vec::new(), next: Some(from) });
        }
        let lacks = lacks(what);
        let select = format!(
            "SELECT c.key, d.id, c.id, {CHUNK} FROM chunks c JOIN documents d ON d.key = c.document \
             WHERE c.key > ?1 AND c.replaced IS NULL AND {lacks} ORDER BY c.key LIMIT ?2"
        );
        let rows = self.with(|connection| {
            connection
                .prepare_cached(&select)?
                .query_map(params![from.0, i64::try_from(limit).unwrap_or(i64::MAX)], |row| {
                    let chunk = chunk(row, 3, parsed(row, 1)?)?;
                    Ok((row.get(0)?, row.get::<_, [u8; 16]>(2)? == *chunk.id().as_bytes(), chunk))
                })?
                .collect::<rusqlite::Result<Vec<(u64, bool, _)>>>()
        })?;
        let next = rows.last().filter(|_| rows.len() == limit).map(|(key, ..)| PageMark(*key));
        let chunks = rows.into_iter().map(|(_, is_whole, chunk)| self.whole_chunk(is_whole, chunk));
        Ok(Lacking { chunks: chunks.collect::<Result<_, _>>()?, next })
    }
}

/// The condition on a chunk `c` that lacks something.
fn lacks(what: Enrichment) -> &'static str {
    match what {
        Enrichment::KeyPhrases => "c.has_key_phrases = 0",
        Enrichment::Vectors => "NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk = c.key)",
    }
}
