use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tusab_chunk::{Date, DocId, Language};
use tusab_ingest::{JobOptions, YouTubeUrl};

use super::{FolderOptions, Source};
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
