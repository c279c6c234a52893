//! Indexing passages as documents of one chunk each, in a folder or on a server.

use std::path::Path;
use std::sync::Arc;

use tusab_engine::chunk::{
    Body, ByteOffset, CharOffset, Chunk, DocId, Document, Position, SourceKind, TextSpan,
};
use tusab_engine::index::{
    Batch, ChunkStore, ContentHash, Control, DocumentRecord, Hit, Index, PgStore, Postgres, PostgresOptions,
    Retriever,
};

use crate::Failure;
use crate::collection::Passage;

/// Passages written in one batch.
const BATCH: usize = 20_000;

/// Where passages are kept and found.
#[derive(Debug, Clone)]
pub enum Store {
    /// In a folder of this machine.
    Folder(Arc<Index>),
    /// In a database.
    Server(Arc<PgStore>),
}

impl Store {
    /// An index in a folder, which is made when it is not there.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        let opened = Index::open(folder).map_err(|error| Failure::of(&error))?;
        Ok(Self::Folder(Arc::new(opened.index)))
    }

    /// What keeps the passages.
    #[must_use]
    pub fn chunks(&self) -> Arc<dyn ChunkStore> {
        match self {
            Self::Folder(index) => Arc::clone(index) as Arc<dyn ChunkStore>,
            Self::Server(store) => Arc::clone(store) as Arc<dyn ChunkStore>,
        }
    }

    /// What finds them.
    #[must_use]
    pub fn retriever(&self) -> Arc<dyn Retriever> {
        match self {
            Self::Folder(index) => Arc::clone(index) as Arc<dyn Retriever>,
            Self::Server(store) => Arc::clone(store) as Arc<dyn Retriever>,
        }
    }
}

/// A project of a database that is there while a program runs.
#[derive(Debug)]
pub struct ServerProject {
    postgres: Postgres,
    name: String,
}

impl ServerProject {
    /// An empty project of this program on the server of that address.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub fn create(address: &str, connections: usize, of: &str) -> Result<Self, Failure> {
        let options = PostgresOptions::new(address).with_connections(connections);
        let postgres = Postgres::open(options).map_err(|error| Failure::of(&error))?;
        Ok(Self { postgres, name: format!("{of} {}", std::process::id()) })
    }

    /// The project, through connections that are open already.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn store(&self) -> Result<Store, Failure> {
        let store = self.postgres.project(&self.name).map_err(|error| Failure::of(&error))?;
        Ok(Store::Server(Arc::new(store)))
    }

    /// The project, through a new connection.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub fn opened_again(&self, address: &str) -> Result<Store, Failure> {
        let opened =
            Postgres::open(PostgresOptions::new(address)).and_then(|postgres| postgres.project(&self.name));
        Ok(Store::Server(Arc::new(opened.map_err(|error| Failure::of(&error))?)))
    }

    /// Bytes that the server keeps, of all projects.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn bytes(&self) -> Result<u64, Failure> {
        self.postgres.bytes().map_err(|error| Failure::of(&error))
    }
}

/// Nothing of it stays on the server.
impl Drop for ServerProject {
    fn drop(&mut self) {
        if let Err(error) = self.postgres.remove_project(&self.name) {
            eprintln!("project {:?} stays on the server: {error}", self.name);
        }
    }
}

/// An index being filled with passages.
#[derive(Debug)]
pub struct PassageIndex {
    store: Store,
    batch: Batch,
    names: Vec<String>,
    /// The first failure; the passages after it are not taken.
    failure: Option<Failure>,
}

impl PassageIndex {
    /// An empty index in a folder.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn create(folder: &Path) -> Result<Self, Failure> {
        Store::open(folder).map(Self::within)
    }

    /// Fills an empty store.
    #[must_use]
    pub fn within(store: Store) -> Self {
        Self { store, batch: Batch::new(), names: Vec::new(), failure: None }
    }

    /// Adds a passage.
    pub fn add(&mut self, passage: Passage) {
        if self.failure.is_some() {
            return;
        }
        match entry(self.names.len(), &passage) {
            Ok((record, chunk)) => {
                self.batch.upsert(record, vec![chunk]);
                self.names.push(passage.id);
                if self.batch.len() == BATCH {
                    self.write();
                }
            }
            Err(failure) => self.failure = Some(failure),
        }
    }

    fn write(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        if let Err(error) = self.store.chunks().apply(&batch, Control::default()) {
            self.failure = Some(Failure::of(&error));
        }
    }

    /// The filled store and the passages' names in the collection.
    ///
    /// # Errors
    /// When a batch could not be written.
    pub fn finish(mut self) -> Result<(Store, Vec<String>), Failure> {
        self.write();
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        // As an app does when all is taken in and nobody waits; the server does it by itself.
        if let Store::Folder(index) = &self.store {
            index.compact().map_err(|error| Failure::of(&error))?;
        }
        Ok((self.store, self.names))
    }

    /// The name in the collection of a hit's passage.
    #[must_use]
    pub fn name<'n>(names: &'n [String], hit: &Hit) -> Option<&'n str> {
        let number: usize = hit.document.id.local().parse().ok()?;
        names.get(number).map(String::as_str)
    }
}

/// The document and chunk of passage number `number`.
///
/// # Errors
/// When there are more passages than an id can count.
pub fn entry(number: usize, passage: &Passage) -> Result<(DocumentRecord, Chunk), Failure> {
    let id = DocId::new(SourceKind::Text, &number.to_string()).map_err(|error| Failure::of(&error))?;
    let Passage { title, text, .. } = passage;
    let whole = TextSpan::new(
        (ByteOffset(0), ByteOffset(text.len())),
        (CharOffset(0), CharOffset(text.chars().count())),
    )
    .map_err(|error| Failure::of(&error))?;
    let document = Document::new(id.clone(), title.as_str(), Body::Text(String::new()));
    let hash = ContentHash::of(1, format!("{title}\0{text}").as_bytes());
    Ok((DocumentRecord::new(&document, hash), Chunk::new(id, 0, text.as_str(), Position::Text(whole))))
}
