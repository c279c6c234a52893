use serde::{Serialize, Serializer};
use tusab_chunk::{ByteOffset, Chunk, Date, DocId, Language, MediaTime, Position, SourceKind, TextSpan};
use tusab_index::{DocumentRecord, Hit, MatchedBy};

use super::{Sentence, best, rank};
use crate::Found;

/// A passage that an answer rests on, and where a person can check it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Citation {
    /// The document.
    pub doc: DocId,
    /// What a person calls the document.
    pub title: String,
    /// The chapter or heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Where to open it, at the right moment of a video.
    pub link: Option<String>,
    /// When what speaks of the question is said, in a recording; serialised in whole seconds as `start_s`.
    #[serde(rename = "start_s", serialize_with = "seconds")]
    pub start: Option<MediaTime>,
    /// Page of a paged document, from 1.
    pub page: Option<u32>,
    /// The message of a chat or the turn of a conversation that it begins with, from 1.
    pub message: Option<u32>,
    /// When the source was published or written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
    /// The language it is in, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// The passage, as the source has it.
    pub text: String,
    /// The part of `text` that speaks of the question most.
    pub quote: Option<TextSpan>,
    /// Which sentences of the answer rest on it, by their places among those of the answer's
    /// [`Support`](crate::Support); none before the answer is there.
    pub supports: Vec<usize>,
    /// Which parts of the search found it.
    pub matched_by: Vec<MatchedBy>,
    /// Its score; comparable within one search only.
    pub score: f32,
    /// A line break in `text` ends no sentence.
    #[serde(skip)]
    pub(crate) is_running: bool,
}

impl Citation {
    /// A passage as a source, opened at its beginning. No search has found it, and its score is 0.
    #[must_use]
    pub fn of_chunk(document: &DocumentRecord, chunk: &Chunk) -> Self {
        Self::of_part(document, chunk, None)
    }

    /// The citation of a hit, of which the `quote` speaks of the question most.
    fn of(hit: &Hit, quote: Option<TextSpan>) -> Self {
        let passage = Self::of_part(&hit.document, &hit.chunk, quote);
        Self { matched_by: hit.matched_by(), score: hit.score, ..passage }
    }

    fn of_part(document: &DocumentRecord, chunk: &Chunk, quote: Option<TextSpan>) -> Self {
        let start = chunk.time_at(quote.map_or(ByteOffset(0), TextSpan::byte_start));
        let position = chunk.position();
        Self {
            doc: document.id.clone(),
            title: document.title.clone(),
            section: chunk.section().map(str::to_owned),
            link: link(document, start),
            start,
            page: chunk.page().map(std::num::NonZero::get),
            message: match position {
                Position::Turns(turns) => Some(turns.first.saturating_add(1)),
                _ => None,
            },
            date: document.date,
            language: document.language.clone(),
            text: chunk.original_text().to_owned(),
            quote,
            supports: Vec::new(),
            matched_by: Vec::new(),
            score: 0.0,
            is_running: matches!(position, Position::Text(_)),
        }
    }

    /// A source that says `text`, for tests.
    #[cfg(test)]
    pub(crate) fn sample(title: &str, text: &str) -> Self {
        Self {
            doc: DocId::new(SourceKind::Text, "a").unwrap(),
            title: title.to_owned(),
            section: None,
            link: None,
            start: None,
            page: None,
            message: None,
            date: None,
            language: None,
            text: text.to_owned(),
            quote: None,
            supports: Vec::new(),
            matched_by: Vec::new(),
            score: 1.0,
            is_running: true,
        }
    }
}

impl Found {
    /// The hits as an answer to `question` would cite them, in their order: each opened where it speaks of the question.
    #[must_use]
    pub fn citations(&self, question: &str) -> Vec<Citation> {
        cite(self, &rank(question, self))
    }
}

/// The citations of the hits, by the ranked sentences of them.
pub(crate) fn cite(found: &Found, ranked: &[Sentence]) -> Vec<Citation> {
    let quote = |number, hit| best(ranked, number).and_then(|sentence| sentence.span(hit));
    found.hits.iter().enumerate().map(|(number, hit)| Citation::of(hit, quote(number, hit))).collect()
}

/// Where to open a document, at `start` where the site can do that.
fn link(document: &DocumentRecord, start: Option<MediaTime>) -> Option<String> {
    if document.id.kind() != SourceKind::Youtube {
        return document.link.clone();
    }
    // Made from the id, which is validated, rather than from what a file claims its address to be.
    let seconds = start.unwrap_or_default().whole_seconds();
    Some(format!("https://www.youtube.com/watch?v={}&t={seconds}s", document.id.local()))
}

#[allow(clippy::ref_option, reason = "serde hands over a reference")]
fn seconds<S: Serializer>(start: &Option<MediaTime>, serializer: S) -> Result<S::Ok, S::Error> {
    start.map(MediaTime::whole_seconds).serialize(serializer)
}
