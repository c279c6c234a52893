//! What is stored of a video: its metadata and its captions, without their repetitions, in one JSON file.

use serde::{Deserialize, Serialize};
use tusab_chunk::{Chapter, Date, DocId, Language, SourceKind};
use tusab_ingest::{Captions, Content, Format, Source, VideoId};

use crate::Error;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct VideoFile {
    version: u32,
    video: Option<VideoId>,
    title: Option<String>,
    /// As the site called it when the video was taken in; the folder does not change with it.
    channel: Option<String>,
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
    pub(super) fn of(source: &Source, channel: Option<&str>) -> Option<(DocId, Self)> {
        let Content::Captions { captions, chapters } = &source.content else { return None };
        let id = DocId::new(SourceKind::Youtube, source.video.as_ref()?.as_str()).ok()?;
        let file = Self {
            version: Self::VERSION,
            video: source.video.clone(),
            title: source.title.clone(),
            channel: channel.map(str::to_owned),
            link: source.link.clone(),
            date: source.date,
            language: source.language.clone(),
            tags: source.tags.clone(),
            chapters: chapters.clone(),
            captions: captions.clone(),
        };
        Some((id, file))
    }

    pub(super) fn into_source(self) -> Source {
        let Self { title, language, date, link, tags, video, captions, chapters, .. } = self;
        let mut source = Source::new(Format::WebVtt, Content::Captions { captions, chapters });
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
