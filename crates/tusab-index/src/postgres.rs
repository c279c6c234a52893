//! The same store and search on PostgreSQL, with `pg_search` (tantivy inside the server) and `pgvector`.
//!
//! From the inside out: `connection` asks one question and waits, `pool` keeps connections and asks again where the
//! server was away, `schema` makes the tables, `entry` says what a chunk is in them. `apply` and `enrich` write,
//! `changes` keeps the counts that scores need, `read` reads, `search` finds by words and `vectors` by meaning. `wanted` is
//! what a search asks of the server, in the words of `pg_search` or of its `built_in` search. `projects` says which there
//! are, and `files` keeps what belongs to one beside its passages.

mod advanced;
mod apply;
mod built_in;
mod changes;
mod connection;
mod enrich;
mod entry;
mod error;
mod files;
mod options;
mod pg_search;
mod pool;
mod projects;
mod rank;
mod read;
mod rows;
mod schema;
mod search;
mod servers;
mod vectors;
mod wait;
mod wanted;

use std::sync::Arc;

pub use error::PostgresError;
pub use files::PgFile;
pub use options::PostgresOptions;
pub use projects::{ProjectKey, ProjectState};

use servers::Servers;
use tusab_chunk::{Chunk, ChunkId, DocId};

use crate::{
    Applied, Batch, ChunkStore, ContentHash, Control, DocumentRecord, Enriched, Enrichment, Error, Filter,
    Found, Hit, Lacking, Nearest, OfDocument, PageMark, Query, Retriever, Statistics, Vector, VectorOutcome,
    VectorQuery, VectorSearch, VectorSpace,
};

/// The search by words that a database has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextSearch {
    /// BM25 by `pg_search`.
    #[default]
    PgSearch,
    /// PostgreSQL's own, which nominates passages by other rules, so that ranking differs: see
    /// [`PostgresOptions::built_in_search`].
    BuiltIn,
}

/// A database with projects. Clones share its connections.
///
/// The tables stand in a schema of their own, `tusab`, and are made and brought to this version when it is opened. The
/// extensions `pg_search` and `vector` have to be on the server, or [`PostgresOptions::built_in_search`] be allowed.
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
    servers: Arc<Servers>,
}

impl Postgres {
    /// Connects, and makes or migrates the tables.
    ///
    /// # Errors
    /// When the address cannot be read, the server cannot be reached or lacks extensions, or the tables were made by a
    /// later version.
    pub fn open(options: PostgresOptions) -> Result<Self, Error> {
        Ok(Self { servers: Arc::new(Servers::new(options)?) })
    }

    /// Which search by words the tables are for; that is decided as they are made.
    #[must_use]
    pub fn text_search(&self) -> TextSearch {
        self.servers.text_search()
    }
}

/// A project in a database: the store, and the search over it.
///
/// It finds what the local [`Index`](crate::Index) finds, ranked by the same formula over the counts of the project
/// alone, whatever other projects the database holds.
#[derive(Debug, Clone)]
pub struct PgStore {
    shared: Arc<Servers>,
    project: i64,
    name: String,
    owner: Arc<str>,
}

impl PgStore {
    /// The project's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Says who writes documents through this handle, such as an installation that keeps their sources; nobody by default.
    #[must_use]
    pub fn with_owner(mut self, owner: &str) -> Self {
        // No text of the server holds a NUL.
        self.owner = owner.replace('\0', "").into();
        self
    }

    /// Which search by words finds its passages.
    #[must_use]
    pub fn text_search(&self) -> TextSearch {
        self.shared.text_search()
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

    fn vectors(&self, doc: &DocId) -> Result<Vec<(ChunkId, Vector)>, Error> {
        self.read_vectors(doc)
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
