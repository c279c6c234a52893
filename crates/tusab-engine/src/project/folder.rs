//! Which folder a project is in.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tusab_index::WriterLock;

use crate::clock::timestamp;
use crate::storage::{DataDir, slug, write_whole};
use crate::{Clock, Error};

/// Longest wait for another process that makes a project.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a project's folder says about it.
#[derive(Serialize, Deserialize)]
struct Description {
    version: u32,
    /// As its user named it; the folder's own name never changes with it.
    name: String,
    created_at: String,
    /// What a later version may have written; kept.
    #[serde(flatten)]
    extra: Map<String, Value>,
}

/// The name of the folder of the project that its user calls `name`; made if there is none.
pub(crate) fn find_folder(data: &DataDir, name: &str, clock: &dyn Clock) -> Result<String, Error> {
    if let Some(folder) = described(data, name)? {
        return Ok(folder);
    }
    let lock = data.projects_lock();
    let folder = lock.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    let _lock = WriterLock::acquire_within(&lock, PATIENCE)?;
    // Another process may have made it meanwhile.
    match described(data, name)? {
        Some(folder) => Ok(folder),
        None => make(data, name, clock),
    }
}

/// The folder whose description has this name.
fn described(data: &DataDir, name: &str) -> Result<Option<String>, Error> {
    for folder in folders(&data.neural())? {
        if let Some(Ok(description)) = describe(&data.project(&folder).description())
            && description.name == name
        {
            return Ok(Some(folder));
        }
    }
    Ok(None)
}

fn make(data: &DataDir, name: &str, clock: &dyn Clock) -> Result<String, Error> {
    let slug = slug(name);
    let candidates = std::iter::once(slug.clone()).chain((2_u32..).map(|n| format!("{slug}-{n}")));
    for folder in candidates {
        let path = data.project(&folder).description();
        match describe(&path) {
            // Another project's.
            Some(Ok(_)) => continue,
            // Perhaps this very project's: an empty one in its stead would look as if all were lost.
            Some(Err(reason)) => return Err(Error::Damaged { path, reason }),
            // A folder without a description is adopted: it was put there by hand, or its making was cut short.
            None => {}
        }
        let (version, name, created_at) = (1, name.to_owned(), timestamp(clock));
        let description = Description { version, name, created_at, extra: Map::new() };
        let bytes = serde_json::to_vec_pretty(&description)
            .map_err(|error| Error::Damaged { path: path.clone(), reason: error.to_string() })?;
        write_whole(&[(&path, &bytes)])?;
        return Ok(folder);
    }
    Err(Error::Internal { what: "naming a folder" })
}

/// A folder's description, or why it cannot be read; `None` when it has none.
fn describe(path: &Path) -> Option<Result<Description, String>> {
    match fs::read(path) {
        Ok(bytes) => Some(serde_json::from_slice(&bytes).map_err(|error| error.to_string())),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => Some(Err(error.to_string())),
    }
}

/// The folders in `path`, in order; none where it does not exist.
pub(super) fn folders(path: &Path) -> Result<Vec<String>, Error> {
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
