use crate::chunk::number_windows;
use crate::text::cutter::Cutter;
use crate::text::ruler::MeasureRuler;
use crate::{Chunk, DocId, Error, Measure, MeasureError, TextSpan, Units};

/// [`TextWindows`](crate::TextWindows) whose size and overlap are measured in another unit than characters: grapheme
/// clusters, words, the tokens of a model, or what a [`Measure`] of your own counts.
///
/// The rules for cutting are the same. Measuring may fail, so each window is a `Result`; after an error come none.
///
/// ```
/// use tusab_chunk::{MeasuredWindows, Units, Words};
/// let text = "Uma frase de seis palavras, sempre. ".repeat(100);
/// let windows = MeasuredWindows::new(Words, Units(60), Units(10))?;
/// let spans = windows.spans(&text).collect::<Result<Vec<_>, _>>()?;
/// assert!(spans.iter().all(|span| span.slice(&text).is_some_and(|part| part.ends_with("sempre."))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasuredWindows<M> {
    measure: M,
    size: usize,
    overlap: usize,
}

impl<M: Measure> MeasuredWindows<M> {
    /// Windows that measure at most `size`, each repeating about the last `overlap` of the one before.
    ///
    /// # Errors
    /// [`Error::ZeroBound`] for a size of zero, [`Error::UnitOverlapTooLong`] unless the overlap is shorter than it.
    pub fn new(measure: M, size: Units, overlap: Units) -> Result<Self, Error> {
        if size.0 == 0 {
            return Err(Error::ZeroBound);
        }
        if overlap >= size {
            return Err(Error::UnitOverlapTooLong { size, overlap });
        }
        Ok(Self { measure, size: size.0, overlap: overlap.0 })
    }

    /// What windows are measured with.
    pub fn measure(&self) -> &M {
        &self.measure
    }

    /// The most that a window measures, unless a single grapheme cluster measures more.
    pub fn size(&self) -> Units {
        Units(self.size)
    }

    /// About how much a window repeats of the one before.
    pub fn overlap(&self) -> Units {
        Units(self.overlap)
    }

    /// The windows of `text`, in order, found as they are asked for.
    pub fn spans<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Result<TextSpan, MeasureError>> + 't {
        Cutter::new(text, MeasureRuler(&self.measure), (self.size, self.overlap), Vec::new())
            .map(|window| Ok(window?.span))
    }

    /// The windows of `text` as chunks of `doc`, numbered from 0.
    ///
    /// # Errors
    /// [`MeasureError`] when a part of the text could not be measured.
    pub fn chunks(&self, doc: &DocId, text: &str) -> Result<Vec<Chunk>, MeasureError> {
        let windows =
            self.spans(text).map(|span| Ok((span?, None))).collect::<Result<Vec<_>, MeasureError>>()?;
        Ok(number_windows(doc, text, windows.len(), windows))
    }
}
