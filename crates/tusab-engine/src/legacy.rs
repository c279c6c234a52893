//! What the Python app of the same name has kept, taken over: its data directory, and its `.tusab` files.
//!
//! Its transcripts become captions with times, its documents and texts Markdown with what was known of them in front, and
//! both are then read like any source. Its indexes are not used: they are made again from the texts.

mod among;
mod archive;
mod channel;
mod document;
mod find;
mod list;
mod read;
mod report;
mod run;
mod settings;
mod transcript;
mod video;

pub(crate) use among::{OldHere, old_projects};
pub(crate) use document::{OldEntry, OldText, parse_manifest};
pub use report::{LegacyChannel, LegacyFate, LegacyItem, LegacyProject, LegacyReport};
use std::path::Path;
pub(crate) use transcript::read_date;

use crate::runtime::work;
use crate::{Cancel, Engine, Error};

impl Engine {
    /// Takes over what the Python app has kept: a data directory of it, or one of its `.tusab` files. See
    /// [`import_tusab_with`](Self::import_tusab_with).
    ///
    /// # Errors
    /// As [`import_tusab_with`](Self::import_tusab_with).
    pub async fn import_tusab(&self, path: impl AsRef<Path>) -> Result<LegacyReport, Error> {
        self.import_tusab_with(path, &Cancel::new()).await
    }

    /// As [`import_tusab`](Self::import_tusab), and can be cancelled.
    ///
    /// Each of its projects becomes one here, all at once, or is refused because one has its name. Nothing is changed
    /// where it comes from. The report has an entry for every file there, and for every video, that says what became of
    /// it: nothing is dropped in silence. Settings come back without keys, and channels with their addresses and how often
    /// they were looked at, for the app to use: nothing is asked of a site before it says so.
    ///
    /// Conversations are refused: a session holds what was asked and answered here and nothing else, since whoever writes a
    /// file could put words into the assistant's mouth. They stay where they are, to be read or taken in as sources. So do
    /// study cards, for which there is nothing here; the texts of a study folder, which the app searched too, are taken.
    /// Indexes are made again.
    ///
    /// The old transcripts say when a window of two minutes begins: the times of the sentences in it are estimates.
    ///
    /// # Errors
    /// [`Error::NoSuchFile`]; [`Error::Portable`] when a file is none of its, damaged or made to do harm; when the data
    /// directory cannot be written. What is wrong with one source is no error but an entry in the report.
    pub async fn import_tusab_with(
        &self,
        path: impl AsRef<Path>,
        cancel: &Cancel,
    ) -> Result<LegacyReport, Error> {
        let (path, engine) = (path.as_ref().to_owned(), self.clone());
        let done = work(self.handler(), cancel, "taking over old projects", move |stop, tell| {
            run::run(&engine, &path, stop, tell)
        })
        .await?;
        let mut report = done.report;
        for made in done.projects {
            let Some(project) = self.find_project(&made.name).await? else { continue };
            let run::Made { videos, documents, texts, channels, .. } = made;
            report.projects.push(LegacyProject { project, videos, documents, texts, channels });
        }
        Ok(report)
    }
}
