use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tusab_chunk::Chunk;

use crate::DocumentRecord;

/// A found passage, with where it is from and why it was found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Hit {
    /// The passage.
    pub chunk: Chunk,
    /// The document it is of.
    pub document: Arc<DocumentRecord>,
    /// Its BM25 score: finite, higher is better, comparable within one search only.
    pub score: f32,
    /// Why it was found.
    pub explain: Explain,
}

impl Hit {
    /// Which parts of the search found it, in a fixed order.
    #[must_use]
    pub fn matched_by(&self) -> Vec<MatchedBy> {
        let bm25 = self.explain.bm25_rank.map(|_| MatchedBy::Bm25);
        let exact = self.explain.literal.map(|_| MatchedBy::Exact);
        bm25.into_iter().chain(exact).collect()
    }
}

/// A part of the search that can find a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum MatchedBy {
    /// The ranking of all words (BM25).
    Bm25,
    /// A literal phrase or rare word (FTS5).
    Exact,
    /// Meaning (vectors).
    Vector,
}

/// How a hit came into the result.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Explain {
    /// Its place in the BM25 ranking, from 1; none when only the literal search found it.
    pub bm25_rank: Option<usize>,
    /// What stands in it literally.
    pub literal: Option<Literal>,
}

/// What of the query stands in a passage word for word, apart from case and accents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Literal {
    /// The whole query.
    WholeQuery,
    /// A phrase that the user quoted.
    QuotedPhrase,
    /// A word that few passages hold.
    RareWord,
}
