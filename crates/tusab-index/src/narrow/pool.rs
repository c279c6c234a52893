use std::cmp::Ordering;
use std::collections::BTreeMap;

use tusab_chunk::Date;

use super::literal::LiteralChunks;
use crate::bm25::Worth;
use crate::hit::{Explain, Found, Hit, Literal};
use crate::store::{ChunkKey, StoredChunk};
use crate::{Error, Query, Recency};

/// The candidates, of which the best become hits.
#[derive(Debug)]
pub(crate) struct Pool<'q> {
    query: &'q Query,
    size: usize,
    /// By index and chunk. Few: looking one up takes less time than hashing it.
    candidates: BTreeMap<(usize, ChunkKey), Candidate>,
    any_quoted: bool,
    is_capped: bool,
}

/// Gives the chunks of the index of that number, those that are still there.
pub(crate) type Load<'l> = dyn Fn(usize, &[ChunkKey]) -> Result<Vec<(ChunkKey, StoredChunk)>, Error> + 'l;

/// A passage that may become a hit.
#[derive(Debug, Clone, Copy, Default)]
struct Candidate {
    explain: Explain,
    /// BM25 nominated it.
    is_nominated: bool,
    /// What its recency multiplies its score by, less one.
    freshness: f32,
}

impl Candidate {
    fn score(&self) -> f32 {
        (self.explain.text_score + self.explain.title_score) * (1.0 + self.freshness)
    }

    /// Sorts candidates, the better ones first: those with what the user quoted, which is what quotes ask for; those
    /// whose title the query is; then by score.
    fn order(&self, other: &Self) -> Ordering {
        (other.explain.is_quoted.cmp(&self.explain.is_quoted))
            .then_with(|| other.explain.is_title.cmp(&self.explain.is_title))
            .then_with(|| other.score().total_cmp(&self.score()))
    }
}

impl<'q> Pool<'q> {
    /// An empty pool for what BM25 finds of `size` passages. `any_quoted` says that the query quotes something,
    /// `is_capped` that not all of it is looked up literally.
    pub(crate) fn new(query: &'q Query, size: usize, any_quoted: bool, is_capped: bool) -> Self {
        Self { query, size, candidates: BTreeMap::new(), any_quoted, is_capped }
    }

    pub(crate) fn nominated(&mut self, part: usize, chunks: impl IntoIterator<Item = ChunkKey>) {
        for chunk in chunks {
            self.candidates.entry((part, chunk)).or_default().is_nominated = true;
        }
    }

    pub(crate) fn titled(&mut self, part: usize, chunks: impl IntoIterator<Item = ChunkKey>) {
        for chunk in chunks {
            self.candidates.entry((part, chunk)).or_default().explain.is_title = true;
        }
    }

    /// Takes in what was found literally; those that BM25 did not nominate.
    pub(crate) fn literal(&mut self, part: usize, literal: LiteralChunks) -> Vec<ChunkKey> {
        self.is_capped |= literal.is_capped;
        let mut unknown = Vec::new();
        for (key, kind) in literal.found {
            // A chunk that BM25 does not know (it is behind, or damaged) is still found, without a score.
            let candidate = self.candidates.entry((part, key)).or_default();
            candidate.explain.literal = Some(kind);
            if !candidate.is_nominated && !candidate.explain.is_title {
                unknown.push(key);
            }
        }
        unknown
    }

    pub(crate) fn weighed<'w>(
        &mut self,
        part: usize,
        worth: impl IntoIterator<Item = (&'w ChunkKey, &'w Worth)>,
    ) {
        for (key, worth) in worth {
            if let Some(candidate) = self.candidates.get_mut(&(part, *key)) {
                candidate.explain.text_score = worth.text;
                candidate.explain.title_score = worth.title;
            }
        }
    }

    pub(crate) fn dated(&mut self, part: usize, dates: &[(ChunkKey, Date)], recency: &Recency) {
        for (key, date) in dates {
            if let Some(candidate) = self.candidates.get_mut(&(part, *key)) {
                candidate.freshness = recency.of(*date);
            }
        }
    }

    /// The best candidates with their texts, which `load` gives for the chunks of one of `parts` indexes.
    pub(crate) fn load(mut self, parts: usize, load: &Load<'_>) -> Result<Found, Error> {
        let ranked = self.ranked();
        let mut found = Found { is_literal_capped: self.is_capped, ..Found::default() };
        let mut rest = ranked.as_slice();
        let mut repeated = Vec::new();
        while found.hits.len() < self.query.wanted() && !rest.is_empty() {
            // Those that tie with the last wanted one come along: their ids, which are not known yet, decide.
            let wanted = self.query.wanted() - found.hits.len();
            let last = rest.get(wanted - 1).map(|(_, candidate)| *candidate);
            let is_wanted = |of: &Candidate| last.is_none_or(|last| of.order(&last) != Ordering::Greater);
            let (group, later) = rest.split_at(rest.partition_point(|(_, candidate)| is_wanted(candidate)));
            for hit in load_group(group, parts, load)? {
                if found.hits.len() == self.query.wanted() {
                    break;
                }
                if self.query.keep_duplicates || !found.hits.iter().any(|seen| seen.repeats(&hit)) {
                    found.hits.push(hit);
                } else {
                    repeated.push(hit);
                }
            }
            rest = later;
        }
        // Texts that differ in a single number are near-duplicates too, and the number may be the answer: they come
        // last, and are not lost where there is room.
        found.near_duplicates = repeated.len();
        repeated.truncate(self.query.wanted() - found.hits.len());
        found.hits.append(&mut repeated);
        keep_whole_query(&mut found.hits, &ranked, parts, load)?;
        Ok(found)
    }

    /// The candidates, best first. Of those that BM25 alone brought, as many as the pool holds.
    fn ranked(&mut self) -> Vec<((usize, ChunkKey), Candidate)> {
        for candidate in self.candidates.values_mut() {
            // Who says the whole query says what is quoted in it.
            let says = matches!(candidate.explain.literal, Some(Literal::WholeQuery | Literal::QuotedPhrase));
            candidate.explain.is_quoted = self.any_quoted && says;
        }
        let mut ranked: Vec<_> = std::mem::take(&mut self.candidates).into_iter().collect();
        ranked.sort_unstable_by(|a, b| b.1.score().total_cmp(&a.1.score()).then_with(|| a.0.cmp(&b.0)));
        let mut rank = 0;
        let mut last_in = None;
        for (_, candidate) in &mut ranked {
            if candidate.is_nominated {
                rank += 1;
                // Ties with the last place of the pool are in it: only their ids could tell them apart.
                if rank <= self.size || last_in == Some(candidate.score().to_bits()) {
                    candidate.explain.bm25_rank = Some(rank);
                    last_in = Some(candidate.score().to_bits());
                }
            }
        }
        ranked.retain(|(_, candidate)| {
            let Explain { bm25_rank, literal, is_title, .. } = candidate.explain;
            bm25_rank.is_some() || literal.is_some() || is_title
        });
        ranked.sort_by(|a, b| a.1.order(&b.1));
        ranked
    }
}

/// Makes room for the best passage that says the whole query, where other passages that only hold its words more often
/// would have all places: it is what was typed.
fn keep_whole_query(
    hits: &mut [Hit],
    ranked: &[((usize, ChunkKey), Candidate)],
    parts: usize,
    load: &Load<'_>,
) -> Result<(), Error> {
    let says_it = |explain: &Explain| explain.literal == Some(Literal::WholeQuery);
    if hits.iter().any(|hit| says_it(&hit.explain)) {
        return Ok(());
    }
    let Some(best) = ranked.iter().find(|(_, candidate)| says_it(&candidate.explain)) else { return Ok(()) };
    if let Some(hit) = load_group(std::slice::from_ref(best), parts, load)?.into_iter().next()
        && let Some(last) = hits.last_mut()
    {
        *last = hit;
    }
    Ok(())
}

/// Candidates with their texts, best first, ties by chunk id.
fn load_group(
    group: &[((usize, ChunkKey), Candidate)],
    parts: usize,
    load: &Load<'_>,
) -> Result<Vec<Hit>, Error> {
    let mut loaded: Vec<(Candidate, Hit)> = Vec::with_capacity(group.len());
    for number in 0..parts {
        let of_part: BTreeMap<ChunkKey, Candidate> = group
            .iter()
            .filter(|((of, _), _)| *of == number)
            .map(|((_, key), candidate)| (*key, *candidate))
            .collect();
        let keys: Vec<ChunkKey> = of_part.keys().copied().collect();
        for (key, stored) in load(number, &keys)? {
            if let Some(candidate) = of_part.get(&key) {
                let Candidate { explain, .. } = *candidate;
                loaded.push((*candidate, Hit::new(number, stored, candidate.score(), explain)));
            }
        }
    }
    loaded.sort_by(|a, b| a.0.order(&b.0).then_with(|| a.1.chunk.id().cmp(&b.1.chunk.id())));
    Ok(loaded.into_iter().map(|(_, hit)| hit).collect())
}
