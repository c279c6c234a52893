//! What numbers are of.

use std::fmt;

use serde::Deserialize;

/// The unit of a measured value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Unit {
    #[serde(rename = "ms")]
    Milliseconds,
    #[serde(rename = "MB")]
    Megabytes,
    #[serde(rename = "MB/s")]
    MegabytesPerSecond,
    #[serde(rename = "1/s")]
    PerSecond,
    /// A number without a unit, such as a count or a share.
    #[serde(rename = "")]
    Plain,
}

impl Unit {
    /// Whether less of it is better; only then are two sides compared.
    pub(crate) fn is_cost(self) -> bool {
        matches!(self, Self::Milliseconds | Self::Megabytes)
    }

    /// A value with its unit, at three digits.
    pub(crate) fn show(self, value: f64) -> String {
        match self {
            Self::Milliseconds if value < 0.001 => format!("{} ns", Three(value * 1e6)),
            Self::Milliseconds if value < 1.0 => format!("{} µs", Three(value * 1e3)),
            Self::Milliseconds if value >= 1e3 => format!("{} s", Three(value / 1e3)),
            Self::Milliseconds => format!("{} ms", Three(value)),
            Self::Megabytes => format!("{} MB", Three(value)),
            Self::MegabytesPerSecond => format!("{} MB/s", Three(value)),
            Self::PerSecond => format!("{}/s", Three(value)),
            Self::Plain => Three(value).to_string(),
        }
    }
}

/// A number at three digits, in groups of thousands.
pub(crate) struct Three(pub(crate) f64);

impl fmt::Display for Three {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0;
        if value.abs() >= 99.95 {
            let digits = format!("{value:.0}");
            for (at, digit) in digits.char_indices() {
                if at > 0 && (digits.len() - at).is_multiple_of(3) && digits.get(..at) != Some("-") {
                    f.write_str(",")?;
                }
                write!(f, "{digit}")?;
            }
            return Ok(());
        }
        let decimals = match value.abs() {
            size if size >= 9.995 => 1,
            size if size >= 0.9995 || size == 0.0 => 2,
            _ => 3,
        };
        write!(f, "{value:.decimals$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_fitting_unit() {
        for (value, shown) in [
            (0.000_25, "250 ns"),
            (0.0123, "12.3 µs"),
            (1.234, "1.23 ms"),
            (99.96, "100 ms"),
            (12_345.0, "12.3 s"),
            (1_234_567.0, "1,235 s"),
        ] {
            assert_eq!(Unit::Milliseconds.show(value), shown);
        }
        assert_eq!(Unit::Megabytes.show(1_234_567.0), "1,234,567 MB");
        assert_eq!(Unit::Plain.show(0.7051), "0.705");
        assert_eq!(Three(0.0).to_string(), "0.00");
    }
}
