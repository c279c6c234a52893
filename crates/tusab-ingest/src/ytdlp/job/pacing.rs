use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::model::Stop;
use crate::ytdlp::time::UnixTime;

/// How fast a site is asked.
///
/// yt-dlp's wiki gives about 300 videos an hour for a session without sign-in, and advises 5 to 10 seconds between
/// videos; the default stays below both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Pacing {
    /// At most this many listings and videos an hour. By default 240.
    pub per_hour: NonZeroU32,
    /// The shortest pause after each. By default 5 s.
    pub shortest: Duration,
    /// The longest pause after each. By default 10 s. Which it is between the two is drawn.
    pub longest: Duration,
    /// What the drawing starts from. By default 0; the same start draws the same pauses.
    pub seed: u64,
}

impl Default for Pacing {
    fn default() -> Self {
        Self {
            per_hour: NonZeroU32::MIN.saturating_add(239),
            shortest: Duration::from_secs(5),
            longest: Duration::from_secs(10),
            seed: 0,
        }
    }
}

impl Pacing {
    /// Sets how many an hour.
    #[must_use]
    pub fn with_per_hour(mut self, per_hour: NonZeroU32) -> Self {
        self.per_hour = per_hour;
        self
    }

    /// Sets the pause, drawn between two lengths; always the first if the second is shorter.
    #[must_use]
    pub fn with_pause(mut self, shortest: Duration, longest: Duration) -> Self {
        (self.shortest, self.longest) = (shortest, longest);
        self
    }

    /// Sets what the drawing starts from.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The pause after the `count`-th request.
    fn pause(&self, count: u64) -> Duration {
        let spread = self.longest.saturating_sub(self.shortest).as_secs_f64();
        self.shortest
            .saturating_add(Duration::try_from_secs_f64(spread * draw(self.seed, count)).unwrap_or_default())
    }
}

/// The `count`-th number of a sequence that looks random, 0 to 1 (`SplitMix64`: Steele, Lea, Flood, OOPSLA 2014).
#[expect(clippy::cast_precision_loss, reason = "the upper 53 bits fit")]
fn draw(seed: u64, count: u64) -> f64 {
    let mut mixed = seed.wrapping_add(count.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// When the site was asked last, how fast it has been of late, and until when it is to be left alone.
///
/// Each job has its own. Jobs that run one after another are as polite together as one alone when each takes over the
/// pace of the one before it ([`Job::set_pace`](crate::Job::set_pace)).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pace {
    count: u64,
    started: Option<UnixTime>,
    ended: Option<UnixTime>,
    /// Ends of the last requests, for the rate.
    recent: Vec<UnixTime>,
    pub(super) stopped: Option<(Stop, UnixTime)>,
}

/// Over so many requests the rate is taken, and a gap as long as this starts it anew.
const RECENT: usize = 20;
const GAP: Duration = Duration::from_mins(15);

impl Pace {
    /// How long to wait before the next request. A clock that was set back makes it no longer than one pause.
    pub(super) fn wait(&self, pacing: &Pacing, now: UnixTime) -> Duration {
        let since = |time: Option<UnixTime>| time.map(|time| time.until(now));
        let pause = pacing.pause(self.count);
        let spacing = Duration::from_hours(1) / pacing.per_hour.get();
        let after_end = since(self.ended).map_or(Duration::ZERO, |passed| pause.saturating_sub(passed));
        let after_start = since(self.started).map_or(Duration::ZERO, |passed| spacing.saturating_sub(passed));
        // Whole milliseconds, as the time is given in: a wait that has passed leaves nothing over.
        let micros = after_end.max(after_start).as_micros();
        Duration::from_millis(u64::try_from(micros.div_ceil(1000)).unwrap_or(u64::MAX))
    }

    pub(super) fn starts(&mut self, now: UnixTime) {
        self.started = Some(now);
    }

    pub(super) fn ends(&mut self, now: UnixTime) {
        self.count = self.count.wrapping_add(1);
        self.ended = Some(now);
        if self.recent.last().is_some_and(|last| last.until(now) > GAP || *last > now) {
            self.recent.clear();
        }
        self.recent.push(now);
        let extra = self.recent.len().saturating_sub(RECENT);
        self.recent.drain(..extra);
    }

    /// From the end of one request to the end of the next, of late.
    pub(super) fn interval(&self) -> Option<Duration> {
        let (first, last) = (self.recent.first()?, self.recent.last()?);
        let steps = u32::try_from(self.recent.len()).ok()?.checked_sub(1).filter(|steps| *steps > 0)?;
        Some(first.until(*last) / steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_drawn_between_the_two_and_always_the_same() {
        let pacing = Pacing::default().with_seed(7);
        let pauses: Vec<Duration> = (0..200).map(|count| pacing.pause(count)).collect();
        assert!(pauses.iter().all(|pause| (5.0..10.0).contains(&pause.as_secs_f64())));
        let mean = pauses.iter().map(Duration::as_secs_f64).sum::<f64>() / 200.0;
        assert!((7.0..8.0).contains(&mean), "{mean}");
        assert_eq!(pauses, (0..200).map(|count| pacing.pause(count)).collect::<Vec<_>>());
        assert_ne!(pauses[0], Pacing::default().pause(0), "another seed draws other pauses");
        let turned = Pacing::default().with_pause(Duration::from_secs(9), Duration::from_secs(1));
        assert_eq!(turned.pause(3), Duration::from_secs(9));
        let huge = Pacing::default().with_pause(Duration::ZERO, Duration::MAX);
        assert!(huge.pause(0) <= Duration::MAX);
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_hold_it_up() {
        let mut pace = Pace::default();
        let pacing = Pacing::default();
        pace.starts(UnixTime::from_secs(1_000_000));
        pace.ends(UnixTime::from_secs(1_000_003));
        assert!(pace.wait(&pacing, UnixTime::from_secs(10)) <= Duration::from_secs(15));
        assert!(pace.wait(&pacing, UnixTime::from_secs(1_000_015)).is_zero());
    }
}
