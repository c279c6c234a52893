//! A job under way: what is fetched becomes durable, and what becomes of it is told.

use std::collections::HashMap;

use tusab_chunk::{DocId, SourceKind};
use tusab_index::ChunkStore;
use tusab_ingest::{Fetched, Job, JobVideo, ListState, Outcome, Stop, UnixTime, VideoId, YouTubeUrl};

use super::report::{VideoReport, YouTubeReport};
use super::{is_captions, now};
use crate::project::ingest::{self, Given};
use crate::project::{self, Inner, ItemReport};
use crate::{Degradation, Error, Event};

/// A job under way.
pub(super) struct Run<'a> {
    inner: &'a Inner,
    pub(super) job: Job,
    /// What this run has made of its videos.
    taken: HashMap<VideoId, ItemReport>,
    degraded: Vec<Degradation>,
    pub(super) stopped: Option<(Stop, UnixTime)>,
    tell: &'a dyn Fn(Event),
}

impl<'a> Run<'a> {
    pub(super) fn new(inner: &'a Inner, job: Job, tell: &'a dyn Fn(Event)) -> Self {
        Self { inner, job, taken: HashMap::new(), degraded: Vec::new(), stopped: None, tell }
    }

    /// Makes what was fetched durable and searchable; the outcome to record, or none when `stop` came first.
    pub(super) fn keep(
        &mut self,
        id: &VideoId,
        fetched: &Fetched,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Outcome>, Error> {
        let Outcome::Captions { track } = &fetched.outcome else { return Ok(Some(fetched.outcome.clone())) };
        let tell = |event: Event| {
            // One video of many: the job tells its own progress.
            if let Event::Repaired { .. } = event {
                (self.tell)(event);
            }
        };
        let report = loop {
            let order = self.inner.models.key_phrase_order;
            match ingest::run(self.inner, vec![Given::Video(fetched)], order, stop, &tell) {
                // Another process is taking sources in: this video is worth the wait.
                Err(error) if error.is_locked() && !stop() => {}
                Err(error) if error.is_locked() => return Ok(None),
                report => break report?,
            }
        };
        for degradation in report.degraded {
            if !self.degraded.contains(&degradation) {
                self.degraded.push(degradation);
            }
        }
        if report.cancelled && report.items.is_empty() {
            return Ok(None);
        }
        let item = report.items.into_iter().next().ok_or(Error::Internal { what: "storing a video" })?;
        let outcome = match &item.outcome {
            project::Outcome::Failed(Error::NothingSaid { .. }) => {
                Outcome::NothingSaid { track: track.clone() }
            }
            project::Outcome::Failed(error) => Outcome::Failed { reason: told(error) },
            _ => fetched.outcome.clone(),
        };
        self.taken.insert(id.clone(), item);
        Ok(Some(outcome))
    }

    pub(super) fn tell_list(&self, url: &YouTubeUrl) {
        let state =
            self.job.lists().iter().find(|list| list.url == *url).and_then(|list| list.state.as_ref());
        let (videos, trouble) = match state {
            Some(ListState::Listed { videos, trouble, .. }) => (*videos, trouble.clone()),
            Some(ListState::Refused { reason, .. }) => (0, Some(reason.to_string())),
            _ => (0, None),
        };
        (self.tell)(Event::YouTubeListed { project: self.inner.name(), url: url.url(), videos, trouble });
    }

    pub(super) fn tell_video(&self, id: &VideoId, fetched: &Fetched, outcome: &Outcome) {
        let progress = self.job.progress(now(self.inner));
        (self.tell)(Event::YouTubeVideo {
            project: self.inner.name(),
            video: id.clone(),
            title: fetched.info.as_ref().and_then(|info| info.title.clone()),
            outcome: outcome.clone(),
            done: progress.done,
            total: progress.videos,
            to_end: progress.to_end,
        });
    }

    pub(super) fn report(mut self, cancelled: bool) -> YouTubeReport {
        let videos = self.job.videos().iter().filter(|video| !video.spare);
        let videos: Vec<VideoReport> = videos.map(|video| self.video_report(video)).collect();
        let videos = videos
            .into_iter()
            .map(|video| match self.taken.remove(&video.id) {
                Some(ItemReport { outcome, warnings, .. }) => {
                    use project::Outcome::{Added, Updated};
                    let stored = matches!(outcome, Added { .. } | Updated { .. });
                    VideoReport { stored, warnings, ..video }
                }
                None => video,
            })
            .collect();
        YouTubeReport {
            url: self.job.url().clone(),
            title: self.job.title().map(str::to_owned),
            lists: self.job.lists().to_vec(),
            videos,
            progress: self.job.progress(now(self.inner)),
            stopped: self.stopped,
            cancelled,
            degraded: self.degraded,
        }
    }

    fn video_report(&self, video: &JobVideo) -> VideoReport {
        let id = &video.listed.id;
        let doc = is_captions(video).then(|| DocId::new(SourceKind::Youtube, id.as_str()).ok()).flatten();
        // What the index cannot tell now it tells the next time; the videos are done all the same.
        let title = doc.as_ref().and_then(|doc| self.inner.index.document(doc).ok()?);
        let chunks = doc.as_ref().and_then(|doc| self.inner.index.chunks(doc).ok());
        VideoReport {
            id: id.clone(),
            title: title.map(|document| document.title).or_else(|| video.listed.title.clone()),
            outcome: video.outcome.clone(),
            retry_at: video.retry_at,
            stored: false,
            chunks: chunks.map_or(0, |chunks| chunks.len()),
            warnings: Vec::new(),
        }
    }
}

/// An error with its causes, on one line.
fn told(error: &Error) -> String {
    let mut told = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        told = format!("{told}: {error}");
        cause = error.source();
    }
    told
}
