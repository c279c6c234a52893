//! Which matches the snippet is to show.

use std::ops::Range;

use super::{Match, edge, length};

/// A match with its place in characters.
#[derive(Debug)]
pub(super) struct Located {
    pub(super) bytes: Range<usize>,
    /// Numbered from 0 without gaps.
    term: usize,
    chars: Range<usize>,
}

/// The matches that are ranges of `text` and not empty, in the order of their starts.
pub(super) fn located(text: &str, mut matches: Vec<Match>) -> Vec<Located> {
    matches.retain(|found| text.get(found.bytes.clone()).is_some_and(|word| !word.is_empty()));
    matches.sort_by_key(|found| found.bytes.start);
    let mut terms: Vec<usize> = matches.iter().map(|found| found.term).collect();
    terms.sort_unstable();
    terms.dedup();
    let (mut byte, mut char) = (0, 0);
    let locate = |found: Match| {
        char += length(text, byte, found.bytes.start);
        byte = found.bytes.start;
        let end = char + length(text, byte, found.bytes.end);
        let term = terms.partition_point(|term| *term < found.term);
        Located { bytes: found.bytes, term, chars: char..end }
    };
    matches.into_iter().map(locate).collect()
}

/// The range, in bytes, of the best matches that fit in `max` characters; empty, at the first word, without any.
///
/// Slides over the matches: each is entered and left once.
pub(super) fn window(text: &str, matches: &[Located], max: usize) -> Range<usize> {
    let mut by_end: Vec<&Located> = matches.iter().collect();
    by_end.sort_by_key(|found| found.chars.end);
    let mut entering = by_end.iter().peekable();
    let mut counts = vec![0_usize; matches.len()];
    let (mut distinct, mut total, mut end) = (0, 0, 0);
    let mut best = None;
    for first in matches {
        let limit = first.chars.start.saturating_add(max);
        while let Some(found) = entering.next_if(|found| found.chars.end <= limit) {
            // One that was passed while it was too long for the room does not count later either.
            if found.chars.start >= first.chars.start {
                end = end.max(found.bytes.end);
                if let Some(count) = counts.get_mut(found.term) {
                    distinct += usize::from(*count == 0);
                    *count += 1;
                }
                total += 1;
            }
        }
        let score = (distinct, total);
        if best.as_ref().is_none_or(|(most, _)| score > *most) {
            // A match longer than all the room is shown as far as it goes, unless others are in reach.
            let end = if total == 0 { edge::forth(text, first.bytes.start, max) } else { end };
            best = Some((score, first.bytes.start..end));
        }
        if first.chars.len() <= max {
            total -= 1;
            if let Some(count) = counts.get_mut(first.term) {
                *count -= 1;
                distinct -= usize::from(*count == 0);
            }
        }
    }
    let first_word = text.len() - text.trim_start().len();
    best.map_or(first_word..first_word, |(_, range)| range)
}
