mod cue;
mod entities;
mod lines;
mod markup;
mod notes;
mod rolling;
mod time;
mod timing;
mod vtt;

use serde::{Deserialize, Serialize};
use tusab_chunk::{Language, Segment};

pub use cue::{Cue, Word};
pub use notes::{Note, NoteKind, Notes};
pub(crate) use vtt::is_webvtt;

use crate::{Error, Parsed, Problem, Warning};

/// What is said in a recording, cue by cue, without the repetitions of rolling captions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Captions {
    /// The language of the cues, where known.
    pub language: Option<Language>,
    /// Who made the captions.
    pub kind: TrackKind,
    /// Whether the file repeated its lines as it rolled them up; they stand once here.
    pub rolling: bool,
    /// The cues, in the order of the file. Those of rolling captions are never empty; others are as in the file.
    pub cues: Vec<Cue>,
    /// What automatic captions note besides words, when it was set [apart](Notes::Apart).
    pub notes: Vec<Note>,
}

impl Captions {
    /// What is said, as [`tusab_chunk`] cuts it into windows: one segment a cue that says anything, its lines joined
    /// and its white space made single spaces.
    #[must_use]
    pub fn segments(&self) -> Vec<Segment> {
        let said = self.cues.iter().filter(|cue| !cue.text().trim().is_empty());
        said.map(|cue| Segment::new(cue.span(), single_spaced(cue.text()))).collect()
    }
}

/// Who made a track of captions; machines misunderstand, and translate what was never said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TrackKind {
    /// A person.
    Manual,
    /// Speech recognition, in the language that is spoken.
    Automatic,
    /// A translation by machine.
    Translated,
    /// The file does not say.
    #[default]
    Unknown,
}

impl TrackKind {
    /// The kind as one English word, in small letters.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Automatic => "automatic",
            Self::Translated => "translated",
            Self::Unknown => "unknown",
        }
    }
}

/// What a caller knows of captions, and wants of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaptionOptions {
    /// Who made them, where known from elsewhere; else the file's shape decides. Lines of a track given as
    /// [`TrackKind::Manual`] are never taken for repetitions.
    pub kind: TrackKind,
    /// Their language, where known from elsewhere: it is used when the file does not say, and to say more exactly
    /// what the file says (`pt-BR` for `pt`).
    pub language: Option<Language>,
    /// What becomes of `[música]` and `>>` in automatic captions.
    pub notes: Notes,
}

impl CaptionOptions {
    /// Sets who made the captions.
    #[must_use]
    pub fn with_kind(mut self, kind: TrackKind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets their language.
    #[must_use]
    pub fn with_language(mut self, language: Option<Language>) -> Self {
        self.language = language;
        self
    }

    /// Sets what becomes of notes.
    #[must_use]
    pub fn with_notes(mut self, notes: Notes) -> Self {
        self.notes = notes;
        self
    }
}

/// Reads WebVTT (<https://www.w3.org/TR/webvtt1/>), and collapses rolling automatic captions.
///
/// Where the specification would lose speech this reader is more forgiving, and warns if the file is at fault: a
/// missing first line, a negative or reversed time, a comma in a time, text outside any cue. A cue whose times cannot
/// be read is left out with a warning, as the specification says. Settings, styles, regions, comments,
/// `X-TIMESTAMP-MAP` and the reading aids of ruby text are skipped.
///
/// ```
/// use tusab_ingest::{CaptionOptions, TrackKind, parse_webvtt};
/// let rolling = "WEBVTT\nKind: captions\nLanguage: pt\n\n\
///     00:00:07.520 --> 00:00:09.350\n \nSim,<00:00:07.960><c> sim.</c>\n\n\
///     00:00:09.350 --> 00:00:09.360\nSim, sim.\n \n\n\
///     00:00:09.360 --> 00:00:11.150\nSim, sim.\nSeja<00:00:10.080><c> bem-vindo</c>\n";
/// let captions = parse_webvtt(rolling, &CaptionOptions::default())?.value;
/// assert_eq!((captions.kind, captions.rolling), (TrackKind::Automatic, true));
/// let said: Vec<&str> = captions.cues.iter().map(|cue| cue.text()).collect();
/// assert_eq!(said, ["Sim, sim.", "Seja bem-vindo"]);
/// # Ok::<(), tusab_ingest::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotWebVtt`] for a text without the first line and without a single cue.
pub fn parse_webvtt(text: &str, options: &CaptionOptions) -> Result<Parsed<Captions>, Error> {
    let file = vtt::read(text)?;
    let mut warnings = file.warnings;
    let language = language(file.language.as_ref(), options, &mut warnings);
    let from_youtube = file.kind.is_some() && file.language.is_some();
    let (captions, cut) = assemble(file.cues, file.unended, from_youtube, language, options);
    warnings.extend(cut);
    Ok(Parsed { value: captions, warnings })
}

/// Fewer cues than these are no whole video.
const FEW_CUES: usize = 10;

/// What every caption format ends with: from cues as they stand in a file to captions.
///
/// `unended`: the last line of a file without a last line break.
fn assemble(
    cues: Vec<Cue>,
    unended: Option<u32>,
    from_youtube: bool,
    language: Option<Language>,
    options: &CaptionOptions,
) -> (Captions, Option<Warning>) {
    let rolling = options.kind != TrackKind::Manual && rolling::is_rolling(&cues);
    let kind = match options.kind {
        TrackKind::Unknown if rolling => TrackKind::Automatic,
        TrackKind::Unknown if from_youtube => TrackKind::Manual,
        known => known,
    };
    // YouTube always ends the last line; only a file of a few cues is rather written by hand after its manner.
    let always_ended = rolling || (from_youtube && cues.len() >= FEW_CUES);
    let cut = unended.filter(|_| always_ended).map(|line| Warning::at(line, Problem::CutCue));
    let cues = if rolling { rolling::collapse(&cues, cut.is_some()) } else { cues };
    let by_machine = matches!(kind, TrackKind::Automatic | TrackKind::Translated);
    let (cues, notes) = match options.notes {
        Notes::Apart if by_machine => notes::set_apart(cues),
        _ => (cues, Vec::new()),
    };
    (Captions { language, kind, rolling, cues, notes }, cut)
}

/// The language that the file states, said more exactly by the caller where the two agree.
fn language(
    stated: Option<&(String, u32)>,
    options: &CaptionOptions,
    warnings: &mut Vec<Warning>,
) -> Option<Language> {
    let known = options.language.clone();
    let Some((tag, line)) = stated else { return known };
    let Ok(stated) = tag.parse::<Language>() else {
        warnings.push(Warning::at(*line, Problem::UnknownLanguage { tag: Problem::quote(tag) }));
        return known;
    };
    let says_more =
        |known: &Language| stated.as_str() == stated.primary() && known.primary() == stated.primary();
    known.filter(says_more).or(Some(stated))
}

fn single_spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !spaced.is_empty() {
            spaced.push(' ');
        }
        spaced.push_str(word);
    }
    spaced
}
