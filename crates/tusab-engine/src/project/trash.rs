//! Deleted projects: out of reach at once, here until the trash is emptied.
//!
//! A deletion is one rename, of the folder of sources; so is a restoration. What belongs to a project beside its
//! sources is moved after it into the trash, and before it out of there, so that after a crash the place of the
//! sources says which of the two counts, and [`finish`] brings the rest to them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tusab_index::WriterLock;

use super::catalog::{self, Description, ListLock, Located, folders, free_name};
use crate::clock::timestamp;
use crate::storage::{DataDir, is_file_name, make_folder, move_whole, remove_whole, write_whole};
use crate::{Clock, Error};

/// Longest wait for whoever writes the project.
const PATIENCE: Duration = Duration::from_secs(5);

/// Ends the names of folders whose deletion has begun.
const ERASED: &str = ".erased";

/// A project in the trash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TrashedProject {
    /// Which of the trash.
    pub id: String,
    /// As its user named it.
    pub name: String,
    /// When it was deleted, in UTC (RFC 3339).
    pub deleted_at: String,
}

/// What stands beside a project in the trash.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    version: u32,
    /// The folder that it was in.
    folder: String,
    deleted_at: String,
}

impl Record {
    const VERSION: u32 = 1;
    const NAME: &'static str = "trashed.json";

    fn read(place: &Path) -> Option<Self> {
        let record: Self = serde_json::from_slice(&fs::read(place.join(Self::NAME)).ok()?).ok()?;
        // It is joined to paths.
        is_file_name(&record.folder).then_some(record)
    }

    fn write(&self, place: &Path) -> Result<(), Error> {
        let path = place.join(Self::NAME);
        // Plain structures always serialise.
        write_whole(&[(&path, &serde_json::to_vec_pretty(self).unwrap_or_default())])
    }
}

/// Puts a project into the trash.
pub(crate) fn put(
    data: &DataDir,
    list: &ListLock,
    located: &Located,
    clock: &dyn Clock,
) -> Result<TrashedProject, Error> {
    finish(data, list)?;
    let dirs = data.project(&located.folder);
    let _writing = WriterLock::acquire_within(&dirs.lock(), PATIENCE)?;
    // Numbered, so that the latest deletion is known without trusting a clock.
    let number = folders(&data.trash())?.iter().filter_map(|id| number(id)).max().unwrap_or(0) + 1;
    let id = format!("{number:06}-{}", located.folder);
    let place = data.trash().join(&id);
    let deleted_at = timestamp(clock);
    let record = Record { version: Record::VERSION, folder: located.folder.clone(), deleted_at };
    record.write(&place)?;
    move_whole(&dirs.neural, &place.join("neural"))?;
    take_along(data, list, &place, &record.folder);
    Ok(TrashedProject { id, name: located.description.name.clone(), deleted_at: record.deleted_at })
}

/// The projects in the trash, oldest deletion first.
pub(crate) fn list(data: &DataDir) -> Result<Vec<TrashedProject>, Error> {
    let mut found = Vec::new();
    for id in folders(&data.trash())? {
        let place = data.trash().join(&id);
        let Some(Record { folder, deleted_at, .. }) = Record::read(&place).filter(|_| !id.ends_with(ERASED))
        else {
            continue;
        };
        if place.join("neural").is_dir() {
            // A damaged description does not keep a project from being seen here, and restored.
            let description = Description::read(&place.join("neural/project.json")).ok().flatten();
            let name = description.map_or(folder, |description| description.name);
            found.push(TrashedProject { id, name, deleted_at });
        }
    }
    Ok(found)
}

/// Takes a project out of the trash, into its old folder or, when that is another's by now, one beside it.
pub(crate) fn restore(data: &DataDir, list: &ListLock, id: &str) -> Result<Located, Error> {
    finish(data, list)?;
    let gone = || Error::NotInTrash { id: id.to_owned() };
    // Compared, never joined to a path unseen.
    if !self::list(data)?.iter().any(|trashed| trashed.id == id) {
        return Err(gone());
    }
    let place = data.trash().join(id);
    let mut record = Record::read(&place).ok_or_else(gone)?;
    let description = place.join("neural/project.json");
    let description = Description::read(&description)?
        .ok_or_else(|| Error::Damaged { path: description.clone(), reason: "it is missing".to_owned() })?;
    if catalog::find(data, &description.name)?.is_some() {
        return Err(Error::ProjectExists { name: description.name });
    }
    let folder = free_folder(data, &record.folder)?;
    if folder != record.folder {
        record.folder.clone_from(&folder);
        record.write(&place)?;
    }
    let dirs = data.project(&folder);
    let _writing = WriterLock::acquire_within(&dirs.lock(), PATIENCE)?;
    // Of an index that stands there, no project is left.
    remove_whole(&dirs.index)?;
    for (part, to) in dirs.beside() {
        let from = place.join(part);
        if from.is_dir() {
            move_whole(&from, to)?;
        }
    }
    move_whole(&place.join("neural"), &dirs.neural)?;
    // What stays is cleared by the next who looks.
    let _ = remove_whole(&place);
    Ok(Located { folder, description })
}

/// The first of `folder`, `folder-2` ... of which no project has anything, be it a conversation alone.
fn free_folder(data: &DataDir, folder: &str) -> Result<String, Error> {
    let numbered = (2_u32..).map(|number| format!("{folder}-{number}"));
    let is_free = |folder: &String| {
        let dirs = data.project(folder);
        !dirs.neural.exists() && dirs.beside().iter().all(|(part, path)| *part == "index" || !path.exists())
    };
    std::iter::once(folder.to_owned())
        .chain(numbered)
        .find(is_free)
        .ok_or(Error::Internal { what: "naming a folder" })
}

/// Erases what is in the trash: all, or one.
pub(crate) fn empty(data: &DataDir, list: &ListLock, id: Option<&str>) -> Result<usize, Error> {
    finish(data, list)?;
    let trashed = self::list(data)?;
    let chosen = trashed.iter().filter(|trashed| id.is_none_or(|id| trashed.id == id));
    let mut erased = 0;
    for TrashedProject { id, .. } in chosen {
        let place = data.trash().join(id);
        // Renamed first: a project of which a part is erased must not be restored.
        let doomed = data.trash().join(format!("{id}{ERASED}"));
        move_whole(&place, &doomed)?;
        remove_whole(&doomed)?;
        erased += 1;
    }
    match id {
        Some(id) if erased == 0 => Err(Error::NotInTrash { id: id.to_owned() }),
        _ => Ok(erased),
    }
}

/// Brings deletions and restorations that were cut short to their ends.
pub(crate) fn finish(data: &DataDir, list: &ListLock) -> Result<(), Error> {
    let mut ids = folders(&data.trash())?;
    // What lies about belongs to the latest deletion from its folder.
    ids.reverse();
    for id in ids {
        let place = data.trash().join(&id);
        if id.ends_with(ERASED) || !place.join("neural").is_dir() {
            remove_whole(&place)?;
        } else if let Some(Record { folder, .. }) = Record::read(&place)
            && !data.project(&folder).neural.exists()
        {
            take_along(data, list, &place, &folder);
        }
    }
    Ok(())
}

/// Moves what belongs to a project beside its sources into the trash. What cannot be moved, as another process may
/// hold its files open, stays: it is out of reach all the same, and no new project takes its place.
fn take_along(data: &DataDir, list: &ListLock, place: &Path, folder: &str) {
    for (part, from) in data.project(folder).beside() {
        if !from.is_dir() {
            continue;
        }
        let moved = free_name(&place.join(part)).and_then(|to: PathBuf| move_whole(from, &to));
        if let Err(error) = moved {
            list.left_beside(from, error);
        }
    }
    // The trash itself has to outlast a crash, also when nothing was moved.
    let _ = make_folder(place);
}

fn number(id: &str) -> Option<u64> {
    id.split_once('-')?.0.parse().ok()
}
