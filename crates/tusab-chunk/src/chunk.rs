mod draft;
mod excerpt;

use std::borrow::Cow;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::{ByteOffset, ChunkId, DateTimeSpan, DocId, MediaTime, TextSpan, TimeSpan};
pub(crate) use draft::{Draft, number, number_windows};
use excerpt::Excerpt;

/// A passage that can be found and cited.
///
/// The id is made from the document, the ordinal and the original text, which therefore cannot be changed; what
/// is set later (key phrases, section) leaves the id as it is. A clone shares the text; and windows of a text that were
/// cut together share one copy of their stretch of it, of about 64 KB, so one that is kept keeps that much.
///
/// ```
/// use tusab_chunk::{Chunk, DocId, MediaTime, Position, TimeSpan};
/// let doc: DocId = "youtube:dQw4w9WgXcQ".parse()?;
/// let span = TimeSpan::new(MediaTime::ZERO, MediaTime::from_seconds(90))?;
/// let plain = Chunk::new(doc, 0, "juros compostos", Position::Time(span));
/// let enriched = plain.clone().with_key_phrases(vec!["renda fixa".into()]);
/// assert_eq!(plain.id(), enriched.id());
/// assert_eq!(enriched.original_text(), "juros compostos");
/// assert_eq!(enriched.text(), "juros compostos\nrenda fixa");
/// # Ok::<(), tusab_chunk::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "RawChunk", into = "RawChunk")]
pub struct Chunk {
    id: ChunkId,
    raw: RawChunk,
}

/// What is written: the id is derived on reading, so that it can never disagree with the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RawChunk {
    doc: DocId,
    ordinal: u32,
    original_text: Excerpt,
    position: Position,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    section: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    part: Option<Part>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    page: Option<NonZeroU32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    speakers: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    marks: Vec<Mark>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    key_phrases: Vec<String>,
}

/// From byte `at` of a chunk's original text on, what is said is said at `start`; written as `[at, start_ms]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(ByteOffset, MediaTime)", into = "(ByteOffset, MediaTime)")]
pub struct Mark {
    /// Where in the text.
    pub at: ByteOffset,
    /// When in the recording.
    pub start: MediaTime,
}

impl From<(ByteOffset, MediaTime)> for Mark {
    fn from((at, start): (ByteOffset, MediaTime)) -> Self {
        Self { at, start }
    }
}

impl From<Mark> for (ByteOffset, MediaTime) {
    fn from(mark: Mark) -> Self {
        (mark.at, mark.start)
    }
}

/// Where in its source a chunk stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Position {
    /// A part of a running text.
    Text(TextSpan),
    /// A stretch of a recording.
    Time(TimeSpan),
    /// Messages of a stretch of local time.
    Local(DateTimeSpan),
    /// Turns of a conversation that does not say when they took place.
    Turns(TurnSpan),
}

/// Which turns of a conversation a chunk holds, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TurnSpan {
    /// The first of them.
    pub first: u32,
    /// How many turns further the last one is; 0 for a single turn.
    pub further: u32,
}

impl TurnSpan {
    /// The turns from one number to another, both included, whichever comes first.
    #[must_use]
    pub fn between(a: u32, b: u32) -> Self {
        Self { first: a.min(b), further: a.abs_diff(b) }
    }

    /// The last of them.
    #[must_use]
    pub fn last(self) -> u32 {
        self.first.saturating_add(self.further)
    }
}

/// One of several chunks that a long stretch was split into, shown as `2/3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which part, from 1.
    pub number: NonZeroU32,
    /// How many there are.
    pub of: NonZeroU32,
}

impl Chunk {
    /// Chunk number `ordinal` (from 0) of `doc`.
    pub fn new(doc: DocId, ordinal: u32, original_text: impl Into<String>, position: Position) -> Self {
        let original_text = Excerpt::from(original_text.into());
        RawChunk {
            doc,
            ordinal,
            original_text,
            position,
            section: None,
            part: None,
            page: None,
            speakers: Vec::new(),
            marks: Vec::new(),
            key_phrases: Vec::new(),
        }
        .into()
    }

    /// Sets the chapter or heading it stands under.
    #[must_use]
    pub fn with_section(mut self, section: Option<String>) -> Self {
        self.raw.section = section;
        self
    }

    /// Sets which part of a split stretch it is.
    #[must_use]
    pub fn with_part(mut self, part: Option<Part>) -> Self {
        self.raw.part = part;
        self
    }

    /// Sets the page that it starts on, from 1.
    #[must_use]
    pub fn with_page(mut self, page: Option<NonZeroU32>) -> Self {
        self.raw.page = page;
        self
    }

    /// Sets who speaks in it.
    #[must_use]
    pub fn with_speakers(mut self, speakers: Vec<String>) -> Self {
        self.raw.speakers = speakers;
        self
    }

    /// Sets when the places of its text are said, in the order of the text.
    #[must_use]
    pub fn with_marks(mut self, marks: Vec<Mark>) -> Self {
        self.raw.marks = marks;
        self
    }

    /// Sets the phrases that are indexed beside the text and never shown.
    #[must_use]
    pub fn with_key_phrases(mut self, key_phrases: Vec<String>) -> Self {
        self.raw.key_phrases = key_phrases;
        self
    }

    /// Its identity.
    #[must_use]
    pub fn id(&self) -> ChunkId {
        self.id
    }

    /// The document it is of.
    #[must_use]
    pub fn doc(&self) -> &DocId {
        &self.raw.doc
    }

    /// Its number in the document, from 0.
    #[must_use]
    pub fn ordinal(&self) -> u32 {
        self.raw.ordinal
    }

    /// What the source says: what is shown, quoted, embedded and reranked.
    #[must_use]
    pub fn original_text(&self) -> &str {
        self.raw.original_text.as_str()
    }

    /// What BM25 indexes: the original text, then one key phrase a line.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        if self.raw.key_phrases.is_empty() {
            return Cow::Borrowed(self.original_text());
        }
        Cow::Owned(format!("{}\n{}", self.original_text(), self.raw.key_phrases.join("\n")))
    }

    /// Where it stands in its source.
    #[must_use]
    pub fn position(&self) -> Position {
        self.raw.position
    }

    /// The chapter or heading it stands under.
    #[must_use]
    pub fn section(&self) -> Option<&str> {
        self.raw.section.as_deref()
    }

    /// Which part of a split stretch it is.
    #[must_use]
    pub fn part(&self) -> Option<Part> {
        self.raw.part
    }

    /// Who speaks in it, in the order of their first words; empty where that is not known.
    #[must_use]
    pub fn speakers(&self) -> &[String] {
        &self.raw.speakers
    }

    /// The page that it starts on, from 1; none in what has no pages.
    #[must_use]
    pub fn page(&self) -> Option<NonZeroU32> {
        self.raw.page
    }

    /// When the places of its text are said, one mark a cue, in the order of the text; none in what is not timed.
    #[must_use]
    pub fn marks(&self) -> &[Mark] {
        &self.raw.marks
    }

    /// When the text at byte `at` of the original text is said; the chunk's start where no cue says more, `None` in
    /// what is not timed.
    ///
    /// ```
    /// use tusab_chunk::{ByteOffset, DocId, MediaTime, Segment, TimeSpan, TimeWindows};
    /// let doc: DocId = "youtube:dQw4w9WgXcQ".parse()?;
    /// let cue = |n| TimeSpan::between(MediaTime::from_seconds(n), MediaTime::from_seconds(n + 5));
    /// let chunk = &TimeWindows::default().chunks(&doc, &[Segment::new(cue(10), "Bom dia."), Segment::new(cue(42), "Até.")])[0];
    /// let at = chunk.original_text().find("Até").unwrap();
    /// assert_eq!(chunk.time_at(ByteOffset(at)), Some(MediaTime::from_seconds(42)));
    /// # Ok::<(), tusab_chunk::Error>(())
    /// ```
    #[must_use]
    pub fn time_at(&self, at: ByteOffset) -> Option<MediaTime> {
        let Position::Time(span) = self.raw.position else { return None };
        let passed = self.raw.marks.partition_point(|mark| mark.at <= at);
        let mark = passed.checked_sub(1).and_then(|last| self.raw.marks.get(last));
        Some(mark.map_or(span.start(), |mark| mark.start))
    }

    /// The phrases that are indexed beside the text.
    #[must_use]
    pub fn key_phrases(&self) -> &[String] {
        &self.raw.key_phrases
    }
}

impl From<RawChunk> for Chunk {
    fn from(raw: RawChunk) -> Self {
        Self { id: ChunkId::of(&raw.doc, raw.ordinal, raw.original_text.as_str()), raw }
    }
}

impl From<Chunk> for RawChunk {
    fn from(chunk: Chunk) -> Self {
        chunk.raw
    }
}
