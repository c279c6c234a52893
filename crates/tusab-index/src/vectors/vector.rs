use std::num::NonZeroU16;

use serde::{Deserialize, Serialize};

/// Why numbers are not a vector that can be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidVector {
    /// A number is NaN or infinite.
    #[error(
        "number {index} of the vector is not finite: the model that made it failed on this text, embed it again"
    )]
    NotFinite {
        /// Its place, from 0.
        index: usize,
    },
    /// All numbers are zero, so it has no direction.
    #[error("all numbers of the vector are zero: the model that made it failed on this text, embed it again")]
    Zero,
    /// A length that is not supported.
    #[error("a vector of {found} numbers: from 1 to {max} are supported", max = Dimension::MAX)]
    Length {
        /// Numbers given.
        found: usize,
    },
    /// A vector among those of another length.
    #[error(
        "a vector of {found} numbers among those of {expected}: embed with the model that made the others"
    )]
    Dimension {
        /// Numbers of the others.
        expected: usize,
        /// Numbers given.
        found: usize,
    },
    /// Bytes that are not whole 32-bit numbers.
    #[error("{bytes} bytes are not a row of 32-bit numbers: embed the text again")]
    Bytes {
        /// Bytes given.
        bytes: usize,
    },
}

/// How many numbers each vector of a set has: from 1 to [`Dimension::MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "usize", into = "usize")]
pub struct Dimension(NonZeroU16);

impl Dimension {
    /// The largest; embedding models in use give 256 to 8,192 numbers.
    pub const MAX: usize = 16_384;

    /// A dimension.
    ///
    /// # Errors
    /// [`InvalidVector::Length`] for zero and for more than [`Dimension::MAX`].
    pub fn new(length: usize) -> Result<Self, InvalidVector> {
        let valid = u16::try_from(length).ok().filter(|_| length <= Self::MAX).and_then(NonZeroU16::new);
        valid.map(Self).ok_or(InvalidVector::Length { found: length })
    }

    /// The number of numbers.
    #[must_use]
    pub fn get(self) -> usize {
        usize::from(self.0.get())
    }
}

impl TryFrom<usize> for Dimension {
    type Error = InvalidVector;

    fn try_from(length: usize) -> Result<Self, InvalidVector> {
        Self::new(length)
    }
}

impl From<Dimension> for usize {
    fn from(dimension: Dimension) -> Self {
        dimension.get()
    }
}

/// A text's place in a model's space: finite numbers, scaled to length 1, so that a scalar product is a cosine.
///
/// ```
/// use tusab_index::{InvalidVector, Vector};
/// assert_eq!(Vector::new(vec![3.0, 4.0])?.as_slice(), [0.6, 0.8]);
/// assert_eq!(Vector::new(vec![0.0, f32::NAN]).unwrap_err(), InvalidVector::NotFinite { index: 1 });
/// # Ok::<(), InvalidVector>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    values: Box<[f32]>,
    dimension: Dimension,
}

/// How far from 1 a squared length may be to count as 1: more than rounding to `f32` leaves, so that what was scaled
/// once is never changed again, wherever it was kept meanwhile.
const UNIT_TOLERANCE: f64 = 1e-6;

impl Vector {
    /// Scales numbers to length 1.
    ///
    /// # Errors
    /// When a number is not finite, all are zero, or there are none or too many.
    pub fn new(mut values: Vec<f32>) -> Result<Self, InvalidVector> {
        let dimension = Dimension::new(values.len())?;
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(InvalidVector::NotFinite { index });
        }
        // In f64 the square of no finite f32 overflows or vanishes.
        let squared = squared_length(&values);
        if squared <= 0.0 {
            return Err(InvalidVector::Zero);
        }
        if (squared - 1.0).abs() > UNIT_TOLERANCE {
            let length = squared.sqrt();
            for value in &mut values {
                *value = narrow(f64::from(*value) / length);
            }
        }
        Ok(Self { values: values.into(), dimension })
    }

    /// The vector that [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// As [`new`](Self::new), and when the bytes are not whole numbers.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, InvalidVector> {
        let (numbers, []) = bytes.as_chunks::<4>() else {
            return Err(InvalidVector::Bytes { bytes: bytes.len() });
        };
        Self::new(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }

    /// The numbers as little-endian 32-bit floats, as stores keep them.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    /// The numbers.
    #[must_use]
    pub fn as_slice(&self) -> &[f32] {
        &self.values
    }

    /// How many there are.
    #[must_use]
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// The error of a vector that is used among those of another length.
    pub(super) fn check(&self, dimension: Dimension) -> Result<(), InvalidVector> {
        if self.dimension == dimension {
            return Ok(());
        }
        Err(InvalidVector::Dimension { expected: dimension.get(), found: self.dimension.get() })
    }
}

pub(super) fn squared_length(values: &[f32]) -> f64 {
    values.iter().map(|value| f64::from(*value) * f64::from(*value)).sum()
}

#[allow(clippy::cast_possible_truncation, reason = "rounding to 32 bits is what is wanted")]
pub(super) fn narrow(value: f64) -> f32 {
    value as f32
}
