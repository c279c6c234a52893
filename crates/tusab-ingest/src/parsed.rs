use std::fmt;
use std::num::NonZeroU32;

use tusab_chunk::MediaTime;

use crate::DateOrder;

/// What a parser read, and what was wrong on the way; a fault that can be lived with is never an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed<T> {
    /// What was read.
    pub value: T,
    /// What was wrong, in the order of the input. Empty for every sound input.
    pub warnings: Vec<Warning>,
}

impl<T> Parsed<T> {
    /// A value read without a fault.
    pub fn sound(value: T) -> Self {
        Self { value, warnings: Vec::new() }
    }

    /// The same warnings over another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Parsed<U> {
        Parsed { value: change(self.value), warnings: self.warnings }
    }
}

/// One fault of an input: what, and where. Shown as `line 12: ...`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The line of the input, counted from 1; none when the fault has no single place.
    pub line: Option<NonZeroU32>,
    /// What is wrong there.
    pub problem: Problem,
}

impl Warning {
    /// A fault of the input as a whole.
    #[must_use]
    pub fn of_whole(problem: Problem) -> Self {
        Self { line: None, problem }
    }

    /// A fault on a line counted from 1; 0 for none.
    pub(crate) fn at(line: u32, problem: Problem) -> Self {
        Self { line: NonZeroU32::new(line), problem }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.problem),
            None => self.problem.fmt(f),
        }
    }
}

/// What can be wrong in an input that is read all the same.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The description beside captions cannot be read; they were read without it.
    #[error(
        "{name}, beside the captions, cannot be read; title, date and chapters are missing: fetch it again"
    )]
    UnreadableVideoInfo {
        /// The name of the file.
        name: String,
    },
    /// The last character is incomplete and was left out.
    #[error("the file ends in the middle of a character, as if cut: fetch or copy it again")]
    CutCharacter,
    /// The text is not UTF-8 and does not say what it is; it was read as the encoding that fits.
    #[error(
        "the text is not UTF-8; read as {encoding}, which is a guess: if letters are wrong, save it as UTF-8"
    )]
    GuessedEncoding {
        /// The encoding's usual name.
        encoding: &'static str,
    },
    /// Some bytes of a text in UTF-8 are not; each was read as a letter of the encoding that fits.
    #[error("{count} bytes are not UTF-8, here the first; read as {encoding}, which is a guess")]
    ForeignBytes {
        /// How many bytes.
        count: usize,
        /// The encoding's usual name.
        encoding: &'static str,
    },
    /// The text had been read as another encoding and saved again; what it was could be told for certain.
    #[error(
        "the text was UTF-8 read as {encoding} and saved again ({broken:?} for {repaired:?}); it was repaired throughout"
    )]
    RepairedMojibake {
        /// The encoding it had been read as.
        encoding: &'static str,
        /// The first word that was broken.
        broken: String,
        /// What it was before.
        repaired: String,
    },
    /// A caption file without its first line, or with something before it.
    #[error("the file does not start with WEBVTT; read as WebVTT all the same")]
    MissingHeader,
    /// The times of a cue cannot be read; the cue and its text were left out.
    #[error("cue left out: {timing:?} is not a pair of times such as 00:00:01.000 --> 00:00:02.000")]
    UnreadableTimes {
        /// The start of the line, as it stands.
        timing: String,
    },
    /// A time is before the start of the recording; it was read as the start.
    #[error("a time is negative; read as 0")]
    NegativeTime,
    /// A cue ends before it starts; it was given the length 0 at its start.
    #[error("the cue ends before it starts; its end is taken to be its start")]
    ReversedTimes,
    /// A comma stands before the milliseconds, as in SRT.
    #[error("the time has a comma where WebVTT has a point; read all the same")]
    CommaInTime,
    /// Times are written in a way that can be read in more than one; said once a file, at the first of them.
    #[error(
        "the times are not written as 00:00:01,000 --> 00:00:02,000; read as {} ms to {} ms, and so on",
        start.as_millis(),
        end.as_millis()
    )]
    OddTime {
        /// The start as it was read.
        start: MediaTime,
        /// The end as it was read.
        end: MediaTime,
    },
    /// The dates of a chat can be read in more than one order, and nothing tells which is meant.
    #[error(
        "the dates may be read in more than one order; read as {}: if that is wrong, say the order",
        order.in_words()
    )]
    AmbiguousDates {
        /// The order that was taken.
        order: DateOrder,
    },
    /// The date of a message is none in the order of the whole chat; the message was kept without a time.
    #[error("{date:?} is no date in the order of this chat; the message was kept without a time")]
    ImpossibleDate {
        /// The start of the line, as it stands.
        date: String,
    },
    /// The file ends inside a cue.
    #[error("the file ends inside a cue, as if cut; what is whole was kept: fetch or copy it again")]
    CutCue,
    /// Text that belongs to no cue and follows one; it was kept with that cue.
    #[error("text outside any cue, kept with the cue before it")]
    TextAfterCue,
    /// Text that belongs to no cue and follows none; it was left out.
    #[error("text outside any cue left out: {text:?}")]
    TextOutsideCues {
        /// The start of that text.
        text: String,
    },
    /// A caption file without a single cue.
    #[error("the file holds no cues")]
    NoCues,
    /// What should be a language tag is none; the language is taken to be unknown.
    #[error("{tag:?} is not a language tag; the language is taken to be unknown")]
    UnknownLanguage {
        /// The text in its place.
        tag: String,
    },
    /// Some pages of a PDF are pictures; the others were read.
    #[error(
        "{pages} of the {of} pages are pictures without text, as a scanner makes them: run text recognition (OCR) on the file to have them too"
    )]
    ScannedPages {
        /// How many are pictures.
        pages: usize,
        /// How many pages there are.
        of: usize,
    },
    /// Letters of a PDF whose font does not tell what they mean; they were left out.
    #[error(
        "{letters} letters left out: their font does not say what they mean; run text recognition (OCR) on the file to have them"
    )]
    UnknownLetters {
        /// How many.
        letters: usize,
    },
    /// A field of a metadata file has a type or value that it cannot have; it was read as absent.
    #[error("field `{field}` is not {expected}; read as absent")]
    BadField {
        /// Name of the field, with its place inside lists: `chapters[3].start_time`.
        field: String,
        /// What it should be.
        expected: &'static str,
    },
}

impl Problem {
    /// Longest quotation of the input in a message, in characters.
    const QUOTED: usize = 60;

    /// The start of `text`, short enough for a message.
    pub(crate) fn quote(text: &str) -> String {
        text.trim().chars().take(Self::QUOTED).collect()
    }
}
