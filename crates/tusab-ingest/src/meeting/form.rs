//! How a turn starts in a plain text, by the program that wrote it.

use tusab_chunk::MediaTime;

use super::Platform;
use super::name::{before_colon, is_capitalised, is_name};
use crate::captions::srt_timing;

/// The shapes of the start of a turn. A file has one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Form {
    /// `00:13:46<TAB>Name:<TAB>text`, `00:13:46 From Name to Everyone: text`
    ZoomChat,
    /// `Name  0:12`, `[Name] 10:00:12` or `Name (0:12):`, what is said below
    NameThenTime,
    /// `0:0:1.0 --> 0:0:4.5`, the name below, what is said below that
    TimesThenName,
    /// `0:00:01.000,0:00:04.500`, `Name: text` below
    TimesThenSpeech,
    /// `[0:12] Name: text`, `0:12 Name: text`
    TimeThenName,
    /// `Name: text`, with lines of times between
    NameThenSpeech,
}

/// The start of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head<'t> {
    pub(super) form: Form,
    pub(super) start: Option<MediaTime>,
    pub(super) end: Option<MediaTime>,
    pub(super) speaker: &'t str,
    /// What is said on the same line, or the next.
    pub(super) said: &'t str,
    /// How many lines it takes.
    pub(super) lines: usize,
    /// The program that writes a name and a time in this way.
    pub(super) platform: Platform,
}

/// The start of a turn on this line, if it is one.
pub(super) fn head<'t>(line: &'t str, next: Option<&'t str>) -> Option<Head<'t>> {
    let plain = line.trim();
    if plain.is_empty() {
        return None;
    }
    if plain.starts_with(|c: char| c.is_ascii_digit() || c == '[' || c == '(') {
        return times_head(plain, next)
            .or_else(|| chat_head(plain))
            .or_else(|| time_head(plain))
            .or_else(|| name_head(plain));
    }
    name_head(plain)
}

/// A line with a time and nothing else, as Google Meet puts between the turns.
pub(super) fn lone_time(line: &str) -> Option<MediaTime> {
    let (time, rest) = time(line.trim())?;
    rest.is_empty().then_some(time)
}

fn blank(form: Form) -> Head<'static> {
    Head { form, start: None, end: None, speaker: "", said: "", lines: 1, platform: Platform::Other }
}

/// `Name  0:12`, or `Name: text`
fn name_head(line: &str) -> Option<Head<'_>> {
    // From the last word, which is the time.
    let at = line.rfind([' ', '\t'])?;
    let (name, last) = line.split_at_checked(at)?;
    let last = last.trim();
    let inside = last.trim_end_matches(':').trim_matches(['(', ')', '[', ']']);
    let bracketed = inside.len() < last.len();
    if let Some((start, "")) = time(inside) {
        let gap = name.len() - name.trim_end().len() + 1;
        let name = name.trim_end();
        let framed = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let platform = match framed {
            Some(_) => Platform::Zoom,
            None if bracketed => Platform::Other,
            None if gap > 2 => Platform::Teams,
            None if gap == 2 || line.contains('\t') => Platform::Otter,
            None if is_capitalised(name) && name.contains(' ') => Platform::Other,
            None => return None,
        };
        let speaker = framed.unwrap_or(name).trim();
        let head = Head { start: Some(start), speaker, platform, ..blank(Form::NameThenTime) };
        return is_name(speaker).then_some(head);
    }
    let (speaker, said) = before_colon(line)?;
    Some(Head { speaker, said, ..blank(Form::NameThenSpeech) })
}

/// `0:0:1.0 --> 0:0:4.5` and a name, `0:00:01.000,0:00:04.500` and speech.
fn times_head<'t>(line: &'t str, next: Option<&'t str>) -> Option<Head<'t>> {
    let next = next?.trim();
    if let Some(timing) = srt_timing::timing(line).filter(|_| line.contains("-->")) {
        let (start, end) = (Some(timing.span.start()), Some(timing.span.end()));
        return is_name(next).then_some(Head {
            start,
            end,
            speaker: next,
            lines: 2,
            ..blank(Form::TimesThenName)
        });
    }
    let (first, second) = line.split_once(',')?;
    let ((start, ""), (end, "")) = (time(first)?, time(second)?) else { return None };
    let (speaker, said) = before_colon(next)?;
    Some(Head { start: Some(start), end: Some(end), speaker, said, lines: 2, ..blank(Form::TimesThenSpeech) })
}

/// Before and after the sender in Zoom's chat, in the languages that were looked at.
const FROM: [&str; 4] = ["From ", "De ", "Von ", "from "];
const TO: [&str; 8] = [" to ", " To ", " para ", " Para ", " an ", " An ", " a ", " A "];

/// `00:13:46<TAB>Name:<TAB>text`, `00:13:46 From Name to Everyone : text`, also with a date before the time.
fn chat_head(line: &str) -> Option<Head<'_>> {
    let (start, rest) =
        time(line).or_else(|| time(line.split_once(' ').filter(|(date, _)| is_day(date))?.1))?;
    let head = Head { start: Some(start), ..blank(Form::ZoomChat) };
    let plain = rest.trim_start();
    if let Some(rest) = FROM.iter().find_map(|from| plain.strip_prefix(from)) {
        let colon = rest.find(':')?;
        let (who, said) = rest.split_at_checked(colon)?;
        let name =
            TO.iter().filter_map(|to| who.find(to)).min().and_then(|at| who.get(..at)).unwrap_or(who).trim();
        return is_name(name).then_some(Head { speaker: name, said: said.get(1..)?.trim(), ..head });
    }
    let (name, said) = rest.strip_prefix('\t')?.split_once('\t')?;
    let name = name.trim().strip_suffix(':')?.trim_end();
    // The tabs say where the name ends: it may hold what it likes.
    (!name.is_empty() && name.len() < 200).then_some(Head { speaker: name, said: said.trim(), ..head })
}

/// `2024-03-12`
fn is_day(text: &str) -> bool {
    text.len() == "2024-03-12".len() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// `[0:12] Name: text`, `0:12 - Name: text`
fn time_head(line: &str) -> Option<Head<'_>> {
    let inside = line.trim_start_matches(['[', '(']);
    let bracketed = inside.len() < line.len();
    let (start, rest) = time(inside)?;
    let rest = if bracketed { rest.strip_prefix([']', ')'])? } else { rest.strip_prefix([' ', '\t'])? };
    let rest = rest.trim_start_matches([' ', '\t', '-', '–', ':']);
    let (speaker, said) = before_colon(rest)?;
    Some(Head { start: Some(start), speaker, said, ..blank(Form::TimeThenName) })
}

/// `m:ss`, `h:mm:ss`, `hh:mm:ss.mmm` at the start of a text, and what follows it.
fn time(text: &str) -> Option<(MediaTime, &str)> {
    let len = text.bytes().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.')).count();
    let (stamp, rest) = text.split_at_checked(len)?;
    let (stamp, millis) = stamp.split_once('.').unwrap_or((stamp, ""));
    let mut fields = stamp.split(':');
    let first = fields.next().filter(|field| (1..=3).contains(&field.len()))?;
    let mut seconds: u64 = first.parse().ok()?;
    let mut count = 1;
    for field in fields {
        let value: u64 = field.parse().ok().filter(|value| *value < 60 && field.len() == 2)?;
        seconds = seconds.checked_mul(60)?.checked_add(value)?;
        count += 1;
    }
    let millis = match millis {
        "" => 0,
        millis if millis.len() <= 3 => {
            millis.parse::<u64>().ok()? * 10_u64.pow(3 - u32::try_from(millis.len()).ok()?)
        }
        _ => return None,
    };
    let time = MediaTime::from_millis(seconds.checked_mul(1000)?.checked_add(millis)?);
    matches!(count, 2 | 3).then_some((time, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, next: &str) -> Option<(Form, Option<u64>, String, String)> {
        let head = head(line, Some(next))?;
        Some((head.form, head.start.map(MediaTime::as_millis), head.speaker.to_owned(), head.said.to_owned()))
    }

    #[test]
    fn every_form() {
        use Form::{NameThenSpeech, NameThenTime, TimeThenName, TimesThenName, TimesThenSpeech, ZoomChat};
        for (line, next, form, start, name, said) in [
            ("Ana Lima  0:12", "oi", NameThenTime, Some(12_000), "Ana Lima", ""),
            ("Ana Lima   1:00:12", "oi", NameThenTime, Some(3_612_000), "Ana Lima", ""),
            ("Speaker 1\t00:12", "oi", NameThenTime, Some(12_000), "Speaker 1", ""),
            ("Speaker 1 (00:12):", "oi", NameThenTime, Some(12_000), "Speaker 1", ""),
            ("[Ana Lima] 10:00:12", "oi", NameThenTime, Some(36_012_000), "Ana Lima", ""),
            ("Ana Lima [0:12]", "oi", NameThenTime, Some(12_000), "Ana Lima", ""),
            ("Ana Lima 0:12", "oi", NameThenTime, Some(12_000), "Ana Lima", ""),
            (
                "2024-03-12 09:00:12 From Ana Lima to Everyone:",
                "\toi",
                ZoomChat,
                Some(32_412_000),
                "Ana Lima",
                "",
            ),
            ("00:13:46\tKalo | Obol:\tgm: tudo", "", ZoomChat, Some(826_000), "Kalo | Obol", "gm: tudo"),
            ("00:13:46\t From Ana Lima to Everyone : oi", "", ZoomChat, Some(826_000), "Ana Lima", "oi"),
            ("00:13:46 De Ana Lima para Todos:", "\toi", ZoomChat, Some(826_000), "Ana Lima", ""),
            ("0:0:1.0 --> 0:0:4.510", "Ana Lima", TimesThenName, Some(1000), "Ana Lima", ""),
            ("0:00:01.000,0:00:04.500", "Ana: oi", TimesThenSpeech, Some(1000), "Ana", "oi"),
            ("[00:00:12] Ana: oi", "", TimeThenName, Some(12_000), "Ana", "oi"),
            ("(0:12) Ana: oi", "", TimeThenName, Some(12_000), "Ana", "oi"),
            ("00:12 - Ana: oi", "", TimeThenName, Some(12_000), "Ana", "oi"),
            ("Ana: oi", "", NameThenSpeech, None, "Ana", "oi"),
        ] {
            assert_eq!(read(line, next), Some((form, start, name.into(), said.into())), "{line:?}");
        }
        for line in [
            "",
            "Ana 0:12",
            "o nome 0:12",
            "Ana  12",
            "às  10:5",
            "João 3:16",
            "Bem, é isso  0:12",
            "0:12",
            "[0:12]",
        ] {
            assert_eq!(read(line, ""), None, "{line:?}");
        }
        assert_eq!(lone_time(" 00:05:00 ").map(MediaTime::as_millis), Some(300_000));
    }
}
