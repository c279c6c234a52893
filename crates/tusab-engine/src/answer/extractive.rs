//! The answer that needs nothing installed: the best sentences of what was found, word for word.

use std::collections::HashSet;

use super::Voice;
use super::passage::Sentence;

/// Number of quotes in an answer.
const QUOTES: usize = 3;

/// A sentence that scores less than this part of the best one would only blur the answer.
const WORTH: f32 = 0.5;

/// Two sentences that share this part of their words say the same: overlapping windows cut one speech differently.
const SAME: f64 = 0.7;

/// The best of the ranked sentences, each with the number of its source; `None` when there are none.
pub(crate) fn extract(ranked: &[Sentence], voice: Voice) -> Option<String> {
    let best = ranked.first()?;
    let mut quotes: Vec<&Sentence> = Vec::new();
    for sentence in ranked {
        let is_worth_it = sentence.score > 0.0 && sentence.score >= best.score * WORTH;
        if is_worth_it && quotes.iter().all(|quote| !is_same(&quote.stems, &sentence.stems)) {
            quotes.push(sentence);
        }
        if quotes.len() == QUOTES {
            break;
        }
    }
    if quotes.is_empty() {
        // Found by its title or key phrases alone: its beginning says what it is.
        quotes.push(best);
    }
    let lines: Vec<String> =
        quotes.iter().map(|quote| format!("“{}” [{}]", quote.text, quote.hit + 1)).collect();
    Some(format!("{}\n\n{}", voice.quotes(), lines.join("\n")))
}

/// True when one set of words is nearly or wholly in the other.
#[allow(clippy::cast_precision_loss, reason = "counts of words are small")]
fn is_same(a: &HashSet<String>, b: &HashSet<String>) -> bool {
    let shared = a.intersection(b).count() as f64;
    let smaller = a.len().min(b.len()) as f64;
    shared >= smaller * SAME
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(hit: usize, text: &str, score: f32) -> Sentence {
        let stems = tusab_index::tokens(text).into_iter().collect();
        Sentence { hit, bytes: 0..text.len(), text: text.to_owned(), stems, score }
    }

    fn quotes(ranked: &[Sentence]) -> Vec<String> {
        let text = extract(ranked, Voice::English).unwrap();
        text.lines().skip(2).map(str::to_owned).collect()
    }

    #[test]
    fn the_best_are_quoted_once_each_with_their_sources() {
        let ranked = [
            sentence(1, "mint needs three hours of sun", 3.0),
            sentence(0, "so mint needs three hours of sun", 2.9),
            sentence(0, "basil wants six", 2.0),
            sentence(2, "tomatoes want more than that", 1.9),
            sentence(2, "chives are in between them", 1.8),
        ];
        let expected = [
            "“mint needs three hours of sun” [2]",
            "“basil wants six” [1]",
            "“tomatoes want more than that” [3]",
        ];
        assert_eq!(quotes(&ranked), expected);
    }

    #[test]
    fn what_is_far_worse_than_the_best_is_left_out() {
        let ranked =
            [sentence(0, "mint needs sun", 3.0), sentence(0, "we like sun", 1.4), sentence(0, "hello", 0.0)];
        assert_eq!(quotes(&ranked), ["“mint needs sun” [1]"]);
    }

    #[test]
    fn what_only_its_title_has_found_is_quoted_from_its_beginning() {
        assert_eq!(quotes(&[sentence(0, "hello", 0.0), sentence(0, "there", 0.0)]), ["“hello” [1]"]);
        assert_eq!(extract(&[], Voice::English), None);
    }
}
