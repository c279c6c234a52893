use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Date, Error};

/// A day and a time of day as a clock on the wall shows them, without a time zone: `2024-03-12T14:32:00`.
///
/// Chats are exported in the local time of whoever exported them, and do not say which that is.
///
/// ```
/// use tusab_chunk::DateTime;
/// let sent: DateTime = "2024-03-12 14:32".parse()?;
/// assert_eq!((sent.date().day(), sent.hour(), sent.minute(), sent.second()), (12, 14, 32, 0));
/// assert_eq!(sent.to_string(), "2024-03-12T14:32:00");
/// assert!("2024-03-12T24:00:00".parse::<DateTime>().is_err());
/// # Ok::<(), tusab_chunk::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DateTime {
    date: Date,
    hour: u8,
    minute: u8,
    second: u8,
}

impl DateTime {
    /// A time of `date`, if the clock has it: 0:00:00 to 23:59:59.
    #[must_use]
    pub fn new(date: Date, hour: u8, minute: u8, second: u8) -> Option<Self> {
        (hour < 24 && minute < 60 && second < 60).then_some(Self { date, hour, minute, second })
    }

    /// The day.
    #[must_use]
    pub fn date(self) -> Date {
        self.date
    }

    /// The hour, 0 to 23.
    #[must_use]
    pub fn hour(self) -> u8 {
        self.hour
    }

    /// The minute, 0 to 59.
    #[must_use]
    pub fn minute(self) -> u8 {
        self.minute
    }

    /// The second, 0 to 59.
    #[must_use]
    pub fn second(self) -> u8 {
        self.second
    }

    /// Minutes from a day long ago, to tell how far apart two times are.
    pub(crate) fn minutes(self) -> i64 {
        let (year, month, day) =
            (i64::from(self.date.year()), i64::from(self.date.month()), i64::from(self.date.day()));
        // The year starts in March: the day that February may lack is then its last.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
        (days * 24 + i64::from(self.hour)) * 60 + i64::from(self.minute)
    }
}

impl FromStr for DateTime {
    type Err = Error;

    /// Reads `YYYY-MM-DDTHH:MM:SS`, also with a space for the `T` and without seconds.
    fn from_str(text: &str) -> Result<Self, Error> {
        let two = |part: &str| {
            let plain = part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
            if plain { part.parse::<u8>().ok() } else { None }
        };
        let bad = || Error::BadDateTime { text: text.to_owned() };
        let (date, time) = text.split_once(['T', ' ']).ok_or_else(bad)?;
        let date: Date = date.parse().map_err(|_| bad())?;
        let mut parts = time.split(':').map(two);
        let (hour, minute) = (parts.next().flatten(), parts.next().flatten());
        let second = parts.next().unwrap_or(Some(0));
        if let (Some(hour), Some(minute), Some(second), None) = (hour, minute, second, parts.next())
            && let Some(found) = Self::new(date, hour, minute, second)
        {
            return Ok(found);
        }
        Err(bad())
    }
}

impl TryFrom<String> for DateTime {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<DateTime> for String {
    fn from(time: DateTime) -> Self {
        time.to_string()
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{:02}:{:02}:{:02}", self.date, self.hour, self.minute, self.second)
    }
}

/// A stretch of local time; its start is never after its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "RawSpan", into = "RawSpan")]
pub struct DateTimeSpan {
    start: DateTime,
    end: DateTime,
}

#[derive(Serialize, Deserialize)]
struct RawSpan {
    start: DateTime,
    end: DateTime,
}

impl DateTimeSpan {
    /// The stretch between two times, whichever comes first.
    #[must_use]
    pub fn between(a: DateTime, b: DateTime) -> Self {
        Self { start: a.min(b), end: a.max(b) }
    }

    /// When it starts.
    #[must_use]
    pub fn start(self) -> DateTime {
        self.start
    }

    /// When it ends.
    #[must_use]
    pub fn end(self) -> DateTime {
        self.end
    }

    /// The smallest stretch that holds both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl TryFrom<RawSpan> for DateTimeSpan {
    type Error = Error;

    fn try_from(raw: RawSpan) -> Result<Self, Error> {
        if raw.start <= raw.end {
            Ok(Self { start: raw.start, end: raw.end })
        } else {
            Err(Error::ReversedDates { start: raw.start, end: raw.end })
        }
    }
}

impl From<DateTimeSpan> for RawSpan {
    fn from(span: DateTimeSpan) -> Self {
        Self { start: span.start, end: span.end }
    }
}

impl fmt::Display for DateTimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} – {}", self.start, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_that_a_clock_shows() {
        for (given, kept) in [
            ("2024-03-12T14:32:07", "2024-03-12T14:32:07"),
            ("2024-02-29 00:00", "2024-02-29T00:00:00"),
            ("2024-12-31T23:59:59", "2024-12-31T23:59:59"),
        ] {
            assert_eq!(given.parse::<DateTime>().unwrap().to_string(), kept);
        }
        for bad in [
            "2024-03-12",
            "2024-03-12T",
            "2024-03-12T14",
            "2024-03-12T24:00",
            "2024-03-12T14:60",
            "2024-03-12T14:32:60",
            "2024-03-12T14:32:00:00",
            "2024-03-12T14:32:00Z",
            "2024-03-12T1:32",
            "2023-02-29T14:32",
            "2024-03-12  14:32",
            "2024-03-12T+1:32",
        ] {
            assert!(bad.parse::<DateTime>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn times_sort_as_they_pass_and_spans_are_never_reversed() {
        let times: Vec<DateTime> = ["2023-12-31T23:59:59", "2024-01-01T00:00:00", "2024-01-01T00:01:00"]
            .iter()
            .map(|time| time.parse().unwrap())
            .collect();
        assert!(times.is_sorted());
        let span = DateTimeSpan::between(times[1], times[0]);
        assert_eq!((span.start(), span.end()), (times[0], times[1]));
        assert_eq!(span.union(DateTimeSpan::between(times[2], times[2])).end(), times[2]);
        let json = serde_json::to_string(&span).unwrap();
        assert_eq!(json, r#"{"start":"2023-12-31T23:59:59","end":"2024-01-01T00:00:00"}"#);
        assert_eq!(serde_json::from_str::<DateTimeSpan>(&json).unwrap(), span);
        let reversed = json.replace("2023", "2025");
        assert!(serde_json::from_str::<DateTimeSpan>(&reversed).is_err());
    }
}
