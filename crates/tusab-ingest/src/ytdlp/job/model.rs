use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Pacing;
use crate::VideoId;
use crate::ytdlp::fetched::Fetched;
use crate::ytdlp::listing::ListedVideo;
use crate::ytdlp::outcome::Outcome;
use crate::ytdlp::time::UnixTime;
use crate::ytdlp::url::{ChannelTab, YouTubeUrl};

/// What of a source is taken, and how fast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct JobOptions {
    /// The tabs of a channel whose address names none. By default videos, shorts and streams; the others hold
    /// playlists of these.
    pub tabs: Vec<ChannelTab>,
    /// At most this many videos, the first that are listed; those that the listing already rules out do not count.
    /// Of a tab or a playlist, twice as many entries are listed, 50 at least, or all if there is a last date.
    pub max_videos: Option<usize>,
    /// How fast.
    pub pacing: Pacing,
}

impl Default for JobOptions {
    fn default() -> Self {
        Self {
            tabs: vec![ChannelTab::Videos, ChannelTab::Shorts, ChannelTab::Streams],
            max_videos: None,
            pacing: Pacing::default(),
        }
    }
}

impl JobOptions {
    /// Sets the tabs.
    #[must_use]
    pub fn with_tabs(mut self, tabs: impl Into<Vec<ChannelTab>>) -> Self {
        self.tabs = tabs.into();
        self
    }

    /// Sets the most videos.
    #[must_use]
    pub fn with_max_videos(mut self, max: Option<usize>) -> Self {
        self.max_videos = max;
        self
    }

    /// Sets how fast.
    #[must_use]
    pub fn with_pacing(mut self, pacing: Pacing) -> Self {
        self.pacing = pacing;
        self
    }
}

/// A tab or a playlist of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JobList {
    /// Which.
    pub url: YouTubeUrl,
    /// The tab through which it was found.
    pub tab: Option<ChannelTab>,
    /// What became of it; none while it is to be listed.
    pub state: Option<ListState>,
}

/// What became of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ListState {
    /// It was listed.
    Listed {
        /// How many videos it holds.
        videos: usize,
        /// How many entries are neither a video nor a playlist, or carry an id that cannot be one.
        unreadable: usize,
        /// What went wrong on the way: some may be missing.
        trouble: Option<String>,
    },
    /// The channel has no such tab.
    NoSuchTab,
    /// It was refused.
    Refused {
        /// Why.
        reason: Outcome,
        /// When it makes sense to ask again.
        retry_at: Option<UnixTime>,
    },
}

/// A video of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JobVideo {
    /// As it was listed.
    #[serde(flatten)]
    pub listed: ListedVideo,
    /// The tab in which it was found first.
    pub tab: Option<ChannelTab>,
    /// What became of it; none while it is to be fetched.
    pub outcome: Option<Outcome>,
    /// When it makes sense to ask for it again.
    pub retry_at: Option<UnixTime>,
    /// How often the site was asked for it.
    #[serde(default)]
    pub attempts: u32,
    /// Beyond the most videos: fetched only in place of one that turns out to be outside the dates.
    #[serde(default)]
    pub spare: bool,
}

/// Why a job asks for nothing more for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stop {
    /// The site said that it was asked too often.
    RateLimit,
    /// The site asked for a sign-in for several videos in a row: it takes the session for a robot's, and each further
    /// request makes that worse.
    SignIn,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Next {
    /// List this, and tell [`Job::record_list`](crate::Job::record_list).
    List(YouTubeUrl),
    /// Fetch this, and tell [`Job::record`](crate::Job::record).
    Fetch(VideoId),
    /// Ask again after this long.
    Wait(Duration),
    /// Nothing before this time. What is left stays in the queue.
    Stopped {
        /// Why.
        reason: Stop,
        /// When to go on.
        until: UnixTime,
    },
    /// Everything that can be tried now has been.
    Finished,
}

/// What [`Job::step`](crate::Job::step) did, or why it did nothing.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step {
    /// A tab or a playlist was asked for; what came of it is recorded.
    Listed {
        /// Which.
        url: YouTubeUrl,
    },
    /// A video was looked at. It is not recorded: keep what it gave, then call [`Job::record`](crate::Job::record).
    Video {
        /// Which.
        id: VideoId,
        /// What it gave.
        fetched: Box<Fetched>,
    },
    /// Nothing was done; call again after this long.
    Wait(Duration),
    /// Nothing was done, and nothing is to be done before this time.
    Stopped {
        /// Why.
        reason: Stop,
        /// When to go on.
        until: UnixTime,
    },
    /// Nothing is left to do.
    Finished,
}

impl JobVideo {
    /// Whether it is yet to be fetched.
    #[must_use]
    pub fn is_left(&self) -> bool {
        self.outcome.is_none() && !self.spare
    }
}
