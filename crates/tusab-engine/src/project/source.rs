use std::path::PathBuf;

use tusab_chunk::DocId;

/// Something that a project can take in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// A file: captions, notes, a page. What it is shows in what it says, not in its name alone.
    ///
    /// Captions named as yt-dlp names them (`Title [VIDEOID].pt.vtt`) become that video, with the title, date and
    /// chapters of the `.info.json` beside them.
    File(PathBuf),
    /// A text that somebody pasted.
    Text {
        /// What to call it.
        title: String,
        /// What it says.
        text: String,
        /// The pasted text whose place it takes; none for a new one.
        replaces: Option<DocId>,
    },
}

impl Source {
    /// A file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::File(path.into())
    }

    /// A pasted text.
    pub fn text(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Text { title: title.into(), text: text.into(), replaces: None }
    }

    /// A pasted text that takes the place of another, whose identity it keeps.
    pub fn text_in_place_of(doc: DocId, title: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Text { title: title.into(), text: text.into(), replaces: Some(doc) }
    }

    /// What a person calls it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Text { title, .. } => title.clone(),
        }
    }
}
