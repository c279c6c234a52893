//! Splitting a text as byte-pair tokenizers do before they look into their vocabularies.
//!
//! A token never crosses an edge between two pieces, so what a text costs is the sum of what its pieces cost. The rules
//! are those that the tokenizers of OpenAI (`cl100k_base`) and Llama 3 publish with their vocabularies; `o200k_base`
//! differs from them within words only.

/// A stretch of a text that a tokenizer looks at by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// Letters, with the one blank or mark before them; `spaced` when that is a space.
    Word { letters: &'t str, spaced: bool },
    /// Up to three digits.
    Number,
    /// Marks, with the space before and the ends of line after them, which are not among them here.
    Marks(&'t str),
    /// White space that belongs to no other piece.
    Blank,
}

/// The pieces of `text`, in their order.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, length) = first(rest)?;
        rest = rest.get(length..).unwrap_or_default();
        Some(piece)
    })
}

/// The piece that `text` starts with, and its length in bytes.
fn first(text: &str) -> Option<(Piece<'_>, usize)> {
    let mut chars = text.chars();
    let (first, second) = (chars.next()?, chars.next());
    let after = first.len_utf8();
    if first.is_alphabetic() {
        let letters = run(text, char::is_alphabetic);
        return Some((Piece::Word { letters, spaced: false }, letters.len()));
    }
    if first.is_numeric() {
        let digits = text.chars().take(3).take_while(|c| c.is_numeric());
        return Some((Piece::Number, digits.map(char::len_utf8).sum()));
    }
    if !is_line_end(first) && !is_accent(first) && second.is_some_and(char::is_alphabetic) {
        let letters = run(text.get(after..)?, char::is_alphabetic);
        return Some((Piece::Word { letters, spaced: first == ' ' }, after + letters.len()));
    }
    if is_mark(first) || (first == ' ' && second.is_some_and(is_mark)) {
        let start = if first == ' ' { after } else { 0 };
        let marks = run(text.get(start..)?, is_mark);
        let end = start + marks.len();
        let ends = run(text.get(end..)?, |c| is_line_end(c) || c == '/');
        return Some((Piece::Marks(marks), end + ends.len()));
    }
    let blanks = run(text, char::is_whitespace);
    let length = match blanks.rfind(is_line_end) {
        Some(line_end) => line_end + 1,
        // The last one goes to what follows it.
        None if blanks.len() < text.len() && blanks.len() > after => {
            blanks.len() - blanks.chars().next_back().map_or(0, char::len_utf8)
        }
        None => blanks.len(),
    };
    Some((Piece::Blank, length))
}

fn run(text: &str, is_in: impl Fn(char) -> bool) -> &str {
    text.get(..text.find(|c| !is_in(c)).unwrap_or(text.len())).unwrap_or_default()
}

fn is_mark(c: char) -> bool {
    !(c.is_whitespace() || c.is_alphabetic() || c.is_numeric())
}

/// Whether `c` is an accent that is written behind its letter, as in decomposed texts (Unicode, "Combining Diacritical
/// Marks"). A vocabulary knows hardly any with a letter, so it is looked at by itself, other than by the tokenizers.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\r' | '\n')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn word(letters: &str, spaced: bool) -> Piece<'_> {
        Piece::Word { letters, spaced }
    }

    #[test]
    fn a_text_is_split_as_the_tokenizers_split_it() {
        let found = |text| pieces(text).collect::<Vec<_>>();
        assert_eq!(found("Olá, mundo"), [word("Olá", false), Piece::Marks(","), word("mundo", true)]);
        assert_eq!(found("a  b"), [word("a", false), Piece::Blank, word("b", true)]);
        assert_eq!(
            found("x.map(12345)"),
            [
                word("x", false),
                word("map", false),
                Piece::Marks("("),
                Piece::Number,
                Piece::Number,
                Piece::Marks(")"),
            ]
        );
        assert_eq!(found("| 7 |\n"), [Piece::Marks("|"), Piece::Blank, Piece::Number, Piece::Marks("|")]);
        assert_eq!(found("a \r\n  b"), [word("a", false), Piece::Blank, Piece::Blank, word("b", true)]);
        assert_eq!(found("--all"), [Piece::Marks("--"), word("all", false)]);
        assert_eq!(found("  "), [Piece::Blank]);
        assert_eq!(found("a\u{303}o"), [word("a", false), Piece::Marks("\u{303}"), word("o", false)]);
    }

    proptest! {
        #[test]
        fn every_text_is_split_into_pieces_without_end(text in "(\\PC|[ \n\r\t/.a1é]){0,60}") {
            let mut rest = text.as_str();
            while let Some((_, length)) = first(rest) {
                prop_assert!(length > 0 && rest.is_char_boundary(length), "{rest:?} {length}");
                rest = &rest[length..];
            }
            prop_assert_eq!(rest, "");
        }
    }
}
