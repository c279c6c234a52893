//! The advanced query syntax: a call of its own, beside the plain search that takes any text.

mod error;
mod parse;
#[cfg(test)]
mod tests;

use std::fmt::{self, Write};
use std::str::FromStr;

pub use error::{ParseError, QueryPlace};

/// A query in the advanced syntax, for people who want to say exactly what must and must not be found.
///
/// | written | means |
/// |---|---|
/// | `juros` | a plain word: passages that hold it rank higher, none is left out for lacking it |
/// | `"taxa de juros"` | the phrase, or single word, must stand in the passage |
/// | `title:juros`, `title:"taxa de juros"` | it must stand in the title of the document |
/// | `tag:economia`, `tag:"política monetária"` | the document must have it among its tags |
/// | `-câmbio`, `-"taxa de câmbio"`, `-title:ata`, `-tag:rascunho` | nothing that has it is found |
///
/// So phrases and fields are required, and plain words are wished for. Case and accents count here as little as
/// anywhere. Inside quotes `\"` is a quote and `\\` a backslash; `“` and `”` are quotes too. A quote begins or ends
/// a phrase wherever it stands; `-` and a field count at the start of a word alone, so that `self-rag` is text, and
/// so are `--flag`, a URL and a time. Letters with a colon and a word behind them are taken for a field and refused
/// when there is none of that name. What has neither letters nor digits is passed over.
///
/// There are no other operators: `AND`, `OR` and `NOT` in capitals are refused rather than searched for, since a
/// result that silently ignores `NOT` would be wrong; brackets, `*` and `+` are punctuation like any other.
///
/// ```
/// use tusab_index::{AdvancedQuery, Occur, Target};
/// let query: AdvancedQuery = "juros \"banco central\" title:ata -câmbio".parse()?;
/// let occurs: Vec<Occur> = query.clauses().iter().map(|clause| clause.occur()).collect();
/// assert_eq!(occurs, [Occur::Should, Occur::Must, Occur::Must, Occur::MustNot]);
/// assert_eq!(query.clauses()[2].target(), Target::Title);
///
/// let error = "juros \"banco central".parse::<AdvancedQuery>().unwrap_err();
/// assert_eq!(error.at().byte.0, 6);
/// # Ok::<(), tusab_index::ParseError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct AdvancedQuery {
    clauses: Vec<Clause>,
}

impl AdvancedQuery {
    /// Largest number of conditions (phrases, fields and negations) in a query; plain words are not counted.
    pub const MAX_CONDITIONS: usize = 64;

    /// Reads `query`. A text without words is a query without clauses, which finds nothing. Time is linear.
    ///
    /// # Errors
    /// [`ParseError`] says what cannot be read, where, and what to write instead.
    pub fn parse(query: &str) -> Result<Self, ParseError> {
        parse::clauses(query).map(|clauses| Self { clauses })
    }

    /// What is asked, in the order in which it was written. Not all of it is [`Occur::MustNot`].
    #[must_use]
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// True when nothing is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }
}

impl FromStr for AdvancedQuery {
    type Err = ParseError;

    fn from_str(query: &str) -> Result<Self, ParseError> {
        Self::parse(query)
    }
}

/// One thing that is asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Clause {
    is_negated: bool,
    target: Target,
    wanted: Wanted,
}

impl Clause {
    /// Whether it is wished for, required or excluded.
    #[must_use]
    pub fn occur(&self) -> Occur {
        match (self.is_negated, self.target, &self.wanted) {
            (true, ..) => Occur::MustNot,
            (false, Target::Any, Wanted::Word(_)) => Occur::Should,
            (false, ..) => Occur::Must,
        }
    }

    /// Where it is looked for.
    #[must_use]
    pub fn target(&self) -> Target {
        self.target
    }

    /// What is looked for.
    #[must_use]
    pub fn wanted(&self) -> &Wanted {
        &self.wanted
    }
}

/// How a clause decides what is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Occur {
    /// Ranks higher what has it.
    Should,
    /// Only what has it is found.
    Must,
    /// Nothing that has it is found.
    MustNot,
}

/// Where a clause is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Target {
    /// In all that is searched: the passage with its title.
    Any,
    /// In the title of the document.
    Title,
    /// Among the tags of the document.
    Tag,
}

impl Target {
    /// The fields by the names that they have in the syntax.
    const FIELDS: [(&'static str, Self); 2] = [("title", Self::Title), ("tag", Self::Tag)];

    fn name(self) -> Option<&'static str> {
        Self::FIELDS.iter().find(|(_, target)| *target == self).map(|(name, _)| *name)
    }
}

/// What a clause looks for, as it was written: it is still to be analysed, and has a letter or digit at least.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// Text without white space, which the analysis may find to be several words.
    Word(String),
    /// Words one after the other.
    Phrase(String),
}

impl Wanted {
    /// The text that is looked for.
    #[must_use]
    pub fn text(&self) -> &str {
        let (Self::Word(text) | Self::Phrase(text)) = self;
        text
    }
}

/// In the syntax itself: what is shown reads as the same query.
impl fmt::Display for AdvancedQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, clause) in self.clauses.iter().enumerate() {
            if number > 0 {
                f.write_char(' ')?;
            }
            clause.fmt(f)?;
        }
        Ok(())
    }
}

/// In the syntax itself.
impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_negated {
            f.write_char('-')?;
        }
        if let Some(name) = self.target.name() {
            write!(f, "{name}:")?;
        }
        match &self.wanted {
            Wanted::Word(word) => f.write_str(word),
            Wanted::Phrase(phrase) => {
                f.write_char('"')?;
                for c in phrase.chars() {
                    if parse::is_escaped(c) {
                        f.write_char('\\')?;
                    }
                    f.write_char(c)?;
                }
                f.write_char('"')
            }
        }
    }
}
