use serde::{Serialize, Serializer};
use tusab_chunk::{ByteOffset, DocId, MediaTime, SourceKind};
use tusab_index::{DocumentRecord, Hit, MatchedBy};

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
    /// The passage, as the source has it.
    pub text: String,
    /// Which parts of the search found it.
    pub matched_by: Vec<MatchedBy>,
    /// Its score; comparable within one search only.
    pub score: f32,
}

impl Citation {
    /// The citation of a hit whose text speaks of the question from byte `at` on.
    pub(crate) fn of(hit: &Hit, at: ByteOffset) -> Self {
        let start = hit.chunk.time_at(at);
        Self {
            doc: hit.document.id.clone(),
            title: hit.document.title.clone(),
            section: hit.chunk.section().map(str::to_owned),
            link: link(&hit.document, start),
            start,
            page: hit.chunk.page().map(std::num::NonZero::get),
            text: hit.chunk.original_text().to_owned(),
            matched_by: hit.matched_by(),
            score: hit.score,
        }
    }
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
