//! Where a text may be cut: edges of grapheme clusters and words (Unicode Standard Annex 29), spaces, sentences.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// True when no grapheme cluster is cut at `byte`.
pub(super) fn is_edge(text: &str, byte: usize) -> bool {
    if byte == 0 || byte >= text.len() {
        return true;
    }
    // Two ASCII characters form a cluster only as CR LF; this spares the table for most text.
    if let Some([before, after]) = text.as_bytes().get(byte - 1..=byte)
        && before.is_ascii()
        && after.is_ascii()
    {
        return (*before, *after) != (b'\r', b'\n');
    }
    GraphemeCursor::new(byte, text.len(), true).is_boundary(text, 0).unwrap_or(false)
}

/// The last edge that is not after `byte`.
pub(super) fn floor(text: &str, byte: usize) -> usize {
    let mut at = text.floor_char_boundary(byte);
    while at > 0 && !is_edge(text, at) {
        at = text.floor_char_boundary(at - 1);
    }
    at
}

/// The first edge that is not before `byte`.
pub(super) fn ceil(text: &str, byte: usize) -> usize {
    let mut at = text.ceil_char_boundary(byte);
    while at < text.len() && !is_edge(text, at) {
        at = text.ceil_char_boundary(at + 1);
    }
    at
}

/// The place `count` characters before `byte`, or the start of the text.
pub(super) fn back(text: &str, byte: usize, count: usize) -> usize {
    let Some(last) = count.checked_sub(1) else { return byte };
    text.get(..byte).and_then(|head| head.char_indices().rev().nth(last)).map_or(0, |(at, _)| at)
}

/// The place `count` characters after `byte`, or the end of the text.
pub(super) fn forth(text: &str, byte: usize, count: usize) -> usize {
    let tail = text.get(byte..).unwrap_or_default();
    tail.char_indices().nth(count).map_or(text.len(), |(at, _)| byte + at)
}

/// Where words begin after white space or at the start of the text, between the two places, in order.
pub(super) fn word_starts(text: &str, from: usize, to: usize) -> impl DoubleEndedIterator<Item = usize> {
    let part = text.get(from..to).unwrap_or_default();
    let is_start = move |at: &usize| {
        char_before(text, *at).is_none_or(char::is_whitespace)
            && char_after(text, *at).is_some_and(|c| !c.is_whitespace())
            && is_edge(text, *at)
    };
    part.char_indices().map(move |(at, _)| from + at).chain([to]).filter(is_start)
}

/// Where words end before white space, between the two places, in order.
pub(super) fn word_ends(text: &str, from: usize, to: usize) -> impl DoubleEndedIterator<Item = usize> {
    let part = text.get(from..to).unwrap_or_default();
    let is_end = move |at: &usize| {
        char_after(text, *at).is_none_or(char::is_whitespace)
            && char_before(text, *at).is_some_and(|c| !c.is_whitespace())
            && is_edge(text, *at)
    };
    part.char_indices().map(move |(at, _)| from + at).chain([to]).filter(is_end)
}

/// Characters looked at beyond a place to tell whether a word goes on there: an apostrophe and a letter, with marks.
const LOOK_AHEAD: usize = 8;

/// Where words meet by Annex 29, which also divides scripts without spaces, after `from` and not after `to`.
///
/// `from` is taken for such a place; the work is that of the characters between the two. Not every one is an edge of a
/// cluster: Thai has words by this measure that begin with a vowel of the cluster before.
pub(super) fn word_edges(text: &str, from: usize, to: usize) -> impl Iterator<Item = usize> {
    let part = text.get(from..forth(text, to, LOOK_AHEAD)).unwrap_or_default();
    let edges = part.split_word_bound_indices().map(move |(at, word)| from + at + word.len());
    edges.take_while(move |at| *at <= to)
}

/// True when a sentence, or a paragraph, begins at `at`, a start of a word.
///
/// A rule of thumb that takes `Dr. Silva` for two sentences: a snippet that begins there is none the worse.
pub(super) fn is_sentence_start(text: &str, at: usize) -> bool {
    let Some(head) = text.get(..at) else { return false };
    let before = head.trim_end();
    let blank = head.get(before.len()..).unwrap_or_default();
    let is_closer = |c| matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '」' | '』');
    let is_stop = |c| matches!(c, '.' | '!' | '?' | '…' | '؟' | '۔' | '।' | '。' | '！' | '？');
    before.is_empty()
        || blank.matches('\n').count() > 1
        || (before.trim_end_matches(is_closer).ends_with(is_stop)
            && !char_after(text, at).is_some_and(char::is_lowercase))
}

fn char_before(text: &str, byte: usize) -> Option<char> {
    text.get(..byte)?.chars().next_back()
}

fn char_after(text: &str, byte: usize) -> Option<char> {
    text.get(byte..)?.chars().next()
}
