//! The answer that needs nothing installed: the best sentences of what was found, word for word.

use std::collections::{HashMap, HashSet};

use tusab_chunk::{Chars, TextWindows};
use tusab_index::{Hit, is_stopword, tokens};
use unicode_segmentation::UnicodeSegmentation;

use super::Voice;

/// Number of quotes in an answer.
const QUOTES: usize = 3;

/// A longer sentence (automatic captions may have no full stop at all) is quoted in pieces of this many characters.
const LONGEST_QUOTE: Chars = Chars(300);

/// A sentence of a hit and how well it answers.
struct Sentence<'h> {
    /// Index of the hit.
    hit: usize,
    text: &'h str,
    tokens: HashSet<String>,
}

/// The best sentences of the hits, each with the number of its source; `None` when the hits hold no text.
pub(crate) fn extract(question: &str, hits: &[Hit], voice: Voice) -> Option<String> {
    let sentences = sentences(hits);
    let asked = asked(question);
    let weights = weights(&asked, &sentences);
    let mut ranked: Vec<(f32, usize)> =
        sentences.iter().enumerate().map(|(at, sentence)| (score(sentence, &weights), at)).collect();
    // Best first; equal ones in the order of the ranking and of the text.
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let best_score = ranked.first()?.0;
    let mut quotes = Vec::new();
    let mut said = HashSet::new();
    for (score, at) in ranked {
        let Some(sentence) = sentences.get(at) else { continue };
        // What answers far worse than the best would only blur it; overlapping windows say things twice.
        let worth_it = quotes.is_empty() || (score > 0.0 && score * 2.0 >= best_score);
        if worth_it && said.insert(tokens(sentence.text)) {
            quotes.push(format!("“{}” [{}]", sentence.text, sentence.hit + 1));
        }
        if quotes.len() == QUOTES {
            break;
        }
    }
    Some(format!("{}\n\n{}", voice.quotes(), quotes.join("\n")))
}

fn sentences(hits: &[Hit]) -> Vec<Sentence<'_>> {
    let pieces = TextWindows::new(LONGEST_QUOTE, Chars(0)).unwrap_or_default();
    let mut sentences = Vec::new();
    for (hit, found) in hits.iter().enumerate() {
        for sentence in found.chunk.original_text().unicode_sentences() {
            for span in pieces.spans(sentence) {
                let text = span.slice(sentence).unwrap_or_default();
                sentences.push(Sentence { hit, text, tokens: tokens(text).into_iter().collect() });
            }
        }
    }
    sentences
}

/// The words that the question is about.
fn asked(question: &str) -> HashSet<String> {
    let all: HashSet<String> = tokens(question).into_iter().collect();
    let about: HashSet<String> = all.iter().filter(|token| !is_stopword(token)).cloned().collect();
    if about.is_empty() { all } else { about }
}

/// How much each asked word tells, by its rarity among the sentences (the idf of BM25, as Lucene writes it).
#[allow(clippy::cast_precision_loss, reason = "counts of sentences are small")]
fn weights(asked: &HashSet<String>, sentences: &[Sentence<'_>]) -> HashMap<String, f32> {
    let total = sentences.len() as f32;
    asked
        .iter()
        .map(|token| {
            let holding = sentences.iter().filter(|sentence| sentence.tokens.contains(token)).count() as f32;
            (token.clone(), (1.0 + (total - holding + 0.5) / (holding + 0.5)).ln())
        })
        .collect()
}

/// The weight of the asked words it holds, a little less for each place its hit ranks lower.
#[allow(clippy::cast_precision_loss, reason = "ranks are small")]
fn score(sentence: &Sentence<'_>, weights: &HashMap<String, f32>) -> f32 {
    // In the order of the tokens: the sum of floats depends on it.
    let mut held: Vec<(&String, f32)> = weights
        .iter()
        .filter(|(token, _)| sentence.tokens.contains(*token))
        .map(|(token, weight)| (token, *weight))
        .collect();
    held.sort_by(|a, b| a.0.cmp(b.0));
    held.iter().map(|(_, weight)| weight).sum::<f32>() / (1.0 + 0.1 * sentence.hit as f32)
}
