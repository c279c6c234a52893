mod search;
#[cfg(feature = "tokenizers")]
mod tokens;

use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation;

#[cfg(feature = "tokenizers")]
pub use tokens::Tokens;

/// Says how long a text is, in whatever unit fits the reader: a model's tokens, words, clusters.
///
/// Only [`measure`](Measure::measure) must be written. The two others find how much text fits a size; by default by
/// measuring a few times, which suits any measure that grows with its text. Write them where one pass can tell.
///
/// What an implementation promises: equal texts measure the same, the empty text measures 0, and a longer stretch
/// of a text does not measure less, or not by much. No windows loop or lose text whatever it returns; a measure
/// that calls everything too long gives one chunk a grapheme cluster.
///
/// ```
/// use tusab_chunk::{Measure, MeasureError, MeasuredWindows, Units};
///
/// /// Tokens as a rule of thumb: one for four bytes.
/// struct Estimate;
///
/// impl Measure for Estimate {
///     fn measure(&self, text: &str) -> Result<usize, MeasureError> {
///         Ok(text.len().div_ceil(4))
///     }
/// }
///
/// let text = "Água mole em pedra dura, tanto bate até que fura. ".repeat(100);
/// for span in MeasuredWindows::new(Estimate, Units(128), Units(16))?.spans(&text) {
///     assert!(span?.slice(&text).is_some_and(|part| part.len() <= 512));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Measure: Send + Sync {
    /// The length of `text`.
    ///
    /// # Errors
    /// [`MeasureError`] when it cannot be told, as when a tokenizer fails.
    fn measure(&self, text: &str) -> Result<usize, MeasureError>;

    /// About the most bytes of the start of `text` that measure at most `size`, never more.
    ///
    /// # Errors
    /// As for [`measure`](Measure::measure).
    fn prefix(&self, text: &str, size: usize) -> Result<usize, MeasureError> {
        let round_up = |length| text.ceil_char_boundary(length);
        search::longest(text.len(), size, round_up, |length| {
            self.measure(text.get(..length).unwrap_or_default())
        })
    }

    /// About the most bytes of the end of `text` that measure at most `size`, never more.
    ///
    /// # Errors
    /// As for [`measure`](Measure::measure).
    fn suffix(&self, text: &str, size: usize) -> Result<usize, MeasureError> {
        let round_up = |length| text.len() - text.floor_char_boundary(text.len().saturating_sub(length));
        search::longest(text.len(), size, round_up, |length| {
            self.measure(text.get(text.len().saturating_sub(length)..).unwrap_or_default())
        })
    }
}

/// A text could not be measured; [`source`](std::error::Error::source) says why.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the text could not be measured")]
pub struct MeasureError {
    #[source]
    source: Arc<dyn std::error::Error + Send + Sync>,
}

impl MeasureError {
    /// An error that `source` caused.
    pub fn new(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { source: Arc::from(source.into()) }
    }
}

/// Measures in characters (Unicode scalar values), as [`TextWindows`](crate::TextWindows) does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Characters;

impl Measure for Characters {
    fn measure(&self, text: &str) -> Result<usize, MeasureError> {
        Ok(text.chars().count())
    }

    fn prefix(&self, text: &str, size: usize) -> Result<usize, MeasureError> {
        Ok(text.char_indices().nth(size).map_or(text.len(), |(end, _)| end))
    }

    fn suffix(&self, text: &str, size: usize) -> Result<usize, MeasureError> {
        Ok(start_of_last(text, size, text.char_indices().map(|(start, _)| start)))
    }
}

/// Measures in grapheme clusters: what a reader calls a character (Unicode Standard Annex 29).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Graphemes;

impl Measure for Graphemes {
    fn measure(&self, text: &str) -> Result<usize, MeasureError> {
        Ok(text.graphemes(true).count())
    }

    fn prefix(&self, text: &str, size: usize) -> Result<usize, MeasureError> {
        Ok(text.grapheme_indices(true).nth(size).map_or(text.len(), |(end, _)| end))
    }

    fn suffix(&self, text: &str, size: usize) -> Result<usize, MeasureError> {
        Ok(start_of_last(text, size, text.grapheme_indices(true).map(|(start, _)| start)))
    }
}

/// Measures in words (Unicode Standard Annex 29): `14.688` is one, a dash or a stop is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Words;

impl Measure for Words {
    fn measure(&self, text: &str) -> Result<usize, MeasureError> {
        Ok(text.unicode_words().count())
    }

    fn prefix(&self, text: &str, size: usize) -> Result<usize, MeasureError> {
        Ok(text.unicode_word_indices().nth(size).map_or(text.len(), |(end, _)| end))
    }

    fn suffix(&self, text: &str, size: usize) -> Result<usize, MeasureError> {
        Ok(start_of_last(text, size, text.unicode_word_indices().map(|(start, _)| start)))
    }
}

/// The bytes from the start of the last-but-`size` thing on, where things start at `starts`; all of `text` when it
/// has no more.
fn start_of_last(text: &str, size: usize, starts: impl DoubleEndedIterator<Item = usize>) -> usize {
    let mut starts = starts.rev();
    let Some(last) = size.checked_sub(1) else { return 0 };
    match (starts.nth(last), starts.next()) {
        (Some(start), Some(_)) => text.len() - start,
        _ => text.len(),
    }
}

/// Measures what a pointer points to.
macro_rules! measure_through {
    ($($pointer:ty),*) => {$(
        impl<M: Measure + ?Sized> Measure for $pointer {
            fn measure(&self, text: &str) -> Result<usize, MeasureError> {
                (**self).measure(text)
            }

            fn prefix(&self, text: &str, size: usize) -> Result<usize, MeasureError> {
                (**self).prefix(text, size)
            }

            fn suffix(&self, text: &str, size: usize) -> Result<usize, MeasureError> {
                (**self).suffix(text, size)
            }
        }
    )*};
}

measure_through!(&M, Box<M>, Arc<M>);
