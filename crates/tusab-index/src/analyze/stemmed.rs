use std::ops::Range;

use tusab_chunk::Language;

use super::{Morphology, StemCache, detect_language, folded, words};

/// A word of a text as the index sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StemmedWord {
    /// Where it stands, in bytes.
    pub bytes: Range<usize>,
    /// The word in lower case and without accents.
    pub token: String,
    /// What its forms have in common (Snowball's stem, without accents).
    pub stem: String,
}

/// The words of a text in their order, with their stems in `language`, or in the one that the text seems to be in.
///
/// ```
/// let [one] = tusab_index::stemmed_words("Informações", Some(&"pt".parse()?)).try_into().unwrap();
/// let [other] = tusab_index::stemmed_words("informação", Some(&"pt".parse()?)).try_into().unwrap();
/// assert_eq!(one.stem, other.stem);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn stemmed_words(text: &str, language: Option<&Language>) -> Vec<StemmedWord> {
    let detected = if language.is_none() { detect_language(text) } else { None };
    let morphology = Morphology::of(language.or(detected.as_ref()));
    let mut stems = StemCache::default();
    let stemmed = |(bytes, word)| {
        let token = folded(word);
        let mut stem = String::new();
        stems.stem(morphology, &token, &mut stem);
        StemmedWord { bytes, token, stem }
    };
    words(text).map(stemmed).filter(|word| !word.token.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_where_they_stand_and_what_their_forms_share() {
        let text = "As análises, e a análise — de C++.";
        let words = stemmed_words(text, Some(&"pt".parse().unwrap()));
        let shown: Vec<&str> = words.iter().map(|word| &text[word.bytes.clone()]).collect();
        assert_eq!(shown, ["As", "análises", "e", "a", "análise", "de", "C"]);
        assert_eq!(words[1].stem, words[4].stem);
        assert_eq!(words[1].token, "analises");
    }

    #[test]
    fn a_text_without_a_language_is_read_in_its_own() {
        let words =
            stemmed_words("The engineers were retrieving the retrieved passages from the index", None);
        let stem = |token: &str| &words.iter().find(|word| word.token == token).unwrap().stem;
        assert_eq!(stem("retrieving"), stem("retrieved"));
    }
}
