use tusab_chunk::{Date, Language};
use tusab_ingest::{JobOptions, Wanted};

use crate::{Error, Pause};

/// What is taken of a channel, a playlist or a video, and how.
///
/// ```
/// use tusab_engine::YouTubeOptions;
/// use tusab_engine::ingest::JobOptions;
/// let options = YouTubeOptions::default()
///     .with_language("pt-BR".parse()?)
///     .with_dates(Some("2024-01-01".parse()?), None)
///     .with_job(JobOptions::default().with_max_videos(Some(50)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct YouTubeOptions {
    /// The one language of captions; `pt` when none is given. Which tracks count as it, and in which order, says
    /// [`Track::choose`](tusab_ingest::Track::choose).
    pub language: Option<Language>,
    /// Only videos published on this day or later.
    pub since: Option<Date>,
    /// Only videos published on this day or earlier.
    pub until: Option<Date>,
    /// Which tabs, how many videos, how fast.
    pub job: JobOptions,
    /// Asks at once for all that gave no captions, although it is not time yet, and although the site asked to be left
    /// alone: for a user who has changed something, such as the cookies. By default no.
    pub retry_now: bool,
    /// Holds the run between two requests for as long as it is asked to.
    pub pause: Pause,
}

impl YouTubeOptions {
    /// Sets the language.
    #[must_use]
    pub fn with_language(mut self, language: Language) -> Self {
        self.language = Some(language);
        self
    }

    /// Sets the range of dates; both ends belong to it.
    #[must_use]
    pub fn with_dates(mut self, since: Option<Date>, until: Option<Date>) -> Self {
        (self.since, self.until) = (since, until);
        self
    }

    /// Sets which tabs, how many videos, how fast.
    #[must_use]
    pub fn with_job(mut self, job: JobOptions) -> Self {
        self.job = job;
        self
    }

    /// Sets whether to ask at once for all that gave no captions.
    #[must_use]
    pub fn with_retry_now(mut self, retry_now: bool) -> Self {
        self.retry_now = retry_now;
        self
    }

    /// Sets what holds the run.
    #[must_use]
    pub fn with_pause(mut self, pause: Pause) -> Self {
        self.pause = pause;
        self
    }

    pub(super) fn wanted(&self) -> Result<Wanted, Error> {
        let language = match &self.language {
            Some(language) => language.clone(),
            None => "pt".parse().map_err(|_| Error::Internal { what: "a language" })?,
        };
        Ok(Wanted::new(language).with_dates(self.since, self.until))
    }
}
