use std::time::Duration;

use serde::{Deserialize, Serialize};
use tusab_index::{Hit, Query, Retriever};

use crate::{Degradation, Error};

/// How a project is searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SearchMode {
    /// By words, in about a millisecond: BM25 and literal phrases.
    #[default]
    Narrow,
    /// By words and meaning, with a cross-encoder that puts the candidates into their final order.
    Broad,
}

/// What is searched for, and how.
///
/// ```
/// use tusab_engine::{Search, SearchMode};
/// let search = Search::new("juros compostos").with_mode(SearchMode::Broad).with_limit(10);
/// assert_eq!(search, Search::from("juros compostos").with_mode(SearchMode::Broad).with_limit(10));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Search {
    /// The user's words; any text is allowed, and quotes ask for the phrase between them.
    pub text: String,
    /// How to search; Narrow by default.
    pub mode: SearchMode,
    /// Largest number of passages; 6 by default.
    pub limit: usize,
}

impl Search {
    /// A Narrow Search for the 6 best passages.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), mode: SearchMode::Narrow, limit: Query::LIMIT }
    }

    /// Sets how to search.
    #[must_use]
    pub fn with_mode(mut self, mode: SearchMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the largest number of passages.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Searches; blocks while the disk is read.
    pub(crate) fn run(&self, retriever: &dyn Retriever) -> Result<Found, Error> {
        let started = std::time::Instant::now();
        let hits = retriever.retrieve(&Query::new(self.text.as_str()).with_limit(self.limit))?.hits;
        let degraded = match self.mode {
            SearchMode::Narrow => Vec::new(),
            SearchMode::Broad => vec![Degradation::NoReranker],
        };
        Ok(Found { hits, degraded, took: started.elapsed() })
    }
}

impl From<&str> for Search {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Search {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// What a search found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Found {
    /// The passages, best first.
    pub hits: Vec<Hit>,
    /// What was missing, so that the result is less than it could be.
    pub degraded: Vec<Degradation>,
    /// How long it took.
    pub took: Duration,
}
