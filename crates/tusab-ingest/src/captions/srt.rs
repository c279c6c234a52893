//! SRT, as `SubRip` wrote it and as everybody writes it since: a number, a line of times, lines of text, a blank line.
//! There is no specification.
//!
//! Only the lines of times are relied on. What stands between two of them is the text of the first, save the number
//! of the second: blank lines, and lines of digits alone, are text.

use super::cue::Cue;
use super::lines::{Line, Lines, normalise};
use super::markup::{self, Dialect};
use super::srt_timing::{Timing, timing};
use super::timing::is_timing;
use crate::{Error, Problem, Warning};

/// What an SRT file holds, before anything is made of it.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) cues: Vec<Cue>,
    pub(crate) warnings: Vec<Warning>,
    /// The last line, when the file ends without a line break.
    pub(crate) unended: Option<u32>,
}

pub(crate) fn read(text: &str) -> Result<File, Error> {
    let text = normalise(text.strip_prefix('\u{FEFF}').unwrap_or(text));
    let lines: Vec<Line<'_>> = Lines::new(&text).collect();
    let heads = heads(&lines);
    if heads.is_empty() {
        return Err(Error::NotSrt);
    }
    let mut reader = Reader {
        text: &text,
        lines: &lines,
        cues: Vec::new(),
        warnings: Vec::new(),
        warned_of_oddity: false,
    };
    reader.before_first(heads.first().map_or(0, |head| head.first));
    let ends = heads.iter().skip(1).map(|next| next.first).chain([lines.len()]);
    for (head, end) in heads.iter().zip(ends) {
        reader.cue(head, end);
    }
    let unended = lines.last().filter(|last| last.end == text.len()).map(|last| last.number);
    Ok(File { cues: reader.cues, warnings: reader.warnings, unended })
}

/// Whether a text is SRT beyond doubt: it starts with a line of times, numbered or with a comma.
pub(crate) fn is_srt(text: &str) -> bool {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut lines = text.split(['\n', '\r']).filter(|line| !line.trim().is_empty());
    let Some(first) = lines.next() else { return false };
    if timing(first).is_some() {
        return first.split('>').next().is_some_and(|start| start.contains(','));
    }
    number(first).is_some() && lines.next().is_some_and(|second| timing(second).is_some())
}

/// The start of a cue.
struct Head<'t> {
    /// Where it starts in the list of lines: at the number, or at the times where there is none.
    first: usize,
    times: usize,
    line: Line<'t>,
    /// None for times that cannot be read.
    timing: Option<Timing>,
}

/// How a file numbers its cues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbering {
    All,
    Some,
    None,
}

fn heads<'t>(lines: &[Line<'t>]) -> Vec<Head<'t>> {
    let mut heads = Vec::new();
    let mut numbered = 0;
    for (at, line) in lines.iter().enumerate() {
        let timing = timing(line.text);
        if timing.is_some() || is_timing(line.text) {
            numbered += usize::from(number_above(lines, at).is_some());
            heads.push(Head { first: at, times: at, line: *line, timing });
        }
    }
    let first_is_numbered = heads.first().is_some_and(|head| number_above(lines, head.times).is_some());
    let numbering = match numbered {
        _ if numbered * 4 >= heads.len() * 3 && first_is_numbered => Numbering::All,
        _ if numbered * 4 <= heads.len() || !first_is_numbered => Numbering::None,
        _ => Numbering::Some,
    };
    let mut before: Option<(usize, Option<u64>)> = None;
    for head in &mut heads {
        let number = number_above(lines, head.times).filter(|number| {
            let blank_above = head.times.checked_sub(2).is_none_or(|at| is_blank(lines, at));
            let is_next = before
                .and_then(|(_, number)| number)
                .is_some_and(|before| before.checked_add(1) == Some(*number));
            // The text of the cue before would be this number alone.
            let is_only_text = before.is_some_and(|(times, _)| times + 2 == head.times);
            is_next
                || (blank_above && (numbering != Numbering::None || before.is_none()))
                || (numbering == Numbering::All && !is_only_text)
        });
        if number.is_some() {
            head.first -= 1;
        }
        before = Some((head.times, number));
    }
    heads
}

/// The number on the line above a line of times.
fn number_above(lines: &[Line<'_>], times: usize) -> Option<u64> {
    number(lines.get(times.checked_sub(1)?)?.text)
}

fn number(line: &str) -> Option<u64> {
    let line = line.trim();
    if line.bytes().all(|byte| byte.is_ascii_digit()) { line.parse().ok() } else { None }
}

fn is_blank(lines: &[Line<'_>], at: usize) -> bool {
    lines.get(at).is_some_and(|line| line.text.trim().is_empty())
}

struct Reader<'t> {
    text: &'t str,
    lines: &'t [Line<'t>],
    cues: Vec<Cue>,
    warnings: Vec<Warning>,
    warned_of_oddity: bool,
}

impl Reader<'_> {
    /// What stands above the first cue belongs to none.
    fn before_first(&mut self, end: usize) {
        let lines = self.lines.get(..end).unwrap_or_default();
        let mut said = lines.iter().filter(|line| !line.text.trim().is_empty());
        if let Some(first) = said.next() {
            self.warn(first.number, Problem::TextOutsideCues { text: Problem::quote(first.text) });
        }
    }

    fn cue(&mut self, head: &Head<'_>, end: usize) {
        let is_last = end == self.lines.len();
        let payload = self.lines.get(head.times + 1..end).unwrap_or_default();
        let said = payload.iter().rposition(|line| !line.text.is_empty()).map_or(0, |last| last + 1);
        let mut payload = payload.get(..said).unwrap_or_default();
        if is_last {
            payload = self.without_cut_head(payload);
        }
        let text = match (payload.first(), payload.last()) {
            (Some(first), Some(last)) => self.text.get(first.start..last.end).unwrap_or_default(),
            _ => "",
        };
        let Some(timing) = head.timing else {
            let timing = Problem::quote(head.line.text);
            let cut = is_last && payload.is_empty() && head.line.end == self.text.len();
            let problem = if cut { Problem::CutCue } else { Problem::UnreadableTimes { timing } };
            self.warn(head.line.number, problem);
            return;
        };
        // Text under a blank line under text: elsewhere that blank line would have ended the cue.
        let under = payload.iter().zip(payload.iter().skip(1)).skip_while(|(line, _)| line.text.is_empty());
        let stray = under.filter(|(line, _)| line.text.is_empty()).map(|(_, next)| next.number).next();
        if let Some(line) = stray {
            self.warn(line, Problem::TextAfterCue);
        }
        let (cue, cut) = markup::cue(Dialect::SubRip, timing.span, text);
        let cut = cut && payload.last().is_some_and(|last| last.end == self.text.len());
        // Times without a text at the very end, with no line under them.
        let cut = cut || (is_last && head.times + 1 == self.lines.len() && head.line.end == self.text.len());
        if !(cut && payload.is_empty()) {
            self.warn_of_times(head.line.number, timing);
        }
        if cut {
            self.warn(payload.last().map_or(head.line.number, |last| last.number), Problem::CutCue);
        }
        if !(cut && payload.is_empty()) {
            self.cues.push(cue);
        }
    }

    /// At the end of a file, a number under a blank line, perhaps with a piece of a time, is the start of a cue that
    /// was cut off.
    fn without_cut_head<'p>(&mut self, payload: &'p [Line<'p>]) -> &'p [Line<'p>] {
        let is_piece = |line: &Line<'_>| {
            line.text.contains(|c: char| c.is_ascii_digit())
                && line.text.chars().all(|c| matches!(c, '0'..='9' | ':' | ',' | '.' | '-' | '>' | ' '))
        };
        let Some(blank) = payload.iter().rposition(|line| line.text.trim().is_empty()) else {
            return payload;
        };
        let (whole, tail) = payload.split_at_checked(blank).unwrap_or((payload, &[]));
        let tail = tail.get(1..).unwrap_or_default();
        let next = self.cues.len().saturating_add(2).to_string();
        let is_cut = match tail {
            // A year is speech, the number of the next cue is none.
            [only] => only.text.trim() == next || (is_piece(only) && only.text.contains(':')),
            [first, second] => number(first.text).is_some() && is_piece(second),
            _ => false,
        };
        let Some(first) = tail.first().filter(|_| is_cut) else { return payload };
        self.warn(first.number, Problem::CutCue);
        let said = whole.iter().rposition(|line| !line.text.is_empty()).map_or(0, |last| last + 1);
        whole.get(..said).unwrap_or_default()
    }

    fn warn_of_times(&mut self, line: u32, timing: Timing) {
        if timing.negative {
            self.warn(line, Problem::NegativeTime);
        }
        if timing.reversed {
            self.warn(line, Problem::ReversedTimes);
        }
        // Who writes times oddly writes them so everywhere.
        if timing.odd && !std::mem::replace(&mut self.warned_of_oddity, true) {
            self.warn(line, Problem::OddTime { start: timing.span.start(), end: timing.span.end() });
        }
    }

    fn warn(&mut self, line: u32, problem: Problem) {
        self.warnings.push(Warning::at(line, problem));
    }
}
