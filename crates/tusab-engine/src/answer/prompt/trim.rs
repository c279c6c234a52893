//! Shortening a passage at the edges of its sentences.

use tusab_chunk::{Chars, TextWindows};
use unicode_segmentation::UnicodeSegmentation;

/// Speech without full stops is taken in pieces of this many characters.
const LONGEST: Chars = Chars(300);

/// Stands where something was left out.
const LEFT_OUT: &str = "[…]";

/// The sentences of `text` around byte `focus` that cost no more than `most`, as many as go, first those after it; `None`
/// when not even the one at `focus` does. `cost` says what a piece costs.
pub(crate) fn around(text: &str, focus: usize, most: usize, cost: &dyn Fn(&str) -> usize) -> Option<String> {
    let pieces = pieces(text);
    let first = pieces.partition_point(|(start, _)| *start <= focus).saturating_sub(1);
    let cost_of = |at: usize| pieces.get(at).map(|(_, piece)| cost(piece));
    // For the two marks.
    let mut left = most.checked_sub(2 * cost(LEFT_OUT))?.checked_sub(cost_of(first)?)?;
    let (mut from, mut to) = (first, first + 1);
    loop {
        let after = cost_of(to).and_then(|cost| left.checked_sub(cost));
        if let Some(rest) = after {
            (left, to) = (rest, to + 1);
            continue;
        }
        let before = from.checked_sub(1).and_then(cost_of).and_then(|cost| left.checked_sub(cost));
        match before {
            Some(rest) => (left, from) = (rest, from - 1),
            None => break,
        }
    }
    let start = pieces.get(from)?.0;
    let end = pieces.get(to).map_or(text.len(), |(start, _)| *start);
    let kept = text.get(start..end)?.trim();
    let (before, after) = (if from > 0 { "[…] " } else { "" }, if to < pieces.len() { " […]" } else { "" });
    Some(format!("{before}{kept}{after}"))
}

/// The sentences of a text, each with where it starts; together they are the text.
fn pieces(text: &str) -> Vec<(usize, &str)> {
    let windows = TextWindows::new(LONGEST, Chars(0)).unwrap_or_default();
    let mut pieces = Vec::new();
    for (at, sentence) in text.split_sentence_bound_indices() {
        if sentence.len() <= LONGEST.0 {
            pieces.push((at, sentence));
            continue;
        }
        let starts: Vec<usize> = windows.spans(sentence).map(|span| span.byte_start().0).collect();
        // What lies between two windows belongs to the one before.
        let starts: Vec<usize> = std::iter::once(0).chain(starts.into_iter().skip(1)).collect();
        for (number, start) in starts.iter().enumerate() {
            let end = starts.get(number + 1).copied().unwrap_or(sentence.len());
            pieces.push((at + start, sentence.get(*start..end).unwrap_or_default()));
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chars(text: &str) -> usize {
        text.chars().count()
    }

    #[test]
    fn what_is_kept_are_whole_sentences_around_the_focus() {
        let text = "Um é pouco. Dois é bom. Três é demais. Quatro já é festa.";
        let focus = text.find("Três").unwrap();
        let kept = |most| around(text, focus, most, &chars);
        assert_eq!(kept(100).as_deref(), Some(text));
        assert_eq!(kept(42).as_deref(), Some("[…] Três é demais. Quatro já é festa."));
        assert_eq!(kept(22).as_deref(), Some("[…] Três é demais. […]"));
        assert_eq!(kept(15), None);
        assert_eq!(around("", 0, 100, &chars), None);
    }

    #[test]
    fn speech_without_full_stops_is_cut_between_words() {
        let text = "palavra ".repeat(200);
        let kept = around(&text, 800, 700, &chars).unwrap();
        assert!(kept.starts_with("[…] palavra") && kept.ends_with("palavra […]"), "{kept}");
        assert!((400..=700).contains(&chars(&kept)), "{}", chars(&kept));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_between_pieces_and_nothing_costs_more(
            text in "([a-zé ]{0,400}[.?!\n] ?){0,6}", focus in 0_usize..800, most in 0_usize..900
        ) {
            let joined: String = pieces(&text).into_iter().map(|(_, piece)| piece).collect();
            prop_assert_eq!(&joined, &text);
            if let Some(kept) = around(&text, focus, most, &chars) {
                // Two spaces stand beside the marks.
                prop_assert!(chars(&kept) <= most + 2);
            }
        }
    }
}
