//! Narrow Search: the BM25 ranking, and beside it the guarantee that what stands there literally is found.

use std::collections::HashMap;

use crate::analyze::{is_stopword, tokens};
use crate::bm25::{Bm25, WeightedToken};
use crate::exact::phrases;
use crate::hit::{Explain, Hit, Literal};
use crate::store::{ChunkKey, Reader};
use crate::{Error, Query};

/// Distinct words of a query that are ranked by; of more, the rarest count. A pasted page stays fast that way.
const MAX_TOKENS: usize = 256;

/// Words whose chunks are looked up one by one in the literal index; of more, the rarest count.
const MAX_RARE_WORDS: usize = 32;

/// The literal part of the pool is at most this many times the pool's size.
const LITERAL_POOLS: usize = 3;

pub(crate) fn search(query: &Query, bm25: &Bm25, reader: &Reader<'_>) -> Result<Vec<Hit>, Error> {
    if query.limit == 0 {
        return Ok(Vec::new());
    }
    let pool = query.pool.max(query.limit);
    let words = Words::of(&query.text, bm25)?;
    let ranked = bm25.best(&words.ranked(), query.title_weight, pool)?;
    let literal = literal(&query.text, &words, pool, reader)?;

    let mut candidates: HashMap<ChunkKey, (f32, Explain)> = HashMap::new();
    for (rank, (key, score)) in (1..).zip(ranked) {
        candidates.insert(key, (score, Explain { bm25_rank: Some(rank), literal: None }));
    }
    let unranked: Vec<ChunkKey> =
        literal.iter().map(|(key, _)| *key).filter(|key| !candidates.contains_key(key)).collect();
    for (key, score) in bm25.scores(&words.ranked(), query.title_weight, &unranked)? {
        candidates.insert(key, (score, Explain::default()));
    }
    for (key, kind) in literal {
        // A chunk that BM25 does not know (it is behind, or damaged) is still found, without a score.
        candidates.entry(key).or_default().1.literal = Some(kind);
    }
    load(query, reader, &candidates)
}

/// The best of the candidates, with their texts.
fn load(
    query: &Query,
    reader: &Reader<'_>,
    candidates: &HashMap<ChunkKey, (f32, Explain)>,
) -> Result<Vec<Hit>, Error> {
    let mut ranked: Vec<(f32, ChunkKey)> = candidates.iter().map(|(key, (score, _))| (*score, *key)).collect();
    ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    // Those that tie with the last wanted one come along: their ids, which are not known yet, decide.
    let least = ranked.get(query.limit - 1).map_or(f32::NEG_INFINITY, |(score, _)| *score);
    let keys: Vec<ChunkKey> =
        ranked.iter().take_while(|(score, _)| *score >= least).map(|(_, key)| *key).collect();
    let mut hits: Vec<Hit> = reader
        .load(&keys)?
        .into_iter()
        .filter_map(|(key, stored)| {
            let (score, explain) = *candidates.get(&key)?;
            Some(Hit { chunk: stored.chunk, document: stored.document, score, explain })
        })
        .collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.chunk.id().cmp(&b.chunk.id())));
    hits.truncate(query.limit);
    Ok(hits)
}

/// A query's distinct words, rarest first.
struct Words(Vec<Word>);

struct Word {
    token: String,
    /// How often the query says it.
    count: u16,
    /// Number of chunks that hold it.
    frequency: u64,
}

impl Words {
    fn of(text: &str, bm25: &Bm25) -> Result<Self, Error> {
        let mut counts: HashMap<String, u16> = HashMap::new();
        for token in tokens(text) {
            let count = counts.entry(token).or_default();
            *count = count.saturating_add(1);
        }
        // Function words only when there is nothing else: `o que é isso` must still find.
        if counts.keys().any(|token| !is_stopword(token)) {
            counts.retain(|token, _| !is_stopword(token));
        }
        let mut words = Vec::with_capacity(counts.len());
        for (token, count) in counts {
            let frequency = bm25.frequency(&token)?;
            words.push(Word { token, count, frequency });
        }
        words.sort_unstable_by(|a, b| a.frequency.cmp(&b.frequency).then_with(|| a.token.cmp(&b.token)));
        Ok(Self(words))
    }

    fn ranked(&self) -> Vec<WeightedToken> {
        let known = self.0.iter().filter(|word| word.frequency > 0).take(MAX_TOKENS);
        known.map(|word| WeightedToken { token: word.token.clone(), weight: f32::from(word.count) }).collect()
    }

    /// Words that at most `pool` chunks hold: all of those chunks belong in the pool.
    fn rare(&self, pool: usize) -> impl Iterator<Item = &str> {
        let rare =
            move |word: &&Word| usize::try_from(word.frequency).is_ok_and(|frequency| frequency <= pool);
        self.0.iter().filter(rare).take(MAX_RARE_WORDS).map(|word| word.token.as_str())
    }
}

/// The chunks that hold the query, its quoted phrases or its rare words literally, with the first reason for each.
fn literal(
    text: &str,
    words: &Words,
    pool: usize,
    reader: &Reader<'_>,
) -> Result<Vec<(ChunkKey, Literal)>, Error> {
    let cap = pool.saturating_mul(LITERAL_POOLS);
    let mut found: Vec<(ChunkKey, Literal)> = Vec::new();
    let phrases = phrases(text);
    let phrases = phrases.iter().map(|clause| (clause.kind, clause.text.as_str()));
    for (kind, clause) in phrases.chain(words.rare(pool).map(|word| (Literal::RareWord, word))) {
        let room = cap.saturating_sub(found.len()).min(pool);
        for key in reader.literal(clause, room)? {
            if found.iter().all(|(seen, _)| *seen != key) {
                found.push((key, kind));
            }
        }
    }
    Ok(found)
}
