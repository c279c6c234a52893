//! A project whose passages, conversations and ratings are on a server.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tusab_chunk::DocId;
use tusab_index::{
    ChunkStore, Control, Index, PgStore, Postgres, ProjectKey, ProjectState, WriterLock, copy_documents,
};

use super::{Located, ProjectInfo, Projects, catalog};
use crate::Error;
use crate::keep::Keep;
use crate::storage::{DataDir, ProjectDirs, remove_whole, write_whole};

/// Longest wait for another process that moves the project to the server.
const PATIENCE: Duration = Duration::from_secs(5);

/// Name of the file that says which project of the server this one is.
const BINDING: &str = "server.json";

/// Which project of the server this one is, whatever it is called by now.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Binding {
    version: u32,
    project: ProjectKey,
}

impl Binding {
    const VERSION: u32 = 1;
}

/// The project of the server that the one with that folder of its index is.
pub(crate) fn key(index: &Path) -> Result<Option<ProjectKey>, Error> {
    let path = index.join(BINDING);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("read", &path)(error)),
    };
    // One that cannot be read is made again: the name says as much.
    let Ok(binding) = serde_json::from_slice::<Binding>(&bytes) else { return Ok(None) };
    if binding.version > Binding::VERSION {
        return Err(Error::Newer { path, version: binding.version });
    }
    Ok(Some(binding.project))
}

/// Adds to a list of the projects that are here those that the server alone has, and takes out of it those that somebody
/// removed there.
pub(super) fn complete(postgres: &Postgres, data: &DataDir, listed: &mut Projects) -> Result<(), Error> {
    let there = postgres.keyed_projects()?;
    let mut here = HashSet::new();
    let mut removed = Vec::new();
    listed.projects.retain(|project| match bound(data, project) {
        Some(key) if !there.iter().any(|(known, _)| *known == key) => {
            removed.push((project.name.clone(), key));
            false
        }
        key => {
            here.extend(key);
            true
        }
    });
    for (name, key) in removed {
        listed.unreadable.push(removed_elsewhere(postgres, &name, key)?);
    }
    // One that was never opened since the engine has a server is the one of its name.
    let others: Vec<ProjectInfo> = there
        .into_iter()
        .filter(|(key, name)| {
            !here.contains(key) && !listed.projects.iter().any(|project| project.name == *name)
        })
        .map(|(_, name)| ProjectInfo::elsewhere(name))
        .collect();
    listed.projects.extend(others);
    Ok(())
}

/// Gives the projects that are here the names that others have given them on the server meanwhile. A name that another
/// project here has by now is not taken: that one would be lost from sight.
pub(super) fn follow_names(postgres: &Postgres, data: &DataDir) -> Result<(), Error> {
    let of = |project: ProjectInfo| Some((bound(data, &project)?, project.name));
    let bound: Vec<(ProjectKey, String)> = catalog::list(data)?.projects.into_iter().filter_map(of).collect();
    if bound.is_empty() {
        return Ok(());
    }
    let named: HashMap<ProjectKey, String> = postgres.keyed_projects()?.into_iter().collect();
    for (key, name) in bound {
        let Some(now) = named.get(&key).filter(|now| **now != name) else { continue };
        match catalog::rename(data, &name, now) {
            Ok(_) | Err(Error::ProjectExists { .. } | Error::NoSuchProject { .. }) => {}
            Err(error) if error.is_read_only() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Which project of a server one of the data directory is. What cannot be read is told of when it is opened.
fn bound(data: &DataDir, project: &ProjectInfo) -> Option<ProjectKey> {
    key(&data.project(&project.folder).index).ok().flatten()
}

fn removed_elsewhere(postgres: &Postgres, name: &str, key: ProjectKey) -> Result<Error, Error> {
    let can_be_restored = matches!(postgres.project_state(key)?, ProjectState::Aside { .. });
    Ok(Error::RemovedElsewhere { name: name.to_owned(), can_be_restored })
}

/// Makes a project whole on the server again that somebody removed there: taken back where it was set aside, else made
/// again, from the sources here, as it is opened next.
pub(super) fn share_again(postgres: &Postgres, dirs: &ProjectDirs) -> Result<(), Error> {
    let _lock = WriterLock::acquire_within(&dirs.lock(), PATIENCE)?;
    let Some(key) = key(&dirs.index)? else { return Ok(()) };
    match postgres.project_state(key)? {
        ProjectState::Here { .. } => {}
        ProjectState::Aside { .. } => drop(postgres.take_project_back(key)?),
        _ => remove_whole(&dirs.index.join(BINDING))?,
    }
    Ok(())
}

/// Opens the project on the server, which is made there when it never was, and moves there what is in an index of the data
/// directory. Also says what was done, for people.
pub(super) fn open(
    postgres: &Postgres,
    located: &Located,
    dirs: &ProjectDirs,
) -> Result<(PgStore, Vec<String>), Error> {
    let name = &located.description.name;
    let store = match known(postgres, name, dirs)? {
        Some(store) => store,
        None => bind(postgres, name, dirs)?,
    };
    let store = store.with_owner(&located.description.id);
    let told = move_index(&dirs.index, dirs, &store)?;
    Ok((store, told.into_iter().collect()))
}

/// The project that this one was on the server already.
fn known(postgres: &Postgres, name: &str, dirs: &ProjectDirs) -> Result<Option<PgStore>, Error> {
    let Some(key) = key(&dirs.index)? else { return Ok(None) };
    if let Some(store) = postgres.project_of(key)? {
        return Ok(Some(store));
    }
    // Made again without being asked, it would undo what somebody else decided for all.
    Err(removed_elsewhere(postgres, name, key)?)
}

/// Finds or makes the project of that name on the server, and keeps which it is.
fn bind(postgres: &Postgres, name: &str, dirs: &ProjectDirs) -> Result<PgStore, Error> {
    let lock = match WriterLock::acquire_within(&dirs.lock(), PATIENCE).map_err(Error::from) {
        Ok(lock) => Some(lock),
        Err(error) if error.is_read_only() => None,
        Err(error) => return Err(error),
    };
    // Another process may have done it meanwhile.
    if let Some(store) = known(postgres, name, dirs)? {
        return Ok(store);
    }
    let store = postgres.project(name)?;
    if lock.is_some() {
        let binding = Binding { version: Binding::VERSION, project: store.key() };
        let path = dirs.index.join(BINDING);
        // Plain structures always serialise.
        write_whole(&[(&path, &serde_json::to_vec(&binding).unwrap_or_default())])?;
    }
    Ok(store)
}

/// Copies what an index of the data directory holds to the server, with key phrases and vectors, and conversations and
/// ratings with it; then the index goes. Cut short, it is done again.
fn move_index(folder: &Path, dirs: &ProjectDirs, store: &PgStore) -> Result<Option<String>, Error> {
    let truth = folder.join("store.sqlite");
    if !truth.is_file() {
        // Cut short after the move was done.
        clear(folder)?;
        return Ok(None);
    }
    let _lock = WriterLock::acquire_within(&dirs.lock(), PATIENCE)?;
    let index = Index::open(folder)?.index;
    let documents: Vec<DocId> = index.content_hashes()?.into_iter().map(|(doc, _)| doc).collect();
    copy_documents(&index, store, &documents, Control::default())?;
    drop(index);
    for (local, there) in [
        (Keep::folder(dirs.sessions.clone()), Keep::server(store.clone(), super::SESSIONS)),
        (Keep::folder(dirs.management()), Keep::server(store.clone(), super::MANAGEMENT)),
    ] {
        for name in local.names()? {
            let Some(content) = local.read(&name)? else { continue };
            // What is there already was written later.
            there.change(&name, "", &mut |read| Ok(read.or_else(|| Some(content.clone()))))?;
        }
    }
    // First, and durably: without its log it would be an older state of itself, and must not be moved again.
    remove_whole(&truth)?;
    clear(folder)?;
    Ok(Some(format!("{} documents were moved to the server", documents.len())))
}

/// Removes what is left of an index that was moved.
fn clear(folder: &Path) -> Result<(), Error> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        // Where nothing may be written, none was made.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io("list", folder)(error)),
    };
    for entry in entries.flatten() {
        if entry.file_name() != BINDING {
            remove_whole(&entry.path())?;
        }
    }
    Ok(())
}
