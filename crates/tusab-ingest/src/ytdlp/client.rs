use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use super::arguments;
use super::classify;
use super::extraction::{CAPTION_STEM, Extraction, INFO_FILE, Request};
use super::fetched::{CaptionFile, Fetched};
use super::listing::{ListOutcome, Listing};
use super::options::YtDlpOptions;
use super::outcome::Outcome;
use super::page::PageUrl;
use super::url::YouTubeUrl;
use super::wanted::Wanted;
use crate::process::Scratch;
use crate::{CommandError, CommandLine, CommandRunner, Error, Exit, Output, VideoId};

/// The user's own yt-dlp, asked one thing at a time: a listing, or one video and at most one of its tracks.
///
/// It is always told to read no configuration and gets no proxy. Each call makes one listing, or one look at a video
/// and, if it has captions in the language, one request for one track. What happens to a video is a value
/// ([`Outcome`]); an error says that no video could be asked for, or that `stop` said yes.
pub struct YtDlp {
    options: YtDlpOptions,
    scratch: PathBuf,
    runner: Box<dyn CommandRunner>,
}

impl fmt::Debug for YtDlp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("YtDlp").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Largest file of captions that is read, in bytes.
const MAX_CAPTIONS: u64 = 64 << 20;

impl YtDlp {
    /// yt-dlp run by `runner`; in an application, [`SystemRunner`](crate::SystemRunner). While a track is fetched, its
    /// files are in `scratch`, a folder that is made if it is not there, and left empty.
    #[must_use]
    pub fn new(
        options: YtDlpOptions,
        scratch: impl Into<PathBuf>,
        runner: impl CommandRunner + 'static,
    ) -> Self {
        Self { options, scratch: scratch.into(), runner: Box::new(runner) }
    }

    /// The options it was made with.
    #[must_use]
    pub fn options(&self) -> &YtDlpOptions {
        &self.options
    }

    /// Lists a tab of a channel, or a playlist, without looking at any video. At most `limit` entries, the first.
    ///
    /// The address of a video gives a listing of that one video, and asks nobody.
    ///
    /// # Errors
    /// [`Error::Command`] if yt-dlp cannot be started, or was stopped.
    pub fn list(
        &self,
        url: &YouTubeUrl,
        limit: Option<usize>,
        stop: &dyn Fn() -> bool,
    ) -> Result<ListOutcome, Error> {
        if let YouTubeUrl::Video(id) = url {
            return Ok(ListOutcome::Listed(Listing::of_one(id.clone())));
        }
        let mut arguments = arguments::common(&self.options);
        arguments.extend(
            ["-J", "--flat-playlist", "--extractor-args", "youtubetab:approximate_date"].map(OsString::from),
        );
        if let Some(limit) = limit {
            arguments.push("--playlist-end".into());
            arguments.push(limit.to_string().into());
        }
        let line = self.line(arguments, &url.url()).with_deadline(self.options.list_deadline);
        let output = match self.run(&line, stop)? {
            Ok(output) => output,
            Err(outcome) => return Ok(ListOutcome::Refused(outcome)),
        };
        let said = classify::classify(&output.stderr);
        Ok(match Listing::read(&output.stdout) {
            // Whatever came before the site closed up is not the list.
            Some(_) if matches!(said, Some(Outcome::RateLimited { .. })) => {
                ListOutcome::Refused(classify::classify_or_failed(&output.stderr))
            }
            Some(mut listing) => {
                if output.exit != Exit::Code(0) {
                    listing.trouble = Some(classify::last_error(&output.stderr));
                }
                ListOutcome::Listed(listing)
            }
            None if classify::has_no_such_tab(&output.stderr) => ListOutcome::NoSuchTab,
            None => ListOutcome::Refused(classify::classify_or_failed(&output.stderr)),
        })
    }

    /// Looks at a video and fetches its captions, if it has any in the language.
    ///
    /// # Errors
    /// [`Error::Command`] if yt-dlp cannot be started, or was stopped; [`Error::Scratch`] if the folder for temporary
    /// files cannot be used.
    pub fn fetch(&self, video: &VideoId, wanted: &Wanted, stop: &dyn Fn() -> bool) -> Result<Fetched, Error> {
        self.fetch_from(&video.link(), Some(video), wanted, stop)
    }

    /// The same for a page of another site, or of one's own server, whose video yt-dlp finds by itself.
    ///
    /// # Errors
    /// Those of [`YtDlp::fetch`].
    pub fn fetch_page(
        &self,
        page: &PageUrl,
        wanted: &Wanted,
        stop: &dyn Fn() -> bool,
    ) -> Result<Fetched, Error> {
        self.fetch_from(page.as_str(), None, wanted, stop)
    }

    fn fetch_from(
        &self,
        url: &str,
        video: Option<&VideoId>,
        wanted: &Wanted,
        stop: &dyn Fn() -> bool,
    ) -> Result<Fetched, Error> {
        let mut arguments = arguments::common(&self.options);
        // Videos of which only the captions can be had are of use too. What the site says of the others becomes a
        // warning then, and their description comes all the same.
        arguments.extend(["-J", "--no-playlist", "--ignore-no-formats-error"].map(OsString::from));
        // With -J nothing is fetched. yt-dlp says that captions want a token only where captions are wanted.
        arguments.extend(["--write-subs", "--write-auto-subs", "--sub-langs"].map(OsString::from));
        arguments.push(wanted.language.as_str().into());
        arguments.extend(["--extractor-args", "youtube:skip=translated_subs"].map(OsString::from));
        let line = self.line(arguments, url).with_deadline(self.options.video_deadline);
        let output = match self.run(&line, stop)? {
            Ok(output) => output,
            Err(outcome) => return Ok(Fetched::without(outcome)),
        };
        let Ok(extraction) = Extraction::read(&output.stdout) else {
            return Ok(Fetched::without(classify::classify_or_failed(&output.stderr)));
        };
        let told = extraction.info.value.id.as_deref();
        if video.is_some_and(|video| told != Some(video.as_str())) {
            let reason = format!("yt-dlp answered for another video, {:?}", told.unwrap_or("of no id"));
            return Ok(Fetched::without(Outcome::Failed { reason }));
        }
        let request = extraction.request(&wanted.language, &output.stderr);
        // What cannot be watched often has no date either: why it cannot is told first.
        let outside = match &request {
            Ok(_) | Err(Outcome::NoCaptions { .. }) => wanted.out_of_range(extraction.info.value.upload_date),
            Err(_) => None,
        };
        let result = match (outside, request) {
            (None, Ok(request)) => self.fetch_track(&request, stop)?.map(|bytes| CaptionFile {
                track: request.track,
                extension: request.extension,
                bytes,
            }),
            (Some(outcome), _) | (None, Err(outcome)) => Err(outcome),
        };
        Ok(Fetched::new(extraction.info, result))
    }

    /// Fetches the one track that `request` describes.
    fn fetch_track(
        &self,
        request: &Request,
        stop: &dyn Fn() -> bool,
    ) -> Result<Result<Vec<u8>, Outcome>, Error> {
        let trouble = |source| Error::Scratch { path: self.scratch.clone(), source };
        let scratch = Scratch::new(&self.scratch).map_err(trouble)?;
        scratch.write(INFO_FILE, &request.info_json).map_err(trouble)?;
        let mut arguments = arguments::common(&self.options);
        // Names in the folder that it runs in: yt-dlp would expand `~` and `$` in a path.
        arguments.extend(["--load-info-json", INFO_FILE, "--output", CAPTION_STEM].map(OsString::from));
        // Without the third, what went wrong is not said; without the fourth, captions come with holes.
        arguments.extend(
            [
                "--skip-download",
                "--ignore-no-formats-error",
                "--abort-on-error",
                "--abort-on-unavailable-fragments",
            ]
            .map(OsString::from),
        );
        arguments.extend(["--write-subs", "--sub-langs", &request.track.name].map(OsString::from));
        arguments.extend(["--sub-format", request.extension].map(OsString::from));
        let line = CommandLine::new(arguments::program(&self.options), arguments)
            .with_folder(scratch.path())
            .with_utf8()
            .without_proxies()
            .with_deadline(self.options.video_deadline);
        let output = match self.run(&line, stop)? {
            Ok(output) => output,
            Err(outcome) => return Ok(Err(outcome)),
        };
        Ok(match scratch.read(&request.file, MAX_CAPTIONS).map_err(trouble)? {
            Some(bytes) if output.exit == Exit::Code(0) && !bytes.is_empty() => Ok(bytes),
            _ if output.exit == Exit::Code(0) => {
                Err(Outcome::Failed { reason: "yt-dlp reported success and left no captions".to_owned() })
            }
            _ => Err(classify::classify_or_failed(&output.stderr)),
        })
    }

    fn line(&self, mut arguments: Vec<OsString>, url: &str) -> CommandLine {
        arguments.push("--".into());
        arguments.push(url.into());
        CommandLine::new(arguments::program(&self.options), arguments).with_utf8().without_proxies()
    }

    /// Runs yt-dlp. A run that did not come to its end fails this one video; no yt-dlp at all fails every one.
    fn run(&self, line: &CommandLine, stop: &dyn Fn() -> bool) -> Result<Result<Output, Outcome>, Error> {
        match self.runner.run(line, stop) {
            Ok(Output { exit: exit @ Exit::Killed(_), .. }) => {
                Ok(Err(Outcome::Failed { reason: format!("yt-dlp did not end by itself: {exit}") }))
            }
            Ok(output) => Ok(Ok(output)),
            Err(
                source @ (CommandError::NotFound { .. }
                | CommandError::NotStarted { .. }
                | CommandError::Stopped { .. }),
            ) => Err(Error::Command { source }),
            Err(error) => Ok(Err(Outcome::Failed { reason: error.to_string() })),
        }
    }
}
