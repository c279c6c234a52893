//! The phrases of a text, by the rules of scikit-learn's `CountVectorizer`, which KeyBERT uses.

use std::collections::BTreeSet;

use unicode_normalization::char::is_combining_mark;

/// The words of a text in lower case, in order: runs of two or more letters, digits and underscores. The pattern is
/// `\b\w\w+\b`.
pub(super) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    // Marks count as letters to Rust and not to Python.
    let in_word = |letter: char| letter == '_' || letter.is_alphanumeric() && !is_combining_mark(letter);
    let runs = lower.split(|letter| !in_word(letter));
    runs.filter(|run| run.chars().nth(1).is_some()).map(str::to_owned).collect()
}

/// All phrases of one to `longest` words that follow each other, each once, sorted.
pub(super) fn phrases(words: &[String], longest: usize) -> Vec<String> {
    let all: BTreeSet<String> = (1..=longest.min(words.len()))
        .flat_map(|length| words.windows(length).map(|words| words.join(" ")))
        .collect();
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_those_of_count_vectorizer() {
        assert_eq!(
            words("It's a Zirata-based SATAD, v2: x_1 é só 2024!"),
            ["it", "zirata", "based", "satad", "v2", "x_1", "só", "2024"]
        );
        // A decomposed accent ends the word, in Python as here.
        assert_eq!(words("cafe\u{301}s İstanbul"), ["cafe", "stanbul"]);
        assert!(words(" — a b c …").is_empty());
    }

    #[test]
    fn phrases_are_sorted_and_unique() {
        let words = words("the proof of the proof");
        assert_eq!(phrases(&words, 2), ["of", "of the", "proof", "proof of", "the", "the proof"]);
        assert_eq!(phrases(&words, 1), ["of", "proof", "the"]);
        assert_eq!(phrases(&[], 2), [] as [&str; 0]);
        assert_eq!(phrases(&words, usize::MAX).len(), 3 + 3 + 3 + 2 + 1);
    }

    proptest! {
        #[test]
        fn any_text_gives_words_of_two_characters_or_more(text in "\\PC{0,200}") {
            let words = words(&text);
            prop_assert!(words.iter().all(|word| word.chars().count() >= 2 && !word.contains(' ')));
            prop_assert!(phrases(&words, 2).len() <= words.len() * 2);
        }
    }
}
