use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tusab_chunk::DocId;

use crate::{AnswerKind, Citation};

/// The longest question, in characters.
pub(crate) const LONGEST_QUESTION: usize = 20_000;

/// Which turn of its session; counts on, and is not used again while the turn is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TurnId(u64);

impl TurnId {
    pub(crate) const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The bare number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A question and its answer, as a session keeps them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Turn {
    /// Which turn.
    #[serde(default)]
    pub id: TurnId,
    /// When it was asked, in UTC (RFC 3339).
    pub asked_at: String,
    /// What was asked.
    pub question: String,
    /// What was searched for in its place, where it leans on the turns before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<String>,
    /// What was answered, or what there is of it.
    pub answer: String,
    /// Whether that is all.
    #[serde(default)]
    pub state: TurnState,
    /// Who answered; none where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<AnswerKind>,
    /// What the answer rests on; `[1]` is the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<TurnSource>,
    /// What a later version may have written; kept.
    #[serde(flatten)]
    extra: Map<String, Value>,
}

/// Whether an answer is whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TurnState {
    /// It is.
    #[default]
    Complete,
    /// Whoever asked went away: what had been written by then.
    Cancelled,
    /// It is being written, or its program ended before it was.
    Unfinished,
}

/// What an answer rests on, as a session keeps it: where to look, not what stands there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnSource {
    /// The document.
    pub doc: DocId,
    /// What a person calls it.
    pub title: String,
    /// Where to open it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// When in a recording, in whole seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_s: Option<u64>,
    /// Page of a paged document, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

impl Turn {
    /// A question that has no answer yet.
    pub(crate) fn new(asked_at: impl Into<String>, question: impl Into<String>) -> Self {
        Self {
            id: TurnId::default(),
            asked_at: asked_at.into(),
            question: question.into(),
            searched: None,
            answer: String::new(),
            state: TurnState::Unfinished,
            by: None,
            sources: Vec::new(),
            extra: Map::new(),
        }
    }

    /// The turn with that answer.
    pub(crate) fn answered(mut self, answer: impl Into<String>, state: TurnState) -> Self {
        (self.answer, self.state) = (answer.into(), state);
        self
    }

    /// Whether a later question can lean on it, and a model be shown it.
    pub(crate) fn is_context(&self) -> bool {
        !self.answer.trim().is_empty() && self.by != Some(AnswerKind::SmallTalk)
    }

    /// What it was about, as it was searched for.
    pub(crate) fn subject(&self) -> &str {
        self.searched.as_deref().unwrap_or(&self.question)
    }
}

impl From<&Citation> for TurnSource {
    fn from(citation: &Citation) -> Self {
        Self {
            doc: citation.doc.clone(),
            title: citation.title.clone(),
            link: citation.link.clone(),
            start_s: citation.start.map(tusab_chunk::MediaTime::whole_seconds),
            page: citation.page,
        }
    }
}
