//! `YouTube`'s timed text in XML: `<transcript><text start="1.5" dur="2">` in seconds (srv1), `<text t="1500" d="2000">`
//! (srv2) and `<p t="1500" d="2000"><s t="200">` (srv3) in milliseconds.

use tusab_chunk::{MediaTime, TimeSpan};

use super::cue::Cue;
use super::markup::{self, Dialect};
use super::timeline::{Event, Piece, Timeline};
use super::xml::{Tag, Token, Tokens};
use crate::{Error, Problem, Warning};

/// What a timed text holds.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) cues: Vec<Cue>,
    pub(crate) by_machine: bool,
    pub(crate) warnings: Vec<Warning>,
}

/// Longest beginning of a file in which its root is looked for, in bytes.
const HEAD: usize = 4096;

/// Whether a text is timed text beyond doubt.
pub(crate) fn is_timed_text(text: &str) -> bool {
    matches!(root(text), Some("transcript" | "timedtext"))
}

/// The name of the first element.
pub(super) fn root(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    if !text.starts_with('<') {
        return None;
    }
    let head = text.get(..text.floor_char_boundary(HEAD)).unwrap_or(text);
    match Tokens::new(head).find(|token| !matches!(token, Token::Text(_))) {
        Some(Token::Start(tag)) => Some(tag.name),
        _ => None,
    }
}

pub(crate) fn read(text: &str) -> Result<File, Error> {
    if !is_timed_text(text) {
        return Err(Error::NotTimedText);
    }
    let mut reader = Reader {
        text,
        lines: Lines::default(),
        timeline: Timeline::default(),
        seconds: Vec::new(),
        open: None,
        warnings: Vec::new(),
    };
    let mut tokens = Tokens::new(text);
    let mut place = 0;
    let mut closed = false;
    while let Some(token) = tokens.next() {
        closed |= matches!(token, Token::End("transcript" | "timedtext"));
        reader.token(token, place);
        place = tokens.place();
    }
    reader.end();
    if !closed {
        reader.warn(text.len(), Problem::CutCue);
    }
    let by_machine = reader.timeline.by_machine || overlap(&reader.seconds);
    let mut cues = reader.timeline.into_cues();
    cues.append(&mut reader.seconds);
    if cues.is_empty() && reader.warnings.is_empty() {
        reader.warnings.push(Warning::of_whole(Problem::NoCues));
    }
    Ok(File { cues, by_machine, warnings: reader.warnings })
}

/// Whether most cues are still shown when the next one starts: of automatic captions, srv1 tells nothing else.
fn overlap(cues: &[Cue]) -> bool {
    let pairs = || cues.iter().zip(cues.iter().skip(1));
    let overlapping = pairs().filter(|(cue, next)| cue.span().end() > next.span().start()).count();
    overlapping > 0 && overlapping * 2 > pairs().count()
}

struct Reader<'t> {
    text: &'t str,
    lines: Lines,
    timeline: Timeline,
    /// Cues of srv1.
    seconds: Vec<Cue>,
    open: Option<Open>,
    warnings: Vec<Warning>,
}

/// A cue that is being read.
struct Open {
    event: Event,
    /// Written in seconds; its text is HTML inside XML.
    is_srv1: bool,
    /// The times of the piece that the next text belongs to.
    offset: Option<MediaTime>,
    has_confidence: bool,
}

impl<'t> Reader<'t> {
    fn token(&mut self, token: Token<'t>, place: usize) {
        match (token, &mut self.open) {
            (Token::Start(tag), _) if matches!(tag.name, "p" | "text") => self.start(tag, place),
            (Token::Start(tag), Some(open)) if tag.name == "s" => {
                open.offset = tag.attribute("t").and_then(millis);
                open.has_confidence = tag.attribute("ac").is_some();
            }
            (Token::Start(tag), Some(open)) if tag.name == "br" => open.push("\n".to_owned()),
            (Token::Text(text), Some(open)) => open.push(text.into_owned()),
            (Token::End("s"), Some(open)) => (open.offset, open.has_confidence) = (None, false),
            (Token::End("p" | "text"), _) => self.end(),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'t>, place: usize) {
        self.end();
        let is_srv1 = tag.attribute("start").is_some();
        let (start, duration) = if is_srv1 {
            (tag.attribute("start").and_then(seconds), tag.attribute("dur").map(seconds))
        } else {
            (tag.attribute("t").and_then(millis), tag.attribute("d").map(millis))
        };
        let Some(start) = start else {
            let head = self.text.get(place..).unwrap_or_default().split('>').next().unwrap_or_default();
            self.warn(place, Problem::UnreadableTimes { timing: Problem::quote(head) });
            return;
        };
        if duration == Some(None) {
            let field = format!("{}.{}", tag.name, if is_srv1 { "dur" } else { "d" });
            self.warn(place, Problem::BadField { field, expected: "a length of time" });
        }
        let appends = ["a", "append"].iter().any(|name| tag.attribute(name) == Some("1"));
        let window = tag.attribute("w").and_then(|window| window.parse().ok());
        let duration = duration.flatten().unwrap_or_default();
        let event = Event { start, duration, window, appends, pieces: Vec::new() };
        self.open = Some(Open { event, is_srv1, offset: None, has_confidence: false });
    }

    fn end(&mut self) {
        let Some(open) = self.open.take() else { return };
        if !open.is_srv1 {
            self.timeline.push(open.event);
            return;
        }
        let span = TimeSpan::between(open.event.start, open.event.start.saturating_add(open.event.duration));
        let html: String = open.event.pieces.into_iter().map(|piece| piece.text).collect();
        let (cue, _) = markup::cue(Dialect::SubRip, span, &html);
        if !cue.text().trim().is_empty() {
            self.seconds.push(cue);
        }
    }

    fn warn(&mut self, place: usize, problem: Problem) {
        let line = self.lines.line_of(self.text, place);
        self.warnings.push(Warning::at(line, problem));
    }
}

impl Open {
    fn push(&mut self, text: String) {
        let piece = Piece { text, offset: self.offset, has_confidence: self.has_confidence };
        self.event.pieces.push(piece);
    }
}

/// Counts lines up to places that only grow, each byte once.
pub(super) struct Lines {
    counted: usize,
    line: u32,
}

impl Default for Lines {
    fn default() -> Self {
        Self { counted: 0, line: 1 }
    }
}

impl Lines {
    pub(super) fn line_of(&mut self, text: &str, place: usize) -> u32 {
        let breaks = text.get(self.counted..place).unwrap_or_default().matches('\n').count();
        self.line = self.line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        self.counted = self.counted.max(place);
        self.line
    }
}

/// A time in milliseconds.
fn millis(text: &str) -> Option<MediaTime> {
    let text = text.trim();
    if text.starts_with('-') {
        return text.parse::<i64>().ok().map(|_| MediaTime::ZERO);
    }
    text.parse().ok().map(MediaTime::from_millis)
}

/// A time in seconds, to the millisecond.
fn seconds(text: &str) -> Option<MediaTime> {
    let text = text.trim();
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    // Four digits, so that the last one kept can be rounded: files hold what comes of computing in floats.
    let tenths = fraction.bytes().chain(std::iter::repeat(b'0')).take(4);
    let tenths = tenths.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    let millis = whole.checked_mul(1000)?.checked_add((tenths + 5) / 10)?;
    Some(if negative { MediaTime::ZERO } else { MediaTime::from_millis(millis) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_to_the_millisecond() {
        for (text, expected) in [
            ("0", Some(0)),
            ("1.54", Some(1540)),
            ("5.7", Some(5700)),
            ("3.2390000", Some(3239)),
            ("3.2389999", Some(3239)),
            (".5", Some(500)),
            ("-1", Some(0)),
            ("", None),
            (".", None),
            ("1e3", None),
            ("1:00", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(seconds(text).map(MediaTime::as_millis), expected, "{text:?}");
        }
    }
}
