//! Which of the ordered candidates are given, and which are left out.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use tusab_chunk::DocId;
use tusab_index::{Hit, Literal};

use super::Search;
use super::blend::Candidate;
use super::trust::Trust;

/// What is given.
pub(super) struct Chosen {
    pub(super) candidates: Vec<Candidate>,
    pub(super) near_duplicates: usize,
}

/// Logits by which a passage lies under the best one for the cross-encoder to find it unrelated beside it.
const GAP: f32 = 8.0;

/// Share of the best score by words under which words find a passage unrelated.
const SHARE: f32 = 0.2;

/// A model that knows the language less than this has no say in what is left out.
const KNOWS: f32 = 0.9;

/// The best of the ordered candidates, as many as are wanted.
pub(super) fn choose(mut ordered: Vec<Candidate>, search: &Search, trust: Trust) -> Chosen {
    if search.cut && trust.cross_encoder >= KNOWS {
        cut(&mut ordered);
    }
    let mut near_duplicates = 0;
    if !search.duplicates {
        near_duplicates = duplicates_last(&mut ordered);
    }
    if let Some(most) = search.per_document {
        let exact: Vec<bool> = ordered.iter().map(|one| is_exact(&one.hit)).collect();
        let kept = within(&ordered.iter().map(|one| one.hit.chunk.doc()).collect::<Vec<_>>(), &exact, most);
        let mut kept = kept.into_iter();
        ordered.retain(|_| kept.next().unwrap_or(true));
    }
    lift_exact(&mut ordered, search.limit);
    ordered.truncate(search.limit);
    Chosen { candidates: ordered, near_duplicates }
}

/// Leaves out what both judges find unrelated; never the best, never what holds the question word for word.
fn cut(ordered: &mut Vec<Candidate>) {
    let logits = ordered.iter().filter_map(|one| one.ranks.cross_encoder_score);
    let best = logits.fold(f32::NEG_INFINITY, f32::max);
    let words = |one: &Candidate| one.ranks.words.is_some().then_some(one.hit.explain.text_score);
    let top = ordered.iter().filter_map(words).fold(0.0, f32::max);
    let mut is_first = true;
    ordered.retain(|one| {
        let is_far = one.ranks.cross_encoder_score.is_some_and(|logit| logit < best - GAP);
        let is_faint = words(one).unwrap_or(0.0) < top * SHARE;
        let is_kept = is_first || one.hit.explain.literal.is_some() || !(is_far && is_faint);
        is_first = false;
        is_kept
    });
}

/// Puts those that repeat a better one behind all others; their number.
fn duplicates_last(ordered: &mut Vec<Candidate>) -> usize {
    let mut kept: Vec<Candidate> = Vec::with_capacity(ordered.len());
    let mut repeated = Vec::new();
    for candidate in ordered.drain(..) {
        if kept.iter().any(|better| better.hit.repeats(&candidate.hit)) {
            repeated.push(candidate);
        } else {
            kept.push(candidate);
        }
    }
    let count = repeated.len();
    kept.append(&mut repeated);
    *ordered = kept;
    count
}

/// Which of the passages, in their order, stay when one document may have `most`: those that hold the question word for
/// word first.
fn within(docs: &[&DocId], exact: &[bool], most: NonZeroUsize) -> Vec<bool> {
    let mut room: HashMap<&DocId, usize> = HashMap::new();
    let mut kept = vec![false; exact.len()];
    for exact_now in [true, false] {
        for ((doc, is_exact), kept) in docs.iter().copied().zip(exact).zip(&mut kept) {
            let left = room.entry(doc).or_insert(most.get());
            if *is_exact == exact_now && *left > 0 {
                *left -= 1;
                *kept = true;
            }
        }
    }
    kept
}

/// The first `wanted` hits with at most `most` of a document; what is word for word the question is in them first.
pub(super) fn per_document(mut hits: Vec<Hit>, most: Option<NonZeroUsize>, wanted: usize) -> Vec<Hit> {
    if let Some(most) = most {
        let exact: Vec<bool> = hits.iter().map(is_exact).collect();
        let mut kept =
            within(&hits.iter().map(|hit| hit.chunk.doc()).collect::<Vec<_>>(), &exact, most).into_iter();
        hits.retain(|_| kept.next().unwrap_or(true));
        hits.truncate(wanted);
    }
    hits
}

/// Makes room among the first `limit` for the best passage that holds the whole question word for word.
fn lift_exact(ordered: &mut Vec<Candidate>, limit: usize) {
    let Some(last) = limit.checked_sub(1) else { return };
    let Some(at) = ordered.iter().position(|one| is_exact(&one.hit)).filter(|&at| at > last) else { return };
    let exact = ordered.remove(at);
    ordered.insert(last, exact);
}

fn is_exact(hit: &Hit) -> bool {
    hit.explain.literal == Some(Literal::WholeQuery)
}
