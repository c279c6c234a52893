use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::fold::is_invisible;

/// A part of a text that can be searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// A run of letters and digits, with the marks that combine with them; one character of a script that puts no
    /// spaces between words.
    Word(&'t str),
    /// Words that symbols tie together (`self-rag`, `14.688/2023`), a word with a symbol that makes it another word
    /// (`C++`, `.NET`, `@handle`, `R$`), or two neighbours of a script without spaces. Its words come before it.
    Compound(&'t str),
}

impl<'t> Piece<'t> {
    /// The piece, when it is a word.
    pub(crate) fn word(self) -> Option<&'t str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Compound(_) => None,
        }
    }
}

/// The pieces of a text, in their order. Reads each byte a bounded number of times.
#[derive(Debug)]
pub(crate) struct Pieces<'t> {
    text: &'t str,
    at: usize,
    chain: Option<Chain>,
    /// The word that ended a chain, given out after it.
    waiting: Option<Range<usize>>,
}

/// Words tied together so far.
#[derive(Debug, Clone)]
struct Chain {
    span: Range<usize>,
    words: usize,
    /// Its last word is one character of a script without spaces.
    is_unspaced: bool,
}

/// Longest compound, in bytes; a longer one, such as a line of code without spaces, is known by its words alone.
const MAX_COMPOUND: usize = 512;

impl<'t> Pieces<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self { text, at: 0, chain: None, waiting: None }
    }

    /// Where the next word stands, and whether it is one character of a script without spaces.
    pub(super) fn next_word(&mut self) -> Option<(Range<usize>, bool)> {
        let rest = self.text.get(self.at..)?;
        let start = rest.find(char::is_alphanumeric)?;
        let word = rest.get(start..)?;
        let is_unspaced = word.starts_with(is_unspaced);
        let is_part = |c: char| match c {
            _ if c.is_ascii() => !is_unspaced && c.is_ascii_alphanumeric(),
            _ => {
                (!is_unspaced && c.is_alphanumeric() && !self::is_unspaced(c))
                    || is_combining_mark(c)
                    || is_invisible(c)
            }
        };
        let first = word.chars().next().map_or(0, char::len_utf8);
        let end = word.get(first..)?.find(|c: char| !is_part(c)).map_or(word.len(), |end| first + end);
        let span = self.at + start..self.at + start + end;
        self.at = span.end;
        Some((span, is_unspaced))
    }

    /// Takes a word into the chain; the compound that it completes or ends.
    fn link(&mut self, word: &Range<usize>, is_unspaced: bool) -> Option<Range<usize>> {
        let fresh = Chain { span: word.clone(), words: 1, is_unspaced };
        let Some(chain) = self.chain.as_mut() else {
            self.chain = Some(fresh);
            return None;
        };
        let gap = self.text.get(chain.span.end..word.start).unwrap_or_default();
        if is_unspaced && chain.is_unspaced && gap.is_empty() {
            let pair = chain.span.start..word.end;
            self.chain = Some(fresh);
            return Some(pair);
        }
        if !is_unspaced && !chain.is_unspaced && ties(self.text, gap, word.start) {
            chain.span.end = word.end;
            chain.words += 1;
            return None;
        }
        let ended = std::mem::replace(chain, fresh);
        self.compound(&ended)
    }

    /// The compound that a chain amounts to, if any.
    fn compound(&self, chain: &Chain) -> Option<Range<usize>> {
        if chain.is_unspaced {
            return None;
        }
        let before = self.text.get(..chain.span.start)?;
        let after = self.text.get(chain.span.end..)?;
        let prefix = before.chars().next_back().filter(|c| matches!(c, '.' | '@' | '#' | '$')).filter(|_| {
            // A full stop that ends a sentence stands after a letter.
            before
                .chars()
                .rev()
                .nth(1)
                .is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | '{' | '"' | '\'' | ','))
        });
        let suffix = after.chars().take(3).take_while(|c| matches!(c, '+' | '#' | '$' | '%')).count();
        let (prefix, suffix) = (prefix.map_or(0, char::len_utf8), if suffix < 3 { suffix } else { 0 });
        let span = chain.span.start - prefix..chain.span.end + suffix;
        let is_compound = chain.words > 1 || prefix + suffix > 0;
        (is_compound && span.len() <= MAX_COMPOUND).then_some(span)
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        if let Some(word) = self.waiting.take() {
            return self.text.get(word).map(Piece::Word);
        }
        let Some((word, is_unspaced)) = self.next_word() else {
            let chain = self.chain.take()?;
            return self.compound(&chain).and_then(|span| self.text.get(span)).map(Piece::Compound);
        };
        let completed = self.link(&word, is_unspaced);
        if let Some(compound) = completed {
            self.waiting = Some(word);
            return self.text.get(compound).map(Piece::Compound);
        }
        self.text.get(word).map(Piece::Word)
    }
}

/// True when what stands between two words makes them one.
fn ties(text: &str, gap: &str, next: usize) -> bool {
    match gap {
        "-" | "." | "/" | "_" | "@" | "+" | "#" | "&" | "=" | "://" | "::" | "++" => true,
        // Between digits alone: elsewhere they end a clause.
        "," | ":" => {
            let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            let start = next - gap.len();
            is_digit(text.get(..start).and_then(|before| before.chars().next_back()))
                && is_digit(text.get(next..).and_then(|after| after.chars().next()))
        }
        _ => false,
    }
}

/// Scripts that are written without spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        // Thai, Lao, Myanmar, Khmer.
        '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        // Kana and Han.
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FF9D}' | '\u{20000}'..='\u{323AF}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn compounds(text: &str) -> Vec<&str> {
        Pieces::of(text)
            .filter_map(|piece| match piece {
                Piece::Compound(compound) => Some(compound),
                Piece::Word(_) => None,
            })
            .collect()
    }

    #[test]
    fn compounds_are_what_people_write_as_one() {
        for (text, expected) in [
            ("o self-rag e o C++, C# ou F#.", vec!["self-rag", "C++", "C#", "F#"]),
            ("em .NET (.NET) e fim.Outra", vec![".NET", ".NET", "fim.Outra"]),
            ("Lei 14.688/2023, art. 5", vec!["14.688/2023"]),
            ("custa R$ 1.500,00 ou $20, 50%", vec!["R$", "1.500,00", "$20", "50%"]),
            ("de @handle #tag a@b.com", vec!["@handle", "#tag", "a@b.com"]),
            ("em https://a.b/c_d=1 às 10:30", vec!["https://a.b/c_d=1", "10:30"]),
            ("std::fs e a,b fim: x...y e", vec!["std::fs"]),
            ("uma frase. Outra - ainda. 1 + 1", vec![]),
            ("d'água é", vec![]),
            ("東京都", vec!["東京", "京都"]),
            ("a東b", vec![]),
        ] {
            assert_eq!(compounds(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_longer_than_a_compound_is_known_by_its_words() {
        let text = "a-".repeat(1000);
        assert!(compounds(&text).is_empty());
        assert_eq!(Pieces::of(&text).count(), 1000);
    }

    proptest! {
        #[test]
        fn every_letter_is_in_a_word_once(text in any::<String>()) {
            let words: String = Pieces::of(&text).filter_map(Piece::word).collect();
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(letters(&words), letters(&text));
        }

        #[test]
        fn compounds_stand_in_the_text(text in "[a-zé0-9 .,:+#@$%/_=&東-]{0,60}") {
            for compound in compounds(&text) {
                prop_assert!(text.contains(compound) && !compound.contains(char::is_whitespace));
            }
        }
    }
}
