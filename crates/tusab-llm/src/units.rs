use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Error;

/// A number of tokens, as the model's own tokenizer counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tokens(u32);

impl Tokens {
    /// `count` tokens.
    #[must_use]
    pub const fn new(count: u32) -> Self {
        Self(count)
    }

    /// The bare number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens", self.0)
    }
}

/// How freely a model chooses its words: a finite number from 0 (the likeliest, always) to 2.
///
/// Providers may accept less than this range; what one refuses it answers with [`Error::Rejected`].
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f32", into = "f32")]
pub struct Temperature(f32);

impl Temperature {
    /// Always the likeliest word.
    pub const ZERO: Self = Self(0.0);
    /// As often as the model's own weights say.
    pub const ONE: Self = Self(1.0);

    /// # Errors
    /// [`Error::BadTemperature`] unless `value` lies from 0 to 2.
    pub fn new(value: f32) -> Result<Self, Error> {
        if (0.0..=2.0).contains(&value) {
            // Adding zero turns -0.0, which the range lets through, into 0.0.
            Ok(Self(value + 0.0))
        } else {
            Err(Error::BadTemperature { value })
        }
    }

    /// The bare number.
    #[must_use]
    pub const fn get(self) -> f32 {
        self.0
    }
}

impl TryFrom<f32> for Temperature {
    type Error = Error;

    fn try_from(value: f32) -> Result<Self, Error> {
        Self::new(value)
    }
}

impl From<Temperature> for f32 {
    fn from(temperature: Temperature) -> Self {
        temperature.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temperature_is_a_finite_number_in_range() {
        for value in [0.0, 0.3, 2.0] {
            assert_eq!(Temperature::new(value).unwrap().get().to_bits(), f32::to_bits(value));
        }
        assert_eq!(Temperature::new(-0.0).unwrap().get().to_bits(), 0);
        for value in [-0.1, 2.1, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(matches!(Temperature::new(value), Err(Error::BadTemperature { .. })), "{value}");
        }
        assert!(serde_json::from_str::<Temperature>("3.0").is_err());
    }
}
