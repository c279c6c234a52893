//! The order of a Broad Search: what words, meaning and cross-encoder say of a passage, in one number.
//!
//! The scales of BM25, cosine and cross-encoder cannot be compared, and each judge is wrong in its own way. So each casts
//! a vote between 0 and 1, and the votes are added:
//!
//! - **Words**: the passage's BM25 score as a share of the best one's. 0 when words did not find it.
//! - **Cross-encoder**: the logistic function of its logit, flattened by [`TEMPERATURE`], since these models are sure of
//!   themselves far beyond how often they are right. The vote weighs a little more than the one of words where the model
//!   knows the language, and less where it has to spell the words or has not read the whole question (see [`Trust`]).
//! - **Meaning**: by its place among the nearest, never by its cosine; half a vote, none where its model has to spell,
//!   and none for a passage that the cross-encoder has not read.
//!
//! A passage that holds the user's quoted phrase, or whose title the question is, stands before all others whatever the
//! votes: an opinion does not outvote what was asked for word for word.

use std::cmp::Ordering;

use serde::Serialize;
use tusab_index::Hit;

use super::trust::Trust;

/// What a logit is divided by. The models' logits run from about -11 to 11.
const TEMPERATURE: f32 = 4.0;

/// Weight of the cross-encoder's vote beside that of words, where it knows the language.
const CROSS_ENCODER: f32 = 1.2;

/// Weight of the vote of meaning, where its model knows the language.
const MEANING: f32 = 0.5;

/// Place among the nearest at which the vote of meaning is half of that of the first, less one.
const MEANING_HALF: f32 = 10.0;

/// The places that a passage's own is made of, in a Broad Search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ranks {
    /// Its place by words, from 1; none when words did not bring it into the pool.
    pub words: Option<usize>,
    /// Its place by meaning, from 1; none where that was not asked or did not find it.
    pub meaning: Option<usize>,
    /// Its place by the cross-encoder, from 1; none where that did not read it in time.
    pub cross_encoder: Option<usize>,
    /// What the cross-encoder gave it; the model's raw logit as a rule.
    pub cross_encoder_score: Option<f32>,
}

/// A passage of the pool.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) hit: Hit,
    pub(super) ranks: Ranks,
}

impl Candidate {
    /// What stands in it word for word cannot be outvoted.
    fn tier(&self) -> (bool, bool) {
        (self.hit.explain.is_quoted, self.hit.explain.is_title)
    }
}

/// Puts the pool in its order, and gives each hit its blended score.
pub(super) fn blend(pool: &mut [Candidate], trust: Trust) {
    place_by_cross_encoder(pool);
    let best = pool.iter().filter(|one| one.ranks.words.is_some()).map(|one| one.hit.score);
    let best = best.fold(0.0, f32::max);
    for candidate in &mut *pool {
        candidate.hit.score = score(candidate, best, trust);
    }
    pool.sort_by(|a, b| {
        (b.tier().cmp(&a.tier()))
            .then_with(|| b.hit.score.total_cmp(&a.hit.score))
            .then_with(|| words_first(a, b))
            .then_with(|| a.hit.chunk.id().cmp(&b.hit.chunk.id()))
    });
}

/// Of equals, the one that words rank higher.
fn words_first(a: &Candidate, b: &Candidate) -> Ordering {
    let place = |candidate: &Candidate| candidate.ranks.words.unwrap_or(usize::MAX);
    place(a).cmp(&place(b))
}

fn place_by_cross_encoder(pool: &mut [Candidate]) {
    let mut read: Vec<&mut Ranks> = pool
        .iter_mut()
        .map(|candidate| &mut candidate.ranks)
        .filter(|ranks| ranks.cross_encoder_score.is_some())
        .collect();
    read.sort_by(|a, b| {
        b.cross_encoder_score.unwrap_or(0.0).total_cmp(&a.cross_encoder_score.unwrap_or(0.0))
    });
    for (place, ranks) in (1..).zip(read) {
        ranks.cross_encoder = Some(place);
    }
}

#[allow(clippy::cast_precision_loss, reason = "places are small")]
fn score(candidate: &Candidate, best: f32, trust: Trust) -> f32 {
    let Candidate { hit, ranks } = candidate;
    let words = match ranks.words {
        Some(_) if best > 0.0 => (hit.score / best).clamp(0.0, 1.0),
        _ => 0.0,
    };
    let Some(logit) = ranks.cross_encoder_score else { return words };
    let cross_encoder = 1.0 / (1.0 + (-logit / TEMPERATURE).exp());
    let meaning =
        ranks.meaning.map_or(0.0, |place| MEANING_HALF / (MEANING_HALF + place.saturating_sub(1) as f32));
    words + CROSS_ENCODER * trust.cross_encoder * cross_encoder + MEANING * trust.embedder * meaning
}
