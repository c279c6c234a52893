/// What is searched for: the words as the user typed them, and how many passages are wanted.
///
/// The text is never a query language: quotes ask for the phrase between them, and every other character is just
/// text, so no input can make a search fail.
///
/// ```
/// use tusab_index::Query;
/// let query = Query::new("o que é \"self-rag\"?").with_limit(10);
/// assert_eq!(query.limit, 10);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Query {
    /// The user's words.
    pub text: String,
    /// Largest number of hits; 6 by default. Zero asks for none.
    pub limit: usize,
    /// Number of candidates that are gathered before the best are taken; 12 by default, never under `limit`.
    pub pool: usize,
    /// Weight of a title word beside the same word in the passage; see [`Query::TITLE_WEIGHT`].
    pub title_weight: f32,
}

impl Query {
    /// Hits by default.
    pub const LIMIT: usize = 6;
    /// Candidates by default.
    pub const POOL: usize = 12;
    /// Weight of the title field by default. The title is also part of the searched text; this light addition
    /// measured best on judged collections, where a heavy one (5.0) ruins the ranking.
    pub const TITLE_WEIGHT: f32 = 0.3;

    /// A query with the defaults above.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), limit: Self::LIMIT, pool: Self::POOL, title_weight: Self::TITLE_WEIGHT }
    }

    /// Sets the largest number of hits.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Sets the number of candidates.
    #[must_use]
    pub fn with_pool(mut self, pool: usize) -> Self {
        self.pool = pool;
        self
    }

    /// Sets the weight of title words; takes effect at once, without indexing anything again.
    #[must_use]
    pub fn with_title_weight(mut self, weight: f32) -> Self {
        self.title_weight = weight;
        self
    }
}
