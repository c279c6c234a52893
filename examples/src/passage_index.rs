//! Indexing passages as documents of one chunk each.

use std::path::Path;

use tusab_engine::chunk::{
    Body, ByteOffset, CharOffset, Chunk, DocId, Document, Position, SourceKind, TextSpan,
};
use tusab_engine::index::{Batch, ChunkStore, ContentHash, Control, DocumentRecord, Hit, Index};

use crate::Failure;
use crate::collection::Passage;

/// Passages written in one batch.
const BATCH: usize = 20_000;

/// An index being filled with passages.
#[derive(Debug)]
pub struct PassageIndex {
    index: Index,
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
        let index = Index::open(folder).map_err(|error| Failure::of(&error))?.index;
        Ok(Self { index, batch: Batch::new(), names: Vec::new(), failure: None })
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
        if let Err(error) = self.index.apply(&batch, Control::default()) {
            self.failure = Some(Failure::of(&error));
        }
    }

    /// The filled index and the passages' names in the collection.
    ///
    /// # Errors
    /// When a batch could not be written.
    pub fn finish(mut self) -> Result<(Index, Vec<String>), Failure> {
        self.write();
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        // As an app does when all is taken in and nobody waits.
        self.index.compact().map_err(|error| Failure::of(&error))?;
        Ok((self.index, self.names))
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
