//! Answers, and what they rest on.

mod citation;
mod claim;
mod confidence;
mod evidence;
mod expected;
mod extractive;
mod language;
mod left_out;
mod light;
mod mark;
mod name;
mod number;
mod passage;
mod prompt;
mod reading;
mod support;
mod voice;

use std::time::Duration;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use tusab_llm::Usage;

pub use citation::Citation;
pub(crate) use citation::cite;
pub use confidence::{Assessment, Confidence};
pub use evidence::Evidence;
pub(crate) use extractive::extract;
pub use language::AnswerLanguage;
pub use left_out::LeftOut;
pub use mark::SourceNumber;
pub(crate) use passage::{Sentence, best, rank};
pub(crate) use prompt::{
    Ask, Budget, Material, Prompt, Summarised, TooLong, around, build, escaped, escaped_line,
};
pub use prompt::{CustomPersona, Persona};
pub use reading::Reading;
pub(crate) use support::checked;
pub use support::{Flag, Quote, SentenceSupport, Support, Verdict};
pub(crate) use voice::Voice;

use crate::{Degradation, TurnId};

/// An answer with the passages it rests on.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// The answer for the person who asked; `[1]` is the first of `sources`.
    pub text: String,
    /// Who wrote it.
    #[serde(flatten)]
    pub kind: AnswerKind,
    /// The passages it rests on, best first; none when nothing in the project supports the question.
    pub sources: Vec<Citation>,
    /// Why there is no context; `None` when there is. Serialised as `no_context` and `sem_contexto` (true or false) and
    /// `no_context_reason`, all three always there.
    #[serde(flatten, serialize_with = "no_context")]
    pub no_context: Option<NoContext>,
    /// How likely the sources hold the answer; `None` for what was answered without a search.
    pub confidence: Option<Confidence>,
    /// What of the text stands in the sources, sentence by sentence.
    pub support: Support,
    /// What was searched for in place of the question, where that leans on the turns before it.
    pub searched: Option<String>,
    /// What the model was not shown; nothing where none was asked.
    pub left_out: LeftOut,
    /// The turn of the session that holds question and answer, by which it can be rated; `None` when it could not be kept.
    pub turn: Option<TurnId>,
    /// What was missing, so that the answer is less than it could be.
    pub degraded: Vec<Degradation>,
    /// What the model read and wrote, where one was asked and said so.
    #[serde(skip)]
    pub usage: Option<Usage>,
    /// How long searching took, and how long answering.
    #[serde(skip)]
    pub timings: Timings,
}

/// Who wrote an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnswerKind {
    /// The engine, by quoting the sources word for word; no language model took part.
    Extractive,
    /// A language model, from the sources.
    Generated {
        /// Which model.
        model: String,
    },
    /// The engine, to a greeting or other small talk; nothing was searched.
    SmallTalk,
    /// The engine, from what it knows of the project itself: how much is in it, what is newest; nothing was searched.
    AboutBase,
    /// The engine, which calculated with the numbers of the question; nothing was searched.
    Arithmetic,
}

/// Why nothing in a project supports a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoContext {
    /// The project holds no passage yet: the app can offer to index.
    NothingIndexed,
    /// No passage holds any of the question's words.
    NoMatch,
    /// What was found is too far from the question to answer from.
    LowConfidence,
}

/// Where an answer's time went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timings {
    /// Finding out what is asked, before the search.
    pub route: Duration,
    /// Searching.
    pub search: Duration,
    /// Writing the answer, from the end of the search on.
    pub answer: Duration,
}

/// Says under each of its names whether there is context.
#[allow(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn no_context<S: Serializer>(reason: &Option<NoContext>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut fields = serializer.serialize_struct("NoContext", 3)?;
    fields.serialize_field("no_context", &reason.is_some())?;
    fields.serialize_field("sem_contexto", &reason.is_some())?;
    fields.serialize_field("no_context_reason", reason)?;
    fields.end()
}
