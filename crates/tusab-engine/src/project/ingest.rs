//! From sources to durable, searchable documents.

#![allow(clippy::similar_names, reason = "`shelf` beside `self`")]

use std::num::NonZeroU32;

use tusab_chunk::{Chunk, Chunker, DocId, Document, Position, SourceKind, Windows};
use tusab_index::{Batch, ChunkStore, Control, DocumentRecord};

use tusab_ingest::{Fetched, Pages};

use super::library::Library;
use super::prepare::{prepare, prepare_fetched};
use super::shelf::Shelf;
use super::stored::{Prepared, reread};
use super::{IngestReport, Inner, ItemReport, Outcome, Source};
use crate::storage::Entry;
use crate::{Error, Event};

/// Sources are made durable in groups, each with one write of a manifest and one batch of the index: a group ends
/// after this many sources or bytes, which bounds the memory and what a crash repeats.
const GROUP_SOURCES: usize = 1000;
const GROUP_BYTES: usize = 16 << 20;

/// What is taken in.
#[derive(Debug)]
pub(super) enum Given<'a> {
    Source(Source),
    /// A video as yt-dlp gave it.
    Video(&'a Fetched),
}

impl Given<'_> {
    fn name(&self) -> String {
        match self {
            Self::Source(source) => source.name(),
            Self::Video(fetched) => {
                fetched.captions.as_ref().map_or_else(String::new, |file| file.name(fetched.info.as_ref()))
            }
        }
    }
}

/// Takes sources in, on a thread that may block. Calls no handler of the user's: `tell` only passes events on.
pub(super) fn run(
    inner: &Inner,
    sources: Vec<Given<'_>>,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<IngestReport, Error> {
    let project = || inner.name();
    if sources.is_empty() {
        return Ok(IngestReport::default());
    }
    let _writing = inner.write()?;
    // What an ingest before this one could not index is indexed first.
    let (library, repairs) = inner.mend()?;
    for what in repairs {
        tell(Event::Repaired { project: project(), what });
    }
    let total = sources.len();
    tell(Event::IngestStarted { project: project(), total });
    let mut group = Group { inner, library, batch: Batch::new(), bytes: 0, tell };
    let mut report = IngestReport::default();
    for (done, source) in (1..).zip(sources) {
        if stop() {
            report.cancelled = true;
            break;
        }
        let name = source.name();
        let item = group.take(source);
        let (outcome, warnings) = item.unwrap_or_else(|error| (Outcome::Failed(error), Vec::new()));
        tell(Event::SourceRead { project: project(), name: name.clone(), done, total });
        report.items.push(ItemReport { name, outcome, warnings });
        if group.is_full() {
            group.commit()?;
        }
    }
    group.finish()?;
    tell(Event::IngestFinished { project: project(), stored: report.stored(), failed: report.failed() });
    Ok(report)
}

/// Sources read and not yet durable.
struct Group<'a> {
    inner: &'a Inner,
    library: Library,
    batch: Batch,
    bytes: usize,
    tell: &'a dyn Fn(Event),
}

impl Group<'_> {
    /// Reads a source and puts it into the group.
    fn take(&mut self, source: Given<'_>) -> Result<(Outcome, Vec<tusab_ingest::Warning>), Error> {
        let prepared = match source {
            Given::Source(source) => prepare(source, &self.library, &*self.inner.clock)?,
            Given::Video(fetched) => prepare_fetched(fetched, &self.library, &*self.inner.clock)?,
        };
        let Prepared { document, pages, shelf, entry, bytes, warnings } = prepared;
        let doc = document.id.clone();
        let known = self.library.find(&doc).map(|(shelf, entry)| (shelf.clone(), entry.clone()));
        match &known {
            Some((shelf, old))
                if old.content_hash == entry.content_hash && self.library.has_file(shelf, old) =>
            {
                return Ok((Outcome::Unchanged { doc }, warnings));
            }
            Some((_, old)) => one_language(&doc, old, &entry)?,
            // An edited source keeps its own place even when it now says what another one says.
            None => {
                if let Some(of) = self.library.with_content(entry.content_hash) {
                    return Ok((Outcome::Duplicate { of: of.clone() }, warnings));
                }
            }
        }
        let chunks = cut(&document, &pages);
        if chunks.is_empty() {
            return Err(Error::NothingSaid { name: entry.original_name });
        }
        let count = chunks.len();
        self.batch.upsert(DocumentRecord::new(&document, entry.content_hash), chunks);
        self.bytes += bytes.len();
        self.library.put(&doc, &shelf, entry, bytes);
        let outcome = match known {
            None => Outcome::Added { doc, chunks: count },
            Some(_) => Outcome::Updated { doc, chunks: count },
        };
        Ok((outcome, warnings))
    }

    fn is_full(&self) -> bool {
        self.batch.len() >= GROUP_SOURCES || self.bytes >= GROUP_BYTES
    }

    /// Makes the group durable: the sources first, from which the index can be made again.
    fn commit(&mut self) -> Result<(), Error> {
        if self.batch.is_empty() {
            return Ok(());
        }
        self.library.flush()?;
        let progress = |done, total| {
            (self.tell)(Event::Indexing { project: self.inner.name(), done, total });
        };
        self.inner.index.apply(&self.batch, Control { progress: &progress, ..Control::default() })?;
        (self.batch, self.bytes) = (Batch::new(), 0);
        Ok(())
    }

    /// Commits what is left and lets another process write.
    fn finish(&mut self) -> Result<(), Error> {
        let committed = self.commit();
        self.inner.index.release_writer();
        committed
    }
}

/// The chunks of a document, each with the page that it starts on.
fn cut(document: &Document, pages: &Pages) -> Vec<Chunk> {
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

/// Indexes sources from their stored bytes. Those that cannot be read are told, for people, and left as they are.
///
/// The caller holds the project's lock.
pub(super) fn index_stored(
    inner: &Inner,
    library: &mut Library,
    stored: Vec<(Shelf, Entry)>,
) -> Result<Vec<String>, Error> {
    let mut failed = Vec::new();
    let mut batch = Batch::new();
    let mut bytes_read = 0;
    let apply = |batch: &mut Batch| {
        inner.index.apply(batch, Control::default())?;
        *batch = Batch::new();
        Ok::<(), Error>(())
    };
    for (shelf, entry) in stored {
        let read = library.read(&shelf, &entry).and_then(|bytes| reread(&shelf, &entry, bytes));
        match read {
            Ok(Prepared { document, pages, entry, bytes, .. }) => {
                let chunks = cut(&document, &pages);
                batch.upsert(DocumentRecord::new(&document, entry.content_hash), chunks);
                library.put_entry(&shelf, entry);
                bytes_read += bytes.len();
            }
            Err(error) => failed.push(format!("{} could not be indexed: {error}", entry.original_name)),
        }
        if batch.len() >= GROUP_SOURCES || bytes_read >= GROUP_BYTES {
            apply(&mut batch)?;
            bytes_read = 0;
        }
    }
    apply(&mut batch)?;
    inner.index.release_writer();
    // After the index: an entry that says it was read by this version is then never ahead of it.
    library.flush()?;
    Ok(failed)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tusab_chunk::{Body, ByteOffset};
    use tusab_ingest::{SystemRunner, YtDlpOptions};

    use super::*;
    use crate::SystemClock;
    use crate::event::Handler;
    use crate::project::{YtDlpSetup, catalog};
    use crate::storage::DataDir;

    #[test]
    fn stopping_in_the_middle_keeps_what_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::new(folder.path().to_owned());
        let located = catalog::find_or_make(&data, "P", &SystemClock).unwrap();
        let dirs = data.project(&located.folder);
        let yt_dlp = YtDlpSetup { options: YtDlpOptions::default(), runner: Arc::new(SystemRunner) };
        let (inner, _) =
            Inner::open(located, dirs, Handler::default(), Arc::new(SystemClock), None, yt_dlp).unwrap();
        let source = |n| Given::Source(Source::text(format!("t{n}"), format!("texto {n}")));
        let sources = || (0..6).map(source).collect::<Vec<_>>();
        let asked = std::cell::Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) == 3;
        let report = run(&inner, sources(), &stop, &|_| {}).unwrap();
        assert!(report.cancelled);
        assert_eq!((report.items.len(), report.stored()), (3, 3));
        assert_eq!(inner.index.statistics().unwrap().documents, 3);
        let report = run(&inner, sources(), &|| false, &|_| {}).unwrap();
        assert_eq!((report.cancelled, report.items.len(), report.stored()), (false, 6, 3));
    }

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
