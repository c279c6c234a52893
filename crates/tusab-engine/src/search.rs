//! Finding passages: what is asked, and what comes of it.

mod blend;
mod broad;
pub(crate) mod expand;
mod meaning;
mod recency;
mod select;
mod several;
mod timings;
mod trust;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tusab_chunk::DocId;
use tusab_index::{Filter, Hit, Query, QueryWord, Retriever};
use tusab_rerank::{Embedder, Reranker};

pub use blend::Ranks;
pub use timings::SearchTimings;
pub(crate) use trust::SPELLING;

use crate::models::Models;
use crate::{Clock, Degradation, Error, SystemClock};

/// Next parts of split chapters that are given with the hits.
const NEXT_PARTS: usize = 2;

/// How a project is searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SearchMode {
    /// By words, in about a millisecond: BM25 and literal phrases.
    #[default]
    Narrow,
    /// By words and meaning, with a cross-encoder that reads the candidates.
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
#[allow(clippy::struct_excessive_bools, reason = "four wishes that have nothing to do with each other")]
pub struct Search {
    /// The user's words; any text is allowed, and quotes ask for the phrase between them.
    pub text: String,
    /// How to search; Narrow by default.
    pub mode: SearchMode,
    /// Largest number of passages; 6 by default.
    pub limit: usize,
    /// Which documents are looked at; all by default.
    pub filter: Filter,
    /// Largest number of passages of one document; any by default.
    pub per_document: Option<NonZeroUsize>,
    /// When the search has to end, counted from its begin: what is best until then is given, and marked. None by default.
    pub deadline: Option<Duration>,
    /// Whether meaning may bring candidates into a Broad Search; yes by default.
    pub vectors: bool,
    /// Whether the auxiliary model may put the question in other words for a Broad Search; no by default. It never does
    /// where that model is Ollama's or on this machine.
    pub expand: bool,
    /// Whether passages that words and cross-encoder both find unrelated are left out of a Broad Search; yes by default.
    pub cut: bool,
    /// Passages that say nearly the same as a better one keep their place; by default they come last.
    pub duplicates: bool,
}

impl Search {
    /// A Narrow Search for the 6 best passages.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            mode: SearchMode::Narrow,
            limit: Query::LIMIT,
            filter: Filter::default(),
            per_document: None,
            deadline: None,
            vectors: true,
            expand: false,
            cut: true,
            duplicates: false,
        }
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

    /// Sets which documents are looked at.
    #[must_use]
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Looks at these documents only: those that a person has pinned.
    #[must_use]
    pub fn with_pinned(mut self, documents: impl IntoIterator<Item = DocId>) -> Self {
        self.filter.documents = documents.into_iter().collect();
        self
    }

    /// Sets the largest number of passages of one document.
    #[must_use]
    pub fn with_per_document(mut self, passages: NonZeroUsize) -> Self {
        self.per_document = Some(passages);
        self
    }

    /// Sets when the search has to end.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Leaves meaning out: a Broad Search is then the cross-encoder over what words have found, and says nothing of
    /// vectors that are missing.
    #[must_use]
    pub fn without_vectors(mut self) -> Self {
        self.vectors = false;
        self
    }

    /// Has the auxiliary model put the question in other words; what fits any of them best counts.
    #[must_use]
    pub fn with_expansion(mut self) -> Self {
        self.expand = true;
        self
    }

    /// Keeps also what words and cross-encoder both find unrelated: for who measures, or wants a full list.
    #[must_use]
    pub fn without_cut(mut self) -> Self {
        self.cut = false;
        self
    }

    /// Keeps passages that say nearly the same as a better one in their place.
    #[must_use]
    pub fn with_duplicates(mut self) -> Self {
        self.duplicates = true;
        self
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
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Found {
    /// The passages, best first. Their scores compare within one search only.
    pub hits: Vec<Hit>,
    /// The places that each hit's own is made of, in the order of `hits`; empty where only words were asked.
    pub ranks: Vec<Ranks>,
    /// The next parts of split chapters whose earlier part is among the hits, at most two: where what was found goes on.
    /// They are beyond the limit, and no hits.
    pub next_parts: Vec<Hit>,
    /// Passages that come last because a better one says nearly the same.
    pub near_duplicates: usize,
    /// The query asks for more literal phrases and rare words than are looked up, so some that hold them may be missing.
    pub is_literal_capped: bool,
    /// The words that were searched for, the rarest first, with how rare each is.
    pub words: Vec<QueryWord>,
    /// What no passage's words can score more than; see [`tusab_index::Found::best_score`].
    pub best_score: f32,
    /// How far the cross-encoder knows the language of the question and of what was found, from 0 to 1; 0 where none has
    /// read it.
    pub cross_encoder_trust: f32,
    /// What was missing, so that the result is less than it could be.
    pub degraded: Vec<Degradation>,
    /// Where the time went.
    pub timings: SearchTimings,
}

impl Found {
    /// Puts some hits before the others; both keep their order.
    pub(crate) fn raise(&mut self, is_raised: impl Fn(&Hit) -> bool) {
        // Each hit with its places, where it has some.
        let places = self.ranks.drain(..).map(Some).chain(std::iter::repeat(None));
        let mut paired: Vec<(Hit, Option<Ranks>)> = self.hits.drain(..).zip(places).collect();
        paired.sort_by_key(|(hit, _)| !is_raised(hit));
        for (hit, ranks) in paired {
            self.hits.push(hit);
            self.ranks.extend(ranks);
        }
    }
}

/// Searches whatever finds passages by words, with whatever models there are: what [`Project`](crate::Project) uses, and
/// the way to search an index or a [`Retriever`] of one's own as a project is searched.
///
/// It blocks: call it from a thread that may.
#[derive(Clone)]
#[must_use]
pub struct Searcher {
    retriever: Arc<dyn Retriever>,
    models: Models,
    clock: Arc<dyn Clock>,
    pool: usize,
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher")
            .field("models", &self.models)
            .field("pool", &self.pool)
            .finish_non_exhaustive()
    }
}

impl Searcher {
    /// A searcher without models, and with a candidate pool for up to a thousand passages.
    pub fn new(retriever: Arc<dyn Retriever>) -> Self {
        Self { retriever, models: Models::default(), clock: Arc::new(SystemClock), pool: pool_for(0, 0) }
    }

    /// With a cross-encoder, which Broad Search needs.
    pub fn with_reranker(mut self, reranker: Arc<dyn Reranker>) -> Self {
        self.models.reranker = Some(reranker);
        self
    }

    /// With what embeds questions, so that meaning can bring candidates into a Broad Search.
    pub fn with_embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.models.embedder = Some(embedder);
        self
    }

    /// With a candidate pool of this size; see [`pool_for`].
    pub(crate) fn with_pool(mut self, pool: usize) -> Self {
        self.pool = pool;
        self
    }

    /// With the candidate pool for this number of passages; see [`pool_for`].
    pub fn with_passages(mut self, passages: usize) -> Self {
        self.pool = pool_for(passages, 0);
        self
    }

    /// With a clock, which says what is recent; the system's by default.
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    pub(crate) fn with_models(mut self, models: Models) -> Self {
        self.models = models;
        self
    }

    /// Searches; blocks while the disk is read and the models work.
    ///
    /// # Errors
    /// When the index cannot be read. What only concerns models is in [`Found::degraded`].
    pub fn search(&self, search: &Search) -> Result<Found, Error> {
        self.search_until(search, &[], &|| false)
    }

    /// The same, with the question in other words beside, and a way to stop: what is best until then is given.
    pub(crate) fn search_until(
        &self,
        search: &Search,
        variants: &[String],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Found, Error> {
        let _span = tracing::debug_span!("search", mode = ?search.mode, limit = search.limit).entered();
        let started = Instant::now();
        let mut found = match (search.mode, &self.models.reranker) {
            (SearchMode::Narrow, _) => self.narrow(search)?,
            (SearchMode::Broad, None) => {
                Found { degraded: vec![Degradation::NoReranker], ..self.narrow(search)? }
            }
            (SearchMode::Broad, Some(reranker)) => {
                self.broad(search, variants, &**reranker, (started, stop))?
            }
        };
        found.next_parts = self.next_parts(&found.hits)?;
        found.timings.total = started.elapsed();
        Ok(found)
    }

    fn narrow(&self, search: &Search) -> Result<Found, Error> {
        let started = Instant::now();
        let wanted = search.limit;
        // One document may fill the whole of a small pool.
        let limit = if search.per_document.is_some() { wanted.max(self.pool) } else { wanted };
        let mut query = self.query(search, &search.text).with_limit(limit).with_pool(Query::POOL);
        if search.duplicates {
            query = query.with_duplicates();
        }
        let found = self.retriever.retrieve(&query)?;
        let tusab_index::Found { hits, near_duplicates, is_literal_capped, words, best_score, .. } = found;
        let hits = select::per_document(hits, search.per_document, wanted);
        let timings = SearchTimings { words: started.elapsed(), ..SearchTimings::default() };
        let found = Found { hits, near_duplicates, is_literal_capped, words, best_score, ..Found::default() };
        Ok(Found { timings, ..found })
    }

    /// Where the best hits go on, as far as that is not among the hits.
    fn next_parts(&self, hits: &[Hit]) -> Result<Vec<Hit>, Error> {
        let mut next = Vec::new();
        for hit in hits.iter().filter(|hit| hit.chunk.part().is_some_and(|part| part.number < part.of)) {
            if next.len() == NEXT_PARTS {
                break;
            }
            let Some(following) = self.retriever.following(hit)? else { continue };
            let is_same =
                |other: &Hit| (other.index, other.chunk.id()) == (following.index, following.chunk.id());
            if following.chunk.part().is_some() && !hits.iter().any(is_same) {
                next.push(following);
            }
        }
        Ok(next)
    }

    /// The question as the index is asked it.
    fn query(&self, search: &Search, text: &str) -> Query {
        let query = Query::new(text).with_filter(search.filter.clone());
        match recency::asked(&search.text, &*self.clock) {
            Some(recency) => query.with_recency(recency),
            None => query,
        }
    }
}

/// Number of candidates that BM25 brings into a Broad Search over this many passages: 12, 20 above a thousand, 30 above
/// five thousand; and 8 more for every ten answers that a person has called bad, at most 24.
#[must_use]
pub fn pool_for(passages: usize, disliked: usize) -> usize {
    let pool = match passages {
        0..=1_000 => 12,
        1_001..=5_000 => 20,
        _ => 30,
    };
    pool + (disliked / 10 * 8).min(24)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pool_grows_with_the_base_and_with_dislikes() {
        for (passages, disliked, pool) in
            [(0, 0, 12), (1_000, 9, 12), (1_001, 0, 20), (5_000, 10, 28), (5_001, 29, 46), (9_999, 500, 54)]
        {
            assert_eq!(pool_for(passages, disliked), pool, "{passages} {disliked}");
        }
    }
}
