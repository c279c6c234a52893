use std::path::Path;

use benches::passages::Passage;
use tusab_chunk::{Body, Chunker, Document, Windows};
use tusab_index::{Batch, ChunkStore, ContentHash, Control, DocumentRecord, Index, Query, Retriever};

use crate::finder::{Asked, Finder, WANTED};

/// Narrow Search with what it does by default.
pub(crate) struct Ours(Index);

impl Finder for Ours {
    const NAME: &'static str = "tusab-index";

    fn open(folder: &Path) -> Self {
        Self(Index::open(folder).expect("an index").index)
    }

    fn write(&mut self, from: usize, passages: &[Passage]) {
        let mut batch = Batch::new();
        for (number, Passage { title, text }) in (from..).zip(passages) {
            let id = format!("text:{number}").parse().expect("a valid id");
            let hash = ContentHash::of(1, text.as_bytes());
            let document = Document::new(id, title.as_str(), Body::Text(text.clone()));
            batch.upsert(DocumentRecord::new(&document, hash), Windows::default().chunks(&document));
        }
        self.0.apply(&batch, Control::default()).expect("a batch");
    }

    fn settle(&mut self) {
        self.0.compact().expect("an index");
    }

    fn find(&self, asked: &Asked) -> usize {
        let query = match asked {
            Asked::Words(words) => Query::new(words.as_str()),
            Asked::Phrase(phrase) => Query::new(format!("\"{phrase}\"")),
        };
        let hits = self.0.retrieve(&query.with_limit(WANTED)).expect("hits").hits;
        hits.iter().map(|hit| hit.document.title.len() + hit.chunk.original_text().len()).sum()
    }
}
