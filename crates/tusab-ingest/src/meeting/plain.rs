//! Transcripts that are plain text.

use std::collections::{HashMap, HashSet};

use tusab_chunk::{MediaTime, Segment, TimeSpan};

use super::form::{Form, Head, head, lone_time};
use super::name::is_capitalised;
use super::{Meeting, Platform, Said};
use crate::Parsed;

/// How much of a text is looked at to tell what it is, in bytes.
const HEAD: usize = 64 * 1024;
/// In so many turns someone speaks twice.
const FEW: usize = 6;
/// Lines with something on them that may stand above the first turn: title, date, who was there, key words.
const ABOVE: usize = 20;

/// Lines by which Google Meet announces what follows, in small letters.
const MEET_MARKS: [&str; 8] = [
    "attendees",
    "participantes",
    "convidados",
    "asistentes",
    "teilnehmer",
    "transcript",
    "transcrição",
    "transcripción",
];
/// How the lines begin that programs put under a transcript, in small letters.
const FOOTERS: [&str; 9] = [
    "transcribed by https://otter.ai",
    "this editable transcript was computer generated",
    "esta transcrição editável foi gerada",
    "esta transcripción editable se",
    "meeting ended after",
    "a reunião terminou depois de",
    "a reunião foi encerrada depois de",
    "la reunión finalizó después de",
    "la réunion s'est terminée après",
];

/// How the line ends that Teams puts under a transcript, after the name of whoever did it, in small letters.
const STOPPED: [&str; 6] = [
    " stopped transcription",
    " parou a transcrição",
    " interrompeu a transcrição",
    " detuvo la transcripción",
    " a arrêté la transcription",
    " hat die transkription beendet",
];

/// The lines of a text, and the turns that start on them, in the form of most.
struct Layout<'t> {
    lines: Vec<&'t str>,
    form: Form,
    heads: Vec<(usize, Head<'t>)>,
}

fn layout(text: &str) -> Option<Layout<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut heads: Vec<(usize, Head<'_>)> = Vec::new();
    let mut counts: HashMap<Form, usize> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(head) = head(line, lines.get(at + 1).copied()) {
            *counts.entry(head.form).or_default() += 1;
            heads.push((at, head));
        }
    }
    // Names without times are of Google Meet alone; elsewhere every line of a play would be a turn.
    if is_meet(&lines) {
        // Above the first time stand a title, a date and who was there.
        let from = lines.iter().position(|line| lone_time(line).is_some()).unwrap_or(0);
        heads.retain(|(at, head)| head.form != Form::NameThenSpeech || *at > from);
    } else {
        counts.remove(&Form::NameThenSpeech);
    }
    let form = counts
        .iter()
        .max_by_key(|(form, count)| (**count, std::cmp::Reverse(**form)))
        .map(|(form, _)| *form)?;
    heads.retain(|(_, head)| head.form == form);
    if form == Form::NameThenTime {
        // A file is in one manner: in Otter's, `Room Two 0:30` is speech.
        let known = heads.iter().filter(|(_, head)| head.platform != Platform::Other).count();
        let is_known = known * 2 >= heads.len();
        heads.retain(|(_, head)| (head.platform != Platform::Other) == is_known);
    }
    Some(Layout { lines, form, heads })
}

fn is_meet(lines: &[&str]) -> bool {
    let mut small = lines.iter().take(200).map(|line| line.trim().to_lowercase());
    // `Weekly (2024-03-12) - Transcript`, or the last word alone.
    let marked = small.any(|line| {
        let last = line.rsplit([':', '-', '–']).next().unwrap_or_default().trim();
        MEET_MARKS.contains(&last)
    });
    marked && lines.iter().any(|line| lone_time(line).is_some())
}

pub(super) fn is_certain(text: &str) -> bool {
    let head = text.get(..text.floor_char_boundary(HEAD)).unwrap_or(text);
    let normal = head.replace("\r\n", "\n").replace('\r', "\n");
    let Some(Layout { lines, form, heads }) = layout(&normal) else { return false };
    let said = |from: usize, to: usize| {
        lines.get(from..to).unwrap_or_default().iter().filter(|line| !line.trim().is_empty()).count()
    };
    let Some((first, _)) = heads.first() else { return false };
    if heads.len() < 2 || said(0, *first) > ABOVE {
        return false;
    }
    let names: HashSet<&str> = heads.iter().map(|(_, head)| head.speaker).collect();
    let in_order = || {
        let starts = heads.iter().filter_map(|(_, head)| head.start);
        starts.clone().zip(starts.skip(1)).all(|(before, after)| before <= after)
    };
    let repeats = heads.len() < FEW || names.len() < heads.len();
    // A list of songs or of chapters has its times, too, and nothing between.
    let speaks = || {
        let ends = heads.iter().skip(1).map(|(at, _)| *at).chain([lines.len()]);
        let speeches =
            heads.iter().zip(ends).filter(|((at, head), end)| said(at + head.lines, *end) > 0).count();
        speeches * 5 >= heads.len() * 4
    };
    match form {
        // Tabs and `From ... to` are no accident.
        Form::ZoomChat => true,
        Form::NameThenSpeech => repeats,
        // A time in brackets, or one space before it, is not the manner of any of them.
        Form::NameThenTime if heads.iter().all(|(_, head)| head.platform == Platform::Other) => {
            in_order()
                && speaks()
                && names.len() < heads.len()
                && names.iter().all(|name| is_capitalised(name))
        }
        Form::NameThenTime => in_order() && speaks() && repeats,
        Form::TimesThenName => {
            in_order() && speaks() && repeats && names.iter().all(|name| is_capitalised(name))
        }
        Form::TimesThenSpeech => in_order() && repeats,
        Form::TimeThenName => in_order() && repeats && heads.len() >= 3 && names.len() < heads.len(),
    }
}

/// The meeting that a text tells; none when no one speaks in it.
pub(super) fn read(text: &str) -> Option<Parsed<Meeting>> {
    let normal = text.replace("\r\n", "\n").replace('\r', "\n");
    let Layout { lines, form, heads } = layout(&normal)?;
    let (first, first_head) = heads.first()?;
    let platform = match form {
        Form::ZoomChat => Platform::ZoomChat,
        Form::NameThenTime => first_head.platform,
        Form::TimesThenName => Platform::Teams,
        Form::TimesThenSpeech | Form::NameThenSpeech => Platform::GoogleMeet,
        Form::TimeThenName => Platform::Other,
    };
    let mut said = Vec::with_capacity(heads.len() + 1);
    let above = joined(form, "", lines.get(..*first).unwrap_or_default());
    if !above.is_empty() {
        said.push(Said {
            speaker: None,
            piece: Segment::new(TimeSpan::between(MediaTime::ZERO, MediaTime::ZERO), above),
            timed: false,
        });
    }
    let ends = heads.iter().skip(1).map(|(at, _)| *at).chain([lines.len()]);
    let nexts = heads.iter().skip(1).map(|(_, head)| head.start).chain([None]);
    let mut now = lines.get(..*first).unwrap_or_default().iter().rev().find_map(|line| lone_time(line));
    for (((at, head), end), next) in heads.iter().zip(ends).zip(nexts) {
        let below = lines.get(at + head.lines..end).unwrap_or_default();
        let text = joined(form, head.said, below);
        let start = head.start.or(now);
        now = below
            .iter()
            .rev()
            .find_map(|line| lone_time(line))
            .filter(|_| form == Form::NameThenSpeech)
            .or(now);
        if text.is_empty() {
            continue;
        }
        let start_time = start.unwrap_or_default();
        let until = if form == Form::ZoomChat { None } else { next };
        let end_time = head.end.or(until).unwrap_or(start_time).max(start_time);
        let piece = Segment::new(TimeSpan::between(start_time, end_time), text);
        said.push(Said { speaker: Some(head.speaker.to_owned()), piece, timed: start.is_some() });
    }
    let meeting = Meeting::new(platform, said);
    (!meeting.speakers.is_empty()).then(|| Parsed::sound(meeting))
}

/// What is said on the line of the name and below it. In a chat the lines stay lines.
fn joined(form: Form, first: &str, below: &[&str]) -> String {
    let separator = if form == Form::ZoomChat { "\n" } else { " " };
    let mut text = first.to_owned();
    for line in below.iter().map(|line| line.trim()) {
        let is_footer = || {
            let small = line.to_lowercase();
            STOPPED.iter().any(|end| small.ends_with(end))
                || FOOTERS.iter().any(|footer| small.starts_with(footer))
        };
        let is_time = form == Form::NameThenSpeech && lone_time(line).is_some();
        if line.is_empty() || is_time || is_footer() {
            continue;
        }
        if !text.is_empty() {
            text.push_str(separator);
        }
        text.push_str(line);
    }
    text
}
