use std::thread;

use tantivy::indexer::{MergeCandidate, PreparedCommit};
use tantivy::merge_policy::{LogMergePolicy, MergePolicy, NoMergePolicy};
use tantivy::{IndexWriter, SegmentMeta, TantivyDocument, TantivyError, Term};
use tusab_chunk::{Chunk, Language};

use super::filter::{day, label};
use super::{Bm25, Fields, payload};
use crate::analyze::{Analysis, Morphology, PassageAnalysis, value};
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

    /// Adds a chunk. `analysis` is that of its text and of its document.
    pub(crate) fn add(
        &self,
        of: &Entry<'_>,
        key: ChunkKey,
        chunk: &Chunk,
        analysis: &PassageAnalysis,
    ) -> Result<(), Error> {
        let Entry { key: document, record, language } = of;
        let morphology = Morphology::of(*language);
        let mut entry = TantivyDocument::default();
        entry.add_text(self.fields.title, value(morphology, [&analysis.title]));
        let mut more = Analysis::default();
        if chunk.section().is_some() || !chunk.key_phrases().is_empty() {
            let parts = chunk.section().into_iter().chain(chunk.key_phrases().iter().map(String::as_str));
            more.read(&parts.collect::<Vec<_>>().join("\n"));
        }
        entry.add_text(self.fields.text, value(morphology, [&analysis.title, &analysis.text, &more]));
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
        let prepared = self.writer.prepare_commit();
        prepared.and_then(|prepared| commit(prepared, generation)).map_err(Error::bm25(&self.path))
    }

    /// Makes what was added and removed durable after `commit` has done so in the store of that name, whose new
    /// generation it gives. What takes time is done on another thread meanwhile.
    pub(crate) fn commit_after(
        &mut self,
        store: &str,
        commit_store: impl FnOnce() -> Result<u64, Error>,
    ) -> Result<(), Error> {
        let Self { path, writer, .. } = self;
        thread::scope(|scope| {
            let prepared = thread::Builder::new()
                .spawn_scoped(scope, move || writer.prepare_commit())
                .map_err(Error::io("start a thread to write", path))?;
            let number = commit_store();
            let panicked = || TantivyError::SystemError("writing it was broken off".to_owned());
            let prepared = prepared.join().map_err(|_| panicked()).and_then(|prepared| prepared);
            let generation = Generation { store: store.to_owned(), number: number? };
            prepared.and_then(|prepared| commit(prepared, &generation)).map_err(Error::bm25(path))
        })
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

fn commit(mut prepared: PreparedCommit<'_>, generation: &Generation) -> tantivy::Result<()> {
    prepared.set_payload(&payload(generation));
    prepared.commit().map(drop)
}

/// Each segment costs every search a look-up of each word, and each merge writes again what it merges: small segments are
/// merged soon, large ones, of which a load of many passages makes some, when there are many. Compacting merges all.
#[derive(Debug)]
struct Merging {
    small: LogMergePolicy,
    large: LogMergePolicy,
}

/// Documents of a segment that counts as large.
const LARGE: u32 = 10_000;

impl MergePolicy for Merging {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let (large, small): (Vec<_>, Vec<_>) =
            segments.iter().cloned().partition(|segment| segment.num_docs() >= LARGE);
        let mut candidates = self.small.compute_merge_candidates(&small);
        candidates.extend(self.large.compute_merge_candidates(&large));
        candidates
    }
}

fn merging() -> Box<dyn MergePolicy> {
    let (mut small, mut large) = (LogMergePolicy::default(), LogMergePolicy::default());
    small.set_min_num_segments(4);
    large.set_min_num_segments(24);
    Box::new(Merging { small, large })
}
