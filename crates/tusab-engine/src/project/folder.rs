//! Which folder a project is in.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::clock::timestamp;
use crate::storage::{DataDir, slug, write_whole};
use crate::{Clock, Error};

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
    let neural = data.neural();
    for folder in folders(&neural)? {
        if describe(data, &folder).is_some_and(|description| description.name == name) {
            return Ok(folder);
        }
    }
    let slug = slug(name);
    let candidates = std::iter::once(slug.clone()).chain((2_u32..).map(|n| format!("{slug}-{n}")));
    for folder in candidates {
        let path = data.project(&folder).description();
        // A folder without a description is adopted: it was put there by hand, or its making was cut short.
        if path.exists() {
            continue;
        }
        let (version, name, created_at) = (1, name.to_owned(), timestamp(clock));
        let description = Description { version, name, created_at, extra: Map::new() };
        let bytes = serde_json::to_vec_pretty(&description)
            .map_err(|error| Error::Damaged { path: path.clone(), reason: error.to_string() })?;
        write_whole(&[(path, &bytes)])?;
        return Ok(folder);
    }
    Err(Error::Internal { what: "naming a folder" })
}

fn describe(data: &DataDir, folder: &str) -> Option<Description> {
    let bytes = fs::read(data.project(folder).description()).ok()?;
    serde_json::from_slice(&bytes).ok()
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
