use std::fmt;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use tusab_chunk::{ByteOffset, TextSpan};

/// The number of a page (PDF) or slide (PPTX) as a viewer counts them: from 1, whatever is printed on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PageNumber(NonZeroU32);

impl PageNumber {
    /// The number, at least 1.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0.get()
    }

    fn of_index(index: usize) -> Self {
        Self(u32::try_from(index).map_or(NonZeroU32::MAX, |index| NonZeroU32::MIN.saturating_add(index)))
    }
}

impl fmt::Display for PageNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where each page of a text starts: what tells the page of a chunk, by the span that the chunk carries.
///
/// ```
/// use tusab_chunk::{ByteOffset, TextSpan};
/// use tusab_ingest::Pages;
/// let text = "primeira página\n\nsegunda página";
/// let pages = Pages::starting_at(vec![ByteOffset(0), ByteOffset(18)])?;
/// assert_eq!(pages.at(ByteOffset(20)).map(|page| page.get()), Some(2));
/// # Ok::<(), tusab_ingest::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<ByteOffset>", into = "Vec<ByteOffset>")]
pub struct Pages {
    /// In order; the first is 0. A page without text starts where the next one does.
    starts: Vec<ByteOffset>,
}

impl Pages {
    /// Pages that start at these bytes of a text.
    ///
    /// # Errors
    /// [`Error::BadPages`](crate::Error::BadPages) where the first does not start at 0, or one before the one before it.
    pub fn starting_at(starts: Vec<ByteOffset>) -> Result<Self, crate::Error> {
        if starts.first().is_some_and(|first| first.0 != 0) || !starts.is_sorted() {
            return Err(crate::Error::BadPages);
        }
        Ok(Self { starts })
    }

    /// How many there are; 0 for a text that has none.
    #[must_use]
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Whether the text has no pages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Where each page starts, in order.
    #[must_use]
    pub fn starts(&self) -> &[ByteOffset] {
        &self.starts
    }

    /// The page on which a byte of the text stands; none for a text without pages.
    #[must_use]
    pub fn at(&self, offset: ByteOffset) -> Option<PageNumber> {
        self.starts.partition_point(|start| *start <= offset).checked_sub(1).map(PageNumber::of_index)
    }

    /// The first and the last page of a part of the text; none for a text without pages.
    #[must_use]
    pub fn of(&self, span: TextSpan) -> Option<RangeInclusive<PageNumber>> {
        let first = self.at(span.byte_start())?;
        let last = self.at(ByteOffset(span.byte_end().0.saturating_sub(1)))?;
        Some(first..=last.max(first))
    }

    /// The text of each page, in order. `text` is the text that these are the pages of.
    pub fn texts<'t>(&'t self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let ends = self.starts.iter().skip(1).map(|end| end.0).chain([text.len()]);
        self.starts.iter().zip(ends).map(|(start, end)| text.get(start.0..end).unwrap_or_default().trim())
    }

    /// Notes that a page starts at the end of what is written so far.
    #[cfg(any(feature = "office", feature = "pdf"))]
    pub(crate) fn start(&mut self, written: usize) {
        let offset = if self.starts.is_empty() { 0 } else { written };
        self.starts.push(ByteOffset(offset));
    }
}

impl TryFrom<Vec<ByteOffset>> for Pages {
    type Error = crate::Error;

    fn try_from(starts: Vec<ByteOffset>) -> Result<Self, crate::Error> {
        Self::starting_at(starts)
    }
}

impl From<Pages> for Vec<ByteOffset> {
    fn from(pages: Pages) -> Self {
        pages.starts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusab_chunk::CharOffset;

    #[test]
    fn every_byte_has_its_page() {
        let pages = Pages::starting_at([0, 10, 10, 20].map(ByteOffset).to_vec()).unwrap();
        let at = |offset| pages.at(ByteOffset(offset)).unwrap().get();
        // The second page is empty: what starts at 10 is on the third.
        assert_eq!([0, 9, 10, 19, 20, 99].map(at), [1, 1, 3, 3, 4, 4]);
        let span = |from, to| {
            TextSpan::new((ByteOffset(from), ByteOffset(to)), (CharOffset(from), CharOffset(to))).unwrap()
        };
        let of = |from, to| pages.of(span(from, to)).map(|pages| (pages.start().get(), pages.end().get()));
        assert_eq!(of(0, 10), Some((1, 1)));
        assert_eq!(of(9, 11), Some((1, 3)));
        assert_eq!(of(20, 20), Some((4, 4)));
        assert_eq!(Pages::default().of(span(0, 10)), None);
        let text = "0123456789abcdefghi klmno";
        assert_eq!(pages.texts(text).collect::<Vec<_>>(), ["0123456789", "", "abcdefghi", "klmno"]);
    }

    #[test]
    fn pages_out_of_order_cannot_be_built() {
        for starts in [&[1][..], &[0, 5, 4]] {
            let starts: Vec<_> = starts.iter().copied().map(ByteOffset).collect();
            assert!(Pages::starting_at(starts.clone()).is_err());
            let json = serde_json::to_string(&starts).unwrap();
            assert!(serde_json::from_str::<Pages>(&json).is_err());
        }
        let sound = Pages::starting_at(vec![ByteOffset(0), ByteOffset(3)]).unwrap();
        let json = serde_json::to_string(&sound).unwrap();
        assert_eq!(json, "[0,3]");
        assert_eq!(serde_json::from_str::<Pages>(&json).unwrap(), sound);
    }
}
