use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tusab_chunk::{Date, DocId, Language, SourceKind};
use tusab_ingest::{CaptionFileName, JobOptions, YouTubeUrl};

use super::{FolderOptions, Source};
use crate::project::prepare::{of_bytes, of_file_that_was, of_text};
use crate::{Error, YouTubeOptions};

/// A source as it is kept in a file, for later. What is in memory alone is kept beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(in crate::project) enum Kept {
    File {
        path: PathBuf,
    },
    Folder {
        path: PathBuf,
        #[serde(default)]
        options: FolderOptions,
    },
    Text {
        title: String,
        replaces: Option<DocId>,
    },
    Bytes {
        name: String,
    },
    #[serde(rename = "youtube")]
    YouTube {
        url: YouTubeUrl,
        language: Option<Language>,
        since: Option<Date>,
        until: Option<Date>,
        #[serde(default)]
        job: JobOptions,
    },
}

impl Kept {
    /// What is kept of a source, and the bytes that have to be kept beside it.
    pub(in crate::project) fn of(source: Source) -> Result<(Self, Option<Vec<u8>>), Error> {
        Ok(match source {
            Source::File(path) => (Self::File { path: from_anywhere(path)? }, None),
            Source::Folder { path, options } => (Self::Folder { path: from_anywhere(path)?, options }, None),
            Source::Text { title, text, replaces } => {
                (Self::Text { title, replaces }, Some(text.into_bytes()))
            }
            Source::Bytes { name, bytes } => (Self::Bytes { name }, Some(bytes)),
            Source::YouTube { url, options } => {
                let YouTubeOptions { language, since, until, job, .. } = *options;
                (Self::YouTube { url, language, since, until, job }, None)
            }
        })
    }

    /// The source; `beside` is what was kept beside it.
    pub(in crate::project) fn source(self, beside: Vec<u8>) -> Source {
        match self {
            Self::File { path } => Source::File(path),
            Self::Folder { path, options } => Source::Folder { path, options },
            Self::Text { title, replaces } => {
                let text = String::from_utf8_lossy(&beside).into_owned();
                Source::Text { title, text, replaces }
            }
            Self::Bytes { name } => Source::Bytes { name, bytes: beside },
            Self::YouTube { url, language, since, until, job } => {
                let mut options = YouTubeOptions::default().with_dates(since, until).with_job(job);
                options.language = language;
                Source::youtube(url, options)
            }
        }
    }

    /// True for what is one of those documents and nothing else, as far as can be told without reading it; `beside` gives
    /// what was kept beside it.
    pub(in crate::project) fn is_one_of(&self, docs: &[DocId], beside: &dyn Fn() -> Option<Vec<u8>>) -> bool {
        let is = |doc: Option<DocId>| doc.is_some_and(|doc| docs.contains(&doc));
        match self {
            Self::File { path } => is(of_file_that_was(path)) || is(video_of(path)),
            Self::Bytes { name } => is(of_bytes(name).ok()) || is(video_of(Path::new(name))),
            Self::Text { replaces: Some(doc), .. } => docs.contains(doc),
            Self::Text { title, replaces: None } => {
                beside().is_some_and(|text| is(of_text(title, &String::from_utf8_lossy(&text)).ok()))
            }
            Self::YouTube { url: YouTubeUrl::Video(id), .. } => {
                is(DocId::new(SourceKind::Youtube, id.as_str()).ok())
            }
            Self::Folder { .. } | Self::YouTube { .. } => false,
        }
    }

    pub(in crate::project) fn has_bytes_beside(&self) -> bool {
        matches!(self, Self::Text { .. } | Self::Bytes { .. })
    }

    pub(in crate::project) fn name(&self) -> String {
        self.clone().source(Vec::new()).name()
    }
}

/// The path as it is from any current directory: the next run may have another.
fn from_anywhere(path: PathBuf) -> Result<PathBuf, Error> {
    // The files that keep it are text.
    if path.to_str().is_none() {
        return Err(Error::PathNotText { path });
    }
    Ok(std::path::absolute(&path).unwrap_or(path))
}

/// The document of the video whose captions a file holds, by its name.
fn video_of(path: &Path) -> Option<DocId> {
    let video = CaptionFileName::parse(path.file_name()?.to_str()?).video?;
    DocId::new(SourceKind::Youtube, video.as_str()).ok()
}
