use tantivy::merge_policy::{LogMergePolicy, MergePolicy, NoMergePolicy};
use tantivy::{IndexWriter, SegmentMeta, TantivyDocument, Term};
use tusab_chunk::{Chunk, Language};

use super::filter::{day, label};
use super::{Bm25, Fields, payload};
use crate::analyze::{Morphology, value};
use crate::store::{ChunkKey, DocumentKey, Generation};
use crate::{DocumentRecord, Error, title};

/// Memory for documents not yet written out. More makes fewer, larger segments; a batch of any size fits.
const HEAP_BYTES: usize = 50_000_000;

/// More merges than these are never running at once.
const MERGES: usize = 16;

/// The one writer of a BM25 index.
pub(crate) struct Bm25Writer {
    path: std::path::PathBuf,
    writer: IndexWriter,
    fields: Fields,
}

/// What the chunks of a document share in the index.
#[derive(Debug)]
pub(crate) struct Entry<'d> {
    pub(crate) key: DocumentKey,
    pub(crate) record: &'d DocumentRecord,
    /// The language it is in, given or detected.
    pub(crate) language: Option<&'d Language>,
}

impl std::fmt::Debug for Bm25Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bm25Writer").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Bm25Writer {
    pub(crate) fn new(bm25: &Bm25) -> Result<Self, Error> {
        // One thread: the order of documents, and so the order of ties, is then the order of adding.
        let writer = bm25.index.writer_with_num_threads(1, HEAP_BYTES).map_err(Error::bm25(&bm25.path))?;
        writer.set_merge_policy(merging());
        let writer = Self { path: bm25.path.clone(), writer, fields: bm25.fields };
        // What a writer that died had begun: the next one would give a file the same name, and could not write it.
        writer.collect_garbage()?;
        Ok(writer)
    }

    /// Forgets every chunk of a document.
    pub(crate) fn remove(&self, document: DocumentKey) {
        self.writer.delete_term(Term::from_field_u64(self.fields.document, document.0));
    }

    /// Forgets one chunk.
    pub(crate) fn remove_chunk(&self, chunk: ChunkKey) {
        self.writer.delete_term(Term::from_field_u64(self.fields.chunk, chunk.0));
    }

    /// Adds a chunk.
    pub(crate) fn add(&self, of: &Entry<'_>, key: ChunkKey, chunk: &Chunk) -> Result<(), Error> {
        let Entry { key: document, record, language } = of;
        let morphology = Morphology::of(*language);
        let mut entry = TantivyDocument::default();
        // Several values of one field are one bag of words.
        let title = value(morphology, &record.title);
        entry.add_text(self.fields.title, &title);
        entry.add_text(self.fields.text, title);
        if let Some(section) = chunk.section() {
            entry.add_text(self.fields.text, value(morphology, section));
        }
        entry.add_text(self.fields.text, value(morphology, &chunk.text()));
        if let Some(words) = title::words(&record.title) {
            entry.add_text(self.fields.title_words, words);
        }
        entry.add_text(self.fields.kind, record.id.kind().as_str());
        entry.add_text(self.fields.language, language.map_or("", Language::primary));
        for tag in &record.tags {
            entry.add_text(self.fields.tag, label(tag));
        }
        if let Some(date) = record.date {
            entry.add_i64(self.fields.date, day(date));
        }
        entry.add_u64(self.fields.chunk, key.0);
        entry.add_u64(self.fields.document, document.0);
        self.writer.add_document(entry).map(drop).map_err(Error::bm25(&self.path))
    }

    /// Makes what was added and removed durable, as made from that state of the store.
    pub(crate) fn commit(&mut self, generation: &Generation) -> Result<(), Error> {
        let mut commit = || {
            let mut commit = self.writer.prepare_commit()?;
            commit.set_payload(&payload(generation));
            commit.commit()
        };
        commit().map(drop).map_err(Error::bm25(&self.path))
    }

    /// Merges all segments into one, without what was removed. Everything must be committed.
    pub(crate) fn compact(&mut self) -> Result<(), Error> {
        // No further merges begin in the background. One that is running may take segments from under this one, which
        // then fails: once for each.
        self.writer.set_merge_policy(Box::new(NoMergePolicy));
        let mut merged = self.merge_all();
        for _ in 0..MERGES {
            if merged.is_ok() {
                break;
            }
            merged = self.merge_all();
        }
        self.writer.set_merge_policy(merging());
        merged.map_err(Error::bm25(&self.path))
    }

    fn merge_all(&mut self) -> tantivy::Result<()> {
        let segments = self.writer.index().searchable_segment_metas()?;
        if segments.len() > 1 || segments.iter().any(SegmentMeta::has_deletes) {
            let ids: Vec<_> = segments.iter().map(SegmentMeta::id).collect();
            self.writer.merge(&ids).wait()?;
        }
        Ok(())
    }

    /// Removes the files that neither the last commit nor a search uses.
    pub(crate) fn collect_garbage(&self) -> Result<(), Error> {
        self.writer.garbage_collect_files().wait().map(drop).map_err(Error::bm25(&self.path))
    }

    /// Forgets what was added and removed since the last commit.
    pub(crate) fn rollback(&mut self) -> Result<(), Error> {
        self.writer.rollback().map(drop).map_err(Error::bm25(&self.path))
    }

    /// Waits until merging has ended, so that the folder may be moved.
    pub(crate) fn finish(self) -> Result<(), Error> {
        self.writer.wait_merging_threads().map_err(Error::bm25(&self.path))
    }
}

/// Each segment costs every search a look-up of each word: fewer of them than by default.
fn merging() -> Box<dyn MergePolicy> {
    let mut merging = LogMergePolicy::default();
    merging.set_min_num_segments(4);
    Box::new(merging)
}
