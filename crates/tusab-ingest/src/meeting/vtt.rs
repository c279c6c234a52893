//! Transcripts in WebVTT: `<v Name>` of Teams, `Name: ` of Zoom.

use std::collections::{HashMap, HashSet};

use tusab_chunk::Segment;

use super::name::{before_colon, is_capitalised};
use super::{Meeting, Platform, Said};
use crate::captions::is_timing;
use crate::{CaptionOptions, Cue, Error, Parsed, TrackKind, parse_webvtt};

/// How much of a file is looked at to tell what it is, in bytes.
const HEAD: usize = 64 * 1024;
/// In so many cues someone speaks twice.
const FEW: usize = 6;

/// Whether most cues of a WebVTT file say who speaks.
pub(super) fn is_spoken(text: &str) -> bool {
    let head = text.get(..text.floor_char_boundary(HEAD)).unwrap_or(text);
    let mut lines = head.split(['\n', '\r']).filter(|line| !line.is_empty()).peekable();
    let (mut cues, mut voices, mut named) = (0_usize, 0_usize, 0_usize);
    let mut distinct = HashSet::new();
    while let Some(line) = lines.next() {
        if !is_timing(line) {
            continue;
        }
        let Some(said) = lines.peek().filter(|line| !is_timing(line)) else { continue };
        cues += 1;
        if said.starts_with("<v ") || said.starts_with("<v.") {
            voices += 1;
        } else if let Some((name, _)) = before_colon(said).filter(|(_, said)| !said.is_empty()) {
            named += 1;
            distinct.insert(name);
        }
    }
    // Of captions in which labels stand before a colon, each label is another.
    let repeats = named < FEW || distinct.len() < named;
    cues > 0 && ((voices * 2 > cues) || (named * 2 > cues && repeats))
}

pub(super) fn read(text: &str) -> Result<Parsed<Meeting>, Error> {
    // Made by a machine, yet nothing in it rolls, and brackets may be part of what was said.
    let options = CaptionOptions::default().with_kind(TrackKind::Manual);
    let Parsed { value: captions, warnings } = parse_webvtt(text, &options)?;
    let by_voice = captions.cues.iter().any(|cue| cue.voice().is_some());
    let said = if by_voice { by_voices(&captions.cues) } else { by_names(&captions.cues) };
    let platform = if by_voice { Platform::Teams } else { Platform::Zoom };
    let meeting = Meeting::new(platform, said);
    if meeting.speakers.is_empty() {
        return Err(Error::NotMeeting);
    }
    Ok(Parsed { value: meeting, warnings })
}

fn by_voices(cues: &[Cue]) -> Vec<Said> {
    let mut said = Vec::new();
    for cue in cues {
        for (name, text) in cue.voices() {
            said.push(piece(name.map(str::to_owned), cue, text));
        }
    }
    said
}

fn by_names(cues: &[Cue]) -> Vec<Said> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (name, _) in cues.iter().filter_map(|cue| before_colon(cue.text())) {
        *counts.entry(name).or_default() += 1;
    }
    let mut speaker: Option<String> = None;
    let mut said = Vec::new();
    for cue in cues {
        // A colon within speech makes no name, unless it looks like one or stands there again.
        let named = before_colon(cue.text())
            .filter(|(name, _)| is_capitalised(name) || counts.get(name).is_some_and(|count| *count > 1));
        let text = match named {
            Some((name, rest)) => {
                speaker = Some(name.to_owned());
                rest
            }
            None => cue.text(),
        };
        if !text.trim().is_empty() {
            said.push(piece(speaker.clone(), cue, text));
        }
    }
    said
}

fn piece(speaker: Option<String>, cue: &Cue, text: &str) -> Said {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Said { speaker, piece: Segment::new(cue.span(), text), timed: true }
}
