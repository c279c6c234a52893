//! TTML (<https://www.w3.org/TR/ttml2/>), as much of it as captions use: the paragraphs of the body with their times.
//!
//! Times are those of the paragraph itself; that of a division around it, which hardly any file sets, is not added.

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
    let mut file = File { cues: Vec::new(), language: None, warnings: Vec::new() };
    let mut lines = Lines::default();
    let mut rates = Rates::default();
    let mut open: Option<(TimeSpan, String)> = None;
    let mut closed = false;
    let mut tokens = Tokens::new(text);
    let mut place = 0;
    while let Some(token) = tokens.next() {
        match token {
            Token::Start(tag) if tag.name == "tt" => {
                rates = Rates::of(&tag);
                let language = tag.attribute("xml:lang").filter(|language| !language.is_empty());
                file.language = language.map(|language| (language.to_owned(), lines.line_of(text, place)));
            }
            Token::Start(tag) if tag.name == "p" => {
                let span = rates.span(&tag);
                if span.is_none() {
                    let timing =
                        [tag.attribute("begin"), tag.attribute("end")].map(Option::unwrap_or_default);
                    let timing = Problem::quote(&timing.join(" "));
                    let problem = Problem::UnreadableTimes { timing };
                    file.warnings.push(Warning::at(lines.line_of(text, place), problem));
                }
                open = span.map(|span| (span, String::new()));
            }
            Token::Start(tag) if tag.name == "br" => {
                if let Some((_, said)) = &mut open {
                    said.push('\u{2028}');
                }
            }
            Token::Text(piece) => {
                if let Some((_, said)) = &mut open {
                    said.push_str(&piece);
                }
            }
            Token::End("p") => file.cues.extend(open.take().map(cue)),
            Token::End("tt") => closed = true,
            _ => {}
        }
        place = tokens.place();
    }
    file.cues.extend(open.take().map(cue).filter(|cue| !cue.text().is_empty()));
    if !closed {
        file.warnings.push(Warning::at(lines.line_of(text, text.len()), Problem::CutCue));
    } else if file.cues.is_empty() && file.warnings.is_empty() {
        file.warnings.push(Warning::of_whole(Problem::NoCues));
    }
    Ok(file)
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

    fn span(self, tag: &Tag<'_>) -> Option<TimeSpan> {
        let start = self.time(tag.attribute("begin")?)?;
        let end = match (tag.attribute("end"), tag.attribute("dur")) {
            (Some(end), _) => self.time(end)?,
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
