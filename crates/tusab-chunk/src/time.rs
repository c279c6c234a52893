use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Error;

/// A point on a recording's time line, in milliseconds from its start.
///
/// Shown as people write it: `m:ss`, or `h:mm:ss` from one hour on.
///
/// ```
/// use tusab_chunk::MediaTime;
/// let t = MediaTime::from_millis(3_723_500);
/// assert_eq!(t.to_string(), "1:02:03");
/// assert_eq!(t.whole_seconds(), 3723);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MediaTime(u64);

impl MediaTime {
    /// The start of the recording.
    pub const ZERO: Self = Self(0);
    /// The latest time that can be expressed; used where a recording's end is not known.
    pub const MAX: Self = Self(u64::MAX);

    /// A time from milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// A time from whole seconds, saturating at [`MediaTime::MAX`].
    #[must_use]
    pub const fn from_seconds(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// Milliseconds from the start.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Whole seconds from the start, rounded down: what `&t=..s` in a link takes.
    #[must_use]
    pub const fn whole_seconds(self) -> u64 {
        self.0 / 1000
    }

    /// Later by `other`, saturating.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Earlier by `other`, not before the start.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl From<Duration> for MediaTime {
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for MediaTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.whole_seconds();
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        if hours > 0 {
            write!(f, "{hours}:{minutes:02}:{seconds:02}")
        } else {
            write!(f, "{minutes}:{seconds:02}")
        }
    }
}

/// A stretch of a recording; its start is never after its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "RawSpan", into = "RawSpan")]
pub struct TimeSpan {
    start: MediaTime,
    end: MediaTime,
}

#[derive(Serialize, Deserialize)]
struct RawSpan {
    start_ms: MediaTime,
    end_ms: MediaTime,
}

impl TimeSpan {
    /// The stretch from `start` to `end`.
    ///
    /// # Errors
    /// [`Error::ReversedSpan`] when `end` comes before `start`.
    pub fn new(start: MediaTime, end: MediaTime) -> Result<Self, Error> {
        if start <= end { Ok(Self { start, end }) } else { Err(Error::ReversedSpan { start, end }) }
    }

    /// The stretch between two times, whichever comes first.
    #[must_use]
    pub fn between(a: MediaTime, b: MediaTime) -> Self {
        Self { start: a.min(b), end: a.max(b) }
    }

    /// When it starts.
    #[must_use]
    pub fn start(self) -> MediaTime {
        self.start
    }

    /// When it ends.
    #[must_use]
    pub fn end(self) -> MediaTime {
        self.end
    }

    /// How long it lasts.
    #[must_use]
    pub fn length(self) -> MediaTime {
        self.end.saturating_sub(self.start)
    }

    /// The smallest stretch that holds both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl TryFrom<RawSpan> for TimeSpan {
    type Error = Error;

    fn try_from(raw: RawSpan) -> Result<Self, Error> {
        Self::new(raw.start_ms, raw.end_ms)
    }
}

impl From<TimeSpan> for RawSpan {
    fn from(span: TimeSpan) -> Self {
        Self { start_ms: span.start, end_ms: span.end }
    }
}

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} – {}", self.start, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_that_ends_before_it_starts_cannot_be_built() {
        let (a, b) = (MediaTime::from_millis(5), MediaTime::from_millis(3));
        assert_eq!(TimeSpan::new(a, b), Err(Error::ReversedSpan { start: a, end: b }));
        assert_eq!(TimeSpan::between(a, b).length(), MediaTime::from_millis(2));
        assert!(serde_json::from_str::<TimeSpan>(r#"{"start_ms":5,"end_ms":3}"#).is_err());
        let span = TimeSpan::between(a, b);
        assert_eq!(serde_json::to_string(&span).unwrap(), r#"{"start_ms":3,"end_ms":5}"#);
    }

    #[test]
    fn times_read_as_people_write_them() {
        assert_eq!(MediaTime::from_seconds(65).to_string(), "1:05");
        assert_eq!(MediaTime::from_seconds(36_000).to_string(), "10:00:00");
        assert_eq!(MediaTime::from_seconds(u64::MAX), MediaTime::MAX);
    }
}
