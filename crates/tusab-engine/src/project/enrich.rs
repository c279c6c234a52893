//! What passages are given after they can be found: key phrases and vectors.
//!
//! Both take a model and much time, so they come when nobody waits: a big channel is searchable at once. What is done
//! is durable batch by batch, and the next run goes on with what is left, whatever ended the last one.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use tusab_chunk::{Chunk, ChunkId, DocId};
use tusab_index::{ChunkStore, Enriched, Enrichment, OfDocument, PageMark, Vector};
use tusab_rerank::{Embedder, KeyBert};

use super::Inner;
use crate::models::{EmbedderFault, Models, passage_text, space_of};
use crate::progress::Pulse;
use crate::{Degradation, Error, Event, KeyPhraseOrder, Progress, Stage};

/// Chunks that become durable together: some seconds of a model's work.
const BATCH: usize = 64;

/// Batches that may fail one after the other before the rest is left for another time.
const FAILURES: usize = 3;

/// What an enrichment came to.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct EnrichReport {
    /// Chunks that were given key phrases.
    pub key_phrases: usize,
    /// Chunks that were given a vector.
    pub vectors: usize,
    /// Chunks that still lack something that there is a model for.
    pub left: usize,
    /// True when the caller asked to stop.
    pub cancelled: bool,
    /// What was missing or failed; the next run tries what is left again.
    pub degraded: Vec<Degradation>,
}

/// Gives the chunks of a store what they lack and there is a model for: what [`Project::enrich`](crate::Project::enrich)
/// uses, and the way to enrich a store of one's own.
///
/// It blocks: call it from a thread that may.
#[derive(Clone)]
#[must_use]
pub struct Enricher {
    store: Arc<dyn ChunkStore>,
    models: Models,
}

impl fmt::Debug for Enricher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Enricher").field("models", &self.models).finish_non_exhaustive()
    }
}

impl Enricher {
    /// An enricher without models, which has nothing to give.
    pub fn new(store: Arc<dyn ChunkStore>) -> Self {
        Self { store, models: Models::default() }
    }

    /// With what gives passages their vectors.
    pub fn with_embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.models.embedder = Some(embedder);
        self
    }

    /// With what gives passages their key phrases.
    pub fn with_key_phrases(mut self, keybert: Arc<KeyBert>) -> Self {
        self.models.key_phrases = Some(keybert);
        self
    }

    pub(crate) fn with_models(mut self, models: Models) -> Self {
        self.models = models;
        self
    }

    /// Gives every chunk what it lacks, batch by batch, each durable before `progress` is told of it. `stop` is asked
    /// between batches.
    ///
    /// # Errors
    /// When the store cannot be read or written. What only concerns models is in the report.
    pub fn run(
        &self,
        stop: &dyn Fn() -> bool,
        progress: &dyn Fn(Stage, Progress),
    ) -> Result<EnrichReport, Error> {
        let mut report = EnrichReport::default();
        // Key phrases first: they make the words better for every search.
        if let Some(keybert) = &self.models.key_phrases {
            let give = |chunks: &[Chunk]| self.key_phrases(keybert, chunks);
            self.each_lacking(Enrichment::KeyPhrases, stop, progress, &mut report, &give)?;
        }
        if let Some(embedder) = &self.models.embedder {
            match space_of(&**embedder) {
                Ok(space) => {
                    let give = |chunks: &[Chunk]| self.vectors(&**embedder, &space, chunks);
                    self.each_lacking(Enrichment::Vectors, stop, progress, &mut report, &give)?;
                }
                Err(fault) => {
                    report.left += self.store.count_lacking(Enrichment::Vectors)?;
                    report.degraded.push(Degradation::embedder(embedder.model(), &fault));
                }
            }
        }
        Ok(report)
    }

    /// Goes through the chunks that lack something, in batches.
    fn each_lacking(
        &self,
        what: Enrichment,
        stop: &dyn Fn() -> bool,
        progress: &dyn Fn(Stage, Progress),
        report: &mut EnrichReport,
        give: &dyn Fn(&[Chunk]) -> Outcome,
    ) -> Result<(), Error> {
        let total = self.store.count_lacking(what)?;
        let (started, mut done, mut mark) = (Instant::now(), 0, PageMark::default());
        let mut failures = 0;
        loop {
            if stop() {
                report.cancelled = true;
                break;
            }
            let page = self.store.lacking(what, mark, BATCH)?;
            if page.chunks.is_empty() {
                break;
            }
            let span = tracing::debug_span!("enriching", ?what, chunks = page.chunks.len());
            let enriched = match span.in_scope(|| give(&page.chunks))? {
                Ok(enriched) => enriched,
                Err(degraded) => {
                    failures += 1;
                    // Told once: what fails for one batch most often fails for the next in the same words.
                    if !report.degraded.contains(&degraded) {
                        report.degraded.push(degraded);
                    }
                    // One batch that its model cannot take must not keep the others waiting for ever; a model that is
                    // not there is not asked for each of thousands.
                    let Some(next) = page.next.filter(|_| failures < FAILURES) else { break };
                    mark = next;
                    continue;
                }
            };
            failures = 0;
            done += page.chunks.len();
            let vectors = what == Enrichment::Vectors;
            *if vectors { &mut report.vectors } else { &mut report.key_phrases } += enriched.written;
            let stage = if vectors { Stage::Embedding } else { Stage::KeyPhrases };
            progress(stage, Progress::new(done, total.max(done), started.elapsed()));
            let Some(next) = page.next else { break };
            mark = next;
        }
        report.left += self.store.count_lacking(what)?;
        Ok(())
    }

    fn key_phrases(&self, keybert: &KeyBert, chunks: &[Chunk]) -> Outcome {
        let texts: Vec<&str> = chunks.iter().map(Chunk::original_text).collect();
        let keywords = match keybert.keywords_of_each(&texts) {
            Ok(keywords) => keywords,
            Err(error) => return Ok(Err(Degradation::key_phrases(&error))),
        };
        let phrases = keywords.into_iter().map(|of| of.into_iter().map(|keyword| keyword.phrase).collect());
        Ok(Ok(self.store.set_key_phrases(&by_document(chunks, phrases))?))
    }

    fn vectors(
        &self,
        embedder: &dyn Embedder,
        space: &tusab_index::VectorSpace,
        chunks: &[Chunk],
    ) -> Outcome {
        let mut titles: HashMap<&DocId, String> = HashMap::new();
        for chunk in chunks {
            if !titles.contains_key(chunk.doc()) {
                let title = self.store.document(chunk.doc())?.map(|document| document.title);
                titles.insert(chunk.doc(), title.unwrap_or_default());
            }
        }
        let text = |chunk: &Chunk| {
            let title = titles.get(chunk.doc()).map(String::as_str).unwrap_or_default();
            passage_text(title, chunk.section(), chunk.original_text())
        };
        let texts: Vec<String> = chunks.iter().map(text).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = match embed(embedder, &texts) {
            Ok(vectors) => vectors,
            Err(fault) => return Ok(Err(Degradation::embedder(embedder.model(), &fault))),
        };
        match self.store.set_vectors(space, &by_document(chunks, vectors)) {
            Ok(enriched) => Ok(Ok(enriched)),
            // Vectors of another model are there: which ones are to stay is the user's to say.
            Err(error @ tusab_index::Error::OtherSpace { .. }) => {
                Ok(Err(Degradation::NoVectors { reason: crate::error::chain(&error) }))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Gives the passages of documents that were indexed without them their key phrases, where the engine's order has these
/// come first: no lock of the project may be held, since a model works. What fails, or is stopped, is left to the next
/// enrichment.
pub(super) fn phrases_of(
    inner: &Inner,
    docs: &[DocId],
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<Option<Degradation>, Error> {
    let keybert = inner.models.key_phrases.as_ref();
    let first = keybert.filter(|_| inner.models.key_phrase_order == KeyPhraseOrder::BeforeIndexing);
    let Some(keybert) = first else { return Ok(None) };
    let mut lacking = Vec::new();
    for doc in docs {
        lacking.extend(inner.index.chunks(doc)?.into_iter().filter(|chunk| chunk.key_phrases().is_empty()));
    }
    let enricher = Enricher::new(Arc::clone(&inner.index) as Arc<dyn ChunkStore>);
    let (pulse, mut done, mut failed) = (Pulse::start(), 0, None);
    for chunks in lacking.chunks(BATCH) {
        if stop() {
            break;
        }
        if let Err(degraded) = enricher.key_phrases(keybert, chunks)? {
            failed = Some(degraded);
            break;
        }
        done += chunks.len();
        if let Some(progress) = pulse.beat(done, lacking.len()) {
            tell(Event::Progress { project: inner.name(), stage: Stage::KeyPhrases, progress });
        }
    }
    if done > 0 {
        inner.index.release_writer();
    }
    Ok(failed)
}

/// A batch's outcome: what was written, or what was missing or failed.
type Outcome = Result<Result<Enriched, Degradation>, Error>;

fn embed(embedder: &dyn Embedder, texts: &[&str]) -> Result<Vec<Vector>, EmbedderFault> {
    let embeddings = embedder.embed_passages(texts)?;
    Ok(embeddings.rows().map(|row| Vector::new(row.to_vec())).collect::<Result<_, _>>()?)
}

/// What chunks are given, by their documents.
fn by_document<T>(chunks: &[Chunk], given: impl IntoIterator<Item = T>) -> Vec<OfDocument<T>> {
    let mut of: Vec<(DocId, Vec<(ChunkId, T)>)> = Vec::new();
    for (chunk, given) in chunks.iter().zip(given) {
        // Pages come by document.
        match of.last_mut() {
            Some((doc, last)) if doc == chunk.doc() => last.push((chunk.id(), given)),
            _ => of.push((chunk.doc().clone(), vec![(chunk.id(), given)])),
        }
    }
    of
}
