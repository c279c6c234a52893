//! From sources to durable, searchable documents.

use tusab_ingest::{Fetched, Warning};

use super::group::{Bytes, Group};
use super::prepare::{prepare, prepare_fetched};
use super::{IngestReport, Inner, ItemReport, Outcome, Source};
use crate::{Error, Event};

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
    let mut group = Group::new(inner, library, tell);
    let mut report = IngestReport::default();
    for (done, source) in (1..).zip(sources) {
        if stop() {
            report.cancelled = true;
            break;
        }
        let name = source.name();
        let item = take(&mut group, inner, source);
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

/// Reads a source and puts it into the group.
fn take(group: &mut Group<'_>, inner: &Inner, source: Given<'_>) -> Result<(Outcome, Vec<Warning>), Error> {
    let mut prepared = match source {
        Given::Source(source) => prepare(source, &group.library, &*inner.clock)?,
        Given::Video(fetched) => prepare_fetched(fetched, &group.library, &*inner.clock)?,
    };
    let warnings = std::mem::take(&mut prepared.warnings);
    Ok((group.add(prepared, Bytes::ToWrite)?, warnings))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tusab_ingest::{SystemRunner, YtDlpOptions};

    use tusab_index::ChunkStore;

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
}
