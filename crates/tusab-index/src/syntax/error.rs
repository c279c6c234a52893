use tusab_chunk::{ByteOffset, CharOffset};

use super::Target;

/// Why a text is no query of the advanced syntax; plain search takes every text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// A quote opens a phrase that nothing closes.
    #[error("the quote at {at} is never closed: add a closing \", or write \\\" for a quote inside a phrase")]
    UnclosedQuote {
        /// The opening quote.
        at: QueryPlace,
    },
    /// Nothing that could be found stands between two quotes.
    #[error("the phrase at {at} has no words: write some between the quotes, or remove them")]
    EmptyPhrase {
        /// The opening quote.
        at: QueryPlace,
    },
    /// A field without anything to look for in it.
    #[error(
        "the field at {at} has no words: write them right after the colon, without a space, as in {name}:word or {name}:\"two words\"",
        name = field.name().unwrap_or_default()
    )]
    EmptyField {
        /// The field.
        field: Target,
        /// Its name.
        at: QueryPlace,
    },
    /// There is no field of this name.
    #[error(
        "there is no field {name:?} (at {at}): the fields are title and tag; to search for the text itself, put it in quotes"
    )]
    UnknownField {
        /// The name as it was written.
        name: String,
        /// Where it stands.
        at: QueryPlace,
    },
    /// A word of other query languages that means nothing here.
    #[error(
        "{operator} at {at} is no operator here: put in quotes what must be found and - before what must not; to search for the word, write it in small letters"
    )]
    Operator {
        /// `AND`, `OR` or `NOT`.
        operator: &'static str,
        /// Where it stands.
        at: QueryPlace,
    },
    /// The query says only what is not to be found.
    #[error("the query only excludes (at {at}): add a word, a phrase or a field to search for")]
    OnlyNegations {
        /// The first negation.
        at: QueryPlace,
    },
    /// More phrases, fields and negations than are looked up.
    #[error("more than {limit} phrases, fields and negations (the next is at {at}): ask in several searches")]
    TooManyConditions {
        /// How many there may be.
        limit: usize,
        /// The first that is too many.
        at: QueryPlace,
    },
}

impl ParseError {
    /// Where in the query the mistake begins: always before its end.
    #[must_use]
    pub fn at(&self) -> QueryPlace {
        match self {
            Self::UnclosedQuote { at }
            | Self::EmptyPhrase { at }
            | Self::EmptyField { at, .. }
            | Self::UnknownField { at, .. }
            | Self::Operator { at, .. }
            | Self::OnlyNegations { at }
            | Self::TooManyConditions { at, .. } => *at,
        }
    }
}

/// A place in a query, to slice it with and to count with; shown as people count, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueryPlace {
    /// Bytes before it.
    pub byte: ByteOffset,
    /// Characters (Unicode scalar values) before it.
    pub char: CharOffset,
}

impl std::fmt::Display for QueryPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "character {}", self.char.0.saturating_add(1))
    }
}
