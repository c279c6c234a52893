//! The blocks of a WebVTT file, after <https://www.w3.org/TR/webvtt1/#file-parsing>, and more forgiving where that
//! loses speech.

use super::cue::Cue;
use super::lines::{Line, Lines, normalise};
use super::markup::{self, Dialect};
use super::timing::{Timing, is_timing, timing};
use crate::{Error, Problem, Warning};

/// What a WebVTT file holds, before anything is made of it.
#[derive(Debug)]
pub(crate) struct File {
    /// `Kind:` of the header, which YouTube writes.
    pub(crate) kind: Option<String>,
    /// `Language:` of the header, which YouTube writes, and its line.
    pub(crate) language: Option<(String, u32)>,
    /// The cues that can be read, in the order of the file.
    pub(crate) cues: Vec<Cue>,
    pub(crate) warnings: Vec<Warning>,
    /// The last line, when the file ends without a line break.
    pub(crate) unended: Option<u32>,
}

pub(crate) fn read(text: &str) -> Result<File, Error> {
    let text = normalise(text.strip_prefix('\u{FEFF}').unwrap_or(text));
    let file = File { kind: None, language: None, cues: Vec::new(), warnings: Vec::new(), unended: None };
    let mut reader = Reader {
        lines: Lines::new(&text),
        file,
        next_id: None,
        warned_of_comma: false,
        after_cue: false,
        segmented: false,
    };
    let has_header = reader.header();
    while let Some(line) = reader.lines.peek() {
        reader.block(line);
    }
    let mut file = reader.file;
    if !has_header && file.cues.is_empty() {
        return Err(Error::NotWebVtt);
    }
    if file.cues.is_empty() && file.warnings.is_empty() {
        file.warnings.push(Warning::at(0, Problem::NoCues));
    }
    Ok(file)
}

/// Whether a text is WebVTT beyond doubt: not a text that merely starts with the word.
pub(crate) fn is_webvtt(text: &str) -> bool {
    has_header(text) && text.split(['\n', '\r']).any(is_timing)
}

/// Whether a text starts as WebVTT does; a byte order mark and blank lines before it are passed over.
pub(crate) fn has_header(text: &str) -> bool {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text).trim_start();
    let after = text.strip_prefix("WEBVTT");
    after.is_some_and(|rest| rest.chars().next().is_none_or(|next| matches!(next, ' ' | '\t' | '\r' | '\n')))
}

/// So many cues at most are on the screen where a stream is cut.
const SHOWN: usize = 8;

struct Reader<'t> {
    lines: Lines<'t>,
    file: File,
    /// The number of the next cue, where it stood under the text of the one before.
    next_id: Option<u64>,
    warned_of_comma: bool,
    /// Whether the last block was a cue.
    after_cue: bool,
    /// Whether a second header was seen.
    segmented: bool,
}

impl<'t> Reader<'t> {
    /// Reads the first line and the lines under it; whether there is such a first line.
    fn header(&mut self) -> bool {
        let first = self.lines.peek().map(|line| line.number);
        while self.lines.next_if(|line| line.trim().is_empty()).is_some() {}
        let Some(line) = self.lines.peek() else { return false };
        let found = has_header(line.text);
        if !found || first != Some(line.number) {
            self.warn(line.number, Problem::MissingHeader);
        }
        if found {
            self.lines.next();
            self.header_lines();
        }
        found
    }

    /// The lines under the first one, up to a blank line or the first cue. All but two are skipped: style sheets of
    /// old YouTube files, `X-TIMESTAMP-MAP`, regions, remarks.
    fn header_lines(&mut self) {
        while let Some(line) = self.lines.next_if(is_inside_block) {
            let Some((field, value)) = line.text.split_once(':') else { continue };
            let value = value.trim().to_owned();
            if field.eq_ignore_ascii_case("kind") {
                self.file.kind = Some(value);
            } else if field.eq_ignore_ascii_case("language") {
                self.file.language = Some((value, line.number));
            }
        }
    }

    fn block(&mut self, line: Line<'t>) {
        if self.lines.next_if(is_blank).is_some() {
            return;
        }
        if is_timing(line.text) {
            self.cue(None);
        } else if self.lines.peek_second().is_some_and(|second| is_timing(second.text)) {
            self.lines.next();
            self.cue(Some(line.text));
        } else if has_header(line.text) {
            // Segments of a stream put one after the other: each brings its header, and again the cues that go on.
            self.segmented = true;
            self.lines.next();
            self.header_lines();
        } else {
            self.other(line);
        }
    }

    /// A block without times: a note, a style sheet, a region, or a fault.
    fn other(&mut self, first: Line<'t>) {
        let after_cue = std::mem::take(&mut self.after_cue);
        let mut last = first;
        while let Some(line) = self.lines.next_if(is_inside_block) {
            last = line;
        }
        let text = self.lines.between(first.start, last.end);
        let is_last = self.lines.peek().is_none();
        if is_comment(first.text) {
            self.end_at(last);
        } else if text.trim().is_empty() {
            self.after_cue = after_cue;
        } else if is_last && text.chars().all(|c| matches!(c, '0'..='9' | ':' | '.' | '-' | '>' | ' ' | '\n'))
        {
            self.warn(first.number, Problem::CutCue);
        } else if let Some(cue) = self.file.cues.last_mut().filter(|_| after_cue) {
            cue.append(&markup::cue(Dialect::WebVtt, cue.span(), text).0);
            self.warn(first.number, Problem::TextAfterCue);
            self.after_cue = true;
            self.end_at(last);
        } else {
            self.warn(first.number, Problem::TextOutsideCues { text: Problem::quote(text) });
        }
    }

    fn cue(&mut self, id: Option<&str>) {
        let Some(head) = self.lines.next() else { return };
        let id = id.and_then(|id| id.trim().parse().ok()).or(self.next_id.take());
        let payload = self.payload(id);
        let last = payload.map_or(head, |(_, last)| last);
        let is_last = self.lines.peek().is_none();
        let cut_here = self.lines.ends_at(last);
        let Some(timing) = timing(head.text) else {
            let timing = Problem::quote(head.text);
            let cut = cut_here && payload.is_none();
            self.warn(head.number, if cut { Problem::CutCue } else { Problem::UnreadableTimes { timing } });
            self.after_cue = false;
            return;
        };
        self.warn_of_times(head.number, timing);
        let (cue, cut) = markup::cue(Dialect::WebVtt, timing.span, payload.map_or("", |(text, _)| text));
        if (cut && cut_here) || (payload.is_none() && is_last) {
            self.warn(last.number, Problem::CutCue);
        } else {
            self.end_at(last);
        }
        let is_repeated =
            self.segmented && self.file.cues.iter().rev().take(SHOWN).any(|shown| *shown == cue);
        if !(is_repeated || (is_last && payload.is_none())) {
            self.file.cues.push(cue);
        }
        self.after_cue = true;
    }

    /// The text under the times of a cue, and its last line.
    fn payload(&mut self, id: Option<u64>) -> Option<(&'t str, Line<'t>)> {
        let first = self.lines.next_if(is_inside_block)?;
        let (mut last, mut before_last) = (first, None);
        while let Some(line) = self.lines.next_if(is_inside_block) {
            before_last = Some(last);
            last = line;
        }
        // Without a blank line between two cues, the number of the second stands under the text of the first. A
        // number that is not the very next one is speech.
        let followed = self.lines.peek().is_some_and(|line| is_timing(line.text));
        if followed
            && let (Some(id), Some(before)) = (id, before_last)
            && id.checked_add(1).is_some_and(|next| last.text.trim().parse() == Ok(next))
        {
            self.next_id = id.checked_add(1);
            last = before;
        }
        Some((self.lines.between(first.start, last.end), last))
    }

    fn warn_of_times(&mut self, line: u32, timing: Timing) {
        if timing.negative {
            self.warn(line, Problem::NegativeTime);
        }
        if timing.reversed {
            self.warn(line, Problem::ReversedTimes);
        }
        // Who writes a comma writes it everywhere.
        if timing.comma && !std::mem::replace(&mut self.warned_of_comma, true) {
            self.warn(line, Problem::CommaInTime);
        }
    }

    /// Remembers that the file ends at this line, if it does so without a line break.
    fn end_at(&mut self, last: Line<'t>) {
        if self.lines.ends_at(last) {
            self.file.unended = Some(last.number);
        }
    }

    fn warn(&mut self, line: u32, problem: Problem) {
        self.file.warnings.push(Warning::at(line, problem));
    }
}

fn is_blank(line: &str) -> bool {
    line.is_empty()
}

fn is_inside_block(line: &str) -> bool {
    !is_blank(line) && !is_timing(line)
}

/// Blocks that hold no cue by intention.
fn is_comment(first: &str) -> bool {
    let is_note =
        first.strip_prefix("NOTE").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    is_note || matches!(first.trim_end(), "STYLE" | "REGION")
}
