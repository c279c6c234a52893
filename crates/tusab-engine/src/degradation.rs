use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// Something optional that was missing or failed, so that a result is less than it could be.
///
/// It is part of the result it concerns, never an error instead of it. Serialised as `{part, reason, remedy}`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Degradation {
    /// Broad Search was asked for and there is no reranker: the order is that of Narrow Search.
    NoReranker,
    /// The language model gave no answer: the answer is made of quotes from the sources.
    ModelFailed {
        /// Which model.
        model: String,
        /// What it or its server said.
        reason: String,
    },
    /// The question and its answer could not be kept in the session's history.
    HistoryNotSaved {
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
    /// The language model.
    Model,
    /// The session's history.
    History,
}

impl Degradation {
    /// The part that was missing or failed.
    #[must_use]
    pub fn part(&self) -> Part {
        match self {
            Self::NoReranker => Part::Reranker,
            Self::ModelFailed { .. } => Part::Model,
            Self::HistoryNotSaved { .. } => Part::History,
        }
    }

    /// What happened.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::NoReranker => {
                "no cross-encoder is installed; results keep the order of Narrow Search".to_owned()
            }
            Self::ModelFailed { model, reason } => {
                format!("{model} gave no answer ({reason}); the answer quotes the sources instead")
            }
            Self::HistoryNotSaved { reason } => format!("the history could not be written: {reason}"),
        }
    }

    /// What a person can do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NoReranker => "use Narrow Search, or give the engine a reranker",
            Self::ModelFailed { .. } => "start the model's server, or choose another model",
            Self::HistoryNotSaved { .. } => "check that the disk has room and the data folder may be written",
        }
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
