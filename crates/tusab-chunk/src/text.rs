mod boundary;
mod scan;

use crate::{Chars, Chunk, DocId, Error, Position, TextSpan};

/// Cuts running text into overlapping windows at the best boundary near their end.
///
/// By default 2,000 characters with an overlap of 200: an idea at the edge is not cut, because any phrase of up to
/// the overlap stands whole in some window, and one inside the overlap stands in two.
///
/// - Cuts fall, in this order, at a paragraph, a sentence, a line or a word, within the last quarter of the window;
///   else between grapheme clusters, never inside one.
/// - No window is longer than its size, unless a single grapheme cluster is.
/// - Windows neither start nor end with white space; every other character is in some window.
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

    /// Number of characters that a window repeats of the one before.
    #[must_use]
    pub fn overlap(&self) -> Chars {
        Chars(self.overlap)
    }

    /// The windows of `text`, in order, found as they are asked for.
    pub fn spans<'t>(&self, text: &'t str) -> impl Iterator<Item = TextSpan> + use<'t> {
        Spans { windows: *self, text, next: Some(Place { byte: 0, char: 0 }) }
    }

    /// The windows of `text` as chunks of `doc`, numbered from 0.
    #[must_use]
    pub fn chunks(&self, doc: &DocId, text: &str) -> Vec<Chunk> {
        (0..)
            .zip(self.spans(text))
            .map(|(ordinal, span)| {
                Chunk::new(doc.clone(), ordinal, span.slice(text).unwrap_or_default(), Position::Text(span))
            })
            .collect()
    }

    /// How far before its end a window may be cut. Never so far that the next one would not advance:
    /// what is left is at least (size + overlap) / 2, which is more than the overlap.
    fn tolerance(&self) -> usize {
        (self.size / 4).min((self.size - self.overlap) / 2)
    }
}

impl Default for TextWindows {
    fn default() -> Self {
        Self { size: Self::SIZE.0, overlap: Self::OVERLAP.0 }
    }
}

/// A position counted both ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    byte: usize,
    char: usize,
}

struct Spans<'t> {
    windows: TextWindows,
    text: &'t str,
    /// Where the next window may start; `None` after the last.
    next: Option<Place>,
}

impl Iterator for Spans<'_> {
    type Item = TextSpan;

    fn next(&mut self) -> Option<TextSpan> {
        let start = scan::skip_space(self.text, self.next.take()?);
        if start.byte >= self.text.len() {
            return None;
        }
        let limit = scan::forward(self.text, start, self.windows.size);
        let cut = if limit.byte == self.text.len() {
            limit
        } else {
            let cut = boundary::best_cut(self.text, start, limit, self.windows.tolerance());
            self.next = Some(self.start_after(start, cut));
            cut
        };
        let end = scan::trim_space(self.text, start, cut);
        Some(TextSpan::from_counts((start.byte, end.byte), (start.char, end.char)))
    }
}

impl Spans<'_> {
    /// Where the window after the one from `start` to `cut` starts: the overlap before the cut, moved back to the
    /// start of a word. A window of one over-long cluster is not repeated.
    fn start_after(&self, start: Place, cut: Place) -> Place {
        let overlap = self.windows.overlap;
        if overlap == 0 || cut.char - start.char <= overlap {
            return cut;
        }
        let wanted = scan::backward(self.text, cut, overlap);
        // Moving back by less than the advance keeps every window starting after the one before.
        let slack = (wanted.char - start.char).saturating_sub(1).min(overlap.max(32));
        boundary::word_start(self.text, start, wanted, slack).unwrap_or(cut)
    }
}
