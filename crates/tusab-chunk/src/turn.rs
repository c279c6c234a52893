use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::chunk::{Draft, number};
use crate::{
    Chars, Chunk, DateTime, DateTimeSpan, DocId, Error, Part, Position, TextWindows, TimeSpan, TurnSpan,
};

/// A message of a chat, or one person's turn in a meeting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Turn {
    /// Who wrote or said it; `None` for a notice of the system or an unknown voice.
    pub speaker: Option<String>,
    /// When, where known.
    pub when: Option<When>,
    /// What was written or said; may have several lines.
    pub text: String,
}

/// When a [`Turn`] took place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum When {
    /// A stretch of a recording, as in a meeting's transcript.
    Media(TimeSpan),
    /// A day and time of day, as in a chat.
    Local(DateTime),
}

impl Turn {
    /// A turn of which nothing else is known; see the `with_` methods.
    pub fn new(text: impl Into<String>) -> Self {
        Self { speaker: None, when: None, text: text.into() }
    }

    /// Sets who wrote or said it.
    #[must_use]
    pub fn with_speaker(mut self, speaker: Option<String>) -> Self {
        self.speaker = speaker;
        self
    }

    /// Sets when it took place.
    #[must_use]
    pub fn with_when(mut self, when: Option<When>) -> Self {
        self.when = when;
        self
    }

    fn speaker(&self) -> Option<&str> {
        self.speaker.as_deref().map(str::trim).filter(|name| !name.is_empty())
    }
}

/// Packs the turns of a chat or a meeting into chunks: by default whole ones up to 1,200 characters, each chunk
/// repeating the last turn of the one before.
///
/// - Each turn is written on lines of its own, as `Ana: Bom dia!`; turns without a speaker as they are.
/// - Turns stay in the order given: an export is in order even where its clocks are not.
/// - A silence of three hours ends a chunk that has a quarter of its characters: what is said after it is seldom about
///   the same thing.
/// - The repeated turn lets an answer stand beside its question. It is left out where it would leave no room for the
///   next turn.
/// - A turn over the bound is cut inside, at the best boundary, into numbered parts that all name the speaker, as far
///   as the name leaves most of the room to what is said.
/// - A chunk says who speaks in it ([`Chunk::speakers`]) and when ([`Position::Time`] for a recording,
///   [`Position::Local`] for dated messages, [`Position::Turns`] where neither is known).
///
/// ```
/// use tusab_chunk::{DocId, Position, Turn, TurnWindows, When};
/// let doc: DocId = "file:3f9a01c2".parse()?;
/// let said = |who: &str, when: &str, text: &str| -> Result<Turn, tusab_chunk::Error> {
///     Ok(Turn::new(text).with_speaker(Some(who.into())).with_when(Some(When::Local(when.parse()?))))
/// };
/// let chat = [
///     said("Ana", "2024-03-12 14:32", "Que horas é a reunião?")?,
///     said("Bruno", "2024-03-12 14:35", "Às nove.")?,
/// ];
/// let chunks = TurnWindows::default().chunks(&doc, &chat);
/// assert_eq!(chunks[0].original_text(), "Ana: Que horas é a reunião?\nBruno: Às nove.");
/// assert_eq!(chunks[0].speakers(), ["Ana", "Bruno"]);
/// assert!(matches!(chunks[0].position(), Position::Local(span) if span.end().minute() == 35));
/// # Ok::<(), tusab_chunk::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnWindows {
    size: usize,
    overlap: usize,
}

impl TurnWindows {
    /// Default largest number of characters in a chunk.
    pub const SIZE: Chars = Chars(1200);
    /// Default number of turns that a chunk repeats of the one before.
    pub const OVERLAP: usize = 1;

    /// Chunks of at most `size` characters, each repeating the last `overlap` turns of the one before where they fit.
    ///
    /// # Errors
    /// [`Error::ZeroBound`] for a size of zero.
    pub fn new(size: Chars, overlap: usize) -> Result<Self, Error> {
        if size.0 == 0 {
            return Err(Error::ZeroBound);
        }
        Ok(Self { size: size.0, overlap })
    }

    /// Largest number of characters in a chunk.
    #[must_use]
    pub fn size(&self) -> Chars {
        Chars(self.size)
    }

    /// Number of turns that a chunk repeats of the one before.
    #[must_use]
    pub fn overlap(&self) -> usize {
        self.overlap
    }

    /// The chunks of `turns`, numbered from 0.
    #[must_use]
    pub fn chunks(&self, doc: &DocId, turns: &[Turn]) -> Vec<Chunk> {
        let lines: Vec<Line<'_>> = (0..).zip(turns).filter_map(|(at, turn)| Line::of(at, turn)).collect();
        let mut drafts = Vec::new();
        let mut first = 0;
        let mut own = 0;
        while let Some(next) = lines.get(own) {
            if next.chars() > self.size {
                drafts.extend(self.pieces(next));
                own += 1;
                first = own;
                continue;
            }
            let mut room = self.size;
            let end = lines
                .iter()
                .skip(first)
                .take_while(|line| {
                    let fits = line.chars() <= room;
                    room = room.saturating_sub(line.chars() + 1);
                    fits
                })
                .count()
                + first;
            let end = self.silence_before(&lines, own, end).unwrap_or(end);
            drafts.push(draft(lines.get(first..end).unwrap_or_default()));
            own = end;
            first = self.repeated_from(&lines, first, own);
        }
        number(doc, drafts)
    }

    /// The first turn after a silence in the window of which the own turns go from `own` to `end`, where what stands
    /// before it is worth a chunk.
    fn silence_before(&self, lines: &[Line<'_>], own: usize, end: usize) -> Option<usize> {
        let mut chars = 0;
        (own + 1..end).find(|at| {
            let [Some(before), Some(after)] = [lines.get(at - 1), lines.get(*at)] else { return false };
            chars += before.chars() + 1;
            chars * 4 >= self.size && before.is_silent_until(after)
        })
    }

    /// Where the window after the one from `start` to `own` starts: some turns back, as long as the next one fits.
    /// Never as far as `start`: with all of them it would have been in the window before.
    fn repeated_from(&self, lines: &[Line<'_>], start: usize, own: usize) -> usize {
        let Some(next) = lines.get(own) else { return own };
        let mut room = self.size.saturating_sub(next.chars());
        let before = lines.get(start..own).unwrap_or_default();
        let most = self.overlap.min(before.len().saturating_sub(1));
        let repeated = before.iter().rev().take(most).take_while(|line| {
            let fits = line.chars() < room;
            room = room.saturating_sub(line.chars() + 1);
            fits
        });
        own - repeated.count()
    }

    /// A turn over the bound, cut inside.
    fn pieces(&self, line: &Line<'_>) -> Vec<Draft> {
        // Room for the name in every piece, as long as it leaves most of the room to what is said.
        let prefix = line.prefix.chars().count();
        let (prefix, size) = if prefix * 2 <= self.size {
            (line.prefix.as_str(), self.size - prefix)
        } else {
            ("", self.size)
        };
        let overlap = size / 10;
        let windows = TextWindows::new(Chars(size), Chars(overlap)).unwrap_or_default();
        let spans: Vec<_> = windows.spans(line.text).collect();
        let of = u32::try_from(spans.len()).ok().filter(|n| *n > 1).and_then(NonZeroU32::new);
        (1..)
            .zip(spans)
            .map(|(number, span)| {
                let said = span.slice(line.text).unwrap_or_default();
                // A single cluster may be longer than the room beside the name.
                let fits = span.char_end().0 - span.char_start().0 <= size;
                let text = if fits { [prefix, said].concat() } else { said.to_owned() };
                let part = of.and_then(|of| NonZeroU32::new(number).map(|number| Part { number, of }));
                let line = std::slice::from_ref(line);
                Draft { part, speakers: speakers(line), ..Draft::new(text, position(line)) }
            })
            .collect()
    }
}

impl Default for TurnWindows {
    fn default() -> Self {
        Self { size: Self::SIZE.0, overlap: Self::OVERLAP }
    }
}

/// After so many minutes without a word another conversation starts.
const SILENCE: i64 = 3 * 60;

/// A turn with something to say, as it is written into a chunk.
struct Line<'t> {
    turn: &'t Turn,
    at: u32,
    /// The speaker's name with colon and space, or nothing.
    prefix: String,
    text: &'t str,
    length: usize,
}

impl<'t> Line<'t> {
    fn of(at: u32, turn: &'t Turn) -> Option<Self> {
        let text = turn.text.trim();
        let prefix = turn.speaker().map(|name| format!("{name}: ")).unwrap_or_default();
        let length = prefix.chars().count() + text.chars().count();
        (!text.is_empty()).then_some(Self { turn, at, prefix, text, length })
    }

    fn chars(&self) -> usize {
        self.length
    }

    /// Whether nobody wrote for hours between this turn and the next one.
    fn is_silent_until(&self, next: &Self) -> bool {
        let (Some(When::Local(before)), Some(When::Local(after))) = (self.turn.when, next.turn.when) else {
            return false;
        };
        after.minutes() - before.minutes() >= SILENCE
    }
}

/// One chunk of whole turns.
fn draft(lines: &[Line<'_>]) -> Draft {
    let mut text =
        String::with_capacity(lines.iter().map(|line| line.prefix.len() + line.text.len() + 1).sum());
    for line in lines {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line.prefix);
        text.push_str(line.text);
    }
    Draft { speakers: speakers(lines), ..Draft::new(text, position(lines)) }
}

/// Who speaks, in the order of their first words.
fn speakers(lines: &[Line<'_>]) -> Vec<String> {
    let mut speakers: Vec<String> = Vec::new();
    for name in lines.iter().filter_map(|line| line.turn.speaker()) {
        if !speakers.iter().any(|known| known == name) {
            speakers.push(name.to_owned());
        }
    }
    speakers
}

/// When the turns took place, told as the first that knows it tells it; else which they are.
fn position(lines: &[Line<'_>]) -> Position {
    let whens = || lines.iter().filter_map(|line| line.turn.when);
    let known = match whens().next() {
        Some(When::Media(_)) => whens()
            .filter_map(|when| if let When::Media(span) = when { Some(span) } else { None })
            .reduce(TimeSpan::union)
            .map(Position::Time),
        Some(When::Local(_)) => whens()
            .filter_map(|when| match when {
                When::Local(time) => Some(DateTimeSpan::between(time, time)),
                When::Media(_) => None,
            })
            .reduce(DateTimeSpan::union)
            .map(Position::Local),
        None => None,
    };
    let (first, last) = (lines.first().map_or(0, |line| line.at), lines.last().map_or(0, |line| line.at));
    known.unwrap_or_else(|| Position::Turns(TurnSpan::between(first, last)))
}
