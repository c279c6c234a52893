//! What the tools are asked, with the bounds that their schemas promise.

use schemars::JsonSchema;
use serde::Deserialize;
use tusab_engine::SearchMode;

use crate::refusal::Refusal;
use crate::schema::plain;

/// Characters of a query at most; as many as the engine takes of a question.
const LONGEST_QUERY: usize = 20_000;

/// Passages of a search at most, and by default.
const MOST_PASSAGES: i64 = 50;
const PASSAGES: i64 = 6;

/// Passages on each side of the one that is read around, at most and by default.
const MOST_AROUND: i64 = 20;
const AROUND: i64 = 2;

/// What to search for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = plain)]
pub(crate) struct SearchArguments {
    /// What to look for: a question or words, in any language. Words in "double quotes" are looked for as a phrase.
    #[schemars(length(min = 1, max = 20_000))]
    query: String,
    /// Which project, by its name. May be left out when there is only one.
    pub(crate) project: Option<String>,
    /// How many passages at most; 6 by default.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    /// How to search; narrow by default.
    mode: Option<Mode>,
}

/// How to search.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// By words; fast.
    Narrow,
    /// By words and meaning, with a cross-encoder that reads the candidates; slower, for questions in other words.
    Broad,
}

/// What to read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = plain)]
pub(crate) struct ReadArguments {
    /// The document's id, as `search_knowledge` gives it, such as `youtube:dQw4w9WgXcQ`.
    document: String,
    /// The project that holds the document, by its name. May be left out when there is only one.
    pub(crate) project: Option<String>,
    /// The id of a passage of that document, as `search_knowledge` gives it: read this one and its neighbours.
    passage: Option<String>,
    /// With `passage`: how many passages on each side; 2 by default.
    #[schemars(range(min = 0, max = 20))]
    around: Option<i64>,
    /// Without `passage`: the number of the passage to begin with, from 0; `next` of the answer before, to read on.
    #[schemars(range(min = 0))]
    from: Option<i64>,
}

/// Which part of a document to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// From the passage with this number on.
    From(usize),
    /// A passage, and as many on each side.
    Around(tusab_engine::chunk::ChunkId, usize),
}

impl SearchArguments {
    pub(crate) fn query(&self) -> Result<&str, Refusal> {
        let characters = self.query.chars().count();
        if self.query.trim().is_empty() {
            return Err(Refusal::new("the query is empty: say what to look for"));
        }
        if characters > LONGEST_QUERY {
            let told =
                format!("the query has {characters} characters, more than the {LONGEST_QUERY} that are");
            return Err(Refusal::new(format!("{told} taken: ask in fewer words")));
        }
        Ok(&self.query)
    }

    pub(crate) fn limit(&self) -> Result<usize, Refusal> {
        within("limit", self.limit.unwrap_or(PASSAGES), 1, MOST_PASSAGES)
    }

    pub(crate) fn mode(&self) -> SearchMode {
        match self.mode {
            Some(Mode::Broad) => SearchMode::Broad,
            Some(Mode::Narrow) | None => SearchMode::Narrow,
        }
    }
}

impl ReadArguments {
    pub(crate) fn document(&self) -> Result<tusab_engine::chunk::DocId, Refusal> {
        self.document.parse().map_err(|error| {
            Refusal::new(format!("{}: take the `document` of a search result", examples::chain(&error)))
        })
    }

    pub(crate) fn part(&self) -> Result<Part, Refusal> {
        let around = within("around", self.around.unwrap_or(AROUND), 0, MOST_AROUND)?;
        match (&self.passage, self.from) {
            (Some(_), Some(_)) => Err(Refusal::new("give `passage` or `from`, not both")),
            (Some(passage), None) => {
                let id = passage.parse().map_err(|error| {
                    let told = examples::chain(&error);
                    Refusal::new(format!("{told}: take the `passage` of a search result"))
                })?;
                Ok(Part::Around(id, around))
            }
            (None, from) => Ok(Part::From(within("from", from.unwrap_or(0), 0, u32::MAX.into())?)),
        }
    }
}

fn within(name: &str, value: i64, least: i64, most: i64) -> Result<usize, Refusal> {
    let told = || Refusal::new(format!("`{name}` is {value}: give a number from {least} to {most}"));
    if (least..=most).contains(&value) { usize::try_from(value).map_err(|_| told()) } else { Err(told()) }
}
