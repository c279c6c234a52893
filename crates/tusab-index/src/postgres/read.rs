//! Reading documents and chunks.

use tusab_chunk::{Chunk, DocId};

use super::PgStore;
use super::connection::Sql;
use super::error::PostgresError;
use super::rows::{self, get, parsed};
use super::search::load;
use crate::store::ChunkKey;
use crate::{ContentHash, DocumentRecord, Error, Explain, Hit, Statistics};

const DOCUMENT: Sql =
    Sql { doing: "read a document", text: "SELECT record FROM documents WHERE project = $1 AND id = $2" };
const DOCUMENTS: Sql =
    Sql { doing: "read documents", text: "SELECT record FROM documents WHERE project = $1 ORDER BY id" };
const HASHES: Sql = Sql {
    doing: "read content hashes",
    text: "SELECT id, content_hash FROM documents WHERE project = $1 ORDER BY id",
};
const OWNED: Sql = Sql {
    doing: "read content hashes",
    text: "SELECT id, content_hash, owner = $2 FROM documents WHERE project = $1 ORDER BY id",
};
const CHUNKS: Sql = Sql {
    doing: "read chunks",
    text: "SELECT c.chunk, c.id FROM chunks c JOIN documents d ON d.project = c.project AND d.key = c.document \
           WHERE c.project = $1 AND d.id = $2 ORDER BY c.ordinal, c.key",
};
const STATISTICS: Sql = Sql {
    doing: "read the counts",
    text: "SELECT (SELECT count(*) FROM documents WHERE project = $1), chunks FROM projects WHERE key = $1",
};
const FOLLOWING: Sql = Sql {
    doing: "read the next chunk",
    text: "SELECT c.key FROM chunks c JOIN documents d ON d.project = c.project AND d.key = c.document \
           WHERE c.project = $1 AND d.id = $2 AND c.ordinal = $3 ORDER BY c.key LIMIT 1",
};

impl PgStore {
    pub(super) fn read_document(&self, doc: &DocId) -> Result<Option<DocumentRecord>, Error> {
        self.shared.read(&[self.project], |connection| {
            let row = connection.query_one(DOCUMENT, &[&self.project, &doc.as_str()])?;
            Ok(row.map(|row| rows::record(&row, 0)).transpose()?)
        })
    }

    pub(super) fn read_documents(&self) -> Result<Vec<DocumentRecord>, Error> {
        self.shared.read(&[self.project], |connection| {
            let rows = connection.query(DOCUMENTS, &[&self.project])?;
            Ok(rows.iter().map(|row| rows::record(row, 0)).collect::<Result<_, _>>()?)
        })
    }

    pub(super) fn read_hashes(&self) -> Result<Vec<(DocId, ContentHash)>, Error> {
        self.shared.with(|connection| {
            let rows = connection.query(HASHES, &[&self.project])?;
            Ok(rows.iter().filter_map(|row| hash(row).transpose()).collect::<Result<_, _>>()?)
        })
    }

    /// The content hash of every document, by id, and whether its [owner](Self::with_owner) is that of this handle.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn owned_hashes(&self) -> Result<Vec<(DocId, ContentHash, bool)>, Error> {
        self.shared.with(|connection| {
            let mut hashes = Vec::new();
            for row in connection.query(OWNED, &[&self.project, &&*self.owner])? {
                if let Some((id, hash)) = hash(&row)? {
                    hashes.push((id, hash, get(&row, 2)?));
                }
            }
            Ok(hashes)
        })
    }

    pub(super) fn read_chunks(&self, doc: &DocId) -> Result<Vec<Chunk>, Error> {
        self.shared.read(&[self.project], |connection| {
            let mut chunks = Vec::new();
            for row in connection.query(CHUNKS, &[&self.project, &doc.as_str()])? {
                let chunk = rows::chunk(&row, 0)?;
                if chunk.id() != rows::chunk_id(get(&row, 1)?)? {
                    let (doc, ordinal) = (doc.clone(), chunk.ordinal());
                    return Err(Error::Damaged { path: self.name.clone().into(), doc, ordinal });
                }
                chunks.push(chunk);
            }
            Ok(chunks)
        })
    }

    pub(super) fn read_statistics(&self) -> Result<Statistics, Error> {
        self.shared.read(&[self.project], |connection| {
            let row = connection.query_one(STATISTICS, &[&self.project])?.ok_or_else(|| self.removed())?;
            let count =
                |column| get::<i64>(&row, column).map(|count| usize::try_from(count).unwrap_or_default());
            Ok(Statistics { documents: count(0)?, chunks: count(1)? })
        })
    }

    pub(super) fn read_following(&self, hit: &Hit) -> Result<Option<Hit>, Error> {
        let next = i64::from(hit.chunk.ordinal()) + 1;
        self.shared.read(&[self.project], |connection| {
            let row = connection.query_one(FOLLOWING, &[&self.project, &hit.chunk.doc().as_str(), &next])?;
            let Some(key) = row.map(|row| get::<i64>(&row, 0)).transpose()? else { return Ok(None) };
            let loaded = load(connection, self.project, &[ChunkKey(key.cast_unsigned())])?;
            let of = |stored| Hit::new(hit.index, stored, 0.0, Explain::default());
            Ok(loaded.into_values().next().map(|loaded| of(loaded.stored)))
        })
    }
}

/// The id and the content hash of a document; `None` while its first batch is being written.
fn hash(row: &tokio_postgres::Row) -> Result<Option<(DocId, ContentHash)>, PostgresError> {
    Ok(parsed(get(row, 0)?)?.zip(rows::content_hash(row, 1)?))
}
