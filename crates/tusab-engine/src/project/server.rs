//! A project whose passages, conversations and ratings are on a server.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tusab_chunk::DocId;
use tusab_index::{ChunkStore, Control, Index, PgStore, Postgres, ProjectKey, WriterLock, copy_documents};

use super::Located;
use crate::Error;
use crate::keep::Keep;
use crate::storage::{ProjectDirs, remove_whole, write_whole};

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
    let binding = serde_json::from_slice::<Binding>(&bytes).ok();
    Ok(binding.filter(|binding| binding.version <= Binding::VERSION).map(|binding| binding.project))
}

/// Opens the project on the server, which is made there when it is not, and moves there what is in an index of the data
/// directory. Also says what was done, for people.
pub(super) fn open(
    postgres: &Postgres,
    located: &Located,
    dirs: &ProjectDirs,
) -> Result<(PgStore, Vec<String>), Error> {
    let (name, mut told) = (&located.description.name, Vec::new());
    let bound = key(&dirs.index)?;
    let known = bound.map_or(Ok(None), |key| postgres.project_of(key))?;
    let store = if let Some(store) = known {
        store
    } else {
        if bound.is_some() {
            told.push(format!("{name} was removed from the server, and is put there again from its sources"));
        }
        let store = postgres.project(name)?;
        let binding = Binding { version: Binding::VERSION, project: store.key() };
        let path = dirs.index.join(BINDING);
        // Plain structures always serialise.
        write_whole(&[(&path, &serde_json::to_vec(&binding).unwrap_or_default())])?;
        store
    };
    let store = store.with_owner(&located.description.id);
    told.extend(move_index(&dirs.index, dirs, &store)?);
    Ok((store, told))
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
    for entry in fs::read_dir(folder).map_err(Error::io("list", folder))?.flatten() {
        if entry.file_name() != BINDING {
            remove_whole(&entry.path())?;
        }
    }
    Ok(())
}
