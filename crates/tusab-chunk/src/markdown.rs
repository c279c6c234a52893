mod line;
mod outline;

use crate::chunk::number_windows;
use crate::text::cutter::{Cutter, Window};
use crate::text::ruler::{CharRuler, MeasureRuler};
use crate::{Chunk, DocId, Measure, MeasureError, MeasuredWindows, TextSpan, TextWindows};
use outline::{Outline, Path};

impl TextWindows {
    /// The windows of a text in Markdown as chunks of `doc`, numbered from 0. Its structure is read as
    /// [`CommonMark` 0.31](https://spec.commonmark.org/0.31.2/) has it, with GitHub's tables, and metadata before it
    /// set aside. Headings within quotes and items are not the document's; those within HTML are, save in comments and
    /// in what is shown as it is, such as `<pre>`.
    ///
    /// As for plain text, and besides:
    /// - A fenced block of code, or a row of a table, that fits in a window is never split. Where a block is longer
    ///   than the size less the overlap, the overlap before it is shortened, so that it fits.
    /// - Within reach, the best place to cut is before a heading; a heading stays with what it heads.
    /// - Each chunk carries its headings, from the outermost one, as its section: `Guide > Install > Linux`. They are
    ///   those of the first text of its own, after what it repeats of the window before, that stands under any.
    ///
    /// ```
    /// use tusab_chunk::{DocId, TextWindows};
    /// let doc: DocId = "file:3f9a01c2".parse()?;
    /// let text = "# Guide\n\n## Install\n\nRun this:\n\n```sh\ncargo add tusab-chunk\n```\n";
    /// let chunks = TextWindows::default().markdown_chunks(&doc, text);
    /// assert_eq!(chunks[0].section(), Some("Guide > Install"));
    /// # Ok::<(), tusab_chunk::Error>(())
    /// ```
    #[must_use]
    pub fn markdown_chunks(&self, doc: &DocId, text: &str) -> Vec<Chunk> {
        let Outline { blocks, headings } = Outline::of(text);
        let mut path = Path::of(&headings);
        let cutter = Cutter::new(text, CharRuler, (self.size().0, self.overlap().0), blocks);
        let windows = cutter.map(|window| match window {
            Ok(window) => with_section(window, &mut path),
        });
        number_windows(doc, text, self.expected(text), windows)
    }
}

impl<M: Measure> MeasuredWindows<M> {
    /// The windows of a text in Markdown as chunks of `doc`, numbered from 0; see
    /// [`TextWindows::markdown_chunks`].
    ///
    /// # Errors
    /// [`MeasureError`] when a part of the text could not be measured.
    pub fn markdown_chunks(&self, doc: &DocId, text: &str) -> Result<Vec<Chunk>, MeasureError> {
        let Outline { blocks, headings } = Outline::of(text);
        let mut path = Path::of(&headings);
        let sizes = (self.size().0, self.overlap().0);
        let cutter = Cutter::new(text, MeasureRuler(self.measure()), sizes, blocks);
        let windows = cutter
            .map(|window| Ok(with_section(window?, &mut path)))
            .collect::<Result<Vec<_>, MeasureError>>()?;
        Ok(number_windows(doc, text, windows.len(), windows))
    }
}

fn with_section(window: Window, path: &mut Path<'_>) -> (TextSpan, Option<String>) {
    (window.span, path.of_part(window.own, window.span.byte_end().0))
}
