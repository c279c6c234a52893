//! Bringing a project to what is in its folders: files put in, edited or taken away by hand.

#![allow(clippy::similar_names, reason = "`shelf` beside `self`")]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use tusab_index::ContentHash;

use super::enrich::phrases_of;
use super::group::{Bytes, Group};
use super::library::{Library, files};
use super::shelf::Shelf;
use super::stored::{PARSER_VERSION, Prepared, adopt, reread};
use super::{Inner, ItemReport, Outcome, Project};
use crate::progress::Pulse;
use crate::storage::{Entry, Stamp};
use crate::{Cancel, Degradation, Error, Event, Stage};

/// What a synchronisation found changed.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct SyncReport {
    /// What became of each file that was not as it was known, with its name in the project's folder.
    pub changes: Vec<ItemReport>,
    /// What had to be mended first, for people: a folder without a manifest, or with a damaged one, is taken in whole.
    pub repaired: Vec<String>,
    /// Number of sources that are as they were known.
    pub unchanged: usize,
    /// True when the caller asked to stop before all was looked at, or had its key phrases.
    pub cancelled: bool,
    /// What was missing or failed, and cost no source: key phrases that could not be found.
    pub degraded: Vec<Degradation>,
}

impl Project {
    /// Looks at the project's folders, and takes in what was put there by hand, reads again what was edited, and
    /// forgets what was taken away. A file that got another name is the same source.
    ///
    /// A file whose size and time of change are as they were when it was read is not read again. What the report tells
    /// is durable when this returns. How far it is, [`Event::Progress`] tells; dropping the future is a cancel.
    ///
    /// Where the engine has a model for key phrases, what is new or was edited gets its own before this returns, unless the
    /// engine was made with [`KeyPhraseOrder::AfterIndexing`](crate::KeyPhraseOrder::AfterIndexing). It is searchable before:
    /// no lock is held while the model works.
    ///
    /// # Errors
    /// When the folders cannot be read, or another process is writing this project. A file that cannot be understood
    /// is no error but an [`Outcome::Failed`] in the report; what it said before stays.
    pub async fn sync(&self, cancel: &Cancel) -> Result<SyncReport, Error> {
        self.work(cancel, "a synchronisation", |inner, stop, tell| {
            let mut report = run(inner, stop, tell)?;
            let changed = report.changes.iter().filter_map(|change| match &change.outcome {
                Outcome::Added { doc, .. } | Outcome::Updated { doc, .. } => Some(doc.clone()),
                _ => None,
            });
            report.degraded.extend(phrases_of(inner, &changed.collect::<Vec<_>>(), stop, tell)?);
            report.cancelled |= stop();
            Ok(report)
        })
        .await
    }
}

fn run(inner: &Inner, stop: &dyn Fn() -> bool, tell: &dyn Fn(Event)) -> Result<SyncReport, Error> {
    let _writing = inner.write()?;
    let mut report = SyncReport::default();
    let library = match inner.mend(stop, tell) {
        Ok((library, repaired)) => {
            for what in repaired.iter().cloned() {
                tell(Event::Repaired { project: inner.name(), what });
            }
            report.repaired = repaired;
            library
        }
        Err(error) if error.is_cancelled() => {
            report.cancelled = true;
            return Ok(report);
        }
        Err(error) => return Err(error),
    };
    let mut folders = Vec::new();
    for shelf in library.shelves() {
        let files = files(&shelf.dir(&inner.dirs.neural))?;
        folders.push((shelf, files));
    }
    let total = folders.iter().map(|(_, files)| files.len()).sum();
    let mut group = Group::new(inner, library, tell);
    let mut look = Look { inner, stop, tell, pulse: Pulse::start(), done: 0, total, report };
    for (shelf, files) in folders {
        if !look.folder(&mut group, &shelf, files)? {
            look.report.cancelled = true;
            break;
        }
    }
    group.finish()?;
    Ok(look.report)
}

/// A synchronisation under way.
struct Look<'a> {
    inner: &'a Inner,
    stop: &'a dyn Fn() -> bool,
    tell: &'a dyn Fn(Event),
    pulse: Pulse,
    /// Files looked at, of all folders.
    done: usize,
    total: usize,
    report: SyncReport,
}

impl Look<'_> {
    /// Looks at one folder; false when asked to stop.
    fn folder(&mut self, group: &mut Group<'_>, shelf: &Shelf, files: Vec<PathBuf>) -> Result<bool, Error> {
        let dir = shelf.dir(&self.inner.dirs.neural);
        let mut known: HashMap<String, Entry> =
            entries(&group.library, shelf).map(|entry| (entry.stored_name.clone(), entry.clone())).collect();
        let mut new = Vec::new();
        for path in files {
            if (self.stop)() {
                return Ok(false);
            }
            let Some(entry) = path.file_name().and_then(|name| known.remove(name.to_str()?)) else {
                new.push(path);
                continue;
            };
            let looked = look_again(group, shelf, &entry, &path);
            self.report.unchanged += usize::from(matches!(looked, Ok(None)));
            self.note(group, &path, looked)?;
        }
        // What is left has no file. By its content, a new file may be it.
        let mut gone: HashMap<ContentHash, Vec<Entry>> = HashMap::new();
        for entry in known.into_values() {
            gone.entry(entry.content_hash).or_default().push(entry);
        }
        for path in new {
            if (self.stop)() {
                return Ok(false);
            }
            // Nothing becomes of what the folder does not hold, such as notes beside videos.
            let taken = take_new(group, shelf, &path, &mut gone);
            self.note(group, &path, taken)?;
        }
        let mut gone: Vec<Entry> = gone.into_values().flatten().collect();
        gone.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        for entry in gone {
            let Some(doc) = shelf.document_id(&entry) else { continue };
            group.library.remove(&doc, false);
            group.delete(doc.clone());
            self.report.changes.push(item(&dir.join(&entry.stored_name), Outcome::Removed { doc }));
        }
        Ok(true)
    }

    /// Reports what became of a file, and makes durable what is enough.
    fn note(
        &mut self,
        group: &mut Group<'_>,
        path: &Path,
        became: Result<Option<ItemReport>, Error>,
    ) -> Result<(), Error> {
        let became = became.unwrap_or_else(|error| Some(item(path, Outcome::Failed(error))));
        self.report.changes.extend(became);
        self.done += 1;
        if let Some(progress) = self.pulse.beat(self.done, self.total) {
            (self.tell)(Event::Progress { project: self.inner.name(), stage: Stage::Reading, progress });
        }
        if group.is_full() { group.commit() } else { Ok(()) }
    }
}

fn entries<'l>(library: &'l Library, shelf: &Shelf) -> impl Iterator<Item = &'l Entry> {
    library.manifest(shelf).into_iter().flat_map(crate::storage::Manifest::entries)
}

/// Reads a known file if it may have changed; none when it has not.
fn look_again(
    group: &mut Group<'_>,
    shelf: &Shelf,
    entry: &Entry,
    path: &Path,
) -> Result<Option<ItemReport>, Error> {
    let metadata = fs::metadata(path).map_err(Error::io("read", path))?;
    if entry.stored.is_some() && entry.stored == Stamp::of(&metadata) {
        return Ok(None);
    }
    let bytes = fs::read(path).map_err(Error::io("read", path))?;
    let stored = Stamp::settled(&metadata);
    if ContentHash::of(PARSER_VERSION, &bytes) == entry.content_hash {
        if stored.is_some() {
            group.library.put_entry(shelf, Entry { stored, ..entry.clone() });
        }
        return Ok(None);
    }
    let mut prepared = reread(shelf, entry, bytes)?;
    prepared.entry.stored = stored;
    add(group, prepared, path).map(Some)
}

/// Takes in a file that no manifest speaks of.
fn take_new(
    group: &mut Group<'_>,
    shelf: &Shelf,
    path: &PathBuf,
    gone: &mut HashMap<ContentHash, Vec<Entry>>,
) -> Result<Option<ItemReport>, Error> {
    let Some(called) = group.library.called(shelf, path) else { return Ok(None) };
    let metadata = fs::metadata(path).map_err(Error::io("read", path))?;
    let bytes = fs::read(path).map_err(Error::io("read", path))?;
    let stored = Stamp::settled(&metadata);
    if let Some(old) = gone.get_mut(&ContentHash::of(PARSER_VERSION, &bytes)).and_then(Vec::pop)
        && let Some(name) = path.file_name().and_then(|name| name.to_str())
        && let Some(doc) = shelf.document_id(&old)
    {
        let entry = Entry { stored_name: name.to_owned(), stored, ..old };
        group.library.put_entry(shelf, entry);
        return Ok(Some(item(path, Outcome::Renamed { doc })));
    }
    let mut prepared = adopt(shelf, path, called, bytes)?;
    prepared.entry.stored = stored;
    add(group, prepared, path).map(Some)
}

fn add(group: &mut Group<'_>, mut prepared: Prepared, path: &Path) -> Result<ItemReport, Error> {
    let warnings = std::mem::take(&mut prepared.warnings);
    let outcome = group.add(prepared, Bytes::InPlace)?;
    Ok(ItemReport { warnings, ..item(path, outcome) })
}

fn item(path: &Path, outcome: Outcome) -> ItemReport {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    ItemReport { name, outcome, warnings: Vec::new() }
}
