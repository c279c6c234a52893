//! Sources that become durable and searchable together.

#![allow(clippy::similar_names, reason = "`shelf` beside `self`")]

use std::num::NonZeroU32;

use tusab_chunk::{Chunk, Chunker, DocId, Document, Position, SourceKind, Windows};
use tusab_index::{Batch, ChunkStore, Control, DocumentRecord, OfDocument};
use tusab_ingest::Pages;

use super::library::Library;
use super::phrases::Phrases;
use super::stored::Prepared;
use super::{Inner, Outcome};
use crate::progress::Pulse;
use crate::storage::Entry;
use crate::{Error, Event, Stage};

/// Sources are made durable in groups, each with one write of a manifest and one batch of the index: a group ends
/// after this many sources or bytes, which bounds the memory, what a crash repeats, and what a cancel waits for: a group
/// that was read is made durable first.
const GROUP_SOURCES: usize = 500;
const GROUP_BYTES: usize = 4 << 20;

/// Where the bytes of a source are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bytes {
    /// In the memory alone: they have to be written.
    ToWrite,
    /// In the file that the manifest names.
    InPlace,
}

/// Sources read and not yet durable. The caller holds the project's lock.
pub(super) struct Group<'a> {
    inner: &'a Inner,
    pub(super) library: Library,
    batch: Batch,
    /// Documents whose words stay and whose names change: the index takes equal content for no change.
    renamed: Batch,
    /// What was found in the passages before.
    phrases: Phrases,
    /// Passages in which there are no key phrases, which is said after they were written.
    without: Vec<OfDocument<Vec<String>>>,
    bytes: usize,
    tell: &'a dyn Fn(Event),
}

impl<'a> Group<'a> {
    pub(super) fn new(inner: &'a Inner, library: Library, tell: &'a dyn Fn(Event)) -> Self {
        let (phrases, without) = (Phrases::default(), Vec::new());
        Self { inner, library, batch: Batch::new(), renamed: Batch::new(), phrases, without, bytes: 0, tell }
    }

    /// With the key phrases of passages that will be in it.
    pub(super) fn with_phrases(mut self, phrases: Phrases) -> Self {
        self.phrases = phrases;
        self
    }

    /// Puts a source into the group, unless it is here already.
    pub(super) fn add(&mut self, prepared: Prepared, where_: Bytes) -> Result<Outcome, Error> {
        let Prepared { document, pages, shelf, mut entry, bytes, .. } = prepared;
        let doc = document.id.clone();
        let known = self.library.find(&doc).map(|(shelf, entry)| (shelf.clone(), entry.clone()));
        match &known {
            Some((shelf, old))
                if old.content_hash == entry.content_hash && self.library.has_file(shelf, old) =>
            {
                if old.original_name == entry.original_name || doc.kind() != SourceKind::Text {
                    self.note_stamps(&shelf.clone(), old, &entry);
                    return Ok(Outcome::Unchanged { doc });
                }
                self.renamed.delete(doc.clone());
            }
            Some((_, old)) => one_language(&doc, old, &entry)?,
            // An edited source keeps its own place even when it now says what another one says.
            None => {
                if let Some(of) = self.library.with_content(entry.content_hash) {
                    return Ok(Outcome::Duplicate { of: of.clone() });
                }
            }
        }
        let chunks = self.with_their_phrases(&doc, cut(&document, &pages));
        if chunks.is_empty() {
            return Err(Error::NothingSaid { name: entry.original_name });
        }
        let count = chunks.len();
        self.batch.upsert(DocumentRecord::new(&document, entry.content_hash), chunks);
        self.bytes += bytes.len();
        match where_ {
            Bytes::ToWrite => {
                // A hand may have given its file another name: the old content must not stay beside the new.
                if let Some((_, old)) = &known {
                    entry.stored_name.clone_from(&old.stored_name);
                }
                self.library.put(&doc, &shelf, entry, bytes);
            }
            Bytes::InPlace => self.library.put_in_place(&doc, &shelf, entry),
        }
        Ok(match known {
            None => Outcome::Added { doc, chunks: count },
            Some(_) => Outcome::Updated { doc, chunks: count },
        })
    }

    fn with_their_phrases(&mut self, doc: &DocId, chunks: Vec<Chunk>) -> Vec<Chunk> {
        let mut without = Vec::new();
        let chunks = chunks.into_iter().map(|chunk| match self.phrases.of(&chunk) {
            Some([]) => {
                without.push((chunk.id(), Vec::new()));
                chunk
            }
            Some(phrases) => {
                let phrases = phrases.to_vec();
                chunk.with_key_phrases(phrases)
            }
            None => chunk,
        });
        let chunks = chunks.collect();
        if !without.is_empty() {
            self.without.push((doc.clone(), without));
        }
        chunks
    }

    /// Takes a document out of the index; the caller has taken it out of the library.
    pub(super) fn delete(&mut self, doc: DocId) {
        self.batch.delete(doc);
    }

    /// Keeps when the files of an unchanged source were read, so that the next look at them need not read.
    fn note_stamps(&mut self, shelf: &super::shelf::Shelf, old: &Entry, new: &Entry) {
        let (stored, origin) = (new.stored.or(old.stored), new.origin.or(old.origin));
        if (stored, origin) != (old.stored, old.origin) {
            self.library.put_entry(shelf, Entry { stored, origin, ..old.clone() });
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.batch.len() >= GROUP_SOURCES || self.bytes >= GROUP_BYTES
    }

    /// Makes the group durable: the sources first, from which the index can be made again.
    pub(super) fn commit(&mut self) -> Result<(), Error> {
        if self.library.is_changed() {
            self.library.flush()?;
        }
        if !self.renamed.is_empty() {
            self.inner.index.apply(&self.renamed, Control::default())?;
            self.renamed = Batch::new();
        }
        if !self.batch.is_empty() {
            let pulse = Pulse::start();
            let progress = |done, total| {
                (self.tell)(Event::Indexing { project: self.inner.name(), done, total });
                if let Some(progress) = pulse.beat(done, total) {
                    (self.tell)(Event::Progress {
                        project: self.inner.name(),
                        stage: Stage::Indexing,
                        progress,
                    });
                }
            };
            self.inner.index.apply(&self.batch, Control { progress: &progress, ..Control::default() })?;
            (self.batch, self.bytes) = (Batch::new(), 0);
        }
        if !self.without.is_empty() {
            self.inner.index.set_key_phrases(&std::mem::take(&mut self.without))?;
        }
        Ok(())
    }

    /// Commits what is left and lets another process write.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        let committed = self.commit();
        self.inner.index.release_writer();
        committed
    }
}

/// The chunks of a document, each with the page that it starts on.
pub(super) fn cut(document: &Document, pages: &Pages) -> Vec<Chunk> {
    let page = |chunk: &Chunk| match chunk.position() {
        Position::Text(span) => pages.at(span.byte_start()).and_then(|page| NonZeroU32::new(page.get())),
        _ => None,
    };
    let chunks = Windows::default().chunks(document);
    chunks
        .into_iter()
        .map(|chunk| {
            let page = page(&chunk);
            chunk.with_page(page)
        })
        .collect()
}

/// A video is kept in one language; a track in another must not take its place unasked.
fn one_language(doc: &DocId, old: &Entry, new: &Entry) -> Result<(), Error> {
    match (&old.language, &new.language) {
        (Some(here), Some(given))
            if doc.kind() == SourceKind::Youtube && here.primary() != given.primary() =>
        {
            let (here, given, name) = (here.clone(), given.clone(), new.original_name.clone());
            Err(Error::OtherLanguage { name, doc: doc.clone(), given, here })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use tusab_chunk::{Body, ByteOffset};

    use super::*;

    #[test]
    fn a_chunk_knows_the_page_that_it_starts_on() {
        let page = "Uma frase da mesma página, sem nada de novo. ".repeat(60);
        let text = format!("{page}{page}{page}");
        let starts = (0..3).map(|number| ByteOffset(number * page.len())).collect();
        let pages = Pages::starting_at(starts).unwrap();
        let document = Document::new("file:a".parse().unwrap(), "A", Body::Text(text));
        let chunks = cut(&document, &pages);
        assert!(chunks.len() > 3);
        for chunk in &chunks {
            let Position::Text(span) = chunk.position() else { panic!("{chunk:?}") };
            let number = span.byte_start().0 / page.len() + 1;
            assert_eq!(chunk.page().map(|page| page.get() as usize), Some(number));
        }
        assert!(cut(&document, &Pages::default()).iter().all(|chunk| chunk.page().is_none()));
    }
}
