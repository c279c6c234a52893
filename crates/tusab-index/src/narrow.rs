//! Narrow Search: the BM25 ranking, and beside it the guarantee that what stands there literally is found.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::analyze::{is_stopword, tokens};
use crate::bm25::{Snapshot, WeightedToken};
use crate::exact::{Clause, phrases};
use crate::hit::{Explain, Hit, Literal};
use crate::store::{ChunkKey, Reader};
use crate::{Error, Query};

/// Distinct words of a query that are ranked by; of more, the rarest count. A pasted page stays fast that way.
const MAX_TOKENS: usize = 256;

/// Words whose chunks are looked up one by one in the literal index; of more, the rarest count.
const MAX_RARE_WORDS: usize = 32;

/// The literal part of the pool is at most this many times the pool's size.
const LITERAL_POOLS: usize = 3;

pub(crate) fn search(query: &Query, bm25: &Snapshot, reader: &Reader<'_>) -> Result<Vec<Hit>, Error> {
    if query.limit == 0 {
        return Ok(Vec::new());
    }
    let pool = query.pool.max(query.limit);
    let words = Words::of(&query.text, bm25)?;
    let ranked = bm25.best(&words.ranked(), query.title_weight, pool)?;
    let clauses = phrases(&query.text);
    let literal = literal(&clauses, &words, pool, reader, bm25.generation())?;

    let mut candidates: HashMap<ChunkKey, Candidate> = HashMap::new();
    for (rank, (key, score)) in (1..).zip(ranked) {
        candidates.entry(key).or_default().score = score;
        candidates.entry(key).or_default().explain.bm25_rank = Some(rank);
    }
    let unranked: Vec<ChunkKey> =
        literal.iter().map(|(key, _)| *key).filter(|key| !candidates.contains_key(key)).collect();
    for (key, score) in bm25.scores(&words.ranked(), query.title_weight, &unranked)? {
        candidates.entry(key).or_default().score = score;
    }
    let any_quoted = clauses.iter().any(|clause| clause.kind == Literal::QuotedPhrase);
    for (key, kind) in literal {
        // A chunk that BM25 does not know (it is behind, or damaged) is still found, without a score.
        let candidate = candidates.entry(key).or_default();
        candidate.explain.literal = Some(kind);
        // Who says the whole query says what is quoted in it.
        candidate.is_quoted = any_quoted && kind != Literal::RareWord;
    }
    load(query.limit, reader, bm25.generation(), &candidates)
}

/// A passage that may become a hit.
#[derive(Debug, Clone, Copy, Default)]
struct Candidate {
    score: f32,
    explain: Explain,
    /// It holds a phrase that the user put in quotes.
    is_quoted: bool,
}

impl Candidate {
    /// Sorts candidates, the better ones first: those with what the user quoted, which is what quotes ask for; then
    /// by score.
    fn order(&self, other: &Self) -> Ordering {
        other.is_quoted.cmp(&self.is_quoted).then_with(|| other.score.total_cmp(&self.score))
    }
}

/// The best of the candidates, with their texts.
fn load(
    limit: usize,
    reader: &Reader<'_>,
    at: u64,
    candidates: &HashMap<ChunkKey, Candidate>,
) -> Result<Vec<Hit>, Error> {
    let mut ranked: Vec<(ChunkKey, Candidate)> = candidates.iter().map(|(key, c)| (*key, *c)).collect();
    ranked.sort_unstable_by(|a, b| a.1.order(&b.1).then_with(|| a.0.cmp(&b.0)));
    // Those that tie with the last wanted one come along: their ids, which are not known yet, decide.
    let last = ranked.get(limit.saturating_sub(1)).map(|(_, candidate)| *candidate);
    let is_wanted =
        |candidate: &Candidate| last.is_none_or(|last| candidate.order(&last) != Ordering::Greater);
    let keys: Vec<ChunkKey> = ranked.iter().take_while(|(_, c)| is_wanted(c)).map(|(key, _)| *key).collect();
    let mut loaded: Vec<(Candidate, Hit)> = reader
        .load(&keys, at)?
        .into_iter()
        .filter_map(|(key, stored)| {
            let candidate = *candidates.get(&key)?;
            let Candidate { score, explain, .. } = candidate;
            Some((candidate, Hit { chunk: stored.chunk, document: stored.document, score, explain }))
        })
        .collect();
    loaded.sort_by(|a, b| a.0.order(&b.0).then_with(|| a.1.chunk.id().cmp(&b.1.chunk.id())));
    Ok(loaded.into_iter().take(limit).map(|(_, hit)| hit).collect())
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
    fn of(text: &str, bm25: &Snapshot) -> Result<Self, Error> {
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
        // Words that BM25 has never seen come last: they are looked up only in case it is behind.
        let (unknown, known): (Vec<&Word>, Vec<&Word>) =
            self.0.iter().filter(rare).partition(|word| word.frequency == 0);
        known.into_iter().chain(unknown).take(MAX_RARE_WORDS).map(|word| word.token.as_str())
    }
}

/// The chunks that hold the query, its quoted phrases or its rare words literally, with the first reason for each.
fn literal(
    clauses: &[Clause],
    words: &Words,
    pool: usize,
    reader: &Reader<'_>,
    at: u64,
) -> Result<Vec<(ChunkKey, Literal)>, Error> {
    let cap = pool.saturating_mul(LITERAL_POOLS);
    let mut found: Vec<(ChunkKey, Literal)> = Vec::new();
    let phrases = clauses.iter().map(|clause| (clause.kind, clause.text.as_str()));
    for (kind, clause) in phrases.chain(words.rare(pool).map(|word| (Literal::RareWord, word))) {
        let room = cap.saturating_sub(found.len()).min(pool);
        for key in reader.literal(clause, at, room)? {
            if found.iter().all(|(seen, _)| *seen != key) {
                found.push((key, kind));
            }
        }
    }
    Ok(found)
}
