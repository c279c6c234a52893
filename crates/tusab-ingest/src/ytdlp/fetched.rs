use super::outcome::Outcome;
use super::track::Track;
use crate::{Error, Notes, Options, Parsed, Source, TrackKind, VideoInfo, Warning, parse};

/// A video, looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fetched {
    /// What became of it.
    pub outcome: Outcome,
    /// What is known of it; none when the site told nothing.
    pub info: Option<VideoInfo>,
    /// Its captions: there exactly when the outcome is [`Outcome::Captions`].
    pub captions: Option<CaptionFile>,
    /// What was wrong in the description, where it could be lived with.
    pub warnings: Vec<Warning>,
}

/// One track of captions as the site gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaptionFile {
    /// Which track.
    pub track: Track,
    /// Its format: `vtt`, `json3`, `srt`.
    pub extension: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
}

impl CaptionFile {
    /// A name for the file that tells what it is: `[dQw4w9WgXcQ].pt-orig.vtt`.
    #[must_use]
    pub fn name(&self, info: Option<&VideoInfo>) -> String {
        let video = info.and_then(|info| info.video.as_ref());
        let stem = video.map_or_else(|| "captions".to_owned(), |id| format!("[{id}]"));
        format!("{stem}.{}.{}", self.track.name, self.extension)
    }
}

impl Fetched {
    pub(super) fn without(outcome: Outcome) -> Self {
        Self { outcome, info: None, captions: None, warnings: Vec::new() }
    }

    pub(super) fn new(info: Parsed<VideoInfo>, result: Result<CaptionFile, Outcome>) -> Self {
        let (outcome, captions) = match result {
            Ok(captions) => (Outcome::Captions { track: captions.track.clone() }, Some(captions)),
            Err(outcome) => (outcome, None),
        };
        Self { outcome, info: Some(info.value), captions, warnings: info.warnings }
    }

    /// The captions read, with title, date, chapters and link of the video; none when there are no captions.
    ///
    /// # Errors
    /// Those of [`parse`]: what the site gave is not captions.
    pub fn source(&self, notes: Notes) -> Result<Option<Parsed<Source>>, Error> {
        let Some(captions) = &self.captions else { return Ok(None) };
        let name = captions.name(self.info.as_ref());
        // Which track was fetched is known here: of two of one name, only that one is left to be found.
        let video = self.info.clone().map(|mut info| {
            let manual = captions.track.kind == TrackKind::Manual;
            let fetched = captions.track.name.as_str();
            info.subtitles.retain(|track| manual || track != fetched);
            info.automatic_captions.retain(|track| !manual || track.track != fetched);
            info
        });
        let options = Options::default().with_notes(notes).with_video(video);
        let mut parsed = parse(&name, &captions.bytes, &options)?;
        parsed.warnings.splice(..0, self.warnings.iter().cloned());
        Ok(Some(parsed))
    }
}
