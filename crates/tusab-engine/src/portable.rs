//! A project in one file, to be moved to another machine or kept as a copy.
//!
//! The file is a zip archive, so that its owner can always get at what is in it: `neural/` holds the sources as they are
//! in the data directory, deflated, which every tool unpacks; `index/` the index, in Zstandard, which is several times as
//! fast and is of use to the engine alone; `manifest.json`, the last entry, names every file with its size and hash.

mod archive;
mod export;
mod import;
mod manifest;
mod meter;
mod name;
mod options;
mod pack;
mod reading;
mod scratch;
mod sink;
mod stage;
mod unpack;

use std::path::Path;

pub use manifest::PortableFault;
pub use options::{ExportOptions, ExportReport, ImportOptions, Imported};
pub(crate) use scratch::{Scratch, clear_dead};
pub(crate) use stage::{place as move_in, refuse_taken};

use crate::runtime::work;
use crate::{Cancel, Engine, Error, KeyPhraseOrder, Project};

impl Project {
    /// Writes the whole project into one file: its sources and its index, with a hash of each of their files. Chat
    /// sessions, the queue and settings are not in it. See [`export_with`](Self::export_with).
    ///
    /// # Errors
    /// As [`export_with`](Self::export_with).
    pub async fn export(&self, path: impl AsRef<Path>) -> Result<ExportReport, Error> {
        self.export_with(path, &ExportOptions::default(), &Cancel::new()).await
    }

    /// As [`export`](Self::export), with options.
    ///
    /// The file appears under its name when it is whole and on the disk, in the place of one that was there. Searches go
    /// on meanwhile; sources are taken in again afterwards. Dropping the future is a cancel.
    ///
    /// Where the data directory may not be written, the file is made all the same, wherever it can be: of the sources and the
    /// index as they are, which takes longer, since the index is written anew.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; when the file cannot be written, or another process is writing this project. There is no
    /// new file then, and one that was there is as it was.
    pub async fn export_with(
        &self,
        path: impl AsRef<Path>,
        options: &ExportOptions,
        cancel: &Cancel,
    ) -> Result<ExportReport, Error> {
        let (path, options) = (path.as_ref().to_owned(), options.clone());
        self.work(cancel, "an export", move |inner, stop, tell| {
            export::run(inner, &path, &options, stop, tell)
        })
        .await
    }
}

impl Engine {
    /// Makes a project of a file that [`Project::export`] has written, under a name of its own. See
    /// [`import_with`](Self::import_with).
    ///
    /// # Errors
    /// As [`import_with`](Self::import_with).
    pub async fn import(&self, path: impl AsRef<Path>, name: &str) -> Result<Imported, Error> {
        self.import_with(path, name, &ImportOptions::default(), &Cancel::new()).await
    }

    /// As [`import`](Self::import), with options.
    ///
    /// Everything in the file is unpacked beside the projects and compared with its hashes, and the index opened, before
    /// the project appears, all at once. The index is used as it is when this version writes the same format; else it
    /// is made again from the sources, and [`Imported::rebuilt`] says why. Dropping the future is a cancel.
    ///
    /// A file with hashes that agree is whole, not honest: whoever wrote it chose what is in it. For one from a stranger
    /// see [`ImportOptions::trust_index`].
    ///
    /// # Errors
    /// [`Error::ProjectExists`] and [`Error::ProjectName`]; [`Error::Portable`] when the file is damaged, cut short, of
    /// something else, or asks for what no such file needs; [`Error::Newer`] when a later version wrote it;
    /// [`Error::Cancelled`]; when the data directory cannot be written. Nothing is imported then.
    pub async fn import_with(
        &self,
        path: impl AsRef<Path>,
        name: &str,
        options: &ImportOptions,
        cancel: &Cancel,
    ) -> Result<Imported, Error> {
        let (path, owned, options) = (path.as_ref().to_owned(), name.to_owned(), options.clone());
        let engine = self.clone();
        let waits = options.key_phrases == KeyPhraseOrder::BeforeIndexing;
        let done = work(self.handler(), cancel, "an import", move |stop, tell| {
            import::run(&engine, &path, &owned, &options, stop, tell)
        })
        .await?;
        let gone = || Error::NoSuchProject { name: name.to_owned() };
        let project = self.find_project(name).await?.ok_or_else(gone)?;
        let degraded = if waits { project.find_key_phrases(cancel).await?.degraded } else { Vec::new() };
        Ok(Imported { degraded, ..done.into_imported(project) })
    }
}

/// Bytes that are moved in one go.
const BLOCK: usize = 256 << 10;

/// The hash of a file in an archive.
type Hash = blake2b_simd::State;

fn hash() -> Hash {
    blake2b_simd::Params::new().hash_length(32).personal(b"tusab-portable").to_state()
}
