use std::time::Duration;

use serde::{Deserialize, Serialize};
use tusab_chunk::Date;

/// A point in time: milliseconds since the start of 1970 in UTC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixTime(i64);

impl UnixTime {
    /// From seconds, as JSON of yt-dlp has them.
    #[must_use]
    pub fn from_secs(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// From milliseconds.
    #[must_use]
    pub fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the start of 1970.
    #[must_use]
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// The time that long after.
    #[must_use]
    pub fn plus(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)))
    }

    /// How long it is until `later`; zero when that has passed.
    #[must_use]
    pub fn until(self, later: Self) -> Duration {
        Duration::from_millis(u64::try_from(later.0.saturating_sub(self.0)).unwrap_or(0))
    }

    /// The day in UTC; none outside the years 1 to 9999.
    #[must_use]
    pub fn date(self) -> Option<Date> {
        // Eras of 400 years that start in March, so that the leap day is the last of a year.
        let days = self.0.div_euclid(24 * 3_600_000) + 719_468;
        let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = era * 400 + year_of_era + i64::from(month <= 2);
        Date::new(u16::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(day).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01"),
            (86_399, "1970-01-01"),
            (86_400, "1970-01-02"),
            (-1, "1969-12-31"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_709_164_800, "2024-02-29"),
            (1_735_689_599, "2024-12-31"),
            (4_107_542_400, "2100-03-01"),
            (253_402_300_799, "9999-12-31"),
            (-62_135_596_800, "0001-01-01"),
        ] {
            assert_eq!(UnixTime::from_secs(seconds).date().unwrap().to_string(), date, "{seconds}");
        }
        assert_eq!(UnixTime::from_secs(i64::MAX).date(), None);
        assert_eq!(UnixTime::from_millis(i64::MIN).date(), None);
        assert_eq!(UnixTime::from_secs(10).until(UnixTime::from_secs(3)), Duration::ZERO);
        assert_eq!(UnixTime::from_millis(i64::MAX).plus(Duration::MAX).as_millis(), i64::MAX);
    }
}
