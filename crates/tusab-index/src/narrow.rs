//! Narrow Search: the BM25 ranking, and beside it the guarantee that what stands there literally is found.

mod advanced;
mod holders;
pub(crate) mod literal;
pub(crate) mod pool;
#[cfg(test)]
mod tests;
pub(crate) mod words;

use crate::analyze::Morphology;
use crate::bm25::{Place, Rank, Snapshot, Totals};
use crate::exact::Phrases;
use crate::hit::Literal;
use crate::store::{ChunkKey, Reader};
use crate::{Error, Found, Query, title};

#[cfg(feature = "postgres")]
pub(crate) use advanced::Condition;
pub(crate) use advanced::search as search_advanced;

use holders::Holders;
use pool::Pool;
use words::Words;

/// Passages that BM25 looks at beyond the pool: title, accents and exact forms can lift them into it.
const NOMINEES_BEYOND: usize = 8;

/// One of the indexes that are searched together.
#[derive(Debug)]
pub(crate) struct Part<'s> {
    pub(crate) bm25: &'s Snapshot,
    pub(crate) reader: &'s Reader<'s>,
}

/// Searches several indexes as one: their words count together, so that scores compare.
pub(crate) fn search(query: &Query, parts: &[Part<'_>]) -> Result<Found, Error> {
    if query.wanted() == 0 {
        return Ok(Found::default());
    }
    let size = query.size();
    let snapshots: Vec<&Snapshot> = parts.iter().map(|part| part.bm25).collect();
    let mut words = Words::of(&query.text, |terms| frequencies(terms, &snapshots))?;
    let phrases = Phrases::of(&query.text);
    let morphologies = morphologies(&snapshots);
    let terms = words.terms(&morphologies, query.title_weight);
    let rank = Rank::of(terms, &snapshots, Totals::of(snapshots.iter().copied()))?;
    words.sort_by_rarity(&rank);
    let title_words = title::words(&query.text);

    let is_capped = phrases.is_capped || words.is_capped(size);
    let mut pool = Pool::new(query, size, phrases.any_quoted(), is_capped);
    for (number, part) in parts.iter().enumerate() {
        let documents = part.reader.document_keys(&query.filter.documents)?;
        let filter = part.bm25.filter(&query.filter, &documents);
        let filter = filter.as_deref();
        let mut places = part.bm25.nominate(&rank, number, filter, size + NOMINEES_BEYOND, size)?;
        pool.nominated(number, chunks(&places));
        if let Some(title_words) = &title_words
            && part.bm25.titles(title_words)? > 0
        {
            let titled = part.bm25.titled(title_words, filter);
            let titled = part.bm25.nominate(&rank, number, Some(&*titled), size, size)?;
            pool.titled(number, chunks(&titled));
            places.extend(titled);
        }
        let holders = Holders::of(part, number, &rank, &words);
        let literal = literal::find(literal::clauses(&phrases, &words, size), size, |(kind, clause)| {
            if kind != Literal::RareWord
                && query.filter.is_empty()
                && let Some(found) = holders.find(kind, clause, size)?
            {
                return Ok(found);
            }
            part.reader.literal(clause, part.bm25.generation(), &query.filter, size)
        })?;
        places.extend(part.bm25.find(&pool.literal(number, literal))?);
        let weighed = part.bm25.weigh(&rank, number, &places)?;
        pool.weighed(number, weighed.iter().map(|(key, worth)| (key, worth)));
        if let Some(recency) = &query.recency {
            pool.dated(number, &part.bm25.dates(&places), recency);
        }
    }
    let best_score = rank.best_score();
    Ok(Found { words: words.into_query_words(&rank), best_score, ..load(pool, parts)? })
}

/// The hits of a pool.
fn load(pool: Pool<'_>, parts: &[Part<'_>]) -> Result<Found, Error> {
    pool.load(parts.len(), &|number, keys| {
        parts
            .get(number)
            .map_or_else(|| Ok(Vec::new()), |part| part.reader.load(keys, part.bm25.generation()))
    })
}

fn chunks(places: &[Place]) -> impl Iterator<Item = ChunkKey> {
    places.iter().map(|place| place.chunk)
}

/// In how many chunks those terms stand.
fn frequencies(terms: &[String], snapshots: &[&Snapshot]) -> Result<Vec<u64>, Error> {
    let of = |term: &String| snapshots.iter().map(|snapshot| snapshot.frequency(term)).sum();
    terms.iter().map(of).collect()
}

/// How the words of the documents of all parts change their endings.
fn morphologies(snapshots: &[&Snapshot]) -> Vec<Morphology> {
    let mut all: Vec<Morphology> =
        snapshots.iter().flat_map(|snapshot| snapshot.morphologies()).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}
