//! The ranking of all words: BM25 on tantivy, derived from the store.

mod filter;
mod folder;
pub(crate) mod rank;
mod search;
mod snapshot;
#[cfg(test)]
mod tests;
mod top;
mod write;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{IndexReader, IndexSettings, ReloadPolicy};

#[cfg(feature = "postgres")]
pub(crate) use filter::day;
pub(crate) use filter::label;
use folder::Folder;
pub(crate) use rank::{Rank, RankedTerm, Totals, WordField};
pub(crate) use search::{Place, Worth};
pub(crate) use snapshot::Snapshot;
pub(crate) use write::{Bm25Writer, Entry};

use crate::Error;
use crate::analyze::TermTokenizer;
use crate::store::Generation;

/// Version of the fields and of the analysis: an index made by another one is made again.
const FORMAT: u32 = 2;

const ANALYZER: &str = "tusab_terms";

#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// The title, the section and the passage with its key phrases, in one bag: a title word counts like any other.
    text: Field,
    /// The title alone, which a query weighs lightly.
    title: Field,
    /// The content words of the title, sorted, as one term: a query of these words is for this title.
    title_words: Field,
    /// Key of the chunk.
    chunk: Field,
    /// Key of the document, by which all its chunks are removed.
    document: Field,
    kind: Field,
    language: Field,
    tag: Field,
    /// Year, month and day as one number that grows with time.
    date: Field,
}

impl Fields {
    fn schema() -> (Schema, Self) {
        let mut schema = Schema::builder();
        // No positions: phrases are the literal index's work.
        let words = TextFieldIndexing::default()
            .set_tokenizer(ANALYZER)
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(true);
        let words = TextOptions::default().set_indexing_options(words);
        let label = TextFieldIndexing::default()
            .set_tokenizer("raw")
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false);
        let label = TextOptions::default().set_indexing_options(label);
        let number: NumericOptions = INDEXED.into();
        let fields = Self {
            text: schema.add_text_field("text", words.clone()),
            title: schema.add_text_field("title", words),
            title_words: schema.add_text_field("title_words", label.clone()),
            chunk: schema.add_u64_field("chunk", FAST | INDEXED),
            document: schema.add_u64_field("document", number),
            kind: schema.add_text_field("kind", label.clone()),
            language: schema.add_text_field("language", label.clone()),
            tag: schema.add_text_field("tag", label),
            date: schema.add_i64_field("date", FAST),
        };
        (schema.build(), fields)
    }
}

/// A folder with a BM25 index, open for searching.
pub(crate) struct Bm25 {
    path: PathBuf,
    index: tantivy::Index,
    reader: IndexReader,
    fields: Fields,
    latest: RwLock<Arc<Snapshot>>,
}

impl std::fmt::Debug for Bm25 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bm25").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Bm25 {
    /// Makes an empty index in a folder that is emptied first.
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        if path.exists() {
            fs::remove_dir_all(path).map_err(Error::io("empty", path))?;
        }
        fs::create_dir_all(path).map_err(Error::io("create", path))?;
        let (schema, _) = Fields::schema();
        let failed = Error::bm25(path);
        let folder = Folder::open(path).map_err(|error| failed(error.into()))?;
        Self::with(path, tantivy::Index::create(folder, schema, IndexSettings::default()).map_err(failed)?)
    }

    /// Opens the index of a folder. An error means that it has to be made again.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        Self::with(path, open_index(path).map_err(Error::bm25(path))?)
    }

    /// Opens the index of a folder after reading every byte of it: an error too when a file is not as it was written.
    pub(crate) fn open_verified(path: &Path) -> Result<Self, Error> {
        let failed = Error::bm25(path);
        let index = open_index(path).map_err(&failed)?;
        // Before anything else: tantivy panics on some damages once it works with them.
        let damaged = index.validate_checksum().map_err(&failed)?;
        if let Some(file) = damaged.iter().next() {
            return Err(failed(tantivy::TantivyError::SystemError(format!("{} is damaged", file.display()))));
        }
        Self::with(path, index)
    }

    fn with(path: &Path, index: tantivy::Index) -> Result<Self, Error> {
        let failed = Error::bm25(path);
        let (schema, fields) = Fields::schema();
        if index.schema() != schema {
            return Err(failed(tantivy::TantivyError::SchemaError("it is of another version".to_owned())));
        }
        index.tokenizers().register(ANALYZER, TextAnalyzer::from(TermTokenizer::default()));
        // Manual: this process reloads after its own commits, and when the store has moved on.
        let reader =
            index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(&failed)?;
        let latest =
            RwLock::new(Arc::new(Snapshot::of(path, &reader.searcher(), fields, 0).map_err(failed)?));
        let bm25 = Self { path: path.to_owned(), index, reader, fields, latest };
        bm25.reload()?;
        Ok(bm25)
    }

    /// The state of the store that the last commit was made from; `None` when it says none that we can use.
    pub(crate) fn generation(&self) -> Option<Generation> {
        let payload = self.index.load_metas().ok()?.payload?;
        let mut parts = payload.split(' ');
        let format: u32 = parts.next()?.parse().ok()?;
        let generation = Generation { store: parts.next()?.to_owned(), number: parts.next()?.parse().ok()? };
        (format == FORMAT && parts.next().is_none()).then_some(generation)
    }

    /// Number of chunks that a search can find.
    pub(crate) fn chunks(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Makes the last commit visible to the next search.
    pub(crate) fn reload(&self) -> Result<(), Error> {
        let number = || self.generation().map_or(0, |generation| generation.number);
        let mut generation = number();
        loop {
            self.reader.reload().map_err(Error::bm25(&self.path))?;
            let after = number();
            // A commit that came in between may or may not be in what was loaded.
            if after == generation {
                break;
            }
            generation = after;
        }
        let snapshot = Snapshot::of(&self.path, &self.reader.searcher(), self.fields, generation);
        *self.latest.write().unwrap_or_else(PoisonError::into_inner) =
            Arc::new(snapshot.map_err(Error::bm25(&self.path))?);
        Ok(())
    }

    /// What the next search searches.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.latest.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn open_index(path: &Path) -> tantivy::Result<tantivy::Index> {
    tantivy::Index::open(Folder::open(path)?)
}

/// What a commit says of the store that it was made from.
fn payload(generation: &Generation) -> String {
    format!("{FORMAT} {} {}", generation.store, generation.number)
}
