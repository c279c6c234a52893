//! Leaves out phrases that say nothing or say it twice.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::PhraseFilter;
use super::stopwords::is_stopword;

impl PhraseFilter {
    /// Whether a phrase is a candidate.
    pub(super) fn admits(self, phrase: &str) -> bool {
        match self {
            Self::Off => true,
            Self::PortugueseEnglish => {
                let mut words = phrase.split(' ');
                let first = words.next().unwrap_or_default();
                let last = words.next_back().unwrap_or(first);
                !is_stopword(&folded(first)) && !is_stopword(&folded(last))
            }
        }
    }

    /// What nearly equal phrases have in common; `None` where none are told apart.
    pub(super) fn gist(self, phrase: &str) -> Option<Vec<String>> {
        match self {
            Self::Off => None,
            Self::PortugueseEnglish => {
                let mut words: Vec<String> = phrase.split(' ').map(|word| singular(folded(word))).collect();
                words.sort();
                words.dedup();
                Some(words)
            }
        }
    }
}

fn folded(word: &str) -> String {
    word.nfkd().filter(|&letter| !is_combining_mark(letter)).collect()
}

/// A form that the singular and the plural share, in both languages. It need not be a word: it is only compared.
fn singular(word: String) -> String {
    if word.chars().count() < 4 {
        return word;
    }
    // ações - ação, cities - city, viagens - viagem, canais - canal, papéis - papel.
    let endings = [
        ("coes", "cao"),
        ("oes", "ao"),
        ("aes", "ao"),
        ("ies", "y"),
        ("ns", "m"),
        ("ais", "al"),
        ("eis", "el"),
    ];
    for (plural, singular) in endings {
        if let Some(stem) = word.strip_suffix(plural) {
            return format!("{stem}{singular}");
        }
    }
    let word = if word.ends_with("ss") { word.as_str() } else { word.strip_suffix('s').unwrap_or(&word) };
    // luzes - luz, classes - class.
    word.strip_suffix('e').unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_that_begin_or_end_in_a_stopword_are_left_out() {
        let admits = |phrase| PhraseFilter::PortugueseEnglish.admits(phrase);
        for phrase in ["zirata of", "the proof", "não sei", "of", "está", "juros são"] {
            assert!(!admits(phrase), "{phrase}");
            assert!(PhraseFilter::Off.admits(phrase));
        }
        assert!(["proof lifting", "juros", "juros compostos", "taxa de juros"].into_iter().all(admits));
    }

    #[test]
    fn nearly_equal_phrases_have_one_gist() {
        let gist = |phrase| PhraseFilter::PortugueseEnglish.gist(phrase).unwrap();
        for (one, other) in [
            ("quantum computer", "quantum computers"),
            ("computers quantum", "quantum computer"),
            ("ação rápida", "acoes rapidas"),
            ("canal", "canais"),
            ("viagem", "viagens"),
            ("city", "cities"),
            ("classes", "class"),
            ("nome", "nomes"),
            ("luz", "luzes"),
        ] {
            assert_eq!(gist(one), gist(other));
        }
        assert_ne!(gist("proof"), gist("proof lifting"));
        assert_eq!(PhraseFilter::Off.gist("a"), None);
    }
}
