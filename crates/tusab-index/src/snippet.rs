//! The part of a passage that shows best why it was found.

mod best;
mod edge;
#[cfg(test)]
mod tests;

use std::ops::Range;

use tusab_chunk::{ByteOffset, Chars};

/// A short part of a passage, with the words that were asked for marked in it.
///
/// The text is a verbatim part of the passage, cut between words where it can be and never inside a grapheme cluster
/// (Unicode Standard Annex 29), without white space at its ends. White space inside is kept as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    text: String,
    start: ByteOffset,
    highlights: Vec<Range<ByteOffset>>,
    is_cut_at_start: bool,
    is_cut_at_end: bool,
}

/// A stretch of a [`Snippet`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnippetPart<'s> {
    /// Words that were asked for.
    Match(&'s str),
    /// What stands between them.
    Plain(&'s str),
}

impl<'s> SnippetPart<'s> {
    /// The text of the stretch.
    #[must_use]
    pub fn text(self) -> &'s str {
        let (Self::Match(text) | Self::Plain(text)) = self;
        text
    }
}

/// A word of the passage that answers a word of the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Match {
    /// Where it stands in the passage, in bytes. What is not a range of that text is passed over.
    pub(crate) bytes: Range<usize>,
    /// Which word of the query it answers; two forms of one word have the same number.
    pub(crate) term: usize,
}

impl Snippet {
    /// Characters of a snippet by default, about three lines.
    pub const LENGTH: Chars = Chars(240);

    /// The part of `passage` with the most distinct words of the query, then the most of them, then the earliest.
    ///
    /// Of at most `max` characters: empty when not even one grapheme cluster fits. Begins at a sentence where one
    /// begins shortly before the first match. Without matches it is the beginning of the passage. Matches may
    /// overlap and stand in any order. Time is linear in the passage and the matches, beside the sorting of these.
    pub(crate) fn new(passage: &str, matches: Vec<Match>, max: Chars) -> Self {
        let matches = best::located(passage, matches);
        let core = best::window(passage, &matches, max.0);
        let start = start(passage, &core, max.0);
        let end = end(passage, start, &core, max.0);
        let (start, end) = trim(passage, start, end);
        let text = passage.get(start..end).unwrap_or_default();
        let within = |at: usize| at.saturating_sub(start).min(text.len());
        let ranges = matches.iter().map(|found| within(found.bytes.start)..within(found.bytes.end));
        let has_text = |part: Option<&str>| part.is_some_and(|part| !part.trim().is_empty());
        Self {
            text: text.to_owned(),
            start: ByteOffset(start),
            highlights: highlights(text, ranges),
            is_cut_at_start: has_text(passage.get(..start)),
            is_cut_at_end: has_text(passage.get(end..)),
        }
    }

    /// The text of the snippet.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the snippet stands in the passage's `original_text`.
    #[must_use]
    pub fn range(&self) -> Range<ByteOffset> {
        self.start..ByteOffset(self.start.0 + self.text.len())
    }

    /// Where the words that were asked for stand in [`text`](Self::text): in order, apart, none empty, at edges of
    /// grapheme clusters. Neighbours with only white space between them are one.
    #[must_use]
    pub fn highlights(&self) -> &[Range<ByteOffset>] {
        &self.highlights
    }

    /// The text in stretches, marked and plain, in order and none empty; joined they are the text.
    #[must_use]
    pub fn parts(&self) -> Vec<SnippetPart<'_>> {
        let mut parts = Vec::with_capacity(2 * self.highlights.len() + 1);
        let mut at = 0;
        for highlight in &self.highlights {
            parts.push(SnippetPart::Plain(self.slice(at, highlight.start.0)));
            parts.push(SnippetPart::Match(self.slice(highlight.start.0, highlight.end.0)));
            at = highlight.end.0;
        }
        parts.push(SnippetPart::Plain(self.slice(at, self.text.len())));
        parts.retain(|part| !part.text().is_empty());
        parts
    }

    fn slice(&self, from: usize, to: usize) -> &str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// True when the passage has text before the snippet: show an ellipsis there.
    #[must_use]
    pub fn is_cut_at_start(&self) -> bool {
        self.is_cut_at_start
    }

    /// True when the passage has text after the snippet: show an ellipsis there.
    #[must_use]
    pub fn is_cut_at_end(&self) -> bool {
        self.is_cut_at_end
    }
}

/// Where the snippet around `core` begins.
fn start(text: &str, core: &Range<usize>, max: usize) -> usize {
    let room = max.saturating_sub(length(text, core.start, core.end));
    let after = text.get(core.end..).unwrap_or_default().chars().take(room).count();
    // What the end of the passage leaves free goes to the front, but for a little when a sentence begins then.
    let spare = room - after;
    let filling = edge::back(text, core.start, spare);
    let earliest = edge::back(text, core.start, spare.max(room / 2));
    let latest = edge::forth(text, filling, room / 4).min(core.start);
    let sentences =
        || edge::word_starts(text, earliest, latest).filter(|at| edge::is_sentence_start(text, *at));
    if let Some(sentence) = sentences().rfind(|at| *at <= filling).or_else(|| sentences().next()) {
        return sentence;
    }
    let desired = edge::ceil(text, edge::back(text, core.start, spare.max(room / 3))).min(core.start);
    let near = edge::forth(text, desired, max / 4).min(core.start);
    let word = edge::word_starts(text, desired, near).next();
    let word = word.or_else(|| edge::word_edges(text, desired, core.start).next());
    edge::floor(text, word.unwrap_or(core.start))
}

/// Where the snippet from `start` around `core` ends.
fn end(text: &str, start: usize, core: &Range<usize>, max: usize) -> usize {
    let limit = edge::forth(text, start, max);
    if limit == text.len() {
        return limit;
    }
    let from = core.end.clamp(start, limit);
    let near = edge::back(text, limit, max / 4).max(from);
    let word = edge::word_ends(text, near, limit).next_back();
    let word = word.or_else(|| edge::word_edges(text, from, limit).last());
    edge::floor(text, word.unwrap_or_else(|| edge::ceil(text, from).min(limit))).max(start)
}

/// The range without the white space at its ends, save a space that carries a mark.
fn trim(text: &str, start: usize, end: usize) -> (usize, usize) {
    let part = text.get(start..end).unwrap_or_default();
    let from = edge::floor(text, end - part.trim_start().len());
    let part = text.get(from..end).unwrap_or_default();
    (from, edge::ceil(text, from + part.trim_end().len()))
}

/// The ranges widened to edges, those that touch or have only white space between them as one.
fn highlights(text: &str, ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<ByteOffset>> {
    let mut merged: Vec<Range<ByteOffset>> = Vec::new();
    for range in ranges.filter(|range| !range.is_empty()) {
        let (start, end) = (edge::floor(text, range.start), edge::ceil(text, range.end));
        match merged.last_mut() {
            Some(last) if text.get(last.end.0..start).is_none_or(|gap| gap.trim().is_empty()) => {
                last.end = last.end.max(ByteOffset(end));
            }
            _ => merged.push(ByteOffset(start)..ByteOffset(end)),
        }
    }
    merged
}

fn length(text: &str, from: usize, to: usize) -> usize {
    text.get(from..to).unwrap_or_default().chars().count()
}
