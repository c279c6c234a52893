use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use tusab_llm::Tokens;

use crate::error::chain;
use crate::models::EmbedderFault;

/// Something optional that was missing or failed, so that a result is less than it could be.
///
/// It is part of the result it concerns, never an error instead of it. Serialised as `{part, reason, remedy}`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Degradation {
    /// Broad Search was asked for and there is no reranker: the order is that of Narrow Search.
    NoReranker,
    /// The reranker is not to be had, or failed: the order is that of Narrow Search.
    RerankerFailed {
        /// Which model.
        model: String,
        /// What is missing or went wrong.
        reason: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// Broad Search was asked for and there is no embedder: only words have brought candidates.
    NoEmbedder,
    /// The embedder is not to be had, or failed: only words have brought candidates.
    EmbedderFailed {
        /// Which model.
        model: String,
        /// What is missing or went wrong.
        reason: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// Key phrases could not be found: the passages are found by their own words alone.
    KeyPhrasesFailed {
        /// What is missing or went wrong.
        reason: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The passages have no vectors that the embedder's compare with: only words have brought candidates.
    NoVectors {
        /// Why.
        reason: String,
    },
    /// The data directory may not be written, and what the last program left undone could not be brought into the index:
    /// what was taken in last may not be found.
    IndexBehind,
    /// The server lacks the extensions: its own full text search nominates passages, so that ranking differs. What holds a
    /// rare word or the whole phrase is found all the same.
    BuiltInSearch,
    /// The search was ended by its deadline, or by who asked: what is given is the best until then.
    OutOfTime {
        /// Candidates that the cross-encoder has read.
        read: usize,
        /// Candidates that there were.
        candidates: usize,
    },
    /// The language model gave no answer: the answer is made of quotes from the sources.
    ModelFailed {
        /// Which model.
        model: String,
        /// What it or its server said.
        reason: String,
    },
    /// The model was not asked: it is not on this machine, and the app is offline.
    Offline {
        /// Which model.
        model: String,
    },
    /// The model was not asked: the question does not fit into what it can hold. The answer is made of quotes.
    PromptTooLong {
        /// Which model.
        model: String,
        /// About how much it would have to hold.
        needed: Tokens,
        /// How much it holds.
        context: Tokens,
    },
    /// The model's answer was cut off before its end: it was as long as it may be, or the provider's filter ended it.
    AnswerCut {
        /// Which model.
        model: String,
    },
    /// The auxiliary model did not help: what it would have done was done by rule.
    HelperFailed {
        /// Which model.
        model: String,
        /// What it or its server said.
        reason: String,
    },
    /// The session's history could not be read: the question was answered without the turns before it.
    HistoryNotRead {
        /// What the disk said.
        reason: String,
    },
    /// The question and its answer could not be kept in the session's history.
    HistoryNotSaved {
        /// What the disk said.
        reason: String,
    },
    /// The summary was written and could not be kept: the next one is asked for anew.
    SummaryNotSaved {
        /// What the disk said.
        reason: String,
    },
}

/// A part of the engine that can be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// The cross-encoder of Broad Search.
    Reranker,
    /// What embeds questions and passages.
    Embedder,
    /// What finds key phrases.
    KeyPhrases,
    /// The vectors of the passages.
    Vectors,
    /// The time that was given.
    Time,
    /// The language model.
    Model,
    /// The language model for auxiliary calls.
    AuxiliaryModel,
    /// The session's history.
    History,
    /// The index of the project.
    Index,
    /// The summary of a document.
    Summary,
}

impl Degradation {
    /// The part that was missing or failed.
    #[must_use]
    pub fn part(&self) -> Part {
        match self {
            Self::NoReranker | Self::RerankerFailed { .. } => Part::Reranker,
            Self::NoEmbedder | Self::EmbedderFailed { .. } => Part::Embedder,
            Self::KeyPhrasesFailed { .. } => Part::KeyPhrases,
            Self::NoVectors { .. } => Part::Vectors,
            Self::OutOfTime { .. } => Part::Time,
            Self::ModelFailed { .. }
            | Self::Offline { .. }
            | Self::PromptTooLong { .. }
            | Self::AnswerCut { .. } => Part::Model,
            Self::HelperFailed { .. } => Part::AuxiliaryModel,
            Self::HistoryNotRead { .. } | Self::HistoryNotSaved { .. } => Part::History,
            Self::IndexBehind | Self::BuiltInSearch => Part::Index,
            Self::SummaryNotSaved { .. } => Part::Summary,
        }
    }

    /// What happened.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::NoReranker => {
                "no cross-encoder is installed; results keep the order of Narrow Search".to_owned()
            }
            Self::RerankerFailed { model, reason, .. } => {
                format!("{model} gave no scores ({reason}); results keep the order of Narrow Search")
            }
            Self::NoEmbedder => "no embedder is installed; candidates are found by words alone".to_owned(),
            Self::EmbedderFailed { model, reason, .. } => {
                format!("{model} gave no vector ({reason}); candidates are found by words alone")
            }
            Self::KeyPhrasesFailed { reason, .. } => format!("no key phrases were found ({reason})"),
            Self::NoVectors { reason } => {
                format!(
                    "the passages have no vectors to compare with ({reason}); candidates are found by words alone"
                )
            }
            Self::OutOfTime { read, candidates } => {
                format!(
                    "the search ended early: {read} of {candidates} candidates were read by the cross-encoder"
                )
            }
            Self::ModelFailed { model, reason } => {
                format!("{model} gave no answer ({reason}); the answer quotes the sources instead")
            }
            Self::Offline { model } => {
                format!("{model} was not asked: it is not on this machine, and the app is offline")
            }
            Self::PromptTooLong { model, needed, context } => format!(
                "{model} was not asked: it holds {context}, and the question with a source would take about {needed}; the \
                 answer quotes the sources instead"
            ),
            Self::AnswerCut { model } => format!("the answer of {model} was cut off before its end"),
            Self::HelperFailed { model, reason } => {
                format!("{model} did not help ({reason}); what it would have done was done by rule")
            }
            Self::HistoryNotRead { reason } => {
                format!("the history could not be read, and the question was answered without it: {reason}")
            }
            Self::HistoryNotSaved { reason } => format!("the history could not be written: {reason}"),
            Self::IndexBehind => {
                "the data directory may not be written, and its index is behind its sources: what was \
                                  taken in last may not be found"
                    .to_owned()
            }
            Self::BuiltInSearch => {
                "the server lacks pg_search: candidates are nominated by PostgreSQL's own full text search, and the \
                 ranking differs"
                    .to_owned()
            }
            Self::SummaryNotSaved { reason } => format!("the summary could not be kept: {reason}"),
        }
    }

    /// What a person can do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NoReranker => "use Narrow Search, or give the engine a reranker",
            Self::RerankerFailed { remedy, .. }
            | Self::EmbedderFailed { remedy, .. }
            | Self::KeyPhrasesFailed { remedy, .. } => remedy,
            Self::NoEmbedder => "give the engine an embedder, or search without vectors",
            Self::NoVectors { .. } => "embed the project's passages with `Project::enrich`",
            Self::OutOfTime { .. } => "allow the search more time, or use Narrow Search",
            Self::ModelFailed { .. } => "start the model's server, or choose another model",
            Self::Offline { .. } => "go online, or choose a model that runs on this machine",
            Self::PromptTooLong { .. } => "ask a shorter question, or choose a model that holds more",
            Self::AnswerCut { .. } => "ask for less at once",
            Self::HelperFailed { .. } => {
                "start the model's server, or choose another model for auxiliary calls"
            }
            Self::HistoryNotRead { .. } => "see what is wrong with the session's file, or delete the session",
            Self::HistoryNotSaved { .. } | Self::SummaryNotSaved { .. } => {
                "check that the disk has room and the data folder may be written"
            }
            Self::BuiltInSearch => {
                "install pg_search and pgvector on the server, and move the projects to a new database"
            }
            Self::IndexBehind => "open the project once where its data directory may be written",
        }
    }
}

impl Degradation {
    pub(crate) fn reranker(model: &str, error: &tusab_rerank::Error) -> Self {
        let (reason, remedy) = told(error);
        Self::RerankerFailed { model: model.to_owned(), reason, remedy }
    }

    pub(crate) fn key_phrases(error: &tusab_rerank::Error) -> Self {
        let (reason, remedy) = told(error);
        Self::KeyPhrasesFailed { reason, remedy }
    }

    pub(crate) fn embedder(model: &str, fault: &EmbedderFault) -> Self {
        let (reason, remedy) = match fault {
            EmbedderFault::Model(error) => told(error),
            EmbedderFault::Vector(error) => (error.to_string(), "use another embedder"),
        };
        Self::EmbedderFailed { model: model.to_owned(), reason, remedy }
    }
}

/// A model's failure, and what to do about it.
fn told(error: &tusab_rerank::Error) -> (String, &'static str) {
    match error.missing() {
        Some(missing) => (missing.to_string(), missing.remedy()),
        None => (chain(error), "look at the reason; the model is tried again by itself"),
    }
}

impl Serialize for Degradation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Degradation", 3)?;
        fields.serialize_field("part", &self.part())?;
        fields.serialize_field("reason", &self.reason())?;
        fields.serialize_field("remedy", self.remedy())?;
        fields.end()
    }
}
