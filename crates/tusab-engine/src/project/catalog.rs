//! Which projects there are, what their users call them, and which folders they are in.

mod description;

use std::cell::RefCell;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use tusab_index::WriterLock;
use unicode_normalization::UnicodeNormalization;

pub(crate) use self::description::Description;
use super::trash;
use crate::legacy::{OldHere, old_projects};
use crate::storage::{DataDir, ProjectDirs, move_whole, remove_whole, slug, write_whole};
use crate::{Clock, Error};

/// Longest wait for another process that changes the list of projects.
const PATIENCE: Duration = Duration::from_secs(5);

/// What stands in the data directory for people.
const READ_ME: &str = "\
This folder belongs to tusab. Leave its files to it, save those under neural/: what is put into or taken out of the
folders there is noticed by the next synchronisation of the project.

neural/    the sources that were taken in, a folder for each project. Safe to share with whoever may read the sources:
           there are no keys, no conversations and no settings in it, and everything else can be made again from it.
indexes/   what is searched; made from neural/.
sessions/  conversations. Private.
queue/     what waits to be taken in. Private.
trash/     what was deleted, until the trash is emptied. Private.
config/    settings. Private, although keys are only named in it, never written.
temp/      files of the moment.
";

/// A project, as a list of projects shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ProjectInfo {
    /// As its user named it.
    pub name: String,
    /// Name of its folder, which stays whatever it is called later; empty for one of a server that has none here yet.
    pub folder: String,
    /// When it was made, in UTC (RFC 3339); empty where that is not known here.
    pub created_at: String,
}

impl ProjectInfo {
    /// One that a server has, and this data directory has not.
    #[cfg(feature = "postgres")]
    pub(crate) fn elsewhere(name: String) -> Self {
        Self { name, folder: String::new(), created_at: String::new() }
    }
}

/// The projects of a data directory.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Projects {
    /// Those that can be opened, by name.
    pub projects: Vec<ProjectInfo>,
    /// Why others cannot: one error for each. [`Error::OfPythonApp`] for those of the Python app that were not taken over.
    pub unreadable: Vec<Error>,
}

/// A project that is there.
#[derive(Debug, Clone)]
pub(crate) struct Located {
    pub(crate) folder: String,
    pub(crate) description: Description,
}

/// Held while the list of projects changes. What the log is to be told of it is told when it has been let go.
#[derive(Debug)]
pub(crate) struct ListLock {
    // In this order: they are dropped so.
    _lock: WriterLock,
    left: LeftBeside,
}

/// Folders of deleted projects that could not be moved, with the reason.
#[derive(Debug, Default)]
struct LeftBeside(RefCell<Vec<(PathBuf, Error)>>);

impl ListLock {
    pub(crate) fn left_beside(&self, path: &Path, error: Error) {
        self.left.0.borrow_mut().push((path.to_owned(), error));
    }
}

impl Drop for LeftBeside {
    fn drop(&mut self) {
        for (path, error) in self.0.take() {
            tracing::warn!(%error, path = %path.display(), "left beside a deleted project");
        }
    }
}

/// Takes the lock of the list of projects.
pub(crate) fn lock(data: &DataDir) -> Result<ListLock, Error> {
    let lock = crate::storage::lock(&data.projects_lock(), PATIENCE)?;
    Ok(ListLock { _lock: lock, left: LeftBeside::default() })
}

/// Refuses a name that people cannot read.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    let shown = name.chars().any(|c| !c.is_whitespace() && !c.is_control() && !is_invisible(c));
    if !shown || name.chars().count() > 120 {
        return Err(Error::ProjectName { name: name.to_owned() });
    }
    Ok(())
}

/// What takes no place on a line: zero-width characters, marks of direction, soft hyphens, fillers.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}')
}

/// Names that look the same are the same, however a keyboard or a file system composes their accents.
fn is_same_name(one: &str, other: &str) -> bool {
    one == other || one.nfc().eq(other.nfc())
}

/// All projects, by name.
pub(crate) fn list(data: &DataDir) -> Result<Projects, Error> {
    take_over(data)?;
    let mut found = Projects::default();
    for folder in folders(&data.neural())? {
        match Description::read(&data.project(&folder).description()) {
            Ok(Some(Description { name, created_at, .. })) => {
                found.projects.push(ProjectInfo { name, folder, created_at });
            }
            // Put there by hand, or its making was cut short: it is adopted when its name is asked for.
            Ok(None) => {}
            Err(error) => found.unreadable.push(error),
        }
    }
    let is_taken_over = |name: &str| found.projects.iter().any(|project| is_same_name(&project.name, name));
    let old = old_projects(data.path())?.into_iter().filter(|old| !is_taken_over(&old.name));
    found.unreadable.extend(old.map(told));
    found.projects.sort_by(|a, b| (&a.name, &a.folder).cmp(&(&b.name, &b.folder)));
    Ok(found)
}

fn told(OldHere { name, path }: OldHere) -> Error {
    Error::OfPythonApp { name, path }
}

/// Refuses a name under which the data directory holds a project of the Python app: an empty one in its stead would look as
/// if all were lost.
pub(crate) fn refuse_old(data: &DataDir, name: &str) -> Result<(), Error> {
    let is_it = |old: &OldHere| is_same_name(&old.name, name) || slug(&old.name) == slug(name);
    match old_projects(data.path())?.into_iter().find(is_it) {
        Some(old) => Err(told(old)),
        None => Ok(()),
    }
}

/// The project that its user calls `name`.
pub(crate) fn find(data: &DataDir, name: &str) -> Result<Option<Located>, Error> {
    take_over(data)?;
    let mut composed_otherwise = None;
    for folder in folders(&data.neural())? {
        // Another project's damage must not keep this one from opening.
        if let Ok(Some(description)) = Description::read(&data.project(&folder).description()) {
            if description.name == name {
                return Ok(Some(Located { folder, description }));
            }
            if composed_otherwise.is_none() && is_same_name(&description.name, name) {
                composed_otherwise = Some(Located { folder, description });
            }
        }
    }
    Ok(composed_otherwise)
}

/// The project that its user calls `name`; made if there is none.
pub(crate) fn find_or_make(data: &DataDir, name: &str, clock: &dyn Clock) -> Result<Located, Error> {
    check_name(name)?;
    if let Some(found) = find(data, name)? {
        return Ok(found);
    }
    refuse_old(data, name)?;
    let list = lock(data)?;
    // Another process may have made it meanwhile.
    if let Some(found) = find(data, name)? {
        return Ok(found);
    }
    // What a deletion has left beside its project must not become the new one's.
    trash::finish(data, &list)?;
    write_read_me(data)?;
    make(data, name, clock)
}

fn make(data: &DataDir, name: &str, clock: &dyn Clock) -> Result<Located, Error> {
    let slug = slug(name);
    let candidates = std::iter::once(slug.clone()).chain((2_u32..).map(|n| format!("{slug}-{n}")));
    for folder in candidates {
        let dirs = data.project(&folder);
        // Damaged, it is perhaps this very project's: an empty one in its stead would look as if all were lost.
        if Description::read(&dirs.description())?.is_some() {
            continue;
        }
        // A folder without a description is adopted: it was put there by hand, or its making was cut short. Without
        // the folder, what is beside is another project's, whose sources somebody took away.
        if !dirs.neural.is_dir() {
            remove_whole(&dirs.index)?;
            if dirs.beside().iter().any(|(_, path)| path.exists()) {
                continue;
            }
        }
        let description = Description::make(&dirs.description(), name, clock)?;
        return Ok(Located { folder, description });
    }
    Err(Error::Internal { what: "naming a folder" })
}

/// Gives a project another name. Its folder and all else stay as they are.
pub(crate) fn rename(data: &DataDir, from: &str, to: &str) -> Result<Located, Error> {
    check_name(to)?;
    let _lock = lock(data)?;
    let mut located = find(data, from)?.ok_or_else(|| Error::NoSuchProject { name: from.to_owned() })?;
    if find(data, to)?.is_some_and(|other| other.folder != located.folder) {
        return Err(Error::ProjectExists { name: to.to_owned() });
    }
    to.clone_into(&mut located.description.name);
    located.description.write(&data.project(&located.folder).description())?;
    Ok(located)
}

/// Renames the folder of sources of an old installation, once. When both are there, the old one is left alone: which
/// of two collections counts is not for a program to say.
fn take_over(data: &DataDir) -> Result<(), Error> {
    let (old, new) = (data.old_neural(), data.neural());
    if !old.is_dir() || new.exists() {
        return Ok(());
    }
    let _lock = lock(data)?;
    if old.is_dir() && !new.exists() { move_whole(&old, &new) } else { Ok(()) }
}

/// Puts a project that was made ready elsewhere among the others: its sources first, with which it is there, and
/// whole, since its index can be made again; the error inside says that it will be.
pub(crate) fn move_in(
    data: &DataDir,
    staged: &ProjectDirs,
    description: Description,
) -> Result<(Located, Result<(), Error>), Error> {
    let list = lock(data)?;
    // Another process may have made one meanwhile.
    if find(data, &description.name)?.is_some() {
        return Err(Error::ProjectExists { name: description.name });
    }
    trash::finish(data, &list)?;
    write_read_me(data)?;
    let slug = slug(&description.name);
    let mut candidates = std::iter::once(slug.clone()).chain((2_u32..).map(|n| format!("{slug}-{n}")));
    let is_free = |folder: &String| {
        let dirs = data.project(folder);
        !dirs.neural.exists() && dirs.beside().iter().all(|(_, path)| !path.exists())
    };
    let folder = candidates.find(is_free).ok_or(Error::Internal { what: "naming a folder" })?;
    let dirs = data.project(&folder);
    move_whole(&staged.neural, &dirs.neural)?;
    // Somebody may open the project between the two, and begin to make its index.
    let index = move_whole(&staged.index, &dirs.index);
    Ok((Located { folder, description }, index))
}

fn write_read_me(data: &DataDir) -> Result<(), Error> {
    let path = data.read_me();
    if path.exists() { Ok(()) } else { write_whole(&[(&path, READ_ME.as_bytes())]) }
}

/// The folders in `path`, in order; none where it does not exist. Links are not followed: they lead out of here.
pub(crate) fn folders(path: &Path) -> Result<Vec<String>, Error> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io("list", path)(error)),
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    Ok(names)
}

/// The first of `path`, `path-2`, `path-3` ... that is free.
pub(crate) fn free_name(path: &Path) -> Result<PathBuf, Error> {
    let numbered = (2_u32..).map(|number| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!("-{number}"));
        PathBuf::from(name)
    });
    std::iter::once(path.to_owned())
        .chain(numbered)
        .find(|path| fs::symlink_metadata(path).is_err())
        .ok_or(Error::Internal { what: "a free name" })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tracing::span::{Attributes, Id, Record};
    use tracing::{Metadata, Subscriber};

    use super::*;

    /// Takes the lock of the list whenever something is logged.
    struct Asking(DataDir, Arc<AtomicUsize>);

    impl Subscriber for Asking {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, _: &tracing::Event<'_>) {
            let path = self.0.projects_lock();
            WriterLock::acquire(&path).unwrap();
            self.1.fetch_add(1, Ordering::SeqCst);
        }

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn what_is_left_beside_a_deleted_project_is_logged_once_the_list_is_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::new(folder.path().to_owned());
        let told = Arc::new(AtomicUsize::new(0));
        let asking = Asking(data.clone(), Arc::clone(&told));
        tracing::subscriber::with_default(asking, || {
            let list = lock(&data).unwrap();
            for path in ["a", "b"] {
                list.left_beside(Path::new(path), Error::Cancelled);
            }
            assert_eq!(told.load(Ordering::SeqCst), 0);
            drop(list);
        });
        assert_eq!(told.load(Ordering::SeqCst), 2);
    }
}
