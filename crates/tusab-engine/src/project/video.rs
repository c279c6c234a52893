//! What is stored of a video: its metadata and its captions, without their repetitions, in one JSON file.

use serde::{Deserialize, Serialize};
use tusab_chunk::{Chapter, Date, DocId, Language, SourceKind};
use tusab_ingest::{Captions, Content, Format, Source, VideoId, VideoInfo};

use crate::Error;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct VideoFile {
    version: u32,
    /// What its captions were read as. Files of the first days do not say it.
    #[serde(default = "VideoFile::first_format")]
    format: Format,
    video: Option<VideoId>,
    title: Option<String>,
    /// As the site called it when the video was taken in; the folder does not change with it.
    channel: Option<String>,
    /// By which its site knows the channel, whatever it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    channel_id: Option<String>,
    link: Option<String>,
    date: Option<Date>,
    language: Option<Language>,
    tags: Vec<String>,
    chapters: Vec<Chapter>,
    captions: Captions,
}

impl VideoFile {
    const VERSION: u32 = 1;

    /// What is stored of captions whose video is known, and the id of the document; `None` for any other source.
    pub(super) fn of(source: &Source, info: Option<&VideoInfo>) -> Option<(DocId, Self)> {
        let Content::Captions { captions, chapters } = &source.content else { return None };
        let id = DocId::new(SourceKind::Youtube, source.video.as_ref()?.as_str()).ok()?;
        let file = Self {
            version: Self::VERSION,
            format: source.format,
            video: source.video.clone(),
            title: source.title.clone(),
            channel: info.and_then(|info| info.channel.clone()),
            channel_id: info.and_then(|info| info.channel_id.clone()),
            link: source.link.clone(),
            date: source.date,
            language: source.language.clone(),
            tags: source.tags.clone(),
            chapters: chapters.clone(),
            captions: captions.clone(),
        };
        Some((id, file))
    }

    /// The channel, by what its site knows it by.
    pub(super) fn channel_id(&self) -> Option<&str> {
        self.channel_id.as_deref()
    }

    /// What to call the folder of a channel that has none yet.
    pub(super) fn channel_name(&self) -> Option<&str> {
        self.channel.as_deref().or(self.channel_id())
    }

    fn first_format() -> Format {
        Format::WebVtt
    }

    pub(super) fn into_source(self) -> Source {
        let Self { format, title, language, date, link, tags, video, captions, chapters, .. } = self;
        let mut source = Source::new(format, Content::Captions { captions, chapters });
        (source.title, source.language, source.date) = (title, language, date);
        (source.link, source.tags, source.video) = (link, tags, video);
        source
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // Plain structures always serialise.
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(super) fn parse(bytes: &[u8], name: &str) -> Result<Self, Error> {
        let damaged = |reason| Error::Damaged { path: name.into(), reason };
        let file: Self = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
        if file.version > Self::VERSION {
            return Err(Error::Newer { path: name.into(), version: file.version });
        }
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use tusab_ingest::{Options, parse};

    use super::*;

    #[test]
    fn a_stored_video_is_read_as_what_it_was() {
        let srt = b"1\n00:00:01,000 --> 00:00:04,000\nA taxa de juros subiu.\n";
        let json3 = br#"{"wireMagic": "pb3", "events": [{"tStartMs": 1000, "dDurationMs": 3000, "segs": [{"utf8": "A taxa"}]}]}"#;
        for (name, bytes, format) in [
            ("Juros [dQw4w9WgXcQ].pt.srt", &srt[..], Format::Srt),
            ("Juros [dQw4w9WgXcQ].pt.json3", &json3[..], Format::Json3),
        ] {
            let source = parse(name, bytes, &Options::default()).unwrap().value;
            let (_, file) = VideoFile::of(&source, None).unwrap();
            let again = VideoFile::parse(&file.to_bytes(), "").unwrap().into_source();
            assert_eq!((again.format, &again), (format, &source));
        }
    }

    #[test]
    fn a_file_of_the_first_days_has_no_format() {
        let source = parse(
            "Juros [dQw4w9WgXcQ].pt.vtt",
            b"WEBVTT\n\n00:01.000 --> 00:02.000\noi\n",
            &Options::default(),
        );
        let (_, file) = VideoFile::of(&source.unwrap().value, None).unwrap();
        let mut json: serde_json::Value = serde_json::from_slice(&file.to_bytes()).unwrap();
        json.as_object_mut().unwrap().remove("format");
        let read = VideoFile::parse(json.to_string().as_bytes(), "").unwrap();
        assert_eq!(read.into_source().format, Format::WebVtt);
    }
}
