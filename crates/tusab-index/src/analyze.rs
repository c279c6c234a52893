//! One analysis for what is indexed and for what is asked.

mod fold;
mod language;
mod matches;
mod passage;
mod pieces;
mod stem;
mod stemmed;
mod stopwords;
mod terms;

use std::ops::Range;

pub use language::detect_language;
pub use stemmed::{StemmedWord, stemmed_words};
pub use stopwords::is_stopword;

pub(crate) use fold::{accented, fold, fold_compound};
pub(crate) use matches::matches;
pub(crate) use passage::PassageAnalysis;
pub(crate) use pieces::{Piece, Pieces};
pub(crate) use stem::{Morphology, StemCache};
pub(crate) use terms::{ACCENT, EXACT, TermTokenizer, value};

/// The words of `text` as the index sees them: lower-case and without accents, in their order.
///
/// ```
/// assert_eq!(tusab_index::tokens("A Informação, já!"), ["a", "informacao", "ja"]);
/// ```
#[must_use]
pub fn tokens(text: &str) -> Vec<String> {
    Pieces::of(text).filter_map(|piece| piece.word().map(folded)).filter(|token| !token.is_empty()).collect()
}

/// The words of a text, each with where it stands.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut pieces = Pieces::of(text);
    std::iter::from_fn(move || {
        let (span, _) = pieces.next_word()?;
        let word = text.get(span.clone())?;
        Some((span, word))
    })
}

pub(crate) fn folded(word: &str) -> String {
    let mut token = String::new();
    fold(word, &mut token);
    token
}

/// What is indexed of a text, literally and for the ranking: its words between single spaces, its compounds, and with their
/// accents the words that have any, likewise.
///
/// The literal index splits at spaces alone, so it sees the same words as everything else here.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    pub(crate) words: String,
    pub(crate) compounds: String,
    pub(crate) accented: String,
    token: String,
}

impl Analysis {
    /// Takes in a text in place of the last one.
    pub(crate) fn read(&mut self, text: &str) {
        self.words.clear();
        self.compounds.clear();
        self.accented.clear();
        for piece in Pieces::of(text) {
            match piece {
                Piece::Word(word) => {
                    fold(word, &mut self.token);
                    append(&mut self.words, &self.token);
                    if !word.is_ascii() && !self.token.is_empty() {
                        let folded = std::mem::take(&mut self.token);
                        accented(word, &folded, &mut self.token);
                        append(&mut self.accented, &self.token);
                        self.token = folded;
                    }
                }
                Piece::Compound(compound) => {
                    fold_compound(compound, &mut self.token);
                    append(&mut self.compounds, &self.token);
                }
            }
        }
    }

    /// Takes in the words of a text alone, in place of all of the last one.
    pub(crate) fn read_words(&mut self, text: &str) {
        self.words.clear();
        self.compounds.clear();
        self.accented.clear();
        for (_, word) in words(text) {
            fold(word, &mut self.token);
            append(&mut self.words, &self.token);
        }
    }
}

/// Adds a word to a list with spaces between them.
pub(crate) fn append(list: &mut String, word: &str) {
    if !list.is_empty() && !word.is_empty() {
        list.push(' ');
    }
    list.push_str(word);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_case_and_unicode_form_never_matter() {
        use unicode_normalization::UnicodeNormalization;
        let decomposed: String = "Informação".nfd().collect();
        for word in ["informacao", "INFORMAÇÃO", &decomposed] {
            assert_eq!(tokens(word), ["informacao"], "{word:?}");
        }
        assert_eq!(tokens("İstanbul ﬁnal Ⅳ"), ["istanbul", "final", "iv"]);
        assert_eq!(tokens("Łódź cœur Straße ΟΔΟΣ οδος"), ["lodz", "coeur", "strasse", "οδοσ", "οδοσ"]);
        assert_eq!(tokens("infor\u{AD}ma\u{200B}ção"), ["informacao"]);
    }

    #[test]
    fn what_is_no_word_gives_no_token() {
        assert!(tokens("\"*()\0 \u{301}\u{301} 🎉 --").is_empty());
        assert_eq!(tokens("C++ 14.688/2023"), ["c", "14", "688", "2023"]);
    }

    #[test]
    fn a_long_token_is_cut_not_dropped() {
        for letter in ["á", "a"] {
            assert_eq!(tokens(&letter.repeat(5000)), ["a".repeat(fold::MAX_TOKEN)]);
        }
    }

    #[test]
    fn scripts_without_spaces_are_searched_by_character_and_by_pair() {
        assert_eq!(tokens("東京タワー v2"), ["東", "京", "タ", "ワ", "ー", "v2"]);
        let mut literal = Analysis::default();
        literal.read("東京 tower");
        assert_eq!((literal.words.as_str(), literal.compounds.as_str()), ("東 京 tower", "東京"));
        // The signs that carry the vowels of Indic scripts are letters, not accents.
        assert_ne!(tokens("की"), tokens("का"));
    }

    #[test]
    fn words_alone_are_those_of_the_whole_analysis() {
        let (mut whole, mut words) = (Analysis::default(), Analysis::default());
        for text in ["Em C++ e .NET: R$ 1.500,00!", "東京 tower, ações à beira", "\u{301} a--b_c", ""] {
            whole.read(text);
            words.read_words(text);
            assert_eq!(words.words, whole.words, "{text:?}");
            assert!(words.compounds.is_empty() && words.accented.is_empty());
        }
    }

    #[test]
    fn the_literal_text_has_the_words_and_the_compounds() {
        let mut literal = Analysis::default();
        literal.read("Em C++ e .NET: R$ 1.500,00!");
        assert_eq!(literal.words, "em c e net r 1 500 00");
        assert_eq!(literal.compounds, "c++ .net r$ 1.500,00");
    }
}
