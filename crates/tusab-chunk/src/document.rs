use serde::{Deserialize, Serialize};

use crate::{Date, DocId, Language, MediaTime, TimeSpan, Turn};

/// One source, read and parsed: what it is called, where it can be opened, and what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Document {
    /// Identity of the source.
    pub id: DocId,
    /// What a person calls it.
    pub title: String,
    /// What it says.
    pub body: Body,
    /// The language it is in, where known.
    pub language: Option<Language>,
    /// When it was published or written, where known.
    pub date: Option<Date>,
    /// Where a person can open it.
    pub link: Option<String>,
    /// The author's own tags.
    pub tags: Vec<String>,
}

impl Document {
    /// A document with nothing known but its title and body; see the `with_` methods.
    pub fn new(id: DocId, title: impl Into<String>, body: Body) -> Self {
        let title = title.into();
        Self { id, title, body, language: None, date: None, link: None, tags: Vec::new() }
    }

    /// Sets the language.
    #[must_use]
    pub fn with_language(mut self, language: Option<Language>) -> Self {
        self.language = language;
        self
    }

    /// Sets the date.
    #[must_use]
    pub fn with_date(mut self, date: Option<Date>) -> Self {
        self.date = date;
        self
    }

    /// Sets the link.
    #[must_use]
    pub fn with_link(mut self, link: Option<String>) -> Self {
        self.link = link;
        self
    }

    /// Sets the tags.
    #[must_use]
    pub fn with_tags(mut self, tags: Vec<String>) -> Self {
        self.tags = tags;
        self
    }
}

/// What a document says, in the shape its chunks are cut from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Body {
    /// Running text: a note, an article, a page.
    Text(String),
    /// Speech with times, and the chapters its author marked.
    Speech {
        /// What is said, in the order of its times.
        segments: Vec<Segment>,
        /// The author's chapters; may be empty.
        chapters: Vec<Chapter>,
    },
    /// A conversation: the messages of a chat, the turns of a meeting; in their order.
    Turns(Vec<Turn>),
    /// Text in Markdown: its windows keep blocks of code and rows of tables whole and know their headings.
    ///
    /// A kind of body rather than an option of the windows, because it is the source that is Markdown or not: in a
    /// plain note, a line that starts with `#` is no heading.
    Markdown(String),
}

/// A stretch of speech: a caption cue without its repetitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// When it is said.
    pub span: TimeSpan,
    /// What is said.
    pub text: String,
}

impl Segment {
    /// A stretch of speech.
    pub fn new(span: TimeSpan, text: impl Into<String>) -> Self {
        Self { span, text: text.into() }
    }
}

/// A chapter that a video's author marked; it lasts until the next one starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chapter {
    /// When it starts.
    pub start: MediaTime,
    /// What it is called.
    pub title: String,
}

impl Chapter {
    /// A chapter.
    pub fn new(start: MediaTime, title: impl Into<String>) -> Self {
        Self { start, title: title.into() }
    }
}
