//! Key phrases before the indexing: found while no lock is held, since a model takes its time and may be the caller's own.

use std::collections::{HashMap, VecDeque};

use tusab_chunk::{Chunk, ChunkId};
use tusab_index::ChunkStore;
use tusab_rerank::KeyBert;

use super::group::cut;
use super::ingest::Given;
use super::library::Library;
use super::prepare::{prepare, prepare_fetched, unchanged};
use super::stored::Prepared;
use super::{Inner, Source};
use crate::progress::Pulse;
use crate::{Degradation, Error, Event, Stage};

/// Passages whose sources become durable together: some seconds of a model's work.
const ENOUGH: usize = 64;

/// Passages that the model is given before the request to stop is looked at again.
const BATCH: usize = 16;

/// What was found, by passage. One in which there are no key phrases has an empty list.
#[derive(Debug, Default)]
pub(super) struct Phrases(HashMap<ChunkId, Vec<String>>);

impl Phrases {
    /// What was found in a passage; `None` where nothing was looked for.
    pub(super) fn of(&self, chunk: &Chunk) -> Option<&[String]> {
        self.0.get(&chunk.id()).map(Vec::as_slice)
    }
}

/// Finds key phrases in sources that are about to be taken in.
pub(super) struct Finder<'a> {
    inner: &'a Inner,
    keybert: &'a KeyBert,
    /// As it was when the work began: what it says of sources decides what need not be read, and no more.
    library: Library,
    stop: &'a dyn Fn() -> bool,
    tell: &'a dyn Fn(Event),
    pulse: Pulse,
    done: usize,
    total: usize,
    /// Why the model is asked no more.
    pub(super) failed: Option<Degradation>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(
        inner: &'a Inner,
        keybert: &'a KeyBert,
        library: Library,
        stop: &'a dyn Fn() -> bool,
        tell: &'a dyn Fn(Event),
    ) -> Self {
        let pulse = Pulse::start();
        Self { inner, keybert, library, stop, tell, pulse, done: 0, total: 0, failed: None }
    }

    /// The next sources that are to be taken in together, with the key phrases of their passages. All that are left once
    /// the model has failed: they are searchable without.
    pub(super) fn next<'s>(
        &mut self,
        sources: &mut VecDeque<Given<'s>>,
    ) -> Result<(Vec<Given<'s>>, Phrases), Error> {
        if self.failed.is_some() {
            return Ok((sources.drain(..).collect(), Phrases::default()));
        }
        let (mut taken, mut chunks) = (Vec::new(), Vec::new());
        while chunks.len() < ENOUGH && !(self.stop)() {
            let Some(source) = sources.pop_front() else { break };
            chunks.extend(self.lacking(&source)?);
            taken.push(source);
        }
        // Stopped at once, it says so itself.
        taken.extend(if taken.is_empty() { sources.pop_front() } else { None });
        self.total += chunks.len();
        Ok((taken, self.find(&chunks)))
    }

    fn find(&mut self, chunks: &[Chunk]) -> Phrases {
        let mut phrases = Phrases::default();
        for batch in chunks.chunks(BATCH) {
            if (self.stop)() {
                break;
            }
            let texts: Vec<&str> = batch.iter().map(Chunk::original_text).collect();
            let found = match self.keybert.keywords_of_each(&texts) {
                Ok(found) => found,
                Err(error) => {
                    self.failed = Some(Degradation::key_phrases(&error));
                    break;
                }
            };
            let words = found.into_iter().map(|of| of.into_iter().map(|keyword| keyword.phrase).collect());
            phrases.0.extend(batch.iter().map(Chunk::id).zip(words));
            self.done += batch.len();
            if let Some(progress) = self.pulse.beat(self.done, self.total) {
                let project = self.inner.name();
                (self.tell)(Event::Progress { project, stage: Stage::KeyPhrases, progress });
            }
        }
        phrases
    }

    /// The passages of a source that are to have key phrases and have none. What cannot be read says so when it is taken in.
    fn lacking(&self, source: &Given<'_>) -> Result<Vec<Chunk>, Error> {
        let (library, clock) = (&self.library, &*self.inner.clock);
        let prepared = match source {
            Given::Source(Source::File(path)) if unchanged(path, library).is_some() => return Ok(Vec::new()),
            Given::Source(source) => prepare(source.clone(), library, clock),
            Given::Video(fetched) => prepare_fetched(fetched, library, clock),
            Given::Unreadable(..) => return Ok(Vec::new()),
        };
        let Ok(Prepared { document, pages, entry, .. }) = prepared else { return Ok(Vec::new()) };
        let is_here = match library.find(&document.id) {
            Some((_, known)) => known.content_hash == entry.content_hash,
            None => library.with_content(entry.content_hash).is_some(),
        };
        if is_here {
            return Ok(Vec::new());
        }
        let mut chunks = cut(&document, &pages);
        let known: HashMap<ChunkId, bool> = self
            .inner
            .index
            .chunks(&document.id)?
            .iter()
            .map(|chunk| (chunk.id(), !chunk.key_phrases().is_empty()))
            .collect();
        // Those of passages that stay are kept by the index.
        chunks.retain(|chunk| known.get(&chunk.id()) != Some(&true));
        Ok(chunks)
    }
}
