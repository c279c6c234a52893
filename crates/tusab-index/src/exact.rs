//! What of a query must be found word for word.

use crate::analyze::tokens;
use crate::hit::Literal;

/// A clause of the query that the literal index looks up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    pub(crate) kind: Literal,
    /// The words as the user typed them.
    pub(crate) text: String,
}

/// A phrase of more words than this is not looked up: ranking finds a pasted page, and each word costs time.
const MAX_PHRASE_TOKENS: usize = 256;

/// Phrases that are looked up; of more, the first count.
const MAX_PHRASES: usize = 8;

/// The phrases of a query: the whole of it when it has two words or more, and what stands between quotes.
pub(crate) fn phrases(query: &str) -> Vec<Clause> {
    let mut phrases = Vec::new();
    let mut add = |kind, text: &str, least: usize| {
        let words = tokens(text).len();
        let is_new = phrases.iter().all(|clause: &Clause| clause.text != text || clause.kind != kind);
        if (least..=MAX_PHRASE_TOKENS).contains(&words) && phrases.len() < MAX_PHRASES && is_new {
            phrases.push(Clause { kind, text: text.to_owned() });
        }
    };
    add(Literal::WholeQuery, query, 2);
    for quoted in quoted(query) {
        // A single quoted word counts too.
        add(Literal::QuotedPhrase, quoted, 1);
    }
    phrases
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
        assert!(phrases("informação").is_empty());
        assert_eq!(
            phrases("juros altos"),
            [Clause { kind: Literal::WholeQuery, text: "juros altos".into() }]
        );
        assert!(phrases(&"a ".repeat(10_000)).is_empty());
    }
}
