use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Error;

/// A number of characters (Unicode scalar values), as window sizes are given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Chars(pub usize);

impl fmt::Display for Chars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} characters", self.0)
    }
}

/// A number of whatever a [`Measure`](crate::Measure) counts: tokens, words, clusters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Units(pub usize);

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} units", self.0)
    }
}

/// A position in a text counted in UTF-8 bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ByteOffset(pub usize);

/// A position in a text counted in characters (Unicode scalar values).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CharOffset(pub usize);

/// Where a chunk stands in the text it was cut from, in bytes and in characters.
///
/// ```
/// use tusab_chunk::{Chars, TextWindows};
/// let text = "água mole em pedra dura, tanto bate até que fura";
/// for span in TextWindows::new(Chars(20), Chars(5))?.spans(text) {
///     assert!(span.slice(text).is_some_and(|part| part.chars().count() <= 20));
/// }
/// # Ok::<(), tusab_chunk::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "RawTextSpan", into = "RawTextSpan")]
pub struct TextSpan {
    bytes: (usize, usize),
    chars: (usize, usize),
}

#[derive(Serialize, Deserialize)]
struct RawTextSpan {
    byte_start: ByteOffset,
    byte_end: ByteOffset,
    char_start: CharOffset,
    char_end: CharOffset,
}

impl TextSpan {
    /// A span from its four edges.
    ///
    /// # Errors
    /// [`Error::BadTextSpan`] when an end comes before its start, or when the bytes cannot hold that many
    /// characters (one to four bytes each).
    pub fn new(
        (byte_start, byte_end): (ByteOffset, ByteOffset),
        (char_start, char_end): (CharOffset, CharOffset),
    ) -> Result<Self, Error> {
        let (Some(bytes), Some(chars)) =
            (byte_end.0.checked_sub(byte_start.0), char_end.0.checked_sub(char_start.0))
        else {
            return Err(Error::BadTextSpan { reason: "it ends before it starts" });
        };
        let holds = |bytes: usize, chars: usize| chars <= bytes && bytes <= chars.saturating_mul(4);
        if !holds(bytes, chars) || !holds(byte_start.0, char_start.0) {
            return Err(Error::BadTextSpan { reason: "its bytes cannot hold its characters" });
        }
        Ok(Self { bytes: (byte_start.0, byte_end.0), chars: (char_start.0, char_end.0) })
    }

    /// For windows, which count both kinds as they go.
    pub(crate) fn from_counts(bytes: (usize, usize), chars: (usize, usize)) -> Self {
        Self { bytes, chars }
    }

    /// First byte.
    #[must_use]
    pub fn byte_start(self) -> ByteOffset {
        ByteOffset(self.bytes.0)
    }

    /// The byte after the last.
    #[must_use]
    pub fn byte_end(self) -> ByteOffset {
        ByteOffset(self.bytes.1)
    }

    /// First character.
    #[must_use]
    pub fn char_start(self) -> CharOffset {
        CharOffset(self.chars.0)
    }

    /// The character after the last.
    #[must_use]
    pub fn char_end(self) -> CharOffset {
        CharOffset(self.chars.1)
    }

    /// The spanned part of `text`; `None` when the span is of another text.
    #[must_use]
    pub fn slice(self, text: &str) -> Option<&str> {
        text.get(self.bytes.0..self.bytes.1)
    }
}

impl TryFrom<RawTextSpan> for TextSpan {
    type Error = Error;

    fn try_from(raw: RawTextSpan) -> Result<Self, Error> {
        Self::new((raw.byte_start, raw.byte_end), (raw.char_start, raw.char_end))
    }
}

impl From<TextSpan> for RawTextSpan {
    fn from(span: TextSpan) -> Self {
        Self {
            byte_start: span.byte_start(),
            byte_end: span.byte_end(),
            char_start: span.char_start(),
            char_end: span.char_end(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_spans_cannot_be_built() {
        let span = |b: (usize, usize), c: (usize, usize)| {
            TextSpan::new((ByteOffset(b.0), ByteOffset(b.1)), (CharOffset(c.0), CharOffset(c.1)))
        };
        assert!(span((0, 8), (0, 2)).is_ok());
        for (bytes, chars) in [
            ((3, 1), (0, 0)),
            ((0, 3), (2, 1)),
            ((0, 3), (0, 4)),
            ((0, 9), (0, 2)),
            ((1, 2), (2, 3)),
            ((9, 10), (2, 3)),
        ] {
            assert!(span(bytes, chars).is_err(), "{bytes:?} {chars:?}");
        }
    }
}
