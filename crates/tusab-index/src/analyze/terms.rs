//! The terms that a text is ranked by, in the form that tantivy asks for.

use std::str::Split;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::{Analysis, Morphology, StemCache};

/// Begins the term of a word as it stands, apart from case and accents. Those of stems begin with the language.
pub(crate) const EXACT: char = '=';

/// Begins the term of a word with its accents.
pub(crate) const ACCENT: char = '~';

/// Texts that are one bag of words in the form that the tokenizer takes: tantivy gives it no other way to know the
/// language, and the words are told apart already, for the literal index.
pub(crate) fn value<'t>(
    morphology: Morphology,
    texts: impl IntoIterator<Item = &'t Analysis, IntoIter: Clone>,
) -> String {
    let texts = texts.into_iter();
    let lists: [fn(&Analysis) -> &str; 3] = [|of| &of.words, |of| &of.compounds, |of| &of.accented];
    let code = morphology.code();
    let length = texts.clone().map(|text| lists.iter().map(|list| list(text).len() + 1).sum::<usize>());
    let mut value = String::with_capacity(code.len() + lists.len() + length.sum::<usize>());
    value.push_str(code);
    for list in lists {
        value.push(SEPARATOR);
        for text in texts.clone() {
            value.push_str(list(text));
            value.push(' ');
        }
    }
    value
}

/// Stands between the parts of a value, and in no word.
const SEPARATOR: char = '\0';

/// Gives for each word its stem and the word as it stands; the compounds; and the words that have accents with them.
#[derive(Clone, Default)]
pub(crate) struct TermTokenizer {
    stems: StemCache,
    token: Token,
}

impl Tokenizer for TermTokenizer {
    type TokenStream<'a> = TermStream<'a>;

    fn token_stream<'a>(&'a mut self, value: &'a str) -> TermStream<'a> {
        self.token.reset();
        let mut parts = value.split(SEPARATOR);
        let morphology = Morphology::of_code(parts.next().unwrap_or_default());
        let mut list = || parts.next().unwrap_or_default().split(' ');
        let (words, compounds, accented) = (list(), list(), list());
        TermStream { words, compounds, accented, word: None, morphology, tokenizer: self }
    }
}

pub(crate) struct TermStream<'a> {
    tokenizer: &'a mut TermTokenizer,
    words: Split<'a, char>,
    compounds: Split<'a, char>,
    accented: Split<'a, char>,
    /// A word whose stem was given, given next.
    word: Option<&'a str>,
    morphology: Morphology,
}

impl TokenStream for TermStream<'_> {
    fn advance(&mut self) -> bool {
        let TermTokenizer { stems, token } = &mut *self.tokenizer;
        token.position = token.position.wrapping_add(1);
        token.text.clear();
        let is_word = |word: &&str| !word.is_empty();
        if let Some(word) = self.word.take() {
            marked(EXACT, word, &mut token.text);
        } else if let Some(word) = self.words.find(is_word) {
            token.text.push(self.morphology.mark());
            stems.stem(self.morphology, word, &mut token.text);
            self.word = Some(word);
        } else if let Some(compound) = self.compounds.find(is_word) {
            marked(EXACT, compound, &mut token.text);
        } else if let Some(form) = self.accented.find(is_word) {
            marked(ACCENT, form, &mut token.text);
        } else {
            return false;
        }
        true
    }

    fn token(&self) -> &Token {
        &self.tokenizer.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokenizer.token
    }
}

fn marked(mark: char, text: &str, term: &mut String) {
    term.push(mark);
    term.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(morphology: Morphology, texts: &[&str]) -> Vec<String> {
        let analysed = |text: &&str| {
            let mut analysis = Analysis::default();
            analysis.read(text);
            analysis
        };
        let texts: Vec<Analysis> = texts.iter().map(analysed).collect();
        let value = value(morphology, &texts);
        let mut tokenizer = TermTokenizer::default();
        let mut terms = Vec::new();
        let mut stream = tokenizer.token_stream(&value);
        while stream.advance() {
            terms.push(stream.token().text.clone());
        }
        terms
    }

    #[test]
    fn each_word_is_there_by_stem_by_itself_and_by_its_accents() {
        let action = format!("p{}", Morphology::Portuguese.stem("acoes"));
        assert_eq!(
            terms(Morphology::Portuguese, &["As Ações", "", "em C++"]),
            ["pas", "=as", &action, "=acoes", "pem", "=em", "pc", "=c", "=c++", "~ações"]
        );
    }

    #[test]
    fn a_text_without_language_is_taken_as_it_is() {
        assert_eq!(terms(Morphology::Other, &["cats"]), ["ocats", "=cats"]);
        assert!(terms(Morphology::Other, &["", "--"]).is_empty());
    }
}
