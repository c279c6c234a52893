//! Broad Search: candidates by words and by meaning, read by the cross-encoder.

use std::collections::HashMap;
use std::time::Instant;

use tracing::debug_span;
use tusab_chunk::ChunkId;
use tusab_index::{Hit, Literal};
use tusab_rerank::{End, Limits, Reranker};

use super::blend::{Candidate, Ranks, blend};
use super::meaning::{may_enter, nearest};
use super::trust::Trust;
use super::{Found, Search, SearchTimings, Searcher, select};
use crate::models::passage_text;
use crate::{Degradation, Error};

/// What holds a rare word beyond the pool of BM25 enters up to one such part of that pool. On judged collections in two
/// languages more of them changed no figure.
const LITERAL_SHARE: usize = 4;

/// When the search began, and whether to stop.
type Until<'u> = (Instant, &'u (dyn Fn() -> bool + Sync));

impl Searcher {
    pub(super) fn broad(
        &self,
        search: &Search,
        variants: &[String],
        reranker: &dyn Reranker,
        (begin, stop): Until<'_>,
    ) -> Result<Found, Error> {
        if search.limit == 0 {
            return Ok(Found::default());
        }
        let mut found = Found::default();
        let started = Instant::now();
        let mut pool = debug_span!("words").in_scope(|| self.by_words(search, variants, &mut found))?;
        found.timings.words = started.elapsed();
        let embedder = self.models.embedder.as_deref();
        let trust = Trust::of(&search.text, &pool, reranker, embedder);
        debug_span!("meaning").in_scope(|| self.add_by_meaning(search, trust, &mut pool, &mut found))?;

        let started = Instant::now();
        let limits = Limits::default().with_stop(stop);
        let limits = match search.deadline.and_then(|deadline| begin.checked_add(deadline)) {
            Some(deadline) => limits.with_deadline(deadline),
            None => limits,
        };
        let read = debug_span!("reranking", model = reranker.model(), candidates = pool.len())
            .in_scope(|| read(&search.text, &mut pool, reranker, &limits));
        found.timings.reranking = started.elapsed();
        match read {
            Ok(None) => {}
            Ok(Some(out_of_time)) => found.degraded.push(out_of_time),
            Err(error) => {
                // As if there were none: vectors stay out, and the order is that of Narrow Search.
                let degraded = Degradation::reranker(reranker.model(), &error);
                let SearchTimings { embedding, meaning, reranking, .. } = found.timings;
                let narrow = self.narrow(search)?;
                let timings = SearchTimings { embedding, meaning, reranking, ..narrow.timings };
                return Ok(Found { degraded: vec![degraded], timings, ..narrow });
            }
        }
        // What meaning alone has found needs a look at its words before anybody sees it.
        pool.retain(|one| one.ranks.words.is_some() || one.ranks.cross_encoder_score.is_some());
        found.cross_encoder_trust = trust.cross_encoder;
        blend(&mut pool, trust);
        let chosen = select::choose(pool, search, trust);
        found.near_duplicates = chosen.near_duplicates;
        (found.hits, found.ranks) =
            chosen.candidates.into_iter().map(|Candidate { hit, ranks }| (hit, ranks)).unzip();
        Ok(found)
    }

    /// The pool that words bring: BM25's best and what stands there literally. Of several ways to put the question, the
    /// one that fits a passage best counts.
    fn by_words(
        &self,
        search: &Search,
        variants: &[String],
        found: &mut Found,
    ) -> Result<Vec<Candidate>, Error> {
        let mut best: HashMap<(usize, ChunkId), Hit> = HashMap::new();
        for text in std::iter::once(&search.text).chain(variants) {
            let query = self.query(search, text).with_pool(self.pool).with_whole_pool().with_duplicates();
            let words = self.retriever.retrieve(&query)?;
            found.is_literal_capped |= words.is_literal_capped;
            // What the user asked, not what was made of it.
            if found.words.is_empty() {
                (found.words, found.best_score) = (words.words, words.best_score);
            }
            // Scores of different questions compare by their share of the best one only.
            let top = words.hits.iter().map(|hit| hit.score).fold(0.0, f32::max);
            for mut hit in words.hits {
                hit.score = if top > 0.0 { hit.score / top } else { 0.0 };
                let key = (hit.index, hit.chunk.id());
                match best.get_mut(&key) {
                    // What is asked for literally is so by the user's own words.
                    Some(known) => known.score = known.score.max(hit.score),
                    None => drop(best.insert(key, hit)),
                }
            }
        }
        let mut hits: Vec<Hit> = best.into_values().collect();
        hits.sort_by(|a, b| {
            let tier = |hit: &Hit| (hit.explain.is_quoted, hit.explain.is_title);
            (tier(b).cmp(&tier(a)))
                .then_with(|| b.score.total_cmp(&a.score))
                .then_with(|| a.chunk.id().cmp(&b.chunk.id()))
        });
        keep_worth_reading(&mut hits, self.pool / LITERAL_SHARE);
        let ranked = (1..).zip(hits);
        Ok(ranked
            .map(|(place, hit)| Candidate { hit, ranks: Ranks { words: Some(place), ..Ranks::default() } })
            .collect())
    }

    /// Lets meaning say what it knows of the pool, and bring its own candidates where its model knows the language.
    fn add_by_meaning(
        &self,
        search: &Search,
        trust: Trust,
        pool: &mut Vec<Candidate>,
        found: &mut Found,
    ) -> Result<(), Error> {
        if !search.vectors {
            return Ok(());
        }
        let Some(embedder) = &self.models.embedder else {
            found.degraded.push(Degradation::NoEmbedder);
            return Ok(());
        };
        let hits = match nearest(search, &*self.retriever, &**embedder, &mut found.timings)? {
            Ok(hits) => hits,
            Err(degraded) => {
                found.degraded.push(degraded);
                return Ok(());
            }
        };
        let mut places: HashMap<(usize, ChunkId), usize> = HashMap::new();
        for (at, candidate) in pool.iter().enumerate() {
            places.insert((candidate.hit.index, candidate.hit.chunk.id()), at);
        }
        for hit in hits {
            let at = places.get(&(hit.index, hit.chunk.id()));
            if let Some(known) = at.and_then(|&at| pool.get_mut(at)) {
                known.ranks.meaning = hit.explain.vector_rank;
                known.hit.explain.vector_rank = hit.explain.vector_rank;
                known.hit.explain.cosine = hit.explain.cosine;
            } else if trust.embedder > 0.0 && may_enter(&hit) {
                let ranks = Ranks { meaning: hit.explain.vector_rank, ..Ranks::default() };
                pool.push(Candidate { hit, ranks });
            }
        }
        Ok(())
    }
}

/// Leaves the last of those out that are here for a rare word alone: reading them costs most of the time, and what holds
/// one rare word and fits badly otherwise is seldom what was asked for. What holds the whole question, a quoted phrase or
/// its title stays, however much there is of it.
fn keep_worth_reading(hits: &mut Vec<Hit>, mut room: usize) {
    hits.retain(|hit| {
        let tusab_index::Explain { bm25_rank, literal, is_title, is_quoted, .. } = hit.explain;
        let is_phrase = matches!(literal, Some(Literal::WholeQuery | Literal::QuotedPhrase));
        if bm25_rank.is_some() || is_title || is_quoted || is_phrase {
            return true;
        }
        let has_room = room > 0;
        room = room.saturating_sub(1);
        has_room
    });
}

/// Has the cross-encoder read the pool. What it did not come to is told.
fn read(
    question: &str,
    pool: &mut [Candidate],
    reranker: &dyn Reranker,
    limits: &Limits<'_>,
) -> Result<Option<Degradation>, tusab_rerank::Error> {
    let texts: Vec<String> = pool
        .iter()
        .map(|Candidate { hit, .. }| {
            passage_text(&hit.document.title, hit.chunk.section(), hit.chunk.original_text())
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let scored = reranker.scores_within(question, &texts, limits)?;
    let mut read = 0;
    for (candidate, score) in pool.iter_mut().zip(scored.scores) {
        candidate.ranks.cross_encoder_score = score.filter(|score| score.is_finite());
        read += usize::from(candidate.ranks.cross_encoder_score.is_some());
    }
    let is_cut_short = matches!(scored.end, End::OutOfTime | End::Stopped) && read < pool.len();
    Ok(is_cut_short.then_some(Degradation::OutOfTime { read, candidates: pool.len() }))
}
