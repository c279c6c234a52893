use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tusab_chunk::Date;

use super::time::UnixTime;
use super::track::Track;

/// What became of one video, or why a listing was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The captions are here.
    Captions {
        /// Which track.
        track: Track,
    },
    /// The video has no captions in the language that was asked for.
    NoCaptions {
        /// What it has instead; translations by machine are left out.
        available: Vec<Track>,
    },
    /// There are captions, and not a word in them: music, or an empty track.
    NothingSaid {
        /// Which track.
        track: Track,
    },
    /// The site says that it was asked too often. Nothing is known of the video.
    RateLimited {
        /// How long the site says it lasts.
        retry_after: Option<Duration>,
    },
    /// The site wants to see that somebody is signed in, or that no robot asks.
    NeedsCookies,
    /// The site gives the captions only for a proof of origin, which a plugin of yt-dlp can bring.
    NeedsPoToken,
    /// For paying members of the channel only.
    MembersOnly,
    /// Its author has made it private.
    Private,
    /// It is gone.
    Deleted,
    /// It is being streamed, or the stream is still being made into a video.
    Live,
    /// It has not begun.
    Upcoming {
        /// When it is to begin.
        when: Option<UnixTime>,
    },
    /// For signed-in adults only.
    AgeRestricted,
    /// The site does not show it here: blocked in the country, to be paid for, or for no reason that it gives.
    Unavailable {
        /// What the site says.
        reason: String,
    },
    /// It was published outside the range of dates that was asked for; its captions were not fetched.
    OutOfRange {
        /// When; none when the site does not tell.
        published: Option<Date>,
    },
    /// Something went wrong on the way: no connection, an answer cut in the middle, a yt-dlp too old.
    Failed {
        /// What yt-dlp says.
        reason: String,
    },
}

/// Whether it makes sense to ask for a video again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Retry {
    /// It does not.
    Never,
    /// Not before this long has passed.
    After(Duration),
    /// Not before this time.
    At(UnixTime),
}

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);
const WEEK: Duration = Duration::from_hours(7 * 24);

impl Outcome {
    /// Whether and when it makes sense to ask again.
    ///
    /// The waits are of our own choosing: automatic captions come within a day or so of publishing, members' videos
    /// are often opened after a week, and a rate limit lasts up to an hour (yt-dlp's wiki).
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::Captions { .. } | Self::Deleted | Self::OutOfRange { published: Some(_) } => Retry::Never,
            Self::RateLimited { retry_after } => Retry::After(retry_after.unwrap_or(HOUR)),
            Self::NeedsCookies | Self::Failed { .. } => Retry::After(HOUR),
            Self::Upcoming { when: Some(when) } => Retry::At(when.plus(DAY)),
            Self::NeedsPoToken | Self::Live | Self::Upcoming { when: None } => Retry::After(DAY),
            Self::NoCaptions { .. }
            | Self::NothingSaid { .. }
            | Self::MembersOnly
            | Self::Private
            | Self::AgeRestricted
            | Self::OutOfRange { published: None }
            | Self::Unavailable { .. } => Retry::After(WEEK),
        }
    }

    /// When it makes sense to ask again, after this came out at `now`.
    #[must_use]
    pub fn retry_at(&self, now: UnixTime) -> Option<UnixTime> {
        match self.retry() {
            Retry::Never => None,
            Retry::After(wait) => Some(now.plus(wait)),
            Retry::At(when) => Some(when.max(now)),
        }
    }

    /// Whether the captions are here.
    #[must_use]
    pub fn is_captions(&self) -> bool {
        matches!(self, Self::Captions { .. })
    }

    /// One word for it, as it is stored: `captions`, `no_captions`, `rate_limited`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Captions { .. } => "captions",
            Self::NoCaptions { .. } => "no_captions",
            Self::NothingSaid { .. } => "nothing_said",
            Self::RateLimited { .. } => "rate_limited",
            Self::NeedsCookies => "needs_cookies",
            Self::NeedsPoToken => "needs_po_token",
            Self::MembersOnly => "members_only",
            Self::Private => "private",
            Self::Deleted => "deleted",
            Self::Live => "live",
            Self::Upcoming { .. } => "upcoming",
            Self::AgeRestricted => "age_restricted",
            Self::Unavailable { .. } => "unavailable",
            Self::OutOfRange { .. } => "out_of_range",
            Self::Failed { .. } => "failed",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Captions { track } => write!(f, "captions {} ({})", track.name, track.kind.as_str()),
            Self::NoCaptions { available } if available.is_empty() => f.write_str("no captions"),
            Self::NoCaptions { available } => {
                f.write_str("no captions in this language; there are ")?;
                for (index, track) in available.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{} ({})", track.name, track.kind.as_str())?;
                }
                Ok(())
            }
            Self::NothingSaid { track } => write!(f, "captions {} without a word", track.name),
            Self::RateLimited { .. } => {
                f.write_str("the site says that it was asked too often: wait about an hour and go on")
            }
            Self::NeedsCookies => f.write_str(
                "the site asks for a sign-in to see that no robot asks: let yt-dlp use the cookies of your browser",
            ),
            Self::NeedsPoToken => f.write_str(
                "the site gives the captions only for a proof of origin: install a PO token plugin for yt-dlp",
            ),
            Self::MembersOnly => f.write_str("for members of the channel only"),
            Self::Private => f.write_str("private"),
            Self::Deleted => f.write_str("deleted"),
            Self::Live => f.write_str("being streamed now, or not yet made into a video"),
            Self::Upcoming { .. } => f.write_str("not yet published"),
            Self::AgeRestricted => {
                f.write_str("for signed-in adults only: let yt-dlp use the cookies of your browser")
            }
            Self::Unavailable { reason } => write!(f, "not available: {reason}"),
            Self::OutOfRange { published: Some(date) } => write!(f, "published on {date}, outside the dates asked for"),
            Self::OutOfRange { published: None } => f.write_str("published on an unknown date"),
            Self::Failed { reason } => write!(f, "failed: {reason}"),
        }
    }
}
