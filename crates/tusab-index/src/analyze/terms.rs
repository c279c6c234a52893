//! The terms that a text is ranked by, in the form that tantivy asks for.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::{Morphology, Piece, Pieces, StemCache, accented, fold, fold_compound};

/// Begins the term of a word as it stands, apart from case and accents. Those of stems begin with the language.
pub(crate) const EXACT: char = '=';

/// Begins the term of a word with its accents.
pub(crate) const ACCENT: char = '~';

/// The text in the form that the tokenizer takes: tantivy gives it no other way to know the language.
pub(crate) fn value(morphology: Morphology, text: &str) -> String {
    format!("{}\0{text}", morphology.code())
}

/// Gives for each word its stem, the word as it stands, and the word with its accents if it has any; for each compound
/// the compound.
#[derive(Clone, Default)]
pub(crate) struct TermTokenizer {
    stems: StemCache,
    token: Token,
    folded: String,
    accented: String,
}

impl Tokenizer for TermTokenizer {
    type TokenStream<'a> = TermStream<'a>;

    fn token_stream<'a>(&'a mut self, value: &'a str) -> TermStream<'a> {
        self.token.reset();
        let (code, text) = value.split_once('\0').unwrap_or(("", value));
        TermStream {
            pieces: Pieces::of(text),
            morphology: Morphology::of_code(code),
            next: Next::Piece,
            tokenizer: self,
        }
    }
}

pub(crate) struct TermStream<'a> {
    tokenizer: &'a mut TermTokenizer,
    pieces: Pieces<'a>,
    morphology: Morphology,
    next: Next,
}

/// What is given next.
enum Next {
    Piece,
    Exact,
    Accented,
}

impl TermStream<'_> {
    fn next_piece(&mut self) -> bool {
        let TermTokenizer { stems, token, folded, accented: form } = &mut *self.tokenizer;
        for piece in self.pieces.by_ref() {
            match piece {
                Piece::Word(word) => {
                    fold(word, folded);
                    if folded.is_empty() {
                        continue;
                    }
                    accented(word, folded, form);
                    token.text.clear();
                    token.text.push(self.morphology.mark());
                    stems.stem(self.morphology, folded, &mut token.text);
                    self.next = Next::Exact;
                }
                Piece::Compound(compound) => {
                    fold_compound(compound, folded);
                    marked(EXACT, folded, &mut token.text);
                }
            }
            return true;
        }
        false
    }
}

fn marked(mark: char, text: &str, term: &mut String) {
    term.clear();
    term.push(mark);
    term.push_str(text);
}

impl TokenStream for TermStream<'_> {
    fn advance(&mut self) -> bool {
        self.tokenizer.token.position = self.tokenizer.token.position.wrapping_add(1);
        let TermTokenizer { token, folded, accented, .. } = &mut *self.tokenizer;
        match self.next {
            Next::Piece => return self.next_piece(),
            Next::Exact => {
                marked(EXACT, folded, &mut token.text);
                self.next = if accented.is_empty() { Next::Piece } else { Next::Accented };
            }
            Next::Accented => {
                marked(ACCENT, accented, &mut token.text);
                self.next = Next::Piece;
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_there_by_stem_by_itself_and_by_its_accents() {
        let mut tokenizer = TermTokenizer::default();
        let mut terms = Vec::new();
        let value = value(Morphology::Portuguese, "As Ações em C++");
        let mut stream = tokenizer.token_stream(&value);
        while stream.advance() {
            terms.push(stream.token().text.clone());
        }
        let action = format!("p{}", Morphology::Portuguese.stem("acoes"));
        assert_eq!(terms, ["pas", "=as", &action, "=acoes", "~ações", "pem", "=em", "pc", "=c", "=c++"]);
    }

    #[test]
    fn a_text_without_language_is_taken_as_it_is() {
        let mut tokenizer = TermTokenizer::default();
        let mut stream = tokenizer.token_stream("cats");
        assert!(stream.advance() && stream.token().text == "ocats");
        assert!(stream.advance() && stream.token().text == "=cats");
        assert!(!stream.advance());
    }
}
