//! The sources as the check reads them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use tusab_chunk::Language;
use tusab_index::{StemmedWord, detect_language, stemmed_words};

use super::super::number::Said;
use super::super::passage::sentence_ranges;
use crate::Citation;

/// Sentences in a row that are taken together: what an answer says in one, a source often says in two or three.
const WINDOW: usize = 3;

/// A source, ready to be compared with.
pub(super) struct Passage<'s> {
    pub(super) text: &'s str,
    pub(super) language: Option<Language>,
    sentences: Vec<Range<usize>>,
    /// Which sentences hold a stem.
    holding: HashMap<String, Vec<usize>>,
}

/// Sentences of a passage that say some of the words asked for.
pub(super) struct Window {
    /// Which of the words, by their places among those asked for.
    pub(super) words: BTreeSet<usize>,
    /// Where the sentences stand in the passage.
    pub(super) bytes: Range<usize>,
}

/// What the sources say, whichever of them.
#[derive(Default)]
pub(super) struct Everything {
    pub(super) numbers: Said,
    /// Words, apart from case and accents, and their stems.
    words: HashSet<String>,
}

impl<'s> Passage<'s> {
    /// Reads a source, and adds what it says to `everything`.
    pub(super) fn read(source: &'s Citation, everything: &mut Everything) -> Self {
        let text = source.text.as_str();
        let language = source.language.clone().or_else(|| detect_language(text));
        let words = stemmed_words(text, language.as_ref());
        everything.add(text, &words, language.as_ref());
        let place = [source.start.map(|start| start.to_string()), source.date.map(|date| date.to_string())];
        let page = source.page.map(|page| page.to_string());
        for around in [Some(&source.title), source.section.as_ref(), page.as_ref()]
            .into_iter()
            .chain(place.iter().map(Option::as_ref))
            .flatten()
        {
            everything.add(around, &stemmed_words(around, language.as_ref()), language.as_ref());
        }
        let sentences = sentence_ranges(text, source.is_running);
        let mut holding: HashMap<String, Vec<usize>> = HashMap::new();
        for StemmedWord { bytes, stem, .. } in words {
            let number = sentences.partition_point(|sentence| sentence.end <= bytes.start);
            let holders = holding.entry(stem).or_default();
            if holders.last() != Some(&number) {
                holders.push(number);
            }
        }
        Self { text, language, sentences, holding }
    }

    /// The sentences in a row that say most of the words; `None` where none says any.
    pub(super) fn best_window(&self, stems: &[&str]) -> Option<Window> {
        let mut said: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (word, stem) in stems.iter().enumerate() {
            for sentence in self.holding.get(*stem).into_iter().flatten() {
                said.entry(*sentence).or_default().insert(word);
            }
        }
        let mut best: Option<(usize, usize, BTreeSet<usize>)> = None;
        for first in said.keys().copied() {
            let mut words = BTreeSet::new();
            for (sentence, more) in said.range(first..first + WINDOW) {
                let before = words.len();
                words.extend(more.iter().copied());
                // The shortest one that says as much.
                if words.len() > before && best.as_ref().is_none_or(|(_, _, most)| words.len() > most.len()) {
                    best = Some((first, *sentence, words.clone()));
                }
            }
        }
        let (first, last, words) = best?;
        let bytes = self.sentences.get(first)?.start..self.sentences.get(last)?.end;
        Some(Window { words, bytes })
    }
}

impl Everything {
    fn add(&mut self, text: &str, words: &[StemmedWord], language: Option<&Language>) {
        self.numbers.add(text, words, language.map_or("", Language::primary));
        for word in words {
            self.words.insert(word.token.clone());
            self.words.insert(word.stem.clone());
        }
    }

    /// True when a source says a word or another form of it. In another language a name may be written a little
    /// otherwise, as `Brazil` and `Brasil`: one letter in five may differ.
    pub(super) fn says(&self, word: &StemmedWord, is_other_language: bool) -> bool {
        self.words.contains(&word.token)
            || self.words.contains(&word.stem)
            || (is_other_language && self.words.iter().any(|said| is_near(&word.token, said)))
    }
}

/// True for words of which at most one letter in five differs (Levenshtein's distance).
fn is_near(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let allowed = one.len() / 5;
    if allowed == 0 || one.len().abs_diff(other.len()) > allowed {
        return false;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, c) in one.iter().enumerate() {
        let mut next = vec![at + 1];
        for ((d, diagonal), above) in other.iter().zip(&row).zip(row.iter().skip(1)) {
            let left = next.last().copied().unwrap_or_default();
            next.push((diagonal + usize::from(c != d)).min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().is_some_and(|distance| *distance <= allowed)
}
