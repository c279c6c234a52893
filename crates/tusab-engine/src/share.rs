//! A project or a conversation as a file for people: to read, to print, to go on with elsewhere.
//!
//! What is shared is laid out once, as headings, paragraphs and tables ([`paper::Paper`]), and written from that in each
//! format; tables of values (JSON Lines, XLSX, cards) are written from rows.

mod anki;
mod contents;
#[cfg(feature = "docx")]
mod docx;
mod jsonl;
mod label;
mod markdown;
mod options;
mod paper;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "xlsx")]
mod xlsx;

use std::path::Path;
use std::sync::Arc;

pub use anki::Card;
pub use options::{ShareFormat, ShareOptions};

use self::contents::Contents;
pub(crate) use self::paper::is_web;
use crate::runtime::blocking;
use crate::storage::write_whole;
use crate::{Cancel, ChatSession, Error, Project};

impl Project {
    /// Writes what the project's sources say into a file for people: whole texts, with their titles, dates and links; of
    /// videos, links to the minute. A file that was there is replaced, once the new one is whole.
    ///
    /// # Errors
    /// [`Error::Share`] when the format cannot hold it; [`Error::Cancelled`]; when a source cannot be read or the file not
    /// written. A file that was there is as it was then.
    pub async fn share(
        &self,
        path: impl AsRef<Path>,
        format: ShareFormat,
        options: &ShareOptions,
        cancel: &Cancel,
    ) -> Result<(), Error> {
        let (path, options) = (path.as_ref().to_owned(), options.clone());
        self.work(cancel, "sharing a project", move |inner, stop, _| {
            let contents = Contents::of_project(inner, stop)?;
            write_whole(&[(&path, &contents.write(format, &options)?)])
        })
        .await
    }
}

impl ChatSession {
    /// Writes the conversation into a file for people. See [`Project::share`]; as [`ShareFormat::AnkiCsv`], each question
    /// becomes a card.
    ///
    /// # Errors
    /// As [`Project::share`].
    pub async fn share(
        &self,
        path: impl AsRef<Path>,
        format: ShareFormat,
        options: &ShareOptions,
    ) -> Result<(), Error> {
        let (path, options) = (path.as_ref().to_owned(), options.clone());
        let contents =
            Arc::new(Contents::Chat { title: self.name().to_owned(), turns: self.history().await? });
        blocking("sharing a conversation", move || {
            write_whole(&[(&path, &contents.write(format, &options)?)])
        })
        .await
    }
}

/// Cards for learning, as Anki reads them: a question and an answer a line, with `;` between. `\n` becomes a line break.
///
/// ```
/// use tusab_engine::{Card, anki_csv};
/// let cards = [Card::new("Quantas horas de sol?", "Seis; ou mais.").with_tags(["horta"])];
/// assert!(anki_csv(&cards).ends_with("Quantas horas de sol?;\"Seis; ou mais.\";horta\n"));
/// ```
#[must_use]
pub fn anki_csv(cards: &[Card]) -> String {
    anki::write(cards)
}
