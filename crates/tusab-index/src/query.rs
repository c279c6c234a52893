use tusab_chunk::Date;

use crate::Filter;

/// What is searched for: the words as the user typed them, where, and how many passages are wanted.
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
    /// Which documents are looked at; all by default.
    pub filter: Filter,
    /// Whether newer documents rank higher; no by default.
    pub recency: Option<Recency>,
    /// All candidates are wanted, not only the best `limit`: for who puts them in order by other means.
    pub whole_pool: bool,
    /// Passages that say nearly the same as a better one keep their place; by default they come after all others.
    pub keep_duplicates: bool,
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
        Self {
            text: text.into(),
            limit: Self::LIMIT,
            pool: Self::POOL,
            title_weight: Self::TITLE_WEIGHT,
            filter: Filter::default(),
            recency: None,
            whole_pool: false,
            keep_duplicates: false,
        }
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

    /// Sets which documents are looked at.
    #[must_use]
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Makes newer documents rank higher.
    #[must_use]
    pub fn with_recency(mut self, recency: Recency) -> Self {
        self.recency = Some(recency);
        self
    }

    /// Asks for all candidates: the pool that BM25 fills, and up to three times as many that hold the query's phrases and
    /// rare words literally.
    #[must_use]
    pub fn with_whole_pool(mut self) -> Self {
        self.whole_pool = true;
        self
    }

    /// Keeps passages that say nearly the same as a better one in their place.
    #[must_use]
    pub fn with_duplicates(mut self) -> Self {
        self.keep_duplicates = true;
        self
    }
}

impl Query {
    /// Number of passages that BM25 brings into the pool.
    pub(crate) fn size(&self) -> usize {
        if self.whole_pool { self.pool } else { self.pool.max(self.limit) }
    }

    /// Number of hits that are wanted.
    pub(crate) fn wanted(&self) -> usize {
        if self.whole_pool { usize::MAX } else { self.limit }
    }
}

/// How much newer documents rank higher: a score is multiplied by `1 + weight * 2^(-age / half_life)`. Documents without
/// a date are as if very old; those of the future as if of today.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recency {
    /// The day that ages are counted from.
    pub today: Date,
    /// Days after which the addition is half of what it is on the first day; under 1 counts as 1.
    pub half_life_days: f32,
    /// The addition on the first day: with .5, a document of today scores one and a half times as much. Negative and
    /// infinite weights count as 0.
    pub weight: f32,
}

impl Recency {
    /// What a date adds, as a share of the score.
    pub(crate) fn of(&self, date: Date) -> f32 {
        if !(self.weight > 0.0 && self.weight.is_finite()) {
            return 0.0;
        }
        #[allow(clippy::cast_precision_loss, reason = "days since the year 0 are few")]
        let age = (days(self.today) - days(date)).max(0) as f32;
        self.weight * (-age / self.half_life_days.max(1.0)).exp2()
    }
}

/// Days since the beginning of the calendar (Howard Hinnant, chrono-Compatible Low-Level Date Algorithms).
fn days(date: Date) -> i64 {
    let (month, day) = (i64::from(date.month()), i64::from(date.day()));
    let year = i64::from(date.year()) - i64::from(month <= 2);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + day_of_year
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_across_months_and_leap_years() {
        let between = |a: (u16, u8, u8), b: (u16, u8, u8)| {
            days(Date::new(b.0, b.1, b.2).unwrap()) - days(Date::new(a.0, a.1, a.2).unwrap())
        };
        assert_eq!(between((2024, 2, 28), (2024, 3, 1)), 2);
        assert_eq!(between((2023, 2, 28), (2023, 3, 1)), 1);
        assert_eq!(between((2023, 12, 31), (2024, 1, 1)), 1);
        assert_eq!(between((2000, 1, 1), (2026, 1, 1)), 9_497);
    }

    #[test]
    fn recency_halves_with_each_half_life() {
        let on = |month, day| Date::new(2026, month, day).unwrap();
        let recency = Recency { today: on(3, 31), half_life_days: 30.0, weight: 0.5 };
        assert!((recency.of(on(3, 31)) - 0.5).abs() < 1e-6);
        assert!((recency.of(on(3, 1)) - 0.25).abs() < 1e-6);
        assert!((recency.of(on(12, 1)) - 0.5).abs() < 1e-6);
        assert!(Recency { weight: f32::NAN, ..recency }.of(on(3, 1)).abs() < 1e-6);
    }
}
