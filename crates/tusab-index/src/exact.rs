//! What of a query must be found word for word.

use crate::analyze::{Analysis, Piece, Pieces, fold_compound};
use crate::hit::Literal;

/// A clause of the query that the literal index looks up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    pub(crate) kind: Literal,
    /// The words as the analysis gives them, between spaces.
    pub(crate) words: String,
}

/// A phrase of more words than this is not looked up: ranking finds a pasted page, and each word costs time.
const MAX_PHRASE_WORDS: usize = 256;

/// Phrases that are looked up; of more, the first count.
const MAX_PHRASES: usize = 8;

/// The phrases of a query, and whether there were more than are looked up.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Phrases {
    pub(crate) clauses: Vec<Clause>,
    pub(crate) is_capped: bool,
}

impl Phrases {
    /// The whole of the query when it has two words or more, what stands between quotes, and the compounds.
    pub(crate) fn of(query: &str) -> Self {
        let mut phrases = Self::default();
        let mut literal = Analysis::default();
        phrases.add(Literal::WholeQuery, query, 2, &mut literal);
        for quoted in quoted(query) {
            // A single quoted word counts too.
            phrases.add(Literal::QuotedPhrase, quoted, 1, &mut literal);
        }
        let mut compound = String::new();
        for piece in Pieces::of(query) {
            if let Piece::Compound(text) = piece {
                fold_compound(text, &mut compound);
                phrases.push(Literal::Compound, &compound);
            }
        }
        phrases
    }

    /// True when the query quotes something.
    pub(crate) fn any_quoted(&self) -> bool {
        self.clauses.iter().any(|clause| clause.kind == Literal::QuotedPhrase)
    }

    fn add(&mut self, kind: Literal, text: &str, least: usize, literal: &mut Analysis) {
        literal.read(text);
        let count = literal.words.split(' ').filter(|word| !word.is_empty()).count();
        if count > MAX_PHRASE_WORDS {
            self.is_capped = true;
        } else if count >= least {
            self.push(kind, &literal.words);
        }
    }

    fn push(&mut self, kind: Literal, words: &str) {
        if self.clauses.iter().any(|clause| clause.words == words && clause.kind == kind) {
            return;
        }
        if self.clauses.len() == MAX_PHRASES {
            self.is_capped = true;
        } else {
            self.clauses.push(Clause { kind, words: words.to_owned() });
        }
    }
}

/// The texts between pairs of straight or curly quotes; a quote without its partner is just text.
fn quoted(query: &str) -> impl Iterator<Item = &str> {
    let mut parts = query.split(['"', '“', '”']).skip(1);
    // Inside and outside alternate; the part after an unpaired quote has no partner.
    std::iter::from_fn(move || {
        let inside = parts.next()?;
        parts.next().map(|_| inside)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clauses(query: &str) -> Vec<(Literal, String)> {
        Phrases::of(query).clauses.into_iter().map(|clause| (clause.kind, clause.words)).collect()
    }

    #[test]
    fn quotes_come_in_pairs_or_are_text() {
        for (query, expected) in [
            ("lei \"marco civil\" da \"internet livre\"", vec!["marco civil", "internet livre"]),
            ("“marco civil” hoje", vec!["marco civil"]),
            ("uma \"aspas só", vec![]),
            ("\"\"\"\"", vec!["", ""]),
        ] {
            assert_eq!(quoted(query).collect::<Vec<_>>(), expected, "{query:?}");
        }
    }

    #[test]
    fn the_whole_query_is_a_phrase_from_two_words_on() {
        assert!(clauses("informação").is_empty());
        assert_eq!(clauses("Juros altos"), [(Literal::WholeQuery, "juros altos".to_owned())]);
    }

    #[test]
    fn compounds_are_looked_up_whole() {
        assert_eq!(clauses("C++"), [(Literal::Compound, "c++".to_owned())]);
        assert_eq!(
            clauses("lei 14.688/2023"),
            [
                (Literal::WholeQuery, "lei 14 688 2023".to_owned()),
                (Literal::Compound, "14.688/2023".to_owned())
            ]
        );
    }

    #[test]
    fn what_is_left_out_is_reported() {
        assert!(!Phrases::of("a b").is_capped);
        assert!(Phrases::of(&"a ".repeat(10_000)).is_capped);
        assert!(Phrases::of(&"a ".repeat(10_000)).clauses.is_empty());
        let many = (0..20).map(|n| format!("\"w{n}\"")).collect::<Vec<_>>().join(" ");
        assert!(Phrases::of(&many).is_capped && Phrases::of(&many).clauses.len() == MAX_PHRASES);
    }
}
