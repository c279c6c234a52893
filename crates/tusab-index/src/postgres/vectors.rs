//! Vectors of chunks, and the nearest passages by them.

use std::fmt::Write;

use tusab_chunk::{ChunkId, DocId};

use super::apply::lock;
use super::changes::Changes;
use super::connection::{Begin, Connection, Sql};
use super::entry;
use super::error::PostgresError;
use super::rows::{self, get, to_json};
use super::search::load;
use super::{PgStore, TextSearch};
use crate::store::ChunkKey;
use crate::{
    Enriched, Error, Explain, Filter, Hit, InvalidVector, Nearest, OfDocument, Vector, VectorHit,
    VectorOutcome, VectorQuery, VectorSpace, VectorsOff,
};

const SPACE: Sql =
    Sql { doing: "read the space of the vectors", text: "SELECT space FROM projects WHERE key = $1" };
const LOCK_SPACE: Sql = Sql {
    doing: "read the space of the vectors",
    text: "SELECT space FROM projects WHERE key = $1 FOR UPDATE",
};
const SET_SPACE: Sql = Sql {
    doing: "write the space of the vectors",
    text: "UPDATE projects SET space = $2::text::json WHERE key = $1",
};
const FORGET: Sql = Sql { doing: "remove vectors", text: "DELETE FROM vectors WHERE project = $1" };
const IDS: Sql =
    Sql { doing: "read chunks", text: "SELECT id FROM chunks WHERE project = $1 AND document = $2" };
const SET: Sql = Sql {
    doing: "write vectors",
    text: "INSERT INTO vectors AS v (project, id, document, embedding) \
           SELECT $1, u.id, $2, translate(u.embedding, '[]', '{}')::real[]::vector FROM unnest($3::bytea[], $4::text[]) AS u (id, embedding) \
           ON CONFLICT (project, id) DO UPDATE SET embedding = excluded.embedding \
           WHERE v.embedding IS DISTINCT FROM excluded.embedding",
};
const OF: Sql = Sql {
    doing: "read vectors",
    text: "SELECT v.id, v.embedding::real[] FROM chunks c JOIN documents d ON d.project = c.project AND d.key = c.document \
           JOIN vectors v ON v.project = c.project AND v.id = c.id \
           WHERE c.project = $1 AND d.id = $2 ORDER BY c.ordinal, c.key",
};
const COUNT: Sql = Sql {
    doing: "count vectors",
    text: "SELECT count(*) FROM (SELECT FROM vectors WHERE project = $1 LIMIT $2) AS first",
};

/// The lock of whoever makes an index of vectors.
const LOCK: i64 = 0x7475_7361_6201;

/// Up to so many vectors of a project are all looked at, which is exact; of more, those that the index gives.
const LOOKED_AT: i64 = 10_000;

/// Largest dimension that pgvector's HNSW takes.
const INDEXED: usize = 2_000;

/// Candidates that the index keeps while it searches, for each that is wanted, within what pgvector takes.
const CANDIDATES: usize = 8;
const MOST_CANDIDATES: usize = 1_000;

impl PgStore {
    pub(super) fn read_space(&self) -> Result<Option<VectorSpace>, Error> {
        self.shared.with(|connection| Ok(space(connection, SPACE, self.project)?))
    }

    pub(super) fn read_vectors(&self, doc: &DocId) -> Result<Vec<(ChunkId, Vector)>, Error> {
        self.shared.with(|connection| {
            let rows = connection.query(OF, &[&self.project, &doc.as_str()])?;
            let read = |row: &tokio_postgres::Row| {
                let id = rows::chunk_id(get(row, 0)?)?;
                let unreadable =
                    |error: InvalidVector| PostgresError::Request { doing: OF.doing, source: error.into() };
                Ok((id, Vector::new(get::<Vec<f32>>(row, 1)?).map_err(unreadable)?))
            };
            rows.iter().map(read).collect()
        })
    }

    pub(super) fn write_space(&self, space: &VectorSpace) -> Result<(), Error> {
        let project = self.project;
        self.shared.with(|connection| {
            let transaction = connection.begin(Begin::Writing)?;
            if self::space(&transaction, LOCK_SPACE, project)?.as_ref() == Some(space) {
                return Ok(transaction.roll_back()?);
            }
            begin_space(&transaction, project, space)?;
            let batch = Changes::default().write(&transaction, project)?;
            transaction.commit()?;
            if let Some(batch) = batch {
                self.shared.wrote(project, batch);
            }
            Ok(())
        })
    }

    pub(super) fn write_vectors(
        &self,
        space: &VectorSpace,
        of: &[OfDocument<Vector>],
    ) -> Result<Enriched, Error> {
        let (project, expected) = (self.project, space.dimension().get());
        for (chunk, vector) in of.iter().flat_map(|(_, vectors)| vectors) {
            let found = vector.dimension().get();
            if found != expected {
                return Err(Error::Vector {
                    chunk: *chunk,
                    source: InvalidVector::Dimension { expected, found },
                });
            }
        }
        let mut ids: Vec<&str> = of.iter().map(|(doc, _)| doc.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        self.shared.with(|connection| {
            let transaction = connection.begin(Begin::Writing)?;
            let known = lock(&transaction, project, &ids)?;
            match self::space(&transaction, LOCK_SPACE, project)? {
                None => begin_space(&transaction, project, space)?,
                Some(stored) => {
                    if let Some(source) = stored.mismatch(space) {
                        transaction.roll_back()?;
                        return Err(Error::OtherSpace { path: self.name.clone().into(), source });
                    }
                }
            }
            let mut enriched = Enriched::default();
            for (doc, vectors) in of {
                let Some(key) =
                    known.get(doc.as_str()).filter(|known| known.old.is_some()).map(|known| known.key)
                else {
                    enriched.unknown += vectors.len();
                    continue;
                };
                let rows = transaction.query(IDS, &[&project, &key])?;
                let there = rows.iter().map(|row| get(row, 0)).collect::<Result<Vec<&[u8]>, _>>()?;
                let is_there = |id: &ChunkId| there.contains(&id.as_bytes().as_slice());
                // Of several vectors for one chunk the last counts: a statement writes no row twice.
                let mut last: std::collections::BTreeMap<&ChunkId, &Vector> =
                    std::collections::BTreeMap::new();
                for (id, vector) in vectors {
                    if is_there(id) {
                        last.insert(id, vector);
                    } else {
                        enriched.unknown += 1;
                    }
                }
                let ids: Vec<&[u8]> = last.keys().map(|id| id.as_bytes().as_slice()).collect();
                let texts: Vec<String> = last.values().map(|vector| text(vector)).collect();
                let written = transaction.execute(SET, &[&project, &key, &ids, &texts])?;
                let written = usize::try_from(written).unwrap_or_default();
                enriched.written += written;
                enriched.unchanged += last.len().saturating_sub(written);
            }
            if enriched.written > 0 {
                let batch = Changes::default().write(&transaction, project)?;
                transaction.commit()?;
                if let Some(batch) = batch {
                    self.shared.wrote(project, batch);
                }
            } else {
                transaction.roll_back()?;
            }
            Ok(enriched)
        })
    }

    pub(super) fn nearest_within(
        &self,
        query: &VectorQuery<'_>,
        filter: &Filter,
    ) -> Result<VectorOutcome, Error> {
        self.shared.read(&[self.project], |connection| {
            let transaction = connection.begin(Begin::Reading)?;
            let outcome = self.nearest_of(&transaction, query, filter)?;
            transaction.commit()?;
            Ok(outcome)
        })
    }

    pub(super) fn nearest_passages(
        &self,
        query: &VectorQuery<'_>,
        filter: &Filter,
    ) -> Result<Nearest, Error> {
        let hits = match self.nearest_within(query, filter)? {
            VectorOutcome::Found(hits) => hits,
            VectorOutcome::Off(reason) => return Ok(Nearest::Off(reason)),
        };
        let keys: Vec<ChunkKey> = hits.iter().map(|hit| ChunkKey(hit.key)).collect();
        let mut loaded =
            self.shared.read(&[self.project], |connection| load(connection, self.project, &keys))?;
        let passage = |(rank, hit): (usize, &VectorHit)| {
            let stored = loaded.remove(&ChunkKey(hit.key))?.stored;
            let explain = Explain { vector_rank: Some(rank), cosine: Some(hit.score), ..Explain::default() };
            Some(Hit::new(0, stored, 0.0, explain))
        };
        Ok(Nearest::Found((1..).zip(&hits).filter_map(passage).collect()))
    }

    fn nearest_of(
        &self,
        connection: &Connection,
        query: &VectorQuery<'_>,
        filter: &Filter,
    ) -> Result<VectorOutcome, PostgresError> {
        let Some(stored) = space(connection, SPACE, self.project)? else {
            return Ok(VectorOutcome::Off(VectorsOff::Missing));
        };
        if let Some(mismatch) = stored.mismatch(query.space) {
            return Ok(VectorOutcome::Off(mismatch.into()));
        }
        let most = LOOKED_AT + 1;
        let count: i64 =
            connection.query_one(COUNT, &[&self.project, &most])?.map_or(Ok(0), |row| get(&row, 0))?;
        if count == 0 {
            return Ok(VectorOutcome::Off(VectorsOff::Missing));
        }
        if query.limit == 0 {
            return Ok(VectorOutcome::Found(Vec::new()));
        }
        let dimension = stored.dimension().get();
        let by_index =
            count > LOOKED_AT && dimension <= INDEXED && connection.text_search() == TextSearch::PgSearch;
        // Those that a caller refuses are only known here: more are asked for until enough are left.
        let mut limit = query.limit.saturating_add(1);
        loop {
            let rows = nearest(connection, self.project, query.vector, filter, limit, by_index)?;
            let found = rows.len();
            let mut hits: Vec<VectorHit> = rows
                .into_iter()
                .filter(|hit| query.keep.is_none_or(|keep| keep(hit.key, &hit.chunk)))
                .collect();
            hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.chunk.cmp(&b.chunk)));
            // One more than wanted says whether the last wanted one ties with what was not asked for.
            let is_open = found == limit
                && (hits.len() <= query.limit
                    || hits.get(query.limit - 1).map(|hit| hit.score) == hits.last().map(|hit| hit.score));
            if is_open {
                limit = limit.saturating_mul(4);
                continue;
            }
            hits.truncate(query.limit);
            return Ok(VectorOutcome::Found(hits));
        }
    }
}

/// Makes `space` the space of the project's vectors, removes all that there are, and makes the index of vectors of that
/// many numbers where there is none.
fn begin_space(connection: &Connection, project: i64, space: &VectorSpace) -> Result<(), PostgresError> {
    connection.execute(FORGET, &[&project])?;
    connection.execute(SET_SPACE, &[&project, &to_json(space)?])?;
    let dimension = space.dimension().get();
    if dimension > INDEXED || connection.text_search() == TextSearch::BuiltIn {
        return Ok(());
    }
    let exists = format!("SELECT to_regclass('tusab.vectors_hnsw_{dimension}') IS NOT NULL");
    let exists = connection.query_made("look for an index", &exists, &[])?;
    if exists.first().map_or(Ok(false), |row| get(row, 0))? {
        return Ok(());
    }
    connection.run(
        "make an index of vectors",
        &format!(
            "SELECT pg_advisory_xact_lock({LOCK}); \
             CREATE INDEX IF NOT EXISTS vectors_hnsw_{dimension} ON vectors \
             USING hnsw ((embedding::vector({dimension})) vector_cosine_ops) WHERE vector_dims(embedding) = {dimension}"
        ),
    )
}

fn space(connection: &Connection, sql: Sql, project: i64) -> Result<Option<VectorSpace>, PostgresError> {
    let Some(row) = connection.query_one(sql, &[&project])? else { return Ok(None) };
    let is_there: Option<tokio_postgres::types::Json<VectorSpace>> = get(&row, 0)?;
    Ok(is_there.map(|json| json.0))
}

fn nearest(
    connection: &Connection,
    project: i64,
    vector: &Vector,
    filter: &Filter,
    limit: usize,
    by_index: bool,
) -> Result<Vec<VectorHit>, PostgresError> {
    let dimension = vector.dimension().get();
    // An order by what is computed from the distance is one that the index cannot give: all are looked at.
    let order = if by_index { "" } else { "0.0 + " };
    let distance = match connection.text_search() {
        TextSearch::PgSearch => {
            format!("(v.embedding::vector({dimension}) <=> $2::text::vector({dimension}))")
        }
        TextSearch::BuiltIn => {
            "cosine_distance(v.embedding, translate($2::text, '[]', '{}')::real[])".to_owned()
        }
    };
    if by_index {
        let candidates = limit.saturating_mul(CANDIDATES).clamp(40, MOST_CANDIDATES);
        connection.run(
            "search by meaning",
            &format!("SET LOCAL hnsw.ef_search = {candidates}; SET LOCAL hnsw.iterative_scan = strict_order"),
        )?;
    }
    let text = format!(
        "SELECT c.key, v.id, (1 - {distance})::float4 FROM vectors v \
         JOIN chunks c ON c.project = v.project AND c.document = v.document AND c.id = v.id \
         JOIN documents d ON d.project = v.project AND d.key = v.document \
         WHERE v.project = $1 AND vector_dims(v.embedding) = {dimension} \
         AND ($3::text[] IS NULL OR d.labels && $3) AND ($4::text[] IS NULL OR d.labels && $4) \
         AND ($5::text[] IS NULL OR d.labels && $5) AND ($6::text[] IS NULL OR d.id = ANY($6)) \
         AND ($7::int IS NULL OR d.date >= $7) AND ($8::int IS NULL OR d.date <= $8) \
         ORDER BY {order}{distance} LIMIT $9"
    );
    let some = |labels: Vec<String>| if labels.is_empty() { None } else { Some(labels) };
    let kinds = some(filter.kinds.iter().map(|kind| entry::kind_label(*kind)).collect());
    let languages = some(filter.languages.iter().map(entry::language_label).collect());
    let tags = some(filter.tags.iter().map(|tag| entry::tag_label(tag)).collect());
    let documents = some(filter.documents.iter().map(|id| id.as_str().to_owned()).collect());
    let day =
        |date: Option<tusab_chunk::Date>| date.and_then(|date| i32::try_from(crate::bm25::day(date)).ok());
    let (since, until, most) =
        (day(filter.since), day(filter.until), i64::try_from(limit).unwrap_or(i64::MAX));
    let rows = connection.query_made(
        "search by meaning",
        &text,
        &[&project, &self::text(vector), &kinds, &languages, &tags, &documents, &since, &until, &most],
    )?;
    rows.iter().map(hit).collect()
}

fn hit(row: &tokio_postgres::Row) -> Result<VectorHit, PostgresError> {
    let (key, id, score): (i64, &[u8], f32) = (get(row, 0)?, get(row, 1)?, get(row, 2)?);
    Ok(VectorHit { chunk: rows::chunk_id(id)?, key: key.cast_unsigned(), score: score.clamp(-1.0, 1.0) })
}

/// A vector as pgvector reads it.
fn text(vector: &Vector) -> String {
    let mut text = String::from("[");
    for (number, value) in vector.as_slice().iter().enumerate() {
        // A String takes everything.
        let _ = write!(text, "{}{value}", if number > 0 { "," } else { "" });
    }
    text.push(']');
    text
}
