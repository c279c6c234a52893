use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tusab_chunk::{Chars, Chunk, Position};

use crate::analyze::{matches, tokens};
use crate::duplicate::Signature;
use crate::store::StoredChunk;
use crate::{DocumentRecord, Snippet};

/// What a search found.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Found {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// The query asks for more literal phrases and rare words than are looked up one by one, or they stand in more
    /// passages than the pool takes: some that hold them may be missing.
    pub is_literal_capped: bool,
    /// Candidates that came after all others because a better one says nearly the same.
    pub near_duplicates: usize,
    /// The words that were searched for, the rarest first, with how rare each is here.
    pub words: Vec<QueryWord>,
    /// What no [`Explain::text_score`] of this query exceeds: that of a passage which consists of all of its words, those
    /// that stand nowhere here included. A score divided by it says how much of the query a passage can answer, whatever
    /// the query's length and the size of the index.
    pub best_score: f32,
}

/// A word of a query, and how rare it is in what was searched.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct QueryWord {
    /// The word, in lower case and without accents.
    pub token: String,
    /// How often the query says it.
    pub count: u16,
    /// Number of passages that hold it or another form of it, those not yet merged away included.
    pub passages: u64,
    /// Inverse document frequency, as Lucene computes it for BM25: above zero, and the higher the rarer.
    pub idf: f32,
}

impl Found {
    /// What somebody else's [`Retriever`](crate::Retriever) found, best first.
    #[must_use]
    pub fn new(hits: Vec<Hit>) -> Self {
        Self { hits, ..Self::default() }
    }
}

/// A found passage, with where it is from and why it was found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Hit {
    /// The passage.
    pub chunk: Chunk,
    /// The document it is of.
    pub document: Arc<DocumentRecord>,
    /// Which of the indexes that were searched together it is from, counted from 0.
    pub index: usize,
    /// Its score: finite, higher is better, comparable within one search only.
    pub score: f32,
    /// Why it was found.
    pub explain: Explain,
    signature: Option<Signature>,
}

impl Hit {
    /// A passage that somebody else's [`Retriever`](crate::Retriever) found; a score that is not finite counts as 0.
    #[must_use]
    pub fn of(chunk: Chunk, document: Arc<DocumentRecord>, score: f32) -> Self {
        let signature = Signature::of(tokens(chunk.original_text()));
        let score = if score.is_finite() { score } else { 0.0 };
        Self { chunk, document, index: 0, score, explain: Explain::default(), signature }
    }

    pub(crate) fn new(index: usize, stored: StoredChunk, score: f32, explain: Explain) -> Self {
        let StoredChunk { chunk, document, signature } = stored;
        Self { chunk, document, index, score, explain, signature }
    }

    /// True when it says nearly the same as another: a text taken in twice, or windows that overlap by more than half.
    #[must_use]
    pub fn repeats(&self, other: &Self) -> bool {
        let alike = |a: &Signature, b: &Signature| a.is_near_duplicate(b);
        let is_alike =
            self.signature.as_ref().zip(other.signature.as_ref()).is_some_and(|(a, b)| alike(a, b));
        is_alike
            || (self.chunk.doc() == other.chunk.doc()
                && overlaps(self.chunk.position(), other.chunk.position()))
    }

    /// The part of the passage that answers a query best, with the words that do; see [`Snippet::LENGTH`].
    #[must_use]
    pub fn snippet(&self, query: &str, length: Chars) -> Snippet {
        let text = self.chunk.original_text();
        Snippet::new(text, matches(query, text, self.document.language.as_ref()), length)
    }

    /// Which parts of the search found it, in a fixed order.
    #[must_use]
    pub fn matched_by(&self) -> Vec<MatchedBy> {
        let bm25 = self.explain.bm25_rank.map(|_| MatchedBy::Bm25);
        let exact = self.explain.literal.map(|_| MatchedBy::Exact);
        let vector = self.explain.vector_rank.map(|_| MatchedBy::Vector);
        bm25.into_iter().chain(exact).chain(vector).collect()
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

/// How a hit came into the result, and what its score is made of.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Explain {
    /// Its place in the BM25 ranking, from 1; none when only the literal search found it.
    pub bm25_rank: Option<usize>,
    /// What stands in it literally.
    pub literal: Option<Literal>,
    /// It holds a phrase that the user put in quotes.
    pub is_quoted: bool,
    /// The query is the title of its document.
    pub is_title: bool,
    /// Its place in the ranking by meaning, from 1; none where that was not asked or did not find it.
    pub vector_rank: Option<usize>,
    /// How near its meaning is, from -1 to 1, where that was asked.
    pub cosine: Option<f32>,
    /// BM25 of the words in the passage, its section and its title.
    pub text_score: f32,
    /// BM25 of the words in the title alone, weighted.
    pub title_score: f32,
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
    /// Words and symbols that are written as one, such as `C++` or `14.688/2023`.
    Compound,
    /// A word that few passages hold.
    RareWord,
}

/// True when two passages of a document share more than half of the shorter one.
fn overlaps(one: Position, other: Position) -> bool {
    let span = |position: Position| match position {
        Position::Text(span) => Some((0, span.byte_start().0 as u64, span.byte_end().0 as u64)),
        Position::Time(span) => Some((1, span.start().as_millis(), span.end().as_millis())),
        Position::Turns(span) => Some((2, u64::from(span.first), u64::from(span.last()) + 1)),
        _ => None,
    };
    let Some(((kind, from, to), (other_kind, other_from, other_to))) = span(one).zip(span(other)) else {
        return false;
    };
    let shared = to.min(other_to).saturating_sub(from.max(other_from));
    kind == other_kind && shared * 2 > (to - from).min(other_to - other_from)
}
