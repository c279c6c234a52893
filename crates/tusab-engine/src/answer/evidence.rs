//! What speaks for and against an answer to a question being among the passages found.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use tusab_chunk::Position;
use tusab_index::{Hit, Literal, QueryWord, detect_language, stemmed_words, tokens};

use super::light;
use super::reading::Reading;
use crate::Found;

/// Passages that are looked at.
const PASSAGES: usize = 6;

/// Of these, those in which the question's phrases are looked for.
const CLOSELY: usize = 3;

/// Words of a phrase stand at most this far from each other.
const PHRASE: usize = 4;

/// What speaks for and against an answer being among the passages found. Numbers are shares from 0 to 1 unless they say
/// otherwise. "Held" is weighed by idf: a rare word counts more than a common one, and one that stands nowhere most.
///
/// The shares are of the question alone, so that they mean the same in any base and any language.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Evidence {
    /// Number of distinct words that the question is about.
    pub words: usize,
    /// The best passage's BM25, of what the question could score.
    pub score: f32,
    /// The part of the question that the best passage holds.
    pub held: f32,
    /// The part of the question's pairs of neighbouring words that are neighbours in one of the first three passages.
    pub phrases: f32,
    /// How far the best passage scores above the mean of the others, of its score.
    pub lead_over_rest: f32,
    /// How much more of the question it holds than the others do; may be below 0.
    pub held_over_rest: f32,
    /// A passage holds the whole question or a quoted phrase word for word, or the question is its title.
    pub is_literal: bool,
    /// The best passage is a stretch of a recording.
    pub is_speech: bool,
    /// What a cross-encoder has read; none where none was asked or to be had.
    pub reading: Option<Reading>,
}

/// Where a question's words stand in a passage: places in words, and which word of the question it is.
struct Held {
    places: Vec<(usize, usize)>,
    /// The part of the question that it holds.
    share: f32,
}

/// The words of a question, weighed.
struct Asked<'f> {
    words: &'f [QueryWord],
    /// The words in the order of the question, by their places among `words`.
    order: Vec<usize>,
    total: f32,
    /// Which word each stem stands for, by language.
    stems: HashMap<String, HashMap<String, usize>>,
}

impl Evidence {
    /// Reads what a search found for a question. Without words that were searched for there is none.
    #[must_use]
    pub fn of(question: &str, found: &Found) -> Self {
        let mut asked = Asked::of(question, &found.words);
        let mut by_words: Vec<&Hit> = found.hits.iter().collect();
        by_words.sort_by(|a, b| b.explain.text_score.total_cmp(&a.explain.text_score));
        by_words.truncate(PASSAGES);
        let held: Vec<Held> = by_words.iter().map(|hit| asked.held(hit)).collect();
        let (Some(first), Some(hit)) = (held.first(), by_words.first()) else {
            return Self::default();
        };

        let scores: Vec<f32> = by_words.iter().map(|hit| hit.explain.text_score).collect();
        let score = hit.explain.text_score;
        let over = |other: f32| if score > 0.0 { (score - other) / score } else { 0.0 };
        let shares: Vec<f32> = held.iter().map(|held| held.share).collect();
        Self {
            words: asked.words.len(),
            score: if found.best_score > 0.0 { score / found.best_score } else { 0.0 },
            held: first.share,
            phrases: held.iter().take(CLOSELY).map(|held| asked.phrases(held)).fold(0.0, f32::max),
            lead_over_rest: over(mean(scores.get(1..))),
            held_over_rest: first.share - mean(shares.get(1..)),
            is_literal: found.hits.iter().any(is_literal),
            is_speech: matches!(hit.chunk.position(), Position::Time(_)),
            reading: None,
        }
    }
}

/// What a word of the question counts.
fn weight(word: &QueryWord) -> f32 {
    word.idf * light::weight(&word.token)
}

fn is_literal(hit: &Hit) -> bool {
    hit.explain.is_title || hit.explain.is_quoted || hit.explain.literal == Some(Literal::WholeQuery)
}

impl<'f> Asked<'f> {
    fn of(question: &str, words: &'f [QueryWord]) -> Self {
        let place = |token: String| words.iter().position(|word| word.token == token);
        let order = tokens(question).into_iter().filter_map(place).collect();
        let total = words.iter().map(weight).sum();
        Self { words, order, total, stems: HashMap::new() }
    }

    fn idf(&self, word: usize) -> f32 {
        self.words.get(word).map_or(0.0, weight)
    }

    fn share(&self, idf: f32) -> f32 {
        if self.total > 0.0 { (idf / self.total).min(1.0) } else { 0.0 }
    }

    /// Where the words stand in a passage, its title and section before its text.
    fn held(&mut self, hit: &Hit) -> Held {
        let text = hit.chunk.original_text();
        let language = hit.document.language.clone().or_else(|| detect_language(text));
        let code = language.as_ref().map_or("", |language| language.primary()).to_owned();
        let words = self.words;
        let stems = self.stems.entry(code).or_insert_with(|| {
            let stem = |token: &str| match &language {
                Some(language) => {
                    stemmed_words(token, Some(language)).into_iter().next().map(|word| word.stem)
                }
                None => Some(token.to_owned()),
            };
            // Of two words with one stem the rarer one, which comes first, is kept.
            words.iter().enumerate().rev().filter_map(|(at, word)| Some((stem(&word.token)?, at))).collect()
        });
        let mut places = Vec::new();
        let mut at = 0;
        for part in [hit.document.title.as_str(), hit.chunk.section().unwrap_or_default(), text] {
            for word in stemmed_words(part, language.as_ref()) {
                if let Some(which) = stems.get(&word.stem) {
                    places.push((at, *which));
                }
                at += 1;
            }
        }
        let distinct: HashSet<usize> = places.iter().map(|(_, word)| *word).collect();
        // In the order of the words, since the sum of floats depends on it.
        let held =
            (0..self.words.len()).filter(|word| distinct.contains(word)).map(|word| self.idf(word)).sum();
        Held { places, share: self.share(held) }
    }

    /// The part of the question's pairs of neighbours that stand near each other in the passage, in either order.
    fn phrases(&self, held: &Held) -> f32 {
        let mut places: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, word) in &held.places {
            places.entry(*word).or_default().push(*at);
        }
        let places_of = |word: &usize| places.get(word).map(Vec::as_slice).unwrap_or_default();
        let (mut near, mut all) = (0.0, 0.0);
        for pair in self.order.windows(2) {
            let [one, next] = pair else { continue };
            if one == next {
                continue;
            }
            let weight = self.idf(*one) + self.idf(*next);
            all += weight;
            if are_near(places_of(one), places_of(next)) {
                near += weight;
            }
        }
        if all > 0.0 { near / all } else { held.share }
    }
}

/// True when a place of one list is near to one of another, both in order.
fn are_near(one: &[usize], other: &[usize]) -> bool {
    let mut rest = other.iter().peekable();
    one.iter().any(|at| {
        while rest.next_if(|near| **near + PHRASE < *at).is_some() {}
        rest.peek().is_some_and(|near| near.abs_diff(*at) <= PHRASE)
    })
}

#[allow(clippy::cast_precision_loss, reason = "six passages at most")]
fn mean(values: Option<&[f32]>) -> f32 {
    match values {
        Some(values) if !values.is_empty() => values.iter().sum::<f32>() / values.len() as f32,
        _ => 0.0,
    }
}
