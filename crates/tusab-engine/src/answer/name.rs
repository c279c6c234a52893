//! Names in an answer: people, places, products, acronyms.

use std::ops::Range;

use tusab_index::{StemmedWord, is_stopword};

/// A name that an answer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) bytes: Range<usize>,
    /// Which words of the answer it is made of.
    pub(super) words: Vec<usize>,
}

/// Capitalised words that name nothing: days and months are written large in English.
const CALENDAR: [&str; 20] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "i",
];

/// The names among the words of a sentence, where `words` are those of the whole text and `range` says which the sentence
/// holds.
///
/// A name is a run of words with large first letters. The word that begins the sentence is one only if it looks like a name
/// beyond that: `ONU`, `iPhone`, `GPT4`, or more large letters after it (`Ana Souza`). In a language that writes its nouns
/// large nothing can be told, and nothing is.
pub(super) fn names(text: &str, words: &[StemmedWord], range: Range<usize>, language: &str) -> Vec<Name> {
    if language == "de" {
        return Vec::new();
    }
    let mut names: Vec<Name> = Vec::new();
    let mut run: Vec<usize> = Vec::new();
    let shown = |at: usize| words.get(at).and_then(|word| text.get(word.bytes.clone())).unwrap_or_default();
    for at in range.clone() {
        let follows = at > range.start && run.last() == Some(&(at - 1)) && adjoin(text, words, at);
        if !follows {
            close(text, words, &mut run, &mut names);
        }
        let Some(word) = words.get(at) else { break };
        if is_large(shown(at)) && !CALENDAR.contains(&word.token.as_str()) {
            run.push(at);
        } else {
            close(text, words, &mut run, &mut names);
        }
    }
    close(text, words, &mut run, &mut names);
    names
}

/// Ends a run of large words; what begins a sentence counts only where it shows to be a name.
fn close(text: &str, words: &[StemmedWord], run: &mut Vec<usize>, names: &mut Vec<Name>) {
    let mut run = std::mem::take(run);
    let shown = |at: usize| words.get(at).and_then(|word| text.get(word.bytes.clone())).unwrap_or_default();
    if let Some(first) = run.first().copied()
        && begins_sentence(text, words, first)
        && !is_marked(shown(first))
        && (run.len() == 1 || words.get(first).is_some_and(|word| is_stopword(&word.token)))
    {
        run.remove(0);
    }
    if let (Some(first), Some(last)) =
        (run.first().and_then(|at| words.get(*at)), run.last().and_then(|at| words.get(*at)))
    {
        names.push(Name { bytes: first.bytes.start..last.bytes.end, words: run });
    }
}

/// True when a word begins with a large letter, or holds one or a digit inside.
fn is_large(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_uppercase) || is_marked(word)
}

/// True for what is a name wherever it stands: `ONU`, `iPhone`, `GPT4`; not for a number and its unit (`5km`).
fn is_marked(word: &str) -> bool {
    let begins_with_letter = word.chars().next().is_some_and(char::is_alphabetic);
    begins_with_letter && word.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit())
}

/// True when a word is the first of its sentence, line or quotation, or stands after a colon.
fn begins_sentence(text: &str, words: &[StemmedWord], at: usize) -> bool {
    let from = at.checked_sub(1).and_then(|before| words.get(before)).map_or(0, |word| word.bytes.end);
    let to = words.get(at).map_or(from, |word| word.bytes.start);
    let between = text.get(from..to).unwrap_or_default();
    at == 0
        || between
            .contains(['.', '!', '?', ':', '\n', '“', '"', '«', '…', '*', '(', ']', ';', '¿', '¡', '—', '–'])
}

/// True when nothing but a space or a hyphen stands between a word and the one before it.
fn adjoin(text: &str, words: &[StemmedWord], at: usize) -> bool {
    let (Some(before), Some(word)) = (at.checked_sub(1).and_then(|before| words.get(before)), words.get(at))
    else {
        return false;
    };
    let between = text.get(before.bytes.end..word.bytes.start).unwrap_or("?");
    between.chars().all(|c| c == ' ' || c == '-' || c == '.' || c == '\'' || c == '&')
        && !between.contains(". ")
}

#[cfg(test)]
mod tests {
    use tusab_index::stemmed_words;

    use super::*;

    fn found(text: &str, language: &str) -> Vec<String> {
        let words = stemmed_words(text, Some(&language.parse().unwrap()));
        names(text, &words, 0..words.len(), language)
            .into_iter()
            .map(|name| text[name.bytes].to_owned())
            .collect()
    }

    #[test]
    fn names_are_large_words_that_do_not_just_begin_a_sentence() {
        for (text, language, expected) in [
            ("A reunião com Ana Souza foi em Belo Horizonte.", "pt", vec!["Ana Souza", "Belo Horizonte"]),
            ("Segundo a ONU, o Brasil cresceu.", "pt", vec!["ONU", "Brasil"]),
            ("Ana Souza falou. Depois saiu.", "pt", vec!["Ana Souza"]),
            ("ONU e IBGE concordam.", "pt", vec!["ONU", "IBGE"]),
            ("O Silva disse: Vamos já.", "pt", vec!["Silva"]),
            ("We met on Monday in Paris.", "en", vec!["Paris"]),
            ("They use GPT4 and iPhone.", "en", vec!["GPT4", "iPhone"]),
            ("A hortelã precisa de três horas de sol.", "pt", vec![]),
            ("Der Hund und die Katze von Berlin.", "de", vec![]),
            ("", "pt", vec![]),
        ] {
            assert_eq!(found(text, language), expected, "{text}");
        }
    }
}
