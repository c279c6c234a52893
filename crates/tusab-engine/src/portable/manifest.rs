//! What an archive says of itself.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::name::{folded, refused};
use crate::storage::{DAMAGED_MANIFEST, UNFINISHED};

/// What is wrong with a file that was to be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PortableFault {
    /// It is no archive, or cut short.
    #[error("it is not a whole archive ({reason}): copy or download it again")]
    NotAnArchive {
        /// What is wrong.
        reason: String,
    },
    /// It is an archive of something else.
    #[error("it is an archive of something else: it has no manifest of a project")]
    NotAProject,
    /// The Python app wrote it.
    #[error("the Python app wrote it: take it in with import_tusab")]
    OfPythonApp,
    /// This engine wrote it, and it was given to the import of the Python app's files.
    #[error("this engine wrote it: take it in with import")]
    OfThisEngine,
    /// A part of it is not as it was written.
    #[error("{entry} in it is damaged ({reason}): copy or download it again")]
    Damaged {
        /// The part.
        entry: String,
        /// What is wrong.
        reason: String,
    },
    /// It asks for what no such file needs: a path that leads elsewhere, a link, a file twice.
    #[error(
        "{entry:?} in it is refused ({reason}): the engine writes no such file, so it comes from elsewhere"
    )]
    Refused {
        /// The part.
        entry: String,
        /// Why.
        reason: String,
    },
    /// It unpacks to more than is taken.
    #[error("it unpacks to {bytes} bytes, more than the {limit} that are taken from a file of its size")]
    TooLarge {
        /// What it unpacks to.
        bytes: u64,
        /// The most that is taken.
        limit: u64,
    },
}

/// The list of what an archive holds, in its entry `manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) format: String,
    pub(super) version: u32,
    /// What the project is called.
    pub(super) project: String,
    pub(super) exported_at: String,
    /// Version of the engine that wrote it.
    pub(super) engine: String,
    pub(super) documents: usize,
    pub(super) chunks: usize,
    pub(super) files: Vec<FileEntry>,
}

/// A file in an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileEntry {
    /// Where it is in the archive, with `/` between the parts.
    pub(super) path: String,
    /// Its size in bytes.
    pub(super) size: u64,
    /// BLAKE2b-256 of its bytes, in hexadecimal.
    pub(super) hash: String,
}

/// Why a manifest is not usable.
pub(super) enum Unusable {
    Fault(PortableFault),
    /// A later version wrote it.
    Newer(u32),
}

impl From<PortableFault> for Unusable {
    fn from(fault: PortableFault) -> Self {
        Self::Fault(fault)
    }
}

impl Manifest {
    pub(super) const NAME: &'static str = "manifest.json";
    pub(super) const FORMAT: &'static str = "tusab-project";
    pub(super) const VERSION: u32 = 1;

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Unusable> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        // The format and version first: what others look like otherwise is not known.
        let Ok(Head { format, version }) = serde_json::from_slice(bytes) else {
            return Err(PortableFault::NotAProject.into());
        };
        match format.as_str() {
            Self::FORMAT if version > Self::VERSION => return Err(Unusable::Newer(version)),
            Self::FORMAT => {}
            "tusab-base" => return Err(PortableFault::OfPythonApp.into()),
            _ => return Err(PortableFault::NotAProject.into()),
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(|error| PortableFault::Damaged {
            entry: Self::NAME.to_owned(),
            reason: error.to_string(),
        })?;
        manifest.check_names()?;
        Ok(manifest)
    }

    /// Refuses paths that lead elsewhere, that some system cannot hold, or that it takes for one.
    fn check_names(&self) -> Result<(), PortableFault> {
        let mut seen = HashSet::new();
        let mut folders = HashSet::new();
        for file in &self.files {
            let refuse =
                |reason: &str| PortableFault::Refused { entry: file.path.clone(), reason: reason.to_owned() };
            if let Some(reason) = refused(&file.path) {
                return Err(refuse(reason));
            }
            if !is_placed(&file.path) {
                return Err(refuse("no such file belongs to a project"));
            }
            let path = folded(&file.path);
            folders.extend(path.match_indices('/').filter_map(|(at, _)| path.get(..at)).map(str::to_owned));
            if !seen.insert(path) {
                return Err(refuse("there are two files of this name"));
            }
        }
        match folders.intersection(&seen).next() {
            Some(both) => Err(PortableFault::Refused {
                entry: both.clone(),
                reason: "it is a file and a folder".to_owned(),
            }),
            None => Ok(()),
        }
    }
}

/// True for what conversations have left beside the sources: ratings, which quote questions, and summaries, which a model is
/// shown. An export leaves them out, and in a file of somebody else's they would put words into prompts.
pub(super) fn is_of_conversations(path: &str) -> bool {
    // Also on a system that takes names for one that differ in case.
    folded(path)
        .strip_prefix("neural/management")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// True for what is not the project's any more: manifests that were damaged and kept aside, which may name or hold what was
/// deleted since, and what a writer that died has left.
pub(super) fn is_left_out(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with(DAMAGED_MANIFEST) || name.ends_with(UNFINISHED)
}

/// True for a path where a file of a project can be. Of an index, exactly what the engine writes.
fn is_placed(path: &str) -> bool {
    !is_of_conversations(path)
        && matches!(
            path.split('/').collect::<Vec<_>>().as_slice(),
            ["neural", _, ..] | ["index", "store.sqlite"] | ["index", "bm25" | "vectors", _]
        )
}
