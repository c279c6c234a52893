use std::collections::HashMap;

use tusab_chunk::Language;

use super::{Morphology, StemCache, detect_language, folded, is_stopword, words};
use crate::snippet::Match;

/// Where the words of a query, or other forms of them, stand in a passage.
pub(crate) fn matches(query: &str, passage: &str, language: Option<&Language>) -> Vec<Match> {
    let detected = if language.is_none() { detect_language(passage) } else { None };
    let morphology = Morphology::of(language.or(detected.as_ref()));
    let mut terms: HashMap<String, usize> = HashMap::new();
    let tokens = super::tokens(query);
    let only_function_words = tokens.iter().all(|token| is_stopword(token));
    for token in &tokens {
        if only_function_words || !is_stopword(token) {
            let number = terms.len();
            terms.entry(morphology.stem(token)).or_insert(number);
        }
    }
    let (mut stems, mut stem) = (StemCache::default(), String::new());
    let answers = |(bytes, word)| {
        stem.clear();
        stems.stem(morphology, &folded(word), &mut stem);
        terms.get(stem.as_str()).map(|term| Match { bytes, term: *term })
    };
    words(passage).filter_map(answers).collect()
}
