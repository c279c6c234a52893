mod folder;
mod kept;

use std::path::PathBuf;

use tusab_chunk::DocId;
use tusab_ingest::YouTubeUrl;

use super::YouTubeOptions;

pub use folder::FolderOptions;
pub(super) use folder::walk;
pub(super) use kept::Kept;

/// Something that a project can take in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Source {
    /// A file: captions, notes, a page. What it is shows in what it says, not in its name alone.
    ///
    /// Captions named as yt-dlp names them (`Title [VIDEOID].pt.vtt`) become that video, with the title, date and
    /// chapters of the `.info.json` beside them.
    File(PathBuf),
    /// The files of a folder, each a source of its own.
    Folder {
        /// Which folder.
        path: PathBuf,
        /// Which of its files.
        options: FolderOptions,
    },
    /// A text that somebody pasted.
    Text {
        /// What to call it.
        title: String,
        /// What it says.
        text: String,
        /// The pasted text whose place it takes; none for a new one.
        replaces: Option<DocId>,
    },
    /// What an app holds in its memory, such as an upload.
    Bytes {
        /// What to call it, as a file: by its extension too it is known for what it is. The same name again is the same
        /// source.
        name: String,
        /// What would be in the file.
        bytes: Vec<u8>,
    },
    /// A channel, a playlist or a video: see [`Project::youtube`](crate::Project::youtube).
    YouTube {
        /// Which.
        url: YouTubeUrl,
        /// What of it, and how.
        options: Box<YouTubeOptions>,
    },
}

impl Source {
    /// A file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::File(path.into())
    }

    /// The files of a folder and of those in it, by the default options.
    pub fn folder(path: impl Into<PathBuf>) -> Self {
        Self::folder_with(path, FolderOptions::default())
    }

    /// The files of a folder, by those options.
    pub fn folder_with(path: impl Into<PathBuf>, options: FolderOptions) -> Self {
        Self::Folder { path: path.into(), options }
    }

    /// A pasted text.
    pub fn text(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Text { title: title.into(), text: text.into(), replaces: None }
    }

    /// A pasted text that takes the place of another, whose identity it keeps.
    pub fn text_in_place_of(doc: DocId, title: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Text { title: title.into(), text: text.into(), replaces: Some(doc) }
    }

    /// What would be in a file of that name.
    pub fn bytes(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self::Bytes { name: name.into(), bytes: bytes.into() }
    }

    /// A channel, a playlist or a video.
    #[must_use]
    pub fn youtube(url: YouTubeUrl, options: YouTubeOptions) -> Self {
        Self::YouTube { url, options: Box::new(options) }
    }

    /// What a person calls it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::File(path) | Self::Folder { path, .. } => path.display().to_string(),
            Self::Text { title, .. } => title.clone(),
            Self::Bytes { name, .. } => name.clone(),
            Self::YouTube { url, .. } => url.url(),
        }
    }
}
