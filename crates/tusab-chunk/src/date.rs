use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Error;

/// A day of the proleptic Gregorian calendar, without a time zone; shown as `YYYY-MM-DD`.
///
/// A small type of our own, so that no calendar crate's version is part of the public interface.
///
/// ```
/// use tusab_chunk::Date;
/// let date: Date = "2024-02-29".parse()?;
/// assert_eq!((date.year(), date.month(), date.day()), (2024, 2, 29));
/// assert!("2023-02-29".parse::<Date>().is_err());
/// # Ok::<(), tusab_chunk::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// A day, if the calendar has it; years 1 to 9999.
    #[must_use]
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => return None,
        };
        ((1..=9999).contains(&year) && (1..=days).contains(&day)).then_some(Self { year, month, day })
    }

    /// The year, 1 to 9999.
    #[must_use]
    pub fn year(self) -> u16 {
        self.year
    }

    /// The month, 1 to 12.
    #[must_use]
    pub fn month(self) -> u8 {
        self.month
    }

    /// The day of the month, 1 to 31.
    #[must_use]
    pub fn day(self) -> u8 {
        self.day
    }
}

impl FromStr for Date {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let digits = |part: &str, width: usize| {
            let plain = part.len() == width && part.bytes().all(|b| b.is_ascii_digit());
            if plain { part.parse::<u16>().ok() } else { None }
        };
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next(), parts.next(), parts.next());
        if let (Some(year), Some(month), Some(day), None) = (year, month, day, parts.next())
            && let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2))
            && let (Ok(month), Ok(day)) = (u8::try_from(month), u8::try_from(day))
            && let Some(date) = Self::new(year, month, day)
        {
            return Ok(date);
        }
        Err(Error::BadDate { text: text.to_owned() })
    }
}

impl TryFrom<String> for Date {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Date> for String {
    fn from(date: Date) -> Self {
        date.to_string()
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_days_that_the_calendar_has() {
        assert!(Date::new(1900, 2, 29).is_none());
        assert!(Date::new(2000, 2, 29).is_some());
        for bad in
            ["2024-13-01", "2024-00-10", "0000-01-01", "2024-1-1", "24-01-01", "2024-01-01-", "+024-01-01"]
        {
            assert!(bad.parse::<Date>().is_err(), "{bad:?}");
        }
        let days: Vec<Date> = ["2023-12-31", "2024-01-01"].iter().map(|d| d.parse().unwrap()).collect();
        assert!(days.is_sorted());
    }
}
