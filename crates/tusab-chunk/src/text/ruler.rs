//! What windows are measured with.

use std::convert::Infallible;

use super::place::{self, Place};
use crate::{Measure, MeasureError};

/// Measures stretches of one text, given by places in it.
pub(crate) trait Ruler {
    /// Why a stretch could not be measured.
    type Error;

    /// About the last place for which the stretch from `from` measures at most `size`: never more, unless `from`
    /// itself is returned.
    fn forward(&self, text: &str, from: Place, size: usize) -> Result<Place, Self::Error>;

    /// About the first place, not before `start`, for which the stretch up to `to` measures at most `size`.
    fn backward(&self, text: &str, start: Place, to: Place, size: usize) -> Result<Place, Self::Error>;

    /// True when the stretch measures at most `size`.
    fn fits(&self, text: &str, from: Place, to: Place, size: usize) -> Result<bool, Self::Error>;
}

/// Counts characters; every answer is exact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CharRuler;

impl Ruler for CharRuler {
    type Error = Infallible;

    fn forward(&self, text: &str, from: Place, size: usize) -> Result<Place, Infallible> {
        Ok(place::forward(text, from, size))
    }

    fn backward(&self, text: &str, start: Place, to: Place, size: usize) -> Result<Place, Infallible> {
        Ok(if to.char - start.char <= size { start } else { place::backward(text, to, size) })
    }

    fn fits(&self, _: &str, from: Place, to: Place, size: usize) -> Result<bool, Infallible> {
        Ok(to.char - from.char <= size)
    }
}

/// Counts what a [`Measure`] counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeasureRuler<M>(pub(crate) M);

impl<M: Measure> Ruler for MeasureRuler<M> {
    type Error = MeasureError;

    fn forward(&self, text: &str, from: Place, size: usize) -> Result<Place, MeasureError> {
        let rest = text.get(from.byte..).unwrap_or_default();
        let length = rest.floor_char_boundary(self.0.prefix(rest, size)?);
        Ok(from.at(text, from.byte + length))
    }

    fn backward(&self, text: &str, start: Place, to: Place, size: usize) -> Result<Place, MeasureError> {
        let before = text.get(start.byte..to.byte).unwrap_or_default();
        let length = self.0.suffix(before, size)?.min(before.len());
        Ok(to.at(text, start.byte + before.ceil_char_boundary(before.len() - length)))
    }

    fn fits(&self, text: &str, from: Place, to: Place, size: usize) -> Result<bool, MeasureError> {
        Ok(self.0.measure(text.get(from.byte..to.byte).unwrap_or_default())? <= size)
    }
}
