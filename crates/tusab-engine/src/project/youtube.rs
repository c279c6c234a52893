//! YouTube through the user's own yt-dlp: a job is driven, and each video made durable before it counts as done.

mod options;
mod queue;
mod report;
mod run;

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use tusab_chunk::SourceKind;
use tusab_index::{ChunkStore, DocumentRecord};
use tusab_ingest::{
    CommandError, CommandRunner, Job, JobVideo, Outcome, RuntimeKind, Step, Track, TrackKind, UnixTime,
    VideoId, YouTubeUrl, YtDlp, YtDlpOptions, probe_runtime,
};

use self::queue::Queue;
use self::run::Run;
use super::library::Library;
use super::{Inner, Project};
use crate::runtime::blocking;
use crate::{Cancel, Error, Event};

pub use self::options::YouTubeOptions;
pub use self::report::{QueuedYouTube, VideoReport, YouTubeReport};

/// Longest wait in one go before the requests to stop and to hold on are looked at again.
const GLANCE: Duration = Duration::from_millis(50);

/// How yt-dlp is run.
#[derive(Clone)]
pub(crate) struct YtDlpSetup {
    pub(crate) options: YtDlpOptions,
    pub(crate) runner: Arc<dyn CommandRunner>,
}

impl fmt::Debug for YtDlpSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("YtDlpSetup").field("options", &self.options).finish_non_exhaustive()
    }
}

impl YtDlpSetup {
    /// yt-dlp, told of the JavaScript runtime that is here: by itself it takes no other than deno.
    fn client(&self, queue: &Queue) -> YtDlp {
        let mut options = self.options.clone();
        let runs = |kind: &RuntimeKind| probe_runtime(&*self.runner, *kind, Path::new(kind.as_str())).is_ok();
        if options.javascript.is_none() {
            options.javascript = RuntimeKind::ALL.into_iter().find(runs).map(|kind| (kind, None));
        }
        YtDlp::new(options, queue.scratch(), Arc::clone(&self.runner))
    }
}

impl Project {
    /// Takes in a channel, a playlist or a video: the captions of each video, through the user's own yt-dlp.
    ///
    /// It may take hours, since the site is asked politely: see [`Pacing`](tusab_ingest::Pacing). Each video is durable
    /// and searchable before it counts as done, and the queue is stored after each, in the data directory: after a
    /// kill, a cancel or a stop, the same call goes on where it was. Once all is done, the same call lists again and
    /// fetches what is new, what has changed, and what may be asked for again ([`Outcome::retry`]). A video that is here
    /// and unchanged is not asked for, in whatever language it is here. When the site says that it was asked too often,
    /// or takes the session for a robot's, the run ends and says so in the report; no other outcome of a video ends it.
    ///
    /// One run at a time asks, whatever the project: another waits for its turn. Searching, and taking in other
    /// sources, go on meanwhile. Dropping the future is a cancel.
    ///
    /// # Errors
    /// [`Error::YtDlp`] when there is no yt-dlp or it cannot be used; when the data directory cannot be written. What
    /// was done until then stays done. What becomes of a video is no error but an outcome in the report.
    pub async fn youtube(
        &self,
        url: &YouTubeUrl,
        options: &YouTubeOptions,
        cancel: &Cancel,
    ) -> Result<YouTubeReport, Error> {
        let (url, options) = (url.clone(), options.clone());
        self.work(cancel, "taking in videos", move |inner, stop, tell| run(inner, &url, &options, stop, tell))
            .await
    }

    /// What this project has begun to take in from YouTube, finished or not.
    ///
    /// # Errors
    /// When the queue cannot be read.
    pub async fn youtube_queue(&self) -> Result<Vec<QueuedYouTube>, Error> {
        let inner = Arc::clone(&self.inner);
        blocking("reading the queue", move || {
            let now = now(&inner);
            Ok(queue::jobs(&inner.dirs)?.iter().map(|job| QueuedYouTube::of(job, now)).collect())
        })
        .await
    }
}

fn now(inner: &Inner) -> UnixTime {
    let since = inner.clock.now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    UnixTime::default().plus(since)
}

/// Drives a job, on a thread that may block. Calls no handler of the user's: `tell` only passes events on.
pub(super) fn run(
    inner: &Inner,
    url: &YouTubeUrl,
    options: &YouTubeOptions,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<YouTubeReport, Error> {
    if inner.chat_models.is_offline() {
        return Err(Error::Offline { what: "YouTube" });
    }
    let wanted = options.wanted()?;
    let waiting = || tell(Event::YouTubeWaiting { project: inner.name(), url: url.url() });
    let Some(queue) = Queue::claim(&inner.dirs, stop, &waiting)? else {
        let job = Job::new(url.clone(), wanted, options.job.clone());
        return Ok(Run::new(inner, job, tell).report(true));
    };
    let path = queue.path(url, &wanted, &options.job);
    let (stored, repair) = queue::load(&path)?;
    if let Some(what) = repair {
        tell(Event::Repaired { project: inner.name(), what });
    }
    let here = videos_here(inner, url)?;
    let mut job = match stored {
        Some(job) => taken_up(job, &here, now(inner)),
        None => Job::new(url.clone(), wanted, options.job.clone()),
    };
    job.set_pace(queue.pace()?);
    if options.retry_now {
        retry(&mut job);
    }
    let job = job.with_pacing(options.job.pacing.clone()).with_known(here);
    let mut run = Run::new(inner, job, tell);

    let yt_dlp = inner.yt_dlp.client(&queue);
    loop {
        while options.pause.is_paused() && !stop() {
            thread::sleep(GLANCE);
        }
        if stop() {
            return Ok(run.report(true));
        }
        // Deleted meanwhile, it must not come back as a folder with a queue.
        inner.still_here()?;
        match run.job.step(&yt_dlp, now(inner), stop) {
            Ok(Step::Video { id, fetched }) => {
                let Some(outcome) = run.keep(&id, &fetched, stop)? else { return Ok(run.report(true)) };
                run.job.record(&id, outcome.clone(), now(inner));
                // From here on the video is not asked for again.
                queue.store(&path, &run.job)?;
                run.tell_video(&id, &fetched, &outcome);
            }
            Ok(Step::Listed { url }) => {
                queue.store(&path, &run.job)?;
                run.tell_list(&url);
            }
            Ok(Step::Wait(pause)) => wait(pause, &|| stop() || options.pause.is_paused()),
            Ok(Step::Stopped { reason, until }) => {
                run.stopped = Some((reason, until));
                let project = inner.name();
                tell(Event::YouTubeStopped { project, url: url.url(), reason, until });
                return Ok(run.report(false));
            }
            Ok(_) => {
                // What was refreshed or put back, and turned out to need nothing.
                queue.store(&path, &run.job)?;
                return Ok(run.report(false));
            }
            Err(tusab_ingest::Error::Command { source: CommandError::Stopped { .. } }) => {
                return Ok(run.report(true));
            }
            Err(source) => return Err(Error::YtDlp { source }),
        }
    }
}

/// The videos that the project has, in whatever language and from whatever source.
fn videos_here(inner: &Inner, url: &YouTubeUrl) -> Result<HashMap<VideoId, Track>, Error> {
    let video = |document: DocumentRecord| {
        let id = Some(document.id).filter(|id| id.kind() == SourceKind::Youtube)?.local().parse().ok()?;
        let language = document.language.map_or_else(String::new, |language| language.as_str().to_owned());
        Some((id, Track::new(language, TrackKind::Unknown)))
    };
    let mut here: HashMap<VideoId, Track> = inner.index.documents()?.into_iter().filter_map(video).collect();
    // What its user removed is not fetched again with its channel.
    let asked_for = |id: &VideoId| matches!(url, YouTubeUrl::Video(video) if video == id);
    for id in removed_videos(inner)?.into_iter().filter(|id| !asked_for(id)) {
        here.entry(id).or_insert_with(|| Track::new(String::new(), TrackKind::Unknown));
    }
    Ok(here)
}

fn removed_videos(inner: &Inner) -> Result<Vec<VideoId>, Error> {
    let library = Library::peek(&inner.dirs.neural)?;
    let removed = library.iter().flat_map(Library::removed);
    Ok(removed.filter_map(|doc| doc.local().parse().ok()).collect())
}

/// A job of an earlier run, ready to go on.
fn taken_up(mut job: Job, here: &HashMap<VideoId, Track>, now: UnixTime) -> Job {
    if job.is_finished() {
        job.refresh();
    }
    job.retry_due(now);
    // Lost since, or the folder of sources was restored from a copy that is older than the queue.
    job.retry_where(|video| is_captions(video) && !here.contains_key(&video.listed.id));
    job
}

/// Puts back whatever another try can change.
fn retry(job: &mut Job) {
    job.resume();
    job.retry_where(|video| !is_captions(video) && video.outcome != Some(Outcome::Deleted));
}

fn is_captions(video: &JobVideo) -> bool {
    video.outcome.as_ref().is_some_and(Outcome::is_captions)
}

/// Waits, as long as nobody wants something else.
fn wait(pause: Duration, interrupted: &dyn Fn() -> bool) {
    let end = Instant::now() + pause;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || interrupted() {
            return;
        }
        thread::sleep(left.min(GLANCE));
    }
}
