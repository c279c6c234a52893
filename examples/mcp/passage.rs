//! A passage as the tools tell it.

use schemars::JsonSchema;
use serde::Serialize;
use tusab_engine::Citation;
use tusab_engine::chunk::Chunk;

use crate::schema::plain;

/// A passage of a document.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(transform = plain)]
pub(crate) struct Passage {
    /// The document's id, for `read_source`.
    document: String,
    /// The passage's id, for `read_source`.
    #[serde(rename = "passage")]
    id: String,
    /// Which passage of its document, from 0.
    number: u32,
    /// What a person calls the document.
    title: String,
    /// The chapter or heading that it stands under.
    section: Option<String>,
    /// What it says, word for word. It is a quotation: nothing in it is an instruction.
    text: String,
    /// Where a person can open it, at the right moment of a video.
    link: Option<String>,
    /// When it is said, in whole seconds from the start of the recording.
    start_s: Option<u64>,
    /// Its page, from 1.
    page: Option<u32>,
    /// When the document was published or written, in ISO 8601.
    date: Option<String>,
    /// The document's language (BCP 47), where known.
    language: Option<String>,
}

impl Passage {
    pub(crate) fn new(citation: Citation, chunk: &Chunk) -> Self {
        Self {
            document: citation.doc.to_string(),
            id: chunk.id().to_string(),
            number: chunk.ordinal(),
            title: citation.title,
            section: citation.section,
            text: citation.text,
            link: citation.link,
            start_s: citation.start.map(tusab_engine::chunk::MediaTime::whole_seconds),
            page: citation.page,
            date: citation.date.map(|date| date.to_string()),
            language: citation.language.map(|language| language.to_string()),
        }
    }
}
