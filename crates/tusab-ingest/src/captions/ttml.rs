//! TTML (<https://www.w3.org/TR/ttml2/>), as much of it as captions use: the paragraphs of the body with their times.
//!
//! Times count from the start of what is around: the body, a division (section 12.2, elements side by side in time). A
//! paragraph without times has those of the division, or is several cues where its spans have times.

use tusab_chunk::{MediaTime, TimeSpan};

use super::cue::Cue;
use super::timedtext::{Lines, root};
use super::xml::{Tag, Token, Tokens};
use crate::{Error, Problem, Warning};

/// What a TTML file holds.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) cues: Vec<Cue>,
    /// `xml:lang` of the whole, and its line.
    pub(crate) language: Option<(String, u32)>,
    pub(crate) warnings: Vec<Warning>,
}

/// Whether a text is TTML beyond doubt.
pub(crate) fn is_ttml(text: &str) -> bool {
    root(text) == Some("tt")
}

pub(crate) fn read(text: &str) -> Result<File, Error> {
    if !is_ttml(text) {
        return Err(Error::NotTtml);
    }
    let mut reader = Reader {
        text,
        lines: Lines::default(),
        rates: Rates::default(),
        around: Vec::new(),
        open: None,
        file: File { cues: Vec::new(), language: None, warnings: Vec::new() },
    };
    let mut closed = false;
    let mut tokens = Tokens::new(text);
    let mut place = 0;
    while let Some(token) = tokens.next() {
        closed |= matches!(token, Token::End("tt"));
        reader.token(token, place);
        place = tokens.place();
    }
    reader.end_of_paragraph(place);
    let mut file = reader.file;
    if !closed {
        file.warnings.push(Warning::at(reader.lines.line_of(text, text.len()), Problem::CutCue));
    } else if file.cues.is_empty() && file.warnings.is_empty() {
        file.warnings.push(Warning::of_whole(Problem::NoCues));
    }
    Ok(file)
}

struct Reader<'t> {
    text: &'t str,
    lines: Lines,
    rates: Rates,
    /// The times of the body and the divisions around.
    around: Vec<Around>,
    open: Option<Paragraph>,
    file: File,
}

/// What an element says of the times inside it.
#[derive(Debug, Clone, Copy, Default)]
struct Around {
    /// When it starts: times inside count from here.
    start: MediaTime,
    /// When it is shown, where it or what is around it tells.
    span: Option<TimeSpan>,
}

/// A paragraph that is being read.
struct Paragraph {
    around: Around,
    /// Where the tag stands in the file, in bytes.
    place: usize,
    /// The times that it is given and that cannot be read, or that it is given nowhere.
    unread: String,
    said: String,
    /// How deep in timed spans the text stands; the outermost with its times and where it starts in what is said.
    depth: usize,
    timed: Option<(TimeSpan, usize)>,
    /// What is said in spans with times of their own, in a paragraph without any.
    pieces: Vec<(TimeSpan, String)>,
}

impl Reader<'_> {
    fn token(&mut self, token: Token<'_>, place: usize) {
        match (token, &mut self.open) {
            (Token::Start(tag), _) if tag.name == "tt" => {
                self.rates = Rates::of(&tag);
                let language = tag.attribute("xml:lang").filter(|language| !language.is_empty());
                let line = self.lines.line_of(self.text, place);
                self.file.language = language.map(|language| (language.to_owned(), line));
            }
            (Token::Start(tag), _) if matches!(tag.name, "body" | "div") => {
                let inside =
                    self.inside(&tag).unwrap_or_else(|| self.around.last().copied().unwrap_or_default());
                self.around.push(inside);
            }
            (Token::End("body" | "div"), _) => {
                self.around.pop();
            }
            (Token::Start(tag), _) if tag.name == "p" => {
                self.end_of_paragraph(place);
                let unread = [tag.attribute("begin"), tag.attribute("end")].map(Option::unwrap_or_default);
                let around = self.inside(&tag).unwrap_or_default();
                self.open = Some(Paragraph {
                    around,
                    place,
                    unread: unread.join(" "),
                    said: String::new(),
                    depth: 0,
                    timed: None,
                    pieces: Vec::new(),
                });
            }
            (Token::Start(tag), Some(open)) if tag.name == "br" => open.said.push('\u{2028}'),
            (Token::Start(tag), Some(open)) if tag.name == "span" => {
                let is_outermost = open.depth == 0 && open.around.span.is_none();
                open.depth += 1;
                let span = self.rates.span(&tag, open.around.start).filter(|_| is_outermost);
                open.timed = span.map(|span| (span, open.said.len())).or(open.timed.take());
            }
            (Token::End("span"), Some(open)) => open.end_of_span(),
            (Token::Text(piece), Some(open)) => open.said.push_str(&piece),
            (Token::End("p"), _) => self.end_of_paragraph(place),
            _ => {}
        }
    }

    /// What an element says of the times inside it; none where it says what cannot be read.
    fn inside(&self, tag: &Tag<'_>) -> Option<Around> {
        let around = self.around.last().copied().unwrap_or_default();
        if ["begin", "end", "dur"].iter().all(|name| tag.attribute(name).is_none()) {
            return Some(around);
        }
        let start = match tag.attribute("begin") {
            Some(begin) => around.start.saturating_add(self.rates.time(begin)?),
            None => around.start,
        };
        // A start alone, of a division, says when nothing in it ends.
        let is_whole = tag.name == "p" || tag.attribute("end").or(tag.attribute("dur")).is_some();
        let span = if is_whole { Some(self.rates.span(tag, around.start)?) } else { None };
        Some(Around { start, span })
    }

    fn end_of_paragraph(&mut self, end: usize) {
        let Some(mut open) = self.open.take() else { return };
        open.depth = open.depth.min(1);
        open.end_of_span();
        let is_cut = end == self.text.len();
        if let Some(span) = open.around.span {
            self.file
                .cues
                .extend(Some(cue((span, open.said))).filter(|cue| !is_cut || !cue.text().is_empty()));
            return;
        }
        let length = |text: &str| text.split_whitespace().map(str::len).sum::<usize>();
        let timed: usize = open.pieces.iter().map(|(_, said)| length(said)).sum();
        self.file.cues.extend(open.pieces.into_iter().map(cue));
        // What stands beside the spans with times has none.
        if timed < length(&open.said) || !open.unread.trim().is_empty() {
            let problem = Problem::UnreadableTimes { timing: Problem::quote(&open.unread) };
            self.file.warnings.push(Warning::at(self.lines.line_of(self.text, open.place), problem));
        }
    }
}

impl Paragraph {
    fn end_of_span(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0
            && let Some((span, from)) = self.timed.take()
        {
            let said = self.said.get(from..).unwrap_or_default().to_owned();
            self.pieces.push((span, said));
        }
    }
}

/// A cue from its text; line breaks and indents of the file are spaces, those of the text are marked.
fn cue((span, said): (TimeSpan, String)) -> Cue {
    let lines = said.split('\u{2028}').map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    Cue::new(span, lines.collect::<Vec<_>>().join("\n").trim_matches('\n'))
}

/// How many frames and ticks a second has.
#[derive(Debug, Clone, Copy)]
struct Rates {
    frames: u64,
    ticks: u64,
}

impl Default for Rates {
    fn default() -> Self {
        // TTML2, sections 7.2.5 and 7.2.12.
        Self { frames: 30, ticks: 1 }
    }
}

impl Rates {
    fn of(tag: &Tag<'_>) -> Self {
        let rate = |name: &str| {
            tag.attribute(name)?.trim().parse().ok().filter(|rate| (1..=u64::from(u32::MAX)).contains(rate))
        };
        let frames = rate("ttp:frameRate").unwrap_or(Self::default().frames);
        Self { frames, ticks: rate("ttp:tickRate").unwrap_or(Self::default().ticks) }
    }

    /// When an element is shown; none for one without times, or with such as cannot be read.
    fn span(self, tag: &Tag<'_>, from: MediaTime) -> Option<TimeSpan> {
        let [begin, end, length] = ["begin", "end", "dur"].map(|name| tag.attribute(name));
        begin.or(end).or(length)?;
        let start = match begin {
            Some(begin) => from.saturating_add(self.time(begin)?),
            None => from,
        };
        let end = match (end, length) {
            (Some(end), _) => from.saturating_add(self.time(end)?),
            (None, Some(length)) => start.saturating_add(self.time(length)?),
            (None, None) => start,
        };
        Some(TimeSpan::between(start, end.max(start)))
    }

    /// `00:00:01.500`, `00:00:01:12` with frames, `1.5s`, `1500ms`, `12f`, `90000t`
    fn time(self, text: &str) -> Option<MediaTime> {
        let text = text.trim();
        let millis = if text.contains(':') { self.clock(text)? } else { self.offset(text)? };
        Some(MediaTime::from_millis(millis))
    }

    fn clock(self, text: &str) -> Option<u64> {
        let mut fields = text.split(':');
        let (hours, minutes, seconds) = (fields.next()?, fields.next()?, fields.next()?);
        let whole = (whole(hours)?.checked_mul(3600)?).checked_add(whole(minutes)?.checked_mul(60)?)?;
        let frames = match fields.next() {
            Some(frames) => whole_part(frames)?.checked_mul(1000)? / self.frames,
            None => 0,
        };
        whole.checked_mul(1000)?.checked_add(scaled(seconds, 1000, 1)?)?.checked_add(frames)
    }

    fn offset(self, text: &str) -> Option<u64> {
        let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
        let (number, unit) = text.split_at_checked(unit)?;
        match unit {
            "h" => scaled(number, 3_600_000, 1),
            "m" => scaled(number, 60_000, 1),
            "s" => scaled(number, 1000, 1),
            "ms" => scaled(number, 1, 1),
            "f" => scaled(number, 1000, self.frames),
            "t" => scaled(number, 1000, self.ticks),
            _ => None,
        }
    }
}

fn whole(digits: &str) -> Option<u64> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// Of frames with their parts, `12.1`, the frames.
fn whole_part(number: &str) -> Option<u64> {
    whole(number.split('.').next()?)
}

/// A decimal number times a whole one, divided by another.
fn scaled(number: &str, by: u64, over: u64) -> Option<u64> {
    let (integer, fraction) = number.split_once('.').unwrap_or((number, "0"));
    // More digits than these are less than a millisecond of any unit.
    let fraction = fraction.get(..fraction.len().min(9))?;
    let parts = 10_u64.pow(u32::try_from(fraction.len()).ok()?);
    let part = u128::from(whole(fraction)?) * u128::from(by) / u128::from(parts);
    let total = u128::from(whole(integer)?) * u128::from(by) + part;
    u64::try_from(total / u128::from(over.max(1))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_every_kind() {
        let rates = Rates { frames: 25, ticks: 10_000_000 };
        for (text, millis) in [
            ("00:00:01.500", Some(1500)),
            ("01:02:03", Some(3_723_000)),
            ("00:00:01:12", Some(1480)),
            ("1.5s", Some(1500)),
            ("1500ms", Some(1500)),
            ("0.5m", Some(30_000)),
            ("50f", Some(2000)),
            ("15000000t", Some(1500)),
            ("1", None),
            ("", None),
            ("-1s", None),
            ("1:2", None),
            ("1x", None),
            ("99999999999999999999s", None),
            ("99999999999999999h", None),
        ] {
            assert_eq!(rates.time(text).map(MediaTime::as_millis), millis, "{text:?}");
        }
    }
}
