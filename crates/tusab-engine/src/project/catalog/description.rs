//! What a project's folder says about it.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::clock::timestamp;
use crate::storage::write_whole;
use crate::{Clock, Error};

/// What a project's folder says about it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Description {
    version: u32,
    /// Tells it from another project that was in the same folder before. Projects of the first days have none.
    #[serde(default)]
    pub(crate) id: String,
    /// As its user named it; the folder's own name never changes with it.
    pub(crate) name: String,
    pub(crate) created_at: String,
    /// What a later version may have written; kept.
    #[serde(flatten)]
    extra: Map<String, Value>,
}

impl Description {
    const VERSION: u32 = 1;

    /// Reads a folder's description; `None` when it has none.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, Error> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("read", path)(error)),
        };
        let damaged =
            |error: serde_json::Error| Error::Damaged { path: path.to_owned(), reason: error.to_string() };
        let read: Self = serde_json::from_slice(&bytes).map_err(damaged)?;
        if read.version > Self::VERSION {
            return Err(Error::Newer { path: path.to_owned(), version: read.version });
        }
        Ok(Some(read))
    }

    /// Gives a project that was made elsewhere its name, and an identity of its own.
    pub(crate) fn adopt(path: &Path, name: &str, clock: &dyn Clock) -> Result<Self, Error> {
        let known = match Self::read(path) {
            // One that cannot be read says nothing that counts.
            Err(Error::Damaged { .. }) => None,
            read => read?,
        };
        let created_at = || timestamp(clock);
        let (created_at, extra) =
            known.map_or_else(|| (created_at(), Map::new()), |it| (it.created_at, it.extra));
        let adopted =
            Self { version: Self::VERSION, id: random_id(), name: name.to_owned(), created_at, extra };
        adopted.write(path)?;
        Ok(adopted)
    }

    /// Makes the description of a new project.
    pub(super) fn make(path: &Path, name: &str, clock: &dyn Clock) -> Result<Self, Error> {
        let (name, created_at) = (name.to_owned(), timestamp(clock));
        let made = Self { version: Self::VERSION, id: random_id(), name, created_at, extra: Map::new() };
        made.write(path)?;
        Ok(made)
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), Error> {
        let damaged =
            |error: serde_json::Error| Error::Damaged { path: path.to_owned(), reason: error.to_string() };
        write_whole(&[(path, &serde_json::to_vec_pretty(self).map_err(damaged)?)])
    }
}

/// 64 bits that no other project has. The standard library's hasher is seeded by the system.
fn random_id() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}
