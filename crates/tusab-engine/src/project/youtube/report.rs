use tusab_ingest::{Job, JobList, Outcome, Progress, Stop, UnixTime, VideoId, Warning, YouTubeUrl};

use super::YouTubeOptions;
use crate::Degradation;

/// What became of a channel, a playlist or a video: all of it, of this run and of those before it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct YouTubeReport {
    /// What was asked for.
    pub url: YouTubeUrl,
    /// Name of the channel or title of the playlist, once it is listed.
    pub title: Option<String>,
    /// Its tabs and playlists, and what became of their listing.
    pub lists: Vec<JobList>,
    /// Its videos, in the order in which they are fetched.
    pub videos: Vec<VideoReport>,
    /// How far it is.
    pub progress: Progress,
    /// Why the run ended early, and when it makes sense to go on. What is left is in the queue: the same call takes it
    /// up again.
    pub stopped: Option<(Stop, UnixTime)>,
    /// True when the caller asked to stop; what is left is in the queue.
    pub cancelled: bool,
    /// What was missing or failed in this run, and cost no video: key phrases that could not be found.
    pub degraded: Vec<Degradation>,
}

/// What became of a video.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct VideoReport {
    /// Which.
    pub id: VideoId,
    /// Its title, where the site has told it.
    pub title: Option<String>,
    /// What became of it; none while it is left in the queue.
    pub outcome: Option<Outcome>,
    /// When it makes sense to ask for it again; the same call does so from then on.
    pub retry_at: Option<UnixTime>,
    /// True when this run made it new, or changed it.
    pub stored: bool,
    /// Number of its chunks; 0 when it is not here.
    pub chunks: usize,
    /// What was wrong with its captions in this run and could be lived with.
    pub warnings: Vec<Warning>,
}

impl YouTubeReport {
    /// Number of videos that this run made new or changed.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.videos.iter().filter(|video| video.stored).count()
    }

    /// Number of videos that are left in the queue.
    #[must_use]
    pub fn left(&self) -> usize {
        self.progress.left
    }
}

/// A channel, a playlist or a video that was begun at some time, as the queue keeps it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct QueuedYouTube {
    /// What was asked for.
    pub url: YouTubeUrl,
    /// Name of the channel or title of the playlist, once it is listed.
    pub title: Option<String>,
    /// The options it was begun with: with them, [`Project::youtube`](crate::Project::youtube) goes on with it.
    pub options: YouTubeOptions,
    /// How far it is.
    pub progress: Progress,
    /// Whether nothing is left to do for now.
    pub finished: bool,
}

impl QueuedYouTube {
    pub(super) fn of(job: &Job, now: UnixTime) -> Self {
        let wanted = job.wanted().clone();
        Self {
            url: job.url().clone(),
            title: job.title().map(str::to_owned),
            options: YouTubeOptions::default()
                .with_language(wanted.language)
                .with_dates(wanted.since, wanted.until)
                .with_job(job.options().clone()),
            progress: job.progress(now),
            finished: job.is_finished(),
        }
    }
}
