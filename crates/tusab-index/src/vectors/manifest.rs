//! The small file that says which segments count: replacing it is what commits.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::durable::write_whole;
use super::error::VectorFileError;
use super::space::VectorSpace;

/// Version of the manifest.
const FORMAT: u32 = 1;

/// Says which store, and which state of it, vectors were written from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorGeneration {
    /// Name of the store.
    pub store: String,
    /// Number of batches committed to it.
    pub number: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    format: u32,
    pub(super) space: VectorSpace,
    normalisation: Normalisation,
    pub(super) coded: bool,
    pub(super) generation: VectorGeneration,
    /// Number of the next segment: a number that a manifest has named is not used again.
    pub(super) next: u64,
    pub(super) segments: Vec<Entry>,
}

/// How rows were scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Normalisation {
    /// To length 1.
    Unit,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) number: u64,
    pub(super) rows: u64,
    /// Checksum of its table, and so of all that is in it.
    pub(super) table: u32,
    /// Rows that no longer count: first, and the one after the last, in order.
    pub(super) dead: Vec<(usize, usize)>,
}

/// Only the version, of a manifest that may be of another one.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

impl Manifest {
    pub(super) fn new(space: VectorSpace, coded: bool, generation: VectorGeneration) -> Self {
        let normalisation = Normalisation::Unit;
        Self { format: FORMAT, space, normalisation, coded, generation, next: 0, segments: Vec::new() }
    }

    pub(super) fn path(folder: &Path) -> PathBuf {
        folder.join("vectors.json")
    }

    /// Reads what was committed last.
    pub(super) fn read(folder: &Path) -> Result<Self, VectorFileError> {
        let path = Self::path(folder);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(VectorFileError::Missing { path });
            }
            Err(error) => return Err(VectorFileError::io("read", &path)(error)),
        };
        let json = verified(&bytes).ok_or_else(|| VectorFileError::damaged(&path, "its checksum"))?;
        if serde_json::from_slice(json).is_ok_and(|version: Version| version.format != FORMAT) {
            return Err(VectorFileError::OtherVersion { path });
        }
        serde_json::from_slice(json).map_err(|_| VectorFileError::damaged(&path, "its content"))
    }

    /// Commits: durable when it returns.
    pub(super) fn write(&self, folder: &Path) -> Result<(), VectorFileError> {
        let path = Self::path(folder);
        let json =
            serde_json::to_vec(self).map_err(|error| VectorFileError::io("write", &path)(error.into()))?;
        write_whole(&path, &signed(json))
    }
}

/// The content with a last line that holds its checksum.
fn signed(mut content: Vec<u8>) -> Vec<u8> {
    let sum = crc32fast::hash(&content);
    content.extend(format!("\n{sum:08x}\n").bytes());
    content
}

/// The content, when it is what was signed.
fn verified(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.len().checked_sub("\n01234567\n".len())?;
    let content = bytes.get(..end)?;
    (signed(content.to_vec()) == bytes).then_some(content)
}
