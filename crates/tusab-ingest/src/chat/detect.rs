//! Whether a text is a chat: never by chance.

use std::collections::HashSet;

use super::header::{entries, is_mark};
use super::scan::digit;
use super::sender::Senders;

/// How much of a text is looked at, in bytes.
const HEAD: usize = 64 * 1024;
/// Lines with something on them that may stand above the first message.
const ABOVE: usize = 3;
/// In so many messages someone writes twice; of an agenda every line names another.
const FEW: usize = 5;
/// A message may have so many lines, on average.
const LINES: usize = 25;

/// What programs write where people have their names.
const LEVELS: [&str; 10] =
    ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "CRITICAL", "FATAL", "ALERT"];

/// Whether a text is an exported chat beyond doubt.
///
/// It starts with a message, has at least two, people say something in it, and some of them more than once unless it is
/// short; the names are no levels of a log.
pub(crate) fn is_whatsapp(text: &str) -> bool {
    let head = text.get(..text.floor_char_boundary(HEAD)).unwrap_or(text);
    let normal = super::line_breaks(head);
    let head = normal.as_ref();
    if !may_start(head) {
        return false;
    }
    let entries = entries(head);
    let lines = head.split('\n').filter(|line| !line.trim().is_empty());
    let above = lines.clone().take_while(|line| super::header::header(line).is_none()).count();
    if entries.len() < 2 || above > ABOVE || entries.len() * LINES < lines.count() {
        return false;
    }
    let senders = Senders::of(head, &entries);
    let mut names = HashSet::new();
    let (mut sent, mut logged) = (0_usize, 0_usize);
    for entry in &entries {
        let body = head.get(entry.body..).unwrap_or_default();
        if let (Some(name), _) = senders.split(body) {
            sent += 1;
            logged += usize::from(is_level(name));
            names.insert(name);
        }
    }
    let is_telling = entries.iter().all(|entry| entry.header.is_telling);
    let is_bracketed = entries.iter().all(|entry| entry.header.is_bracketed());
    let repeats = names.len() < sent;
    // Under a title stands an agenda rather than a chat, unless it has brackets.
    sent > 0 && logged * 2 < sent && (repeats || is_bracketed || (above == 0 && (sent < FEW || is_telling)))
}

/// Whether one of the first lines with something on them may start a message: a quick look.
fn may_start(text: &str) -> bool {
    let mut lines = text.split('\n').filter(|line| !line.trim().is_empty()).take(ABOVE + 1);
    lines.any(|line| {
        let line = line.trim_start_matches(|c| is_mark(c) || c == '[');
        line.starts_with(|c| digit(c).is_some() || c == '\\')
    })
}

/// `INFO`, `app.ERROR`
fn is_level(name: &str) -> bool {
    let last = name.rsplit(['.', ' ', '[']).next().unwrap_or(name).trim_end_matches(']');
    LEVELS.iter().any(|level| last.eq_ignore_ascii_case(level))
}
