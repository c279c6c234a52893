//! From sources to durable, searchable documents.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tusab_ingest::{Fetched, Warning};

use super::group::{Bytes, Group};
use super::prepare::{prepare, prepare_fetched, unchanged};
use super::source::walk;
use super::{IngestReport, Inner, ItemReport, Outcome, Source, youtube};
use crate::progress::{Progress, Stage};
use crate::{Error, Event};

/// Shortest time between two tellings of the progress.
const TELLING: Duration = Duration::from_millis(100);

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
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<IngestReport, Error> {
    let mut report = IngestReport::default();
    let mut waiting = Vec::new();
    for source in sources {
        match source {
            // Hours of asking politely: others may write the project meanwhile.
            Source::YouTube { url, options } => {
                report.extend(run(inner, std::mem::take(&mut waiting), stop, tell)?);
                if report.cancelled || stop() {
                    report.cancelled = true;
                    return Ok(report);
                }
                let taken = youtube::run(inner, &url, &options, stop, tell);
                report.cancelled |= taken.as_ref().is_ok_and(|taken| taken.cancelled);
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
    report.extend(run(inner, waiting, stop, tell)?);
    Ok(report)
}

/// Takes sources in, save YouTube's.
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
    let mut group = Group::new(inner, library, tell);
    let mut report = IngestReport::default();
    let started = Instant::now();
    let mut told = started;
    for (done, source) in (1..).zip(sources) {
        if stop() {
            report.cancelled = true;
            break;
        }
        let name = source.name();
        let item = take(&mut group, inner, source);
        let (outcome, warnings) = item.unwrap_or_else(|error| (Outcome::Failed(error), Vec::new()));
        tell(Event::SourceRead { project: project(), name: name.clone(), done, total });
        if done == total || told.elapsed() >= TELLING {
            told = Instant::now();
            let progress = Progress::new(done, total, started.elapsed());
            tell(Event::Progress { project: project(), stage: Stage::Reading, progress });
        }
        report.items.push(ItemReport { name, outcome, warnings });
        if group.is_full() {
            group.commit()?;
        }
    }
    group.finish()?;
    tell(Event::IngestFinished { project: project(), stored: report.stored(), failed: report.failed() });
    Ok(report)
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
        let (inner, _) = Inner::open(located, dirs, &Place::Folders, given, &|| false).unwrap();
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
}
