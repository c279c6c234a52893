//! Choosing where a window may be cut.

use unicode_segmentation::UnicodeSegmentation;

use super::block::{self, Block, Kind};
use super::grapheme;
use super::sentence::{Ending, ending, is_closer, is_full_width_stop};

/// Kinds of boundary within a paragraph, the better ones later in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// The end of a word that what follows belongs to.
    Abbreviation,
    Word,
    Line,
    Sentence,
}

/// The part of a window in which its cut is looked for; all places are bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    /// Where the window starts.
    pub(super) start: usize,
    /// The first place where it may end.
    pub(super) earliest: usize,
    /// The last one.
    pub(super) limit: usize,
}

/// The last of the best boundaries in reach that splits none of the blocks that are `whole`; `None` when there is
/// no space and no end of a word.
pub(super) fn best_cut(text: &str, reach: Reach, blocks: &[Block], whole: &[Block]) -> Option<usize> {
    let allowed = |at: usize| block::around(whole, at).is_none();
    let headings = block::within(blocks, reach.earliest, reach.limit).iter().rev();
    if let Some(heading) =
        headings.filter(|b| b.kind == Kind::Heading).map(|b| b.start).find(|at| allowed(*at))
    {
        return Some(heading);
    }
    if let Some(paragraph) = last_paragraph(text, reach, allowed) {
        return Some(paragraph);
    }
    let mut best: Option<(Level, usize)> = None;
    let mut after = text.get(reach.limit..)?.chars().next();
    let mut at = reach.limit;
    for before in text.get(reach.start..reach.limit)?.chars().rev() {
        if at < reach.earliest {
            break;
        }
        if let Some(level) = level_at(text, reach.start, at, before, after, blocks)
            && best.is_none_or(|(found, _)| level > found)
            && allowed(at)
            && grapheme::is_edge(text, reach.start, at)
        {
            best = Some((level, at));
            if level == Level::Sentence {
                break;
            }
        }
        after = Some(before);
        at -= before.len_utf8();
    }
    best.map(|(_, at)| at).or_else(|| between_words(text, reach, allowed))
}

/// The last end of a paragraph in reach, before the white space that follows it.
fn last_paragraph(text: &str, reach: Reach, allowed: impl Fn(usize) -> bool) -> Option<usize> {
    // The white space that starts in reach may go on beyond it.
    let rest = text.get(reach.limit..)?;
    let mut end = text.len() - rest.trim_start().len();
    loop {
        end = reach.earliest + last_line_break(text.as_bytes().get(reach.earliest..end)?)?;
        end = reach.start + text.get(reach.start..end)?.trim_end().len();
        if end < reach.earliest {
            return None;
        }
        if end <= reach.limit
            && ends_paragraph(text.get(end..)?)
            && allowed(end)
            && grapheme::is_edge(text, reach.start, end)
        {
            return Some(end);
        }
    }
}

/// The last byte that ends a line, or that may be the first of a character that does.
fn last_line_break(bytes: &[u8]) -> Option<usize> {
    // U+0085, U+2028 and U+2029 start with C2 and E2.
    let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'\x0c' | 0xC2 | 0xE2);
    let mut end = bytes.len();
    // Blocks without any are passed over by vector code; `any` would stop at each byte.
    for block in bytes.rchunks(64) {
        let start = end - block.len();
        if block.iter().fold(false, |found, byte| found | is_break(byte)) {
            return block.iter().rposition(is_break).map(|at| start + at);
        }
        end = start;
    }
    None
}

/// Which boundary stands at byte `at`, between the characters `before` and `after`: always at the end of a word,
/// before the white space that follows it.
fn level_at(
    text: &str,
    start: usize,
    at: usize,
    before: char,
    after: Option<char>,
    blocks: &[Block],
) -> Option<Level> {
    if !after.is_some_and(is_break) {
        let stopped = !before.is_ascii()
            && !after.is_some_and(is_closer)
            && is_full_width_stop(text.get(start..at)?.trim_end_matches(is_closer).chars().next_back()?);
        return stopped.then_some(Level::Sentence);
    }
    if before.is_whitespace() {
        return None;
    }
    let line = text.get(start..at)?;
    let rest = text.get(at..)?;
    let in_code = block::around(blocks, at).is_some_and(|block| block.kind == Kind::Fence);
    let ends_line = rest.chars().take_while(|c| c.is_whitespace()).any(is_line_break);
    // A line of code says more than a full stop in it.
    if in_code {
        return Some(if ends_line { Level::Sentence } else { Level::Word });
    }
    Some(match ending(line, rest) {
        Ending::Sentence => Level::Sentence,
        Ending::Abbreviation => Level::Abbreviation,
        Ending::Word if ends_line => Level::Line,
        Ending::Word => Level::Word,
    })
}

/// True when the white space at the start of `rest` ends two lines, or is a paragraph or page separator.
fn ends_paragraph(rest: &str) -> bool {
    let mut lines = 0;
    let mut last = ' ';
    for c in rest.chars().take_while(|c| c.is_whitespace()) {
        lines += u8::from(is_line_break(c) && !(last == '\r' && c == '\n'));
        if lines == 2 || matches!(c, '\u{2029}' | '\x0c') {
            return true;
        }
        last = c;
    }
    false
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\x0c' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// White space at which a line may be broken: not the no-break spaces of `Dr. Silva` and `10 km`.
fn is_break(c: char) -> bool {
    c == ' ' || (c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}'))
}

/// The last edge between words in reach (Unicode Standard Annex 29), for text without spaces.
fn between_words(text: &str, reach: Reach, allowed: impl Fn(usize) -> bool) -> Option<usize> {
    /// Bytes looked at beyond the limit, to see whether the word there ends.
    const BEYOND: usize = 32;
    let from = grapheme::floor(text, reach.start, reach.earliest);
    let to = text.ceil_char_boundary(reach.limit.saturating_add(BEYOND));
    let ends: Vec<usize> = text
        .get(from..to)?
        .split_word_bound_indices()
        .map(|(offset, _)| from + offset)
        .skip_while(|at| *at < reach.earliest || *at <= from)
        .take_while(|at| *at <= reach.limit)
        .collect();
    ends.into_iter().rev().find(|at| allowed(*at) && grapheme::is_edge(text, reach.start, *at))
}

/// The start of a word at `wanted`, or up to `slack` bytes before it but not before `low`, an edge; else the last
/// edge that is not after `wanted`.
pub(super) fn word_start(text: &str, low: usize, wanted: usize, slack: usize) -> usize {
    let mut at = wanted;
    for c in text.get(low..wanted).unwrap_or_default().chars().rev() {
        if at + slack < wanted {
            break;
        }
        if is_break(c) && grapheme::is_edge(text, low, at) {
            return at;
        }
        at -= c.len_utf8();
    }
    grapheme::floor(text, low, wanted)
}
