pub(crate) mod block;
mod boundary;
pub(crate) mod cutter;
pub(crate) mod grapheme;
mod place;
pub(crate) mod ruler;
mod sentence;

use crate::chunk::number_windows;
use crate::{Chars, Chunk, DocId, Error, TextSpan};
use cutter::{Cutter, tolerance};
use ruler::CharRuler;

/// Cuts running text into overlapping windows at the best boundary near their end.
///
/// By default 2,000 characters with an overlap of 200: an idea at the edge is not cut, because any phrase of up to
/// the overlap stands whole in some window, and one inside the overlap stands in two.
///
/// - Cuts fall, in this order, at a paragraph, a sentence, a line or a word, within the last quarter of the window;
///   in text without spaces between words as Unicode Standard Annex 29 finds them; else between grapheme clusters,
///   never inside one.
/// - No window is longer than its size, unless a single grapheme cluster is.
/// - Windows neither start nor end with white space; every other character is in some window.
/// - Each window starts and ends after the one before, so none merely repeats another.
/// - Time and memory are linear in the text, whatever it holds.
///
/// ```
/// use tusab_chunk::TextWindows;
/// let text = "Uma frase. ".repeat(500);
/// let spans: Vec<_> = TextWindows::default().spans(&text).collect();
/// assert_eq!(spans.len(), 3);
/// assert!(spans.iter().all(|span| span.slice(&text).is_some_and(|t| t.ends_with("frase."))));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextWindows {
    size: usize,
    overlap: usize,
}

impl TextWindows {
    /// Default size of a window.
    pub const SIZE: Chars = Chars(2000);
    /// Default overlap of two neighbours.
    pub const OVERLAP: Chars = Chars(200);

    /// Windows of at most `size` characters, each repeating the last `overlap` of the one before.
    ///
    /// # Errors
    /// [`Error::ZeroBound`] for a size of zero, [`Error::OverlapTooLong`] unless the overlap is shorter than it.
    pub fn new(size: Chars, overlap: Chars) -> Result<Self, Error> {
        if size.0 == 0 {
            return Err(Error::ZeroBound);
        }
        if overlap >= size {
            return Err(Error::OverlapTooLong { size, overlap });
        }
        Ok(Self { size: size.0, overlap: overlap.0 })
    }

    /// Largest number of characters in a window.
    #[must_use]
    pub fn size(&self) -> Chars {
        Chars(self.size)
    }

    /// Number of characters that a window repeats of the one before; more by the part of a word, where it would
    /// else start inside one.
    #[must_use]
    pub fn overlap(&self) -> Chars {
        Chars(self.overlap)
    }

    /// The windows of `text`, in order, found as they are asked for.
    pub fn spans<'t>(&self, text: &'t str) -> impl Iterator<Item = TextSpan> + use<'t> {
        let sizes = (self.size, self.overlap);
        Cutter::new(text, CharRuler, sizes, Vec::new()).map(|window| match window {
            Ok(window) => window.span,
        })
    }

    /// The windows of `text` as chunks of `doc`, numbered from 0.
    #[must_use]
    pub fn chunks(&self, doc: &DocId, text: &str) -> Vec<Chunk> {
        number_windows(doc, text, self.expected(text), self.spans(text).map(|span| (span, None)))
    }

    /// About how many windows `text` has, rather too many: as if each were cut as early as it may be.
    pub(crate) fn expected(&self, text: &str) -> usize {
        let shortest = self.size - tolerance((self.size, self.overlap));
        text.len() / (shortest - self.overlap).max(1) + 1
    }
}

impl Default for TextWindows {
    fn default() -> Self {
        Self { size: Self::SIZE.0, overlap: Self::OVERLAP.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_expected_rather_than_grown_into() {
        for (size, overlap) in [(2000, 200), (100, 0), (100, 99), (1, 0), (usize::MAX, 0)] {
            let windows = TextWindows::new(Chars(size), Chars(overlap)).unwrap();
            let text = "Uma frase de prova, como outras. ".repeat(300);
            let (found, expected) = (windows.spans(&text).count(), windows.expected(&text));
            assert!(
                (found..=found * 2 + 1).contains(&expected),
                "{expected} for {found} of {size}, {overlap}"
            );
        }
        assert_eq!(TextWindows::default().expected(""), 1);
    }
}
