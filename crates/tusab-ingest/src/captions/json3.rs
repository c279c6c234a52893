//! `YouTube`'s json3 (`--sub-format json3`). No specification is public; what is read here is what its files hold.

use serde::Deserialize;
use serde_json::Value;
use tusab_chunk::MediaTime;

use super::cue::Cue;
use super::timeline::{Event, Piece, Timeline};
use crate::{Error, Problem, Warning};

/// What a json3 file holds.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) cues: Vec<Cue>,
    pub(crate) by_machine: bool,
    pub(crate) warnings: Vec<Warning>,
}

pub(crate) fn read(text: &str) -> Result<File, Error> {
    let mut warnings = Vec::new();
    let events = match serde_json::from_str::<Root>(text) {
        Ok(root) => root.events,
        Err(error) if error.is_eof() => {
            let (events, line) = whole_events(text);
            if events.is_empty() {
                return Err(Error::NotJson3 { source: error });
            }
            warnings.push(Warning::at(line, Problem::CutCue));
            events
        }
        Err(source) => return Err(Error::NotJson3 { source }),
    };
    let mut timeline = Timeline::default();
    let mut before = MediaTime::ZERO;
    for (index, event) in events.into_iter().enumerate() {
        let mut bad = |name: &str| {
            let field = format!("events[{index}].{name}");
            warnings
                .push(Warning::of_whole(Problem::BadField { field, expected: "a number of milliseconds" }));
        };
        let says = event.segs.iter().any(|seg| !seg.utf8.is_empty());
        let start = millis(&event.start);
        if start.is_none() && says {
            bad("tStartMs");
        }
        if !event.duration.is_null() && millis(&event.duration).is_none() {
            bad("dDurationMs");
        }
        // Without a time of its own it is said no earlier than the event before.
        before = start.unwrap_or(before);
        let duration = millis(&event.duration).unwrap_or_default();
        let (window, appends) = (event.window.as_u64(), event.append.as_u64() == Some(1));
        let pieces = event.segs.into_iter().map(Seg::into_piece).collect();
        timeline.push(Event { start: before, duration, window, appends, pieces });
    }
    let by_machine = timeline.by_machine;
    let cues = timeline.into_cues();
    if cues.is_empty() && warnings.is_empty() {
        warnings.push(Warning::of_whole(Problem::NoCues));
    }
    Ok(File { cues, by_machine, warnings })
}

/// Whether a text is json3 beyond doubt.
pub(crate) fn is_json3(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("\"events\"") && text.contains("\"tStartMs\"")
}

#[derive(Deserialize)]
struct Root {
    events: Vec<RawEvent>,
}

#[derive(Deserialize)]
struct RawEvent {
    #[serde(default, rename = "tStartMs")]
    start: Value,
    #[serde(default, rename = "dDurationMs")]
    duration: Value,
    #[serde(default, rename = "wWinId")]
    window: Value,
    #[serde(default, rename = "aAppend")]
    append: Value,
    #[serde(default)]
    segs: Vec<Seg>,
}

#[derive(Deserialize)]
struct Seg {
    #[serde(default)]
    utf8: String,
    #[serde(default, rename = "tOffsetMs")]
    offset: Value,
    #[serde(default, rename = "acAsrConf")]
    confidence: Value,
}

impl Seg {
    fn into_piece(self) -> Piece {
        let has_confidence = !self.confidence.is_null();
        Piece { text: self.utf8, offset: millis(&self.offset), has_confidence }
    }
}

/// Milliseconds from a number; what is before the start of the recording is its start.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
fn millis(value: &Value) -> Option<MediaTime> {
    let millis = match value.as_u64() {
        Some(millis) => millis,
        None => match value.as_f64()? {
            number if number <= 0.0 => 0,
            // Up to here an f64 holds every whole number.
            number if number < 9_007_199_254_740_992.0 => number as u64,
            _ => return None,
        },
    };
    Some(MediaTime::from_millis(millis))
}

/// The events that are whole in a file that ends in the middle, and the line on which it does.
fn whole_events(text: &str) -> (Vec<RawEvent>, u32) {
    let list = text.split_once("\"events\"").map_or("", |(_, rest)| rest);
    let mut rest = list.trim_start_matches(|c: char| c.is_whitespace() || c == ':' || c == '[');
    let mut events = Vec::new();
    loop {
        let mut one = serde_json::Deserializer::from_str(rest).into_iter::<RawEvent>();
        let Some(Ok(event)) = one.next() else { break };
        events.push(event);
        let read = one.byte_offset();
        rest =
            rest.get(read..).unwrap_or_default().trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    }
    let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
    (events, u32::try_from(breaks + 1).unwrap_or(u32::MAX))
}
