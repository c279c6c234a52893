//! Which sentences of what was found speak of the question.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use tusab_chunk::{ByteOffset, CharOffset, Chars, Language, Position, TextSpan, TextWindows};
use tusab_index::{Hit, StemmedWord, detect_language, is_stopword, stemmed_words, tokens};
use unicode_segmentation::UnicodeSegmentation;

use super::Voice;
use super::expected::Expected;
use super::light;
use crate::Found;

/// A longer sentence (automatic captions may have no full stop at all) is taken in pieces of this many characters.
const LONGEST: Chars = Chars(300);

/// What a sentence in another language than the question's counts beside one in the same.
const OTHER_LANGUAGE: f32 = 0.6;

/// What a sentence that asks counts beside one that states: the question itself, put by somebody else, answers nothing.
const QUESTION: f32 = 0.4;

/// What a sentence of a passage that does not fit at all counts beside one of the best passage.
const FITS: f32 = 0.3;

/// What a word of the question counts where another form of it stands. The form that was asked for is the better sign: "o
/// que a hortelã precisa" is not about all that other plants "precisam".
const OTHER_FORM: f32 = 0.8;

/// What a sentence with what the question asks for counts beside one without.
const EXPECTED: f32 = 1.15;

/// A sentence of a hit and how well it speaks of the question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sentence {
    /// Index of the hit.
    pub(crate) hit: usize,
    /// Where it stands in the hit's original text.
    pub(crate) bytes: Range<usize>,
    /// The sentence, on one line.
    pub(crate) text: String,
    /// The stems of its words.
    pub(crate) stems: HashSet<String>,
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
///
/// A sentence is worth the part of the question that it holds, weighed by how rare the words are in all that was searched
/// and with other forms of them counted, times how well its passage fits the question. One that has what the question
/// asks for (a number, a name) is worth a little more.
pub(crate) fn rank(question: &str, found: &Found) -> Vec<Sentence> {
    let voice = Voice::of(question);
    let asked = Asked::of(question, found);
    let best = found.hits.iter().map(|hit| hit.explain.text_score).fold(0.0, f32::max);
    let mut ranked = Vec::new();
    for (number, hit) in found.hits.iter().enumerate() {
        let text = hit.chunk.original_text();
        let language = hit.document.language.clone().or_else(|| detect_language(text));
        let stems = asked.stems(language.as_ref());
        let is_spoken = language.as_ref().is_none_or(|language| language.primary() == voice.primary());
        let fits = if best > 0.0 { FITS + (1.0 - FITS) * hit.explain.text_score / best } else { 1.0 };
        // In running text a single line break ends no sentence, since texts are often broken to a width; in a
        // conversation each line is somebody's turn.
        let is_running = matches!(hit.chunk.position(), Position::Text(_));
        let words = stemmed_words(text, language.as_ref());
        for bytes in sentence_ranges(text, is_running) {
            let mut sentence = sentence(number, text, bytes, &words);
            let forms: HashSet<String> = tokens(&sentence.text).into_iter().collect();
            let weight = |form: &Form| idf_of(form, &forms);
            let held: f32 = stems.iter().filter(|form| sentence.stems.contains(&form.stem)).map(weight).sum();
            let asks = sentence.text.trim_end_matches(['"', '”', '»', ')']).ends_with('?');
            sentence.score = held
                * fits
                * if is_spoken { 1.0 } else { OTHER_LANGUAGE }
                * if asks { QUESTION } else { 1.0 }
                * if asked.expects.is_met(&sentence.text) { EXPECTED } else { 1.0 };
            ranked.push(sentence);
        }
    }
    ranked.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| (a.hit, a.bytes.start).cmp(&(b.hit, b.bytes.start)))
    });
    ranked
}

/// The sentence of a hit that speaks of the question best, among the ranked.
pub(crate) fn best(ranked: &[Sentence], hit: usize) -> Option<&Sentence> {
    ranked.iter().find(|sentence| sentence.hit == hit && sentence.score > 0.0)
}

/// A word of the question in a language.
struct Form {
    token: String,
    stem: String,
    idf: f32,
}

/// What a word of the question counts in a sentence of those words that holds its stem.
fn idf_of(form: &Form, words: &HashSet<String>) -> f32 {
    form.idf * if words.contains(&form.token) { 1.0 } else { OTHER_FORM }
}

/// What the question is about.
struct Asked {
    /// Its words with how much each tells, in a fixed order: the sum of floats depends on it.
    words: Vec<(String, f32)>,
    expects: Expected,
}

impl Asked {
    fn of(question: &str, found: &Found) -> Self {
        let mut words: Vec<(String, f32)> =
            found.words.iter().map(|word| (word.token.clone(), word.idf)).collect();
        if words.is_empty() {
            // Found by a retriever that does not say how rare words are.
            let mut all = tokens(question);
            all.sort_unstable();
            all.dedup();
            if all.iter().any(|token| !is_stopword(token)) {
                all.retain(|token| !is_stopword(token));
            }
            words = all.into_iter().map(|token| (token, 1.0)).collect();
        }
        for (token, idf) in &mut words {
            *idf *= light::weight(token);
        }
        Self { words, expects: Expected::of(question) }
    }

    /// The words as they are looked for in a language; of two with one stem the first.
    fn stems(&self, language: Option<&Language>) -> Vec<Form> {
        let mut stems: Vec<Form> = Vec::with_capacity(self.words.len());
        for (token, idf) in &self.words {
            let stem = match language {
                Some(_) => stemmed_words(token, language).into_iter().next().map(|word| word.stem),
                None => Some(token.clone()),
            };
            if let Some(stem) = stem.filter(|stem| stems.iter().all(|known| known.stem != *stem)) {
                stems.push(Form { token: token.clone(), stem, idf: *idf });
            }
        }
        stems
    }
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

/// The sentence that stands there, with its words among those of the text.
fn sentence(hit: usize, text: &str, bytes: Range<usize>, words: &[StemmedWord]) -> Sentence {
    let from = words.partition_point(|word| word.bytes.start < bytes.start);
    let to = words.partition_point(|word| word.bytes.start < bytes.end);
    let stems = words.get(from..to).unwrap_or_default().iter().map(|word| word.stem.clone()).collect();
    let shown = text.get(bytes.clone()).unwrap_or_default();
    let text = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    Sentence { hit, bytes, text, stems, score: 0.0 }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(text: &str) -> Vec<&str> {
        sentence_ranges(text, true).into_iter().map(|range| text[range].trim()).collect()
    }

    #[test]
    fn a_line_break_ends_no_sentence_and_a_blank_line_does() {
        let text = "O Debian é um sistema\noperacional livre.\n\nOutro parágrafo\naqui.";
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            let found: Vec<String> = sentences(&text)
                .iter()
                .map(|sentence| sentence.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect();
            assert_eq!(found, ["O Debian é um sistema operacional livre.", "Outro parágrafo aqui."]);
        }
    }

    #[test]
    fn what_is_asked_of_matters_more_than_the_verb_that_asks() {
        let found = Found::default();
        let asked = Asked::of("Quantas horas de sol a hortelã precisa?", &found);
        let held = |text: &str| -> f32 {
            let (words, stems) = (stemmed_words(text, Some(&"pt".parse().unwrap())), asked.stems(None));
            let tokens: HashSet<String> =
                words.into_iter().map(|word| word.stem).chain(tokens(text)).collect();
            stems.iter().filter(|form| tokens.contains(&form.token)).map(|form| idf_of(form, &tokens)).sum()
        };
        assert!(held("A hortelã aceita três horas de sol") > held("Precisa de seis horas de sol") + 0.5);
    }

    #[test]
    fn a_sentence_knows_where_it_stands_and_which_words_it_holds() {
        let text = "Água mole em pedra dura.\nTanto bate até que fura. Fim";
        let words = stemmed_words(text, Some(&"pt".parse().unwrap()));
        let of = |bytes: Range<usize>| sentence(0, text, bytes, &words);
        let found: Vec<Sentence> = sentence_ranges(text, true).into_iter().map(of).collect();
        for sentence in &found {
            let start = sentence.text.split(' ').next().unwrap();
            assert!(text[sentence.bytes.start..].starts_with(start), "{sentence:?}");
        }
        assert!(found[0].stems.contains("pedr") && !found[1].stems.contains("pedr"), "{found:?}");
    }
}
