//! A project at a glance, as one HTML page that needs nothing from outside: no script, no picture, no font, no network.

mod chart;
mod html;
mod label;
mod numbers;

use std::path::Path;

use crate::clock::timestamp;
use crate::storage::write_whole;
use crate::{Cancel, Error, Project, ShareOptions};

impl Project {
    /// Writes a page about the project: what it holds, over time and by source, how whole its index is, and what it speaks
    /// of most. It is one file, readable on a phone, and loads nothing. A file that was there is replaced, once the new one
    /// is whole.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; when the project cannot be read or the file not written.
    pub async fn report_page(
        &self,
        path: impl AsRef<Path>,
        options: &ShareOptions,
        cancel: &Cancel,
    ) -> Result<(), Error> {
        let (path, labels) = (path.as_ref().to_owned(), label::labels(options.language.as_ref()));
        self.work(cancel, "a report", move |inner, stop, _| {
            let numbers = numbers::Numbers::of(inner, stop)?;
            let page = html::page(&inner.name(), &timestamp(&*inner.clock), &numbers, labels);
            write_whole(&[(&path, page.as_bytes())])
        })
        .await
    }
}
