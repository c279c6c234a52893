//! Search by the advanced syntax: what is required and excluded is decided by the literal index, the order by BM25.

use std::collections::HashSet;

use super::pool::Pool;
use super::words::Words;
use super::{NOMINEES_BEYOND, Part, chunks, frequencies, load, morphologies};
use crate::analyze::Analysis;
use crate::bm25::{Rank, Totals};
use crate::store::ChunkKey;
use crate::syntax::{AdvancedQuery, Clause, Occur, Target};
use crate::{Error, Found, Query};

/// Passages with everything required that are put in order; of more, the first written.
const MAX_MATCHING: usize = 10_000;

/// Passages that are looked at, for each that is wanted, when only something is excluded.
const LOOKED_AT: usize = 8;

pub(crate) fn search(advanced: &AdvancedQuery, query: &Query, part: &Part<'_>) -> Result<Found, Error> {
    let clauses = |occur| advanced.clauses().iter().filter(move |clause| clause.occur() == occur);
    let required: Vec<Option<String>> = clauses(Occur::Must).map(condition).collect();
    // What has no words stands nowhere.
    if query.wanted() == 0 || required.iter().any(Option::is_none) {
        return Ok(Found::default());
    }
    let required: Vec<String> = required.into_iter().flatten().collect();
    let excluded: Vec<String> = clauses(Occur::MustNot).filter_map(condition).collect();

    let positive = advanced.clauses().iter().filter(|clause| clause.occur() != Occur::MustNot);
    let text: Vec<&str> = positive.map(|clause| clause.wanted().text()).collect();
    let snapshots = [part.bm25];
    let mut words = Words::of(&text.join(" "), |terms| frequencies(terms, &snapshots))?;
    let morphologies = morphologies(&snapshots);
    let terms = words.terms(&morphologies, query.title_weight);
    let rank = Rank::of(terms, &snapshots, Totals::of(snapshots.into_iter()))?;
    words.sort_by_rarity(&rank);

    let size = query.size();
    let at = part.bm25.generation();
    let excluding = excluded.join(" OR ");
    let mut pool = Pool::new(query, size, false, false);
    let places = if required.is_empty() {
        let documents = part.reader.document_keys(&query.filter.documents)?;
        let filter = part.bm25.filter(&query.filter, &documents);
        let many = size.saturating_mul(LOOKED_AT) + NOMINEES_BEYOND;
        let mut places = part.bm25.nominate(&rank, 0, filter.as_deref(), many, many)?;
        let unwanted: HashSet<ChunkKey> = if excluding.is_empty() {
            HashSet::new()
        } else {
            part.reader.matching(&excluding, at, &query.filter, usize::MAX)?.into_iter().collect()
        };
        places.retain(|place| !unwanted.contains(&place.chunk));
        places
    } else {
        let all = required.join(" AND ");
        let expression = if excluding.is_empty() { all } else { format!("({all}) NOT ({excluding})") };
        part.bm25.find(&part.reader.matching(&expression, at, &query.filter, MAX_MATCHING)?)?
    };
    pool.nominated(0, chunks(&places));
    let weighed = part.bm25.weigh(&rank, 0, &places)?;
    pool.weighed(0, weighed.iter().map(|(key, worth)| (key, worth)));
    if let Some(recency) = &query.recency {
        pool.dated(0, &part.bm25.dates(&places), recency);
    }
    let best_score = rank.best_score();
    let found = load(pool, std::slice::from_ref(part))?;
    Ok(Found { words: words.into_query_words(&rank), best_score, ..found })
}

/// What a clause asks of the literal index.
#[derive(Debug)]
pub(crate) struct Condition {
    /// Words between spaces, one after the other.
    pub(crate) words: String,
    /// Where they have to stand.
    pub(crate) within: Target,
}

impl Condition {
    /// `None` for a clause without words.
    pub(crate) fn of(clause: &Clause) -> Option<Self> {
        let mut literal = Analysis::default();
        literal.read(clause.wanted().text());
        // `C++` as a whole, not every `c`.
        let is_compound =
            !literal.compounds.is_empty() && !clause.wanted().text().contains(char::is_whitespace);
        let words = if is_compound { literal.compounds } else { literal.words };
        // Compounds of titles and tags stand with all others.
        let within = if is_compound { Target::Any } else { clause.target() };
        (!words.is_empty()).then_some(Self { words, within })
    }
}

/// A clause in the language of the literal index; `None` when it has no words.
fn condition(clause: &Clause) -> Option<String> {
    let Condition { words, within } = Condition::of(clause)?;
    let column = match within {
        Target::Any => "",
        Target::Title => "title : ",
        Target::Tag => "tags : ",
    };
    // Words of the analysis hold no quotes.
    Some(format!("({column}\"{words}\")"))
}
