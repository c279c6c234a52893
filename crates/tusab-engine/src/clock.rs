use std::time::SystemTime;

/// Where the engine takes the time of day from: what is written then does not depend on when a test runs.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> SystemTime;
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// The time as RFC 3339 writes it, in UTC: `2026-07-01T12:30:00Z`.
pub(crate) fn timestamp(clock: &dyn Clock) -> String {
    let now = jiff::Timestamp::try_from(clock.now()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{now:.0}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    struct Fixed;

    impl Clock for Fixed {
        fn now(&self) -> SystemTime {
            SystemTime::UNIX_EPOCH + Duration::from_millis(1_782_909_000_750)
        }
    }

    #[test]
    fn a_timestamp_is_in_utc_and_whole_seconds() {
        assert_eq!(timestamp(&Fixed), "2026-07-01T12:30:00Z");
    }
}
