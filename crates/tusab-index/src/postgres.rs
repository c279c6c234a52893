//! The same store and search on PostgreSQL, with `pg_search` (tantivy inside the server) and `pgvector`.
//!
//! From the inside out: `connection` asks one question and waits, `pool` keeps connections and asks again where the
//! server was away, `schema` makes the tables, `entry` says what a chunk is in them. `apply` and `enrich` write,
//! `changes` keeps the counts that scores need, `read` reads, `search` finds by words and `vectors` by meaning.

mod apply;
mod changes;
mod connection;
mod enrich;
mod entry;
mod error;
mod options;
mod pool;
mod rank;
mod read;
mod rows;
mod schema;
mod search;
mod vectors;
mod wait;

use std::sync::Arc;

pub use error::PostgresError;
pub use options::PostgresOptions;

use connection::{Begin, Sql};
use pool::Pool;
use rows::get;
use tusab_chunk::{Chunk, DocId};

use crate::{
    Applied, Batch, ChunkStore, ContentHash, Control, DocumentRecord, Enriched, Enrichment, Error, Filter,
    Found, Hit, Lacking, Nearest, OfDocument, PageMark, Query, Retriever, Statistics, Vector, VectorOutcome,
    VectorQuery, VectorSearch, VectorSpace,
};

const PROJECTS: Sql =
    Sql { doing: "list projects", text: "SELECT name FROM projects ORDER BY name COLLATE \"C\"" };
const FIND: Sql = Sql { doing: "look for a project", text: "SELECT key FROM projects WHERE name = $1" };
const LOCK: Sql =
    Sql { doing: "look for a project", text: "SELECT key FROM projects WHERE name = $1 FOR UPDATE" };
const ADD: Sql = Sql {
    doing: "add a project",
    text: "INSERT INTO projects (name) VALUES ($1) ON CONFLICT (name) DO NOTHING",
};
const REMOVE: [Sql; 5] = [
    Sql { doing: "remove a project", text: "DELETE FROM documents WHERE project = $1" },
    Sql { doing: "remove a project", text: "DELETE FROM chunks WHERE project = $1" },
    Sql { doing: "remove a project", text: "DELETE FROM vectors WHERE project = $1" },
    Sql { doing: "remove a project", text: "DELETE FROM terms WHERE project = $1" },
    Sql { doing: "remove a project", text: "DELETE FROM projects WHERE key = $1" },
];

/// A database with projects. Clones share its connections.
///
/// The tables stand in a schema of their own, `tusab`, and are made and brought to this version when it is opened. The
/// extensions `pg_search` and `vector` have to be on the server.
///
/// It may be called from any thread and waits there; a thread of its own drives the connections. Requests that a restart
/// of the server or a collision of two transactions ended are sent again for as long as
/// [`PostgresOptions::patience`] says.
///
/// ```no_run
/// use tusab_index::{Postgres, PostgresOptions, Query, Retriever};
/// let postgres = Postgres::open(PostgresOptions::new("postgresql://tusab@127.0.0.1/team"))?;
/// let store = postgres.project("handbook")?;
/// let found = store.retrieve(&Query::new("férias"))?;
/// # Ok::<(), tusab_index::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Postgres {
    pool: Arc<Pool>,
}

impl Postgres {
    /// Connects, and makes or migrates the tables.
    ///
    /// # Errors
    /// When the address cannot be read, the server cannot be reached or lacks extensions, or the tables were made by a
    /// later version.
    pub fn open(options: PostgresOptions) -> Result<Self, Error> {
        let pool = Pool::new(options)?;
        // The first connection makes the tables.
        pool.with(|_| Ok(()))?;
        Ok(Self { pool: Arc::new(pool) })
    }

    /// The store of a project, which is made when it is not there.
    ///
    /// # Errors
    /// When the name cannot be one, or the server does not answer.
    pub fn project(&self, name: &str) -> Result<PgStore, Error> {
        if name.is_empty() || name.chars().count() > MAX_NAME || name.contains('\0') {
            return Err(PostgresError::ProjectName { name: name.to_owned() }.into());
        }
        let project = self.pool.with(|connection| {
            if let Some(row) = connection.query_one(FIND, &[&name])? {
                return Ok(get(&row, 0)?);
            }
            connection.execute(ADD, &[&name])?;
            let row = connection.query_one(FIND, &[&name])?;
            // Removed again in between.
            let row = row.ok_or_else(|| PostgresError::ProjectRemoved { name: name.to_owned() })?;
            Ok(get(&row, 0)?)
        })?;
        Ok(PgStore { shared: Arc::clone(&self.pool), project, name: name.to_owned() })
    }

    /// The names of the projects, sorted.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn projects(&self) -> Result<Vec<String>, Error> {
        self.pool.with(|connection| {
            let rows = connection.query(PROJECTS, &[])?;
            Ok(rows.iter().map(|row| get(row, 0)).collect::<Result<_, _>>()?)
        })
    }

    /// Removes a project with all that it holds, in one transaction; false when there is none of that name.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn remove_project(&self, name: &str) -> Result<bool, Error> {
        self.pool.with(|connection| {
            let transaction = connection.begin(Begin::Writing)?;
            let row = transaction.query_one(LOCK, &[&name])?;
            let Some(project) = row.map(|row| get::<i64>(&row, 0)).transpose()? else {
                transaction.roll_back()?;
                return Ok(false);
            };
            for sql in REMOVE {
                transaction.execute(sql, &[&project])?;
            }
            transaction.commit()?;
            Ok(true)
        })
    }
}

/// Longest name of a project, in characters.
const MAX_NAME: usize = 200;

/// A project in a database: the store, and the search over it.
///
/// It finds what the local [`Index`](crate::Index) finds, ranked by the same formula over the counts of the project
/// alone, whatever other projects the database holds.
#[derive(Debug, Clone)]
pub struct PgStore {
    shared: Arc<Pool>,
    project: i64,
    name: String,
}

impl PgStore {
    /// The project's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn removed(&self) -> PostgresError {
        PostgresError::ProjectRemoved { name: self.name.clone() }
    }
}

impl ChunkStore for PgStore {
    fn apply(&self, batch: &Batch, control: Control<'_>) -> Result<Applied, Error> {
        if batch.is_empty() {
            return Ok(Applied::default());
        }
        self.write_batch(batch, control)
    }

    fn document(&self, doc: &DocId) -> Result<Option<DocumentRecord>, Error> {
        self.read_document(doc)
    }

    fn documents(&self) -> Result<Vec<DocumentRecord>, Error> {
        self.read_documents()
    }

    fn content_hashes(&self) -> Result<Vec<(DocId, ContentHash)>, Error> {
        self.read_hashes()
    }

    fn chunks(&self, doc: &DocId) -> Result<Vec<Chunk>, Error> {
        self.read_chunks(doc)
    }

    fn set_key_phrases(&self, of: &[OfDocument<Vec<String>>]) -> Result<Enriched, Error> {
        self.write_key_phrases(of)
    }

    fn set_vectors(&self, space: &VectorSpace, of: &[OfDocument<Vector>]) -> Result<Enriched, Error> {
        self.write_vectors(space, of)
    }

    fn vector_space(&self) -> Result<Option<VectorSpace>, Error> {
        self.read_space()
    }

    fn set_vector_space(&self, space: &VectorSpace) -> Result<(), Error> {
        self.write_space(space)
    }

    fn lacking(&self, what: Enrichment, from: PageMark, limit: usize) -> Result<Lacking, Error> {
        self.read_lacking(what, from, limit)
    }

    fn count_lacking(&self, what: Enrichment) -> Result<usize, Error> {
        self.number_lacking(what)
    }

    fn statistics(&self) -> Result<Statistics, Error> {
        self.read_statistics()
    }
}

impl Retriever for PgStore {
    fn retrieve(&self, query: &Query) -> Result<Found, Error> {
        self.search(query)
    }

    fn retrieve_nearest(&self, query: &VectorQuery<'_>, filter: &Filter) -> Result<Nearest, Error> {
        self.nearest_passages(query, filter)
    }

    fn following(&self, hit: &Hit) -> Result<Option<Hit>, Error> {
        self.read_following(hit)
    }
}

/// Exact up to 10,000 vectors of a project, and by an HNSW index from there on.
impl VectorSearch for PgStore {
    fn nearest(&self, query: &VectorQuery<'_>) -> Result<VectorOutcome, Error> {
        self.nearest_within(query, &Filter::default())
    }
}
