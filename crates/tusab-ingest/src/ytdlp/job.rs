mod lists;
mod model;
mod pacing;
mod progress;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::model::{JobList, JobOptions, JobVideo, ListState, Next, Step, Stop};
pub use self::pacing::{Pace, Pacing};
pub use self::progress::Progress;
use super::client::YtDlp;
use super::outcome::{Outcome, Retry};
use super::time::UnixTime;
use super::track::Track;
use super::url::YouTubeUrl;
use super::wanted::Wanted;
use crate::{Error, VideoId};

/// The taking in of a channel, a playlist or a video, as a value: what is listed, what is done and how it came out,
/// and when the site may be asked next.
///
/// It waits for nothing and stores nothing. Store it (it is plain data for serde) after every video: a run that is
/// killed goes on with the first video that was not recorded. Same calls, same times, same result. The loop around it
/// stands in the documentation of the crate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    url: YouTubeUrl,
    wanted: Wanted,
    options: JobOptions,
    title: Option<String>,
    channel: Option<String>,
    channel_id: Option<String>,
    lists: Vec<JobList>,
    videos: Vec<JobVideo>,
    /// Videos that the caller already has. Empty once everything is listed.
    known: BTreeMap<VideoId, Track>,
    /// How many of the videos that are listed since the last refresh count towards the most.
    counted: usize,
    pace: Pace,
    /// How many videos in a row came out as [`Outcome::NeedsCookies`].
    refusals: u32,
}

/// So many videos in a row for which a sign-in is asked stop a job. One may be for adults or members; three in a row
/// are the session.
const REFUSALS: u32 = 3;

impl Job {
    /// A job that has not begun.
    #[must_use]
    pub fn new(url: YouTubeUrl, wanted: Wanted, options: JobOptions) -> Self {
        let mut job = Self {
            url,
            wanted,
            options,
            title: None,
            channel: None,
            channel_id: None,
            lists: Vec::new(),
            videos: Vec::new(),
            known: BTreeMap::new(),
            counted: 0,
            pace: Pace::default(),
            refusals: 0,
        };
        job.lists = job.first_lists();
        job
    }

    /// Tells it what the caller already has, and from which track: when such a video is listed for the first time, it
    /// counts as done and is not asked for. For the listings that are still to be made.
    #[must_use]
    pub fn with_known(mut self, videos: impl IntoIterator<Item = (VideoId, Track)>) -> Self {
        self.known.extend(videos);
        self
    }

    /// Sets how fast the site is asked from now on.
    #[must_use]
    pub fn with_pacing(mut self, pacing: Pacing) -> Self {
        self.options.pacing = pacing;
        self
    }

    /// When the site was asked last, and whether it is to be left alone.
    #[must_use]
    pub fn pace(&self) -> &Pace {
        &self.pace
    }

    /// Takes over the pace of another job that asks the same site.
    pub fn set_pace(&mut self, pace: Pace) {
        self.pace = pace;
    }

    /// Whether something is left to be listed or fetched.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.lists.iter().all(|list| list.state.is_some()) && !self.videos.iter().any(JobVideo::is_left)
    }

    /// What it takes in.
    #[must_use]
    pub fn url(&self) -> &YouTubeUrl {
        &self.url
    }

    /// Which captions it takes.
    #[must_use]
    pub fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    /// What of the source it takes, and how fast.
    #[must_use]
    pub fn options(&self) -> &JobOptions {
        &self.options
    }

    /// Title of the playlist, or name of the channel, once it is listed.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.channel.as_deref().or(self.title.as_deref())
    }

    /// Id of the channel, once it is listed.
    #[must_use]
    pub fn channel_id(&self) -> Option<&str> {
        self.channel_id.as_deref()
    }

    /// Its tabs and playlists.
    #[must_use]
    pub fn lists(&self) -> &[JobList] {
        &self.lists
    }

    /// Its videos, in the order in which they are fetched.
    #[must_use]
    pub fn videos(&self) -> &[JobVideo] {
        &self.videos
    }

    /// What to do next, at `now`. Who does it tells the job what came of it; until then the same comes again, after a
    /// pause.
    pub fn next(&mut self, now: UnixTime) -> Next {
        let list = self.lists.iter().find(|list| list.state.is_none()).map(|list| list.url.clone());
        let video = self.videos.iter().find(|video| video.is_left()).map(|video| video.listed.id.clone());
        let next = match (list, video) {
            (Some(url), _) => Next::List(url),
            (None, Some(id)) => Next::Fetch(id),
            (None, None) => return Next::Finished,
        };
        // The address of a video is its own listing: nobody is asked.
        if matches!(next, Next::List(YouTubeUrl::Video(_))) {
            return next;
        }
        if let Some((reason, until)) = self.pace.stopped {
            if now < until {
                return Next::Stopped { reason, until };
            }
            self.resume();
        }
        let wait = self.pace.wait(&self.options.pacing, now);
        if wait.is_zero() {
            self.pace.starts(now);
            next
        } else {
            Next::Wait(wait)
        }
    }

    /// Does what is next, through yt-dlp.
    ///
    /// # Errors
    /// Those of [`YtDlp::list`] and [`YtDlp::fetch`]: the job is as it was, and can go on later.
    pub fn step(&mut self, yt_dlp: &YtDlp, now: UnixTime, stop: &dyn Fn() -> bool) -> Result<Step, Error> {
        Ok(match self.next(now) {
            Next::List(url) => {
                let outcome = yt_dlp.list(&url, self.limit(), stop)?;
                self.record_list(&url, outcome, now);
                Step::Listed { url }
            }
            Next::Fetch(id) => {
                let fetched = Box::new(yt_dlp.fetch(&id, &self.wanted, stop)?);
                Step::Video { id, fetched }
            }
            Next::Wait(pause) => Step::Wait(pause),
            Next::Stopped { reason, until } => Step::Stopped { reason, until },
            Next::Finished => Step::Finished,
        })
    }

    /// Records what became of a video. One that the job does not know is passed over.
    pub fn record(&mut self, id: &VideoId, outcome: Outcome, now: UnixTime) {
        let Some(video) = self.videos.iter_mut().find(|video| video.listed.id == *id) else { return };
        self.pace.ends(now);
        video.attempts = video.attempts.saturating_add(1);
        video.retry_at = outcome.retry_at(now);
        if let Outcome::RateLimited { .. } = outcome {
            // Nothing is known of the video: it stays where it is in the queue.
            self.stop(Stop::RateLimit, &outcome, now);
            return;
        }
        let is_refusal = outcome == Outcome::NeedsCookies;
        let is_outside = matches!(outcome, Outcome::OutOfRange { .. });
        video.outcome = Some(outcome);
        if is_outside && let Some(spare) = self.videos.iter_mut().find(|video| video.spare) {
            spare.spare = false;
        }
        self.refusals = if is_refusal { self.refusals.saturating_add(1) } else { 0 };
        if self.refusals >= REFUSALS {
            self.stop(Stop::SignIn, &Outcome::NeedsCookies, now);
        }
    }

    fn stop(&mut self, reason: Stop, outcome: &Outcome, now: UnixTime) {
        let wait = match outcome.retry() {
            Retry::After(wait) => wait,
            _ => Duration::ZERO,
        };
        self.pace.stopped = Some((reason, now.plus(wait)));
    }

    /// Goes on although the job was stopped: the time has come, or the user has changed what it was stopped for.
    pub fn resume(&mut self) {
        self.pace.stopped = None;
        self.refusals = 0;
    }

    /// Puts back into the queue what may be asked for again at `now`; how many videos that are.
    pub fn retry_due(&mut self, now: UnixTime) -> usize {
        for list in &mut self.lists {
            if let Some(ListState::Refused { retry_at: Some(at), .. }) = list.state
                && at <= now
            {
                list.state = None;
            }
        }
        self.requeue(|video| video.retry_at.is_some_and(|at| at <= now))
    }

    /// Puts back into the queue such videos that have an outcome, for example those with [`Outcome::NeedsCookies`] once
    /// there are cookies; how many they are.
    pub fn retry_where(&mut self, which: impl Fn(&JobVideo) -> bool) -> usize {
        self.requeue(which)
    }

    fn requeue(&mut self, which: impl Fn(&JobVideo) -> bool) -> usize {
        let mut count = 0;
        for video in self.videos.iter_mut().filter(|video| video.outcome.is_some() && which(video)) {
            (video.outcome, video.retry_at) = (None, None);
            count += 1;
        }
        count
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self, now: UnixTime) -> Progress {
        let outcomes = || self.videos.iter().filter_map(|video| video.outcome.as_ref());
        let (done, captions) =
            (outcomes().count(), outcomes().filter(|outcome| outcome.is_captions()).count());
        let left = self.videos.iter().filter(|video| video.is_left()).count();
        let interval = self.pace.interval();
        let pause = self.pace.stopped.map_or(Duration::ZERO, |(_, until)| now.until(until));
        Progress {
            lists_left: self.lists.iter().filter(|list| list.state.is_none()).count(),
            videos: done + left,
            done,
            captions,
            left,
            per_hour: interval.map(|interval| 3600.0 / interval.as_secs_f64().max(0.001)),
            to_end: interval.map(|interval| {
                pause.saturating_add(interval.saturating_mul(u32::try_from(left).unwrap_or(u32::MAX)))
            }),
        }
    }

    fn limit(&self) -> Option<usize> {
        // Entries that are ruled out do not count, hence more than the most; a large channel is not listed whole. Of
        // how many are too new, nothing is known.
        self.options
            .max_videos
            .filter(|_| self.wanted.until.is_none())
            .map(|max| max.saturating_mul(2).max(50))
    }
}
