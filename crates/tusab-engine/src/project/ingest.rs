//! From sources to durable, searchable documents.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use tusab_ingest::{Fetched, Warning};
use tusab_rerank::KeyBert;

use super::group::{Bytes, Group};
use super::phrases::{Finder, Phrases};
use super::prepare::{prepare, prepare_fetched, unchanged};
use super::source::walk;
use super::sources::mended;
use super::{IngestReport, Inner, ItemReport, Outcome, Source, youtube};
use crate::progress::Pulse;
use crate::{Error, Event, KeyPhraseOrder, Stage};

/// What is taken in.
#[derive(Debug)]
pub(super) enum Given<'a> {
    Source(Source),
    /// A video as yt-dlp gave it.
    Video(&'a Fetched),
    /// A folder that could not be read.
    Unreadable(String, Error),
}

impl Given<'_> {
    fn name(&self) -> String {
        match self {
            Self::Source(source) => source.name(),
            Self::Video(fetched) => {
                fetched.captions.as_ref().map_or_else(String::new, |file| file.name(fetched.info.as_ref()))
            }
            Self::Unreadable(name, _) => name.clone(),
        }
    }
}

/// Takes sources of every kind in, in their order, on a thread that may block. Calls no handler of the user's: `tell`
/// only passes events on.
pub(super) fn all(
    inner: &Inner,
    sources: Vec<Source>,
    order: KeyPhraseOrder,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<IngestReport, Error> {
    let mut report = IngestReport::default();
    let mut waiting = Vec::new();
    for source in sources {
        match source {
            // Hours of asking politely: others may write the project meanwhile.
            Source::YouTube { url, options } => {
                report.extend(run(inner, std::mem::take(&mut waiting), order, stop, tell)?);
                if report.cancelled || stop() {
                    report.cancelled = true;
                    return Ok(report);
                }
                let taken = youtube::run(inner, &url, &options, stop, tell);
                if let Ok(taken) = &taken {
                    report.cancelled |= taken.cancelled;
                    report.degrade(taken.degraded.clone());
                }
                let outcome = taken.map_or_else(Outcome::Failed, |taken| Outcome::YouTube(Box::new(taken)));
                report.items.push(ItemReport { name: url.url(), outcome, warnings: Vec::new() });
                if report.cancelled {
                    return Ok(report);
                }
            }
            Source::Folder { path, options } => {
                let data = inner.dirs.neural.parent().and_then(Path::parent);
                let apart = data.and_then(|data| fs::canonicalize(data).ok());
                let (files, failed) = walk(&path, &options, apart.as_deref(), stop);
                let failed = failed.into_iter();
                waiting
                    .extend(failed.map(|(path, error)| Given::Unreadable(path.display().to_string(), error)));
                waiting.extend(files.into_iter().map(|path| Given::Source(Source::File(path))));
            }
            source => waiting.push(Given::Source(source)),
        }
    }
    report.extend(run(inner, waiting, order, stop, tell)?);
    Ok(report)
}

/// Takes sources in, save YouTube's.
pub(super) fn run(
    inner: &Inner,
    sources: Vec<Given<'_>>,
    order: KeyPhraseOrder,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<IngestReport, Error> {
    if sources.is_empty() {
        return Ok(IngestReport::default());
    }
    let total = sources.len();
    let mut taking =
        Taking { inner, stop, tell, total, pulse: Pulse::start(), report: IngestReport::default() };
    let first = inner.models.key_phrases.as_deref().filter(|_| order == KeyPhraseOrder::BeforeIndexing);
    let taken = match first {
        Some(keybert) => taking.phrases_first(keybert, sources.into()),
        None => taking.take(sources, Phrases::default(), true),
    };
    match taken {
        // While something was mended.
        Err(error) if error.is_cancelled() => taking.report.cancelled = true,
        taken => taken?,
    }
    let report = taking.report;
    tell(Event::IngestFinished { project: inner.name(), stored: report.stored(), failed: report.failed() });
    Ok(report)
}

/// An ingest under way.
struct Taking<'a> {
    inner: &'a Inner,
    stop: &'a dyn Fn() -> bool,
    tell: &'a dyn Fn(Event),
    total: usize,
    pulse: Pulse,
    report: IngestReport,
}

impl Taking<'_> {
    /// Part by part: key phrases, while others may write the project, and then the rest.
    fn phrases_first(&mut self, keybert: &KeyBert, mut sources: VecDeque<Given<'_>>) -> Result<(), Error> {
        let library = {
            let _writing = self.inner.write()?;
            mended(self.inner, self.stop, self.tell)?
        };
        self.begin();
        let mut finder = Finder::new(self.inner, keybert, library, self.stop, self.tell);
        while !sources.is_empty() && !self.report.cancelled {
            let (part, phrases) = finder.next(&mut sources)?;
            self.take(part, phrases, false)?;
        }
        self.report.degrade(finder.failed);
        Ok(())
    }

    fn begin(&self) {
        (self.tell)(Event::IngestStarted { project: self.inner.name(), total: self.total });
    }

    /// Takes sources in, while nobody else does.
    fn take(&mut self, sources: Vec<Given<'_>>, phrases: Phrases, begins: bool) -> Result<(), Error> {
        let _writing = self.inner.write()?;
        // What an ingest before this one could not index is indexed first.
        let library = mended(self.inner, self.stop, self.tell)?;
        if begins {
            self.begin();
        }
        let mut group = Group::new(self.inner, library, self.tell).with_phrases(phrases);
        for source in sources {
            if (self.stop)() {
                self.report.cancelled = true;
                break;
            }
            let name = source.name();
            let item = take(&mut group, self.inner, source);
            let (outcome, warnings) = item.unwrap_or_else(|error| (Outcome::Failed(error), Vec::new()));
            self.report.items.push(ItemReport { name: name.clone(), outcome, warnings });
            self.tell_read(name);
            if group.is_full() {
                group.commit()?;
            }
        }
        group.finish()
    }

    fn tell_read(&self, name: String) {
        let (project, done, total) = (self.inner.name(), self.report.items.len(), self.total);
        (self.tell)(Event::SourceRead { project: project.clone(), name, done, total });
        if let Some(progress) = self.pulse.beat(done, total) {
            (self.tell)(Event::Progress { project, stage: Stage::Reading, progress });
        }
    }
}

/// Reads a source and puts it into the group.
fn take(group: &mut Group<'_>, inner: &Inner, source: Given<'_>) -> Result<(Outcome, Vec<Warning>), Error> {
    let mut prepared = match source {
        Given::Source(Source::File(path)) => match unchanged(&path, &group.library) {
            Some(doc) => return Ok((Outcome::Unchanged { doc }, Vec::new())),
            None => prepare(Source::File(path), &group.library, &*inner.clock)?,
        },
        Given::Source(source) => prepare(source, &group.library, &*inner.clock)?,
        Given::Video(fetched) => prepare_fetched(fetched, &group.library, &*inner.clock)?,
        Given::Unreadable(_, error) => return Err(error),
    };
    let warnings = std::mem::take(&mut prepared.warnings);
    Ok((group.add(prepared, Bytes::ToWrite)?, warnings))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tusab_index::ChunkStore;
    use tusab_ingest::{SystemRunner, YtDlpOptions};

    use super::*;
    use crate::SystemClock;
    use crate::chat::ChatModels;
    use crate::event::Handler;
    use crate::models::Models;
    use crate::project::{Place, YtDlpSetup, catalog};
    use crate::storage::DataDir;

    #[test]
    fn stopping_in_the_middle_keeps_what_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::new(folder.path().to_owned());
        let located = catalog::find_or_make(&data, "P", &SystemClock).unwrap();
        let dirs = data.project(&located.folder);
        let yt_dlp = YtDlpSetup { options: YtDlpOptions::default(), runner: Arc::new(SystemRunner) };
        let given = crate::project::Given {
            handler: Handler::default(),
            clock: Arc::new(SystemClock),
            chat_models: ChatModels::default(),
            models: Models::default(),
            yt_dlp,
        };
        let inner = Inner::open(located, dirs, &Place::Folders, given, &|| false, &|_| {}).unwrap().inner;
        let source = |n| Given::Source(Source::text(format!("t{n}"), format!("texto {n}")));
        let sources = || (0..6).map(source).collect::<Vec<_>>();
        let asked = std::cell::Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) == 3;
        let report = run(&inner, sources(), KeyPhraseOrder::default(), &stop, &|_| {}).unwrap();
        assert!(report.cancelled);
        assert_eq!((report.items.len(), report.stored()), (3, 3));
        assert_eq!(inner.index.statistics().unwrap().documents, 3);
        let report = run(&inner, sources(), KeyPhraseOrder::default(), &|| false, &|_| {}).unwrap();
        assert_eq!((report.cancelled, report.items.len(), report.stored()), (false, 6, 3));
    }
}
