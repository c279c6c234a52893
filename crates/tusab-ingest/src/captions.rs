mod cue;
mod entities;
mod highlight;
mod json3;
mod lines;
mod markup;
mod notes;
mod rolling;
mod srt;
pub(crate) mod srt_timing;
mod time;
mod timedtext;
mod timeline;
mod timing;
mod ttml;
mod vtt;
mod xml;

use serde::{Deserialize, Serialize};
use tusab_chunk::{Language, Segment};

pub use cue::{Cue, Word};
pub(crate) use json3::is_json3;
pub use notes::{Note, NoteKind, Notes};
pub(crate) use srt::is_srt;
pub(crate) use timedtext::is_timed_text;
pub(crate) use timing::is_timing;
pub(crate) use ttml::is_ttml;
pub(crate) use vtt::{has_header as has_webvtt_header, is_webvtt};

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
    let kind = if from_youtube { TrackKind::Manual } else { TrackKind::Unknown };
    let (captions, cut) = assemble(Track { cues: file.cues, unended: file.unended, kind, language }, options);
    warnings.extend(cut);
    Ok(Parsed { value: captions, warnings })
}

/// Reads SRT (`SubRip`), in all the shapes in which programs and people write it.
///
/// Numbers and blank lines may be missing; hours, milliseconds too; a point may stand for the comma. Only the lines of
/// times are relied on: lines of digits alone are speech, save the one above the times of a numbered cue. Tags in use
/// (`<i>`, `<font ...>`) and marks of ASS (`{\an8}`) are taken out. Rolling captions that were converted to SRT are
/// collapsed as those of WebVTT are.
///
/// ```
/// use tusab_ingest::{CaptionOptions, parse_srt};
/// let srt = "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<i>Em que ano?</i>\n\n2\n00:00:02,000 --> 00:00:03,000\n1984\n";
/// let captions = parse_srt(srt, &CaptionOptions::default())?.value;
/// let said: Vec<&str> = captions.cues.iter().map(|cue| cue.text()).collect();
/// assert_eq!(said, ["Em que ano?", "1984"]);
/// # Ok::<(), tusab_ingest::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotSrt`] for a text without a single line of times.
pub fn parse_srt(text: &str, options: &CaptionOptions) -> Result<Parsed<Captions>, Error> {
    let file = srt::read(text)?;
    let mut warnings = file.warnings;
    let language = options.language.clone();
    let track = Track { cues: file.cues, unended: file.unended, kind: TrackKind::Unknown, language };
    let (mut captions, cut) = assemble(track, options);
    // A blank line above the text tells that captions roll; else it is an empty line like any other.
    captions.cues.iter_mut().for_each(Cue::trim_blank_lines);
    warnings.extend(cut.filter(|cut| !warnings.contains(cut)));
    Ok(Parsed { value: captions, warnings })
}

/// Reads json3, the format in which `YouTube` keeps captions (`yt-dlp --sub-format json3`).
///
/// Each line of automatic captions is a cue with the times of its words; it ends when its line moves up the screen. A
/// file cut in the middle gives the events that are whole, with a warning.
///
/// ```
/// use tusab_ingest::{CaptionOptions, TrackKind, parse_json3};
/// let json3 = r#"{"wireMagic": "pb3", "events": [
///     {"tStartMs": 160, "dDurationMs": 4320, "wWinId": 1, "segs": [{"utf8": "A"}, {"utf8": " taxa", "tOffsetMs": 559}]},
///     {"tStartMs": 2230, "dDurationMs": 2250, "wWinId": 1, "aAppend": 1, "segs": [{"utf8": "\n"}]}]}"#;
/// let captions = parse_json3(json3, &CaptionOptions::default())?.value;
/// assert_eq!((captions.cues.len(), captions.kind), (1, TrackKind::Automatic));
/// let words: Vec<_> = captions.cues[0].words().map(|word| (word.text, word.start.unwrap().as_millis())).collect();
/// assert_eq!(words, [("A", 160), ("taxa", 719)]);
/// # Ok::<(), tusab_ingest::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotJson3`] for what is not JSON, or has no list of events.
pub fn parse_json3(text: &str, options: &CaptionOptions) -> Result<Parsed<Captions>, Error> {
    let json3::File { cues, by_machine, warnings } = json3::read(text)?;
    Ok(from_youtube(cues, by_machine, warnings, options))
}

/// Reads `YouTube`'s timed text in XML: the formats srv1, srv2 and srv3 of yt-dlp, and what scripts fetch.
///
/// ```
/// use tusab_ingest::{CaptionOptions, parse_timed_text};
/// let xml = r#"<transcript><text start="1.5" dur="2">a taxa &amp;amp; os juros</text></transcript>"#;
/// let captions = parse_timed_text(xml, &CaptionOptions::default())?.value;
/// assert_eq!(captions.cues[0].text(), "a taxa & os juros");
/// # Ok::<(), tusab_ingest::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotTimedText`] for another text.
pub fn parse_timed_text(text: &str, options: &CaptionOptions) -> Result<Parsed<Captions>, Error> {
    let timedtext::File { cues, by_machine, warnings } = timedtext::read(text)?;
    Ok(from_youtube(cues, by_machine, warnings, options))
}

/// Reads TTML (<https://www.w3.org/TR/ttml2/>): the paragraphs of its body with their times, and its language.
///
/// ```
/// use tusab_ingest::{CaptionOptions, parse_ttml};
/// let ttml = r#"<tt xml:lang="pt"><body><div><p begin="1.5s" dur="2s">A taxa<br/>subiu.</p></div></body></tt>"#;
/// let captions = parse_ttml(ttml, &CaptionOptions::default())?.value;
/// assert_eq!((captions.cues[0].text(), captions.cues[0].span().end().as_millis()), ("A taxa\nsubiu.", 3500));
/// # Ok::<(), tusab_ingest::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotTtml`] for a text of which the first element is another.
pub fn parse_ttml(text: &str, options: &CaptionOptions) -> Result<Parsed<Captions>, Error> {
    let ttml::File { cues, language: stated, mut warnings } = ttml::read(text)?;
    let language = language(stated.as_ref(), options, &mut warnings);
    let track = Track { cues, unended: None, kind: TrackKind::Unknown, language };
    Ok(Parsed { value: assemble(track, options).0, warnings })
}

/// Captions as `YouTube` itself serves them.
fn from_youtube(
    cues: Vec<Cue>,
    by_machine: bool,
    warnings: Vec<Warning>,
    options: &CaptionOptions,
) -> Parsed<Captions> {
    let kind = if by_machine { TrackKind::Automatic } else { TrackKind::Manual };
    let track = Track { cues, unended: None, kind, language: options.language.clone() };
    Parsed { value: assemble(track, options).0, warnings }
}

/// Fewer cues than these are no whole video.
const FEW_CUES: usize = 10;

/// What a file holds, whatever its format.
struct Track {
    /// Cues as they stand in the file.
    cues: Vec<Cue>,
    /// The last line of a file without a last line break.
    unended: Option<u32>,
    /// Who made them, as far as the file tells; only `YouTube`'s files do.
    kind: TrackKind,
    language: Option<Language>,
}

/// What every caption format ends with: from cues as they stand in a file to captions.
fn assemble(track: Track, options: &CaptionOptions) -> (Captions, Option<Warning>) {
    let Track { cues, unended, kind: stated, language } = track;
    let cues = highlight::merged(cues);
    let rolling = options.kind != TrackKind::Manual && rolling::is_rolling(&cues);
    let kind = match options.kind {
        TrackKind::Unknown if rolling => TrackKind::Automatic,
        TrackKind::Unknown => stated,
        known => known,
    };
    // YouTube always ends the last line; only a file of a few cues is rather written by hand after its manner.
    let always_ended = rolling || (stated != TrackKind::Unknown && cues.len() >= FEW_CUES);
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
