//! Forgetting: what was deleted leaves no byte.

mod quotes;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tusab_index::WriterLock;

use self::quotes::Quotes;
use super::library::{Library, damaged_manifests};
use super::sources::mended;
use super::stored::reread;
use super::{Inner, PATIENCE, Project, removed};
use crate::chat::{FEEDBACK_LOCK, SUMMARIES_LOCK};
use crate::keep::Keep;
use crate::portable::clear_dead;
use crate::storage::{ProjectDirs, make_lock_folder, remove_whole, write_whole};
use crate::{Cancel, Error, Event};

/// What a purge has erased.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PurgeReport {
    /// Sources that had been removed.
    pub sources: usize,
    /// Turns of conversations, summaries and the like that had quoted them.
    pub quotes: usize,
}

impl Project {
    /// Erases for good what was removed from the project: its files, what the index has left of it, what quotes it, damaged
    /// manifests that were kept aside, and what was left in `temp/` by processes that died.
    ///
    /// A turn of a conversation goes when it names the source, or has six words in a row of it, or a single word, that no
    /// source has that is still here: rather one too many. Summaries and reports go by the same rule. Sources
    /// that were edited leave nothing of what they said before either. A source that is still here is not touched.
    /// What a disk does with blocks that files no longer use is its own affair.
    ///
    /// It writes the index anew, which takes some seconds for a hundred thousand passages. Deleted projects are
    /// the engine's trash: see [`Engine::empty_trash`](crate::Engine::empty_trash).
    ///
    /// # Errors
    /// When another process is writing the project, or the disk refuses: what was erased until then is gone, and the
    /// next purge erases the rest.
    pub async fn purge(&self) -> Result<PurgeReport, Error> {
        self.work(&Cancel::new(), "a purge", |inner, stop, tell| run(inner, stop, tell)).await
    }
}

fn run(inner: &Inner, stop: &dyn Fn() -> bool, tell: &dyn Fn(Event)) -> Result<PurgeReport, Error> {
    let _writing = inner.write()?;
    let library = mended(inner, stop, tell)?;
    let records = removed::records(&inner.dirs)?;
    let mut report = PurgeReport::default();
    let mut quotes = Quotes::new(&inner.index);
    for (record, source) in &records {
        quotes.forget_id(record.doc());
        let Some(source) = source else { continue };
        let bytes = fs::read(source).map_err(Error::io("read", source))?;
        // One that cannot be understood any more is still text of some kind.
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match reread(&record.shelf(), &record.entry, bytes) {
            Ok(prepared) => quotes.forget_document(&prepared.document),
            Err(_) => quotes.forget_text(&text),
        }
        report.sources += 1;
    }
    if !records.is_empty() {
        report.quotes += sweep_sessions(inner, &quotes)?;
        report.quotes += sweep_management(inner, &quotes)?;
        for keep in [inner.kept_sessions(), inner.kept_management()] {
            report.quotes += sweep_shared(&keep, &quotes)?;
        }
        sweep_queue(inner, &quotes)?;
    }
    erase_damaged(inner, &library)?;
    clear_temp(&inner.dirs)?;
    inner.index.compact()?;
    inner.index.release_writer();
    // Last: what a crash has left of the work above is found again by it.
    removed::erase_all(&inner.dirs)?;
    Ok(report)
}

/// Takes the turns that quote out of the conversations.
fn sweep_sessions(inner: &Inner, quotes: &Quotes<'_>) -> Result<usize, Error> {
    if !inner.dirs.sessions.is_dir() {
        return Ok(0);
    }
    // Whoever writes a history holds it.
    let _lock = WriterLock::acquire_within(&inner.dirs.sessions.join("sessions.lock"), PATIENCE)?;
    sweep_folder(&inner.dirs.sessions, quotes)
}

/// The same for ratings and summaries.
fn sweep_management(inner: &Inner, quotes: &Quotes<'_>) -> Result<usize, Error> {
    let folder = inner.dirs.management();
    if !folder.is_dir() {
        return Ok(0);
    }
    // In this order everywhere; whoever writes one of the two kinds holds its own.
    let _ratings = WriterLock::acquire_within(&folder.join(FEEDBACK_LOCK), PATIENCE)?;
    let _summaries = WriterLock::acquire_within(&folder.join(SUMMARIES_LOCK), PATIENCE)?;
    sweep_folder(&folder, quotes)
}

/// The same for files that are on a server.
fn sweep_shared(keep: &Keep, quotes: &Quotes<'_>) -> Result<usize, Error> {
    let mut swept = 0;
    if !keep.is_shared() {
        return Ok(swept);
    }
    for name in keep.names()? {
        let file = name.rsplit('/').next().unwrap_or(&name);
        let mut of_file = 0;
        keep.change(&name, "", &mut |read| {
            // Asked again when somebody else wrote the file meanwhile.
            of_file = 0;
            let Some(bytes) = read else { return Ok(None) };
            if quotes.name_its_file(file) {
                of_file = 1;
                return Ok(None);
            }
            // All of them are JSON; one that cannot be read may hold anything.
            let Ok(mut value) = serde_json::from_slice::<Value>(&bytes) else { return Ok(None) };
            of_file = quotes.prune(&mut value)?;
            let pruned = || serde_json::to_vec_pretty(&value).unwrap_or_default();
            Ok(Some(if of_file > 0 { pruned() } else { bytes }))
        })?;
        swept += of_file;
    }
    Ok(swept)
}

/// Takes what quotes out of the files of a folder: of JSON the parts, of other files the whole.
fn sweep_folder(folder: &Path, quotes: &Quotes<'_>) -> Result<usize, Error> {
    let mut swept = 0;
    for path in files_under(folder)? {
        // A summary says in other words what its source said: its name tells whose it is.
        if quotes.name_its_file(&path.file_name().unwrap_or_default().to_string_lossy()) {
            remove_whole(&path)?;
            swept += 1;
            continue;
        }
        let bytes = fs::read(&path).map_err(Error::io("read", &path))?;
        if let Ok(mut value) = serde_json::from_slice::<Value>(&bytes) {
            let count = quotes.prune(&mut value)?;
            if count > 0 {
                write_whole(&[(&path, &serde_json::to_vec_pretty(&value).unwrap_or_default())])?;
            }
            swept += count;
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        let is_lines = path.extension().is_some_and(|extension| extension == "jsonl");
        if !quotes.are_in(&text)? {
        } else if is_lines {
            let mut kept = String::new();
            for line in text.lines() {
                if quotes.are_in(line)? {
                    swept += 1;
                } else {
                    kept.push_str(line);
                    kept.push('\n');
                }
            }
            write_whole(&[(&path, kept.as_bytes())])?;
        } else {
            remove_whole(&path)?;
            swept += 1;
        }
    }
    Ok(swept)
}

/// Removes what the queue knows of jobs with a video that was removed: titles and the like. They are listed anew.
fn sweep_queue(inner: &Inner, quotes: &Quotes<'_>) -> Result<(), Error> {
    let mut jobs = Vec::new();
    let is_job = |path: &PathBuf| !path.file_name().unwrap_or_default().to_string_lossy().starts_with('_');
    for path in files_under(&inner.dirs.queue)?.into_iter().filter(is_job) {
        let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
        if quotes.names_one(&text) {
            jobs.push(path);
        }
    }
    if jobs.is_empty() {
        return Ok(());
    }
    let _lock = WriterLock::acquire_within(&inner.dirs.queue_lock(), PATIENCE)?;
    jobs.iter().try_for_each(|path| remove_whole(path))
}

/// Removes what processes that died have left in `temp/`, of whichever project: captions of videos, and halves of exports and
/// imports. What is in use stays: whoever uses it removes it.
pub(crate) fn clear_temp(dirs: &ProjectDirs) -> Result<(), Error> {
    clear_dead(dirs.temp());
    if !dirs.scratch.exists() {
        return Ok(());
    }
    let lock = dirs.queue_lock();
    make_lock_folder(&lock)?;
    match WriterLock::acquire(&lock) {
        Ok(_lock) => remove_whole(&dirs.scratch),
        // A run that asks the site has cleared what it found, and each of its fetches leaves nothing.
        Err(error) if error.is_locked() => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn erase_damaged(inner: &Inner, library: &Library) -> Result<(), Error> {
    for shelf in library.shelves() {
        for path in damaged_manifests(&shelf.dir(&inner.dirs.neural))? {
            remove_whole(&path)?;
        }
    }
    Ok(())
}

/// All files under a folder, save locks; none where it is not there.
fn files_under(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(Error::io("list", &folder)(error)),
        };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.retain(|path| path.extension().is_none_or(|extension| extension != "lock"));
    files.sort_unstable();
    Ok(files)
}
