//! Which sentences of what was found speak of the question.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tusab_chunk::{ByteOffset, CharOffset, Chars, Position, TextSpan, TextWindows};
use tusab_index::{Hit, is_stopword, tokens};
use unicode_segmentation::UnicodeSegmentation;

use super::Voice;

/// A longer sentence (automatic captions may have no full stop at all) is taken in pieces of this many characters.
const LONGEST: Chars = Chars(300);

/// What a sentence in another language than the question's counts beside one in the same.
const OTHER_LANGUAGE: f32 = 0.6;

/// What a sentence that asks counts beside one that states: the question itself, put by somebody else, answers nothing.
const QUESTION: f32 = 0.4;

/// A sentence of a hit and how well it speaks of the question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sentence {
    /// Index of the hit.
    pub(crate) hit: usize,
    /// Where it stands in the hit's original text.
    pub(crate) bytes: Range<usize>,
    /// The sentence, on one line.
    pub(crate) text: String,
    /// Its words.
    pub(crate) tokens: HashSet<String>,
    /// Zero when it holds no word of the question.
    pub(crate) score: f32,
}

impl Sentence {
    /// Where it stands in the text of its hit.
    pub(crate) fn span(&self, hit: &Hit) -> Option<TextSpan> {
        let text = hit.chunk.original_text();
        let start = text.get(..self.bytes.start)?.chars().count();
        let end = start + text.get(self.bytes.clone())?.chars().count();
        let bytes = (ByteOffset(self.bytes.start), ByteOffset(self.bytes.end));
        TextSpan::new(bytes, (CharOffset(start), CharOffset(end))).ok()
    }
}

/// The sentences of the hits, best first; equal ones in the order of the ranking and of the text.
pub(crate) fn rank(question: &str, hits: &[Hit]) -> Vec<Sentence> {
    let mut sentences: Vec<Sentence> = hits
        .iter()
        .enumerate()
        .flat_map(|(number, hit)| {
            let text = hit.chunk.original_text();
            // In running text a single line break ends no sentence, since texts are often broken to a width; in a
            // conversation each line is somebody's turn.
            sentences(number, text, matches!(hit.chunk.position(), Position::Text(_)))
        })
        .collect();
    let weights = weights(&asked(question), &sentences);
    let voice = Voice::of(question);
    for sentence in &mut sentences {
        let language = hits.get(sentence.hit).and_then(|hit| hit.document.language.as_ref());
        let spoken = language.is_none_or(|language| language.primary() == voice.primary());
        let asks = sentence.text.trim_end_matches(['"', '”', '»', ')']).ends_with('?');
        sentence.score = score(sentence, &weights)
            * if spoken { 1.0 } else { OTHER_LANGUAGE }
            * if asks { QUESTION } else { 1.0 };
    }
    sentences.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| (a.hit, a.bytes.start).cmp(&(b.hit, b.bytes.start)))
    });
    sentences
}

/// Where the sentences of a text stand. In running text a single line break ends no sentence.
pub(crate) fn sentence_ranges(text: &str, is_running: bool) -> Vec<Range<usize>> {
    let joined = if is_running { Cow::Owned(join_lines(text)) } else { Cow::Borrowed(text) };
    let pieces = TextWindows::new(LONGEST, Chars(0)).unwrap_or_default();
    let mut ranges = Vec::new();
    for sentence in joined.unicode_sentences() {
        let start = offset_in(&joined, sentence);
        for span in pieces.spans(sentence) {
            ranges.push(start + span.byte_start().0..start + span.byte_end().0);
        }
    }
    ranges
}

/// The sentences of one text.
fn sentences(hit: usize, text: &str, is_running: bool) -> Vec<Sentence> {
    let sentence = |bytes: Range<usize>| {
        let words = text.get(bytes.clone()).unwrap_or_default();
        let text = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let tokens = tokens(&text).into_iter().collect();
        Sentence { hit, bytes, text, tokens, score: 0.0 }
    };
    sentence_ranges(text, is_running).into_iter().map(sentence).collect()
}

/// The text with its single line breaks as spaces; blank lines stay.
fn join_lines(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c != '\n' && c != '\r' {
            joined.push(c);
            continue;
        }
        // The whole run of breaks: one of them, of either kind, only ends a line.
        let mut breaks = usize::from(c == '\n');
        let mut end = at + 1;
        while let Some((at, c)) = chars.next_if(|(_, c)| matches!(c, '\n' | '\r')) {
            breaks += usize::from(c == '\n');
            end = at + 1;
        }
        let run = text.get(at..end).unwrap_or_default();
        if breaks > 1 {
            joined.push_str(run);
        } else {
            joined.extend(run.chars().map(|_| ' '));
        }
    }
    joined
}

/// Where a part of a text starts in it.
fn offset_in(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// The words that the question is about.
fn asked(question: &str) -> HashSet<String> {
    let all: HashSet<String> = tokens(question).into_iter().collect();
    let about: HashSet<String> = all.iter().filter(|token| !is_stopword(token)).cloned().collect();
    if about.is_empty() { all } else { about }
}

/// How much each asked word tells, by its rarity among the sentences (the idf of BM25, as Lucene writes it), in the
/// order of the words: the sum of floats depends on it.
#[allow(clippy::cast_precision_loss, reason = "counts of sentences are small")]
fn weights(asked: &HashSet<String>, sentences: &[Sentence]) -> Vec<(String, f32)> {
    let mut holding: HashMap<&str, usize> = HashMap::new();
    for token in sentences.iter().flat_map(|sentence| &sentence.tokens) {
        if let Some(token) = asked.get(token) {
            *holding.entry(token).or_default() += 1;
        }
    }
    let total = sentences.len() as f32;
    let mut weights: Vec<(String, f32)> = holding
        .into_iter()
        .map(|(token, count)| {
            let count = count as f32;
            (token.to_owned(), (1.0 + (total - count + 0.5) / (count + 0.5)).ln())
        })
        .collect();
    weights.sort_by(|a, b| a.0.cmp(&b.0));
    weights
}

/// The weight of the asked words it holds, a little less for each place its hit ranks lower.
#[allow(clippy::cast_precision_loss, reason = "ranks are small")]
fn score(sentence: &Sentence, weights: &[(String, f32)]) -> f32 {
    let held = weights.iter().filter(|(token, _)| sentence.tokens.contains(token));
    held.map(|(_, weight)| weight).sum::<f32>() / (1.0 + 0.1 * sentence.hit as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_break_ends_no_sentence_and_a_blank_line_does() {
        let text = "O Debian é um sistema\noperacional livre.\n\nOutro parágrafo\naqui.";
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            let found: Vec<String> =
                sentences(0, &text, true).into_iter().map(|sentence| sentence.text).collect();
            assert_eq!(found, ["O Debian é um sistema operacional livre.", "Outro parágrafo aqui."]);
        }
    }

    #[test]
    fn a_sentence_knows_where_it_stands() {
        let text = "Água mole em pedra dura.\nTanto bate até que fura. Fim";
        for sentence in sentences(0, text, true) {
            let start = sentence.text.split(' ').next().unwrap();
            assert!(text[sentence.bytes.start..].starts_with(start), "{sentence:?}");
        }
    }
}
