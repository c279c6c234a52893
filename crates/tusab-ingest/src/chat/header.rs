//! How a message starts: `12/03/24, 14:32 - `, `[2024-03-12, 9:29:05 PM] `, and their kin.

use std::collections::HashMap;

use super::scan::{Scan, digit};

/// A line that starts a message.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) header: Header,
    /// Counted from 1.
    pub(super) line: u32,
    /// Where the line starts in the text, and what is said in it, in bytes.
    pub(super) start: usize,
    pub(super) body: usize,
}

/// Date and time, as they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) shape: Shape,
    pub(super) date: [Field; 3],
    /// What stands between the fields of the date.
    pub(super) separator: char,
    /// 0 to 23.
    pub(super) hour: u8,
    pub(super) minute: u8,
    pub(super) second: u8,
    pub(super) clock: Clock,
    /// Whether it has a bracket, or a comma after the date: a list of dates seldom does.
    pub(super) is_telling: bool,
}

impl Header {
    pub(super) fn is_bracketed(&self) -> bool {
        self.shape.close == Close::Bracket
    }
}

/// A number of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) value: u16,
    pub(super) digits: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    Hours24,
    /// `PM`
    Plain12,
    /// `p. m.`, `pm`, or another language's.
    Other12,
}

/// What is the same in all messages of one export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    close: Close,
    time_first: bool,
    has_comma: bool,
}

/// What ends the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Close {
    /// `[...] `
    Bracket,
    /// ` - `
    Dash,
    /// `: `, of old versions on iOS.
    Colon,
}

/// A shape that less than one in so many lines has is quoted inside messages, and so is one that none of the lines at
/// the ends has.
const RARE: usize = 5;

/// The lines that start a message. Lines of another shape than the rest are part of a message: someone pasted them.
pub(super) fn entries(text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut shapes: HashMap<Shape, usize> = HashMap::new();
    let mut start = 0;
    for (number, line) in (1..).zip(text.split('\n')) {
        if let Some((header, body)) = header(line) {
            *shapes.entry(header.shape).or_default() += 1;
            entries.push(Entry { header, line: number, start, body: start + body });
        }
        start += line.len() + 1;
    }
    if shapes.len() > 1 {
        let most = shapes.values().copied().max().unwrap_or(0);
        // Two exports put together: each stands at an end.
        let ends = [entries.first(), entries.last()].map(|entry| entry.map(|entry| entry.header.shape));
        entries.retain(|Entry { header: Header { shape, .. }, .. }| {
            let count = shapes.get(shape).copied().unwrap_or(0);
            count == most || (count * RARE > most && ends.contains(&Some(*shape)))
        });
    }
    entries
}

/// Reads the start of a message; gives where what is said begins, in bytes of the line.
pub(super) fn header(line: &str) -> Option<(Header, usize)> {
    let mut scan = Scan { rest: line };
    scan.marks();
    let bracketed = scan.sign(&['[']);
    scan.marks();
    if !scan.rest.starts_with(|c| digit(c).is_some()) {
        return None;
    }
    let start = scan.rest;
    let mut has_comma = false;
    let date_first = scan.date().and_then(|date| {
        has_comma = scan.rest.starts_with([',', '،']);
        scan.between()?;
        Some((date, scan.time()?))
    });
    let time_first = date_first.is_none();
    let ((date, separator), time) = match date_first {
        Some(found) => found,
        // As copied out of WhatsApp Web.
        None if bracketed => {
            scan.rest = start;
            let time = scan.time()?;
            scan.between()?;
            (scan.date()?, time)
        }
        None => return None,
    };
    let close = scan.close(bracketed)?;
    let header = Header {
        shape: Shape { close, time_first, has_comma },
        date,
        separator,
        hour: time.hour,
        minute: time.minute,
        second: time.second,
        clock: time.clock,
        is_telling: bracketed || has_comma,
    };
    Some((header, line.len() - scan.rest.len()))
}

/// Marks of writing direction, and the byte order mark.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<String> {
        let (header, body) = header(line)?;
        let [a, b, c] = header.date.map(|field| field.value);
        let Header { hour, minute, second, .. } = header;
        Some(format!("{a}.{b}.{c} {hour}:{minute:02}:{second:02} {}", &line[body..]))
    }

    #[test]
    fn every_shape_of_a_header() {
        for (line, expected) in [
            ("12/03/24, 14:32 - Ana: oi", "12.3.24 14:32:00 Ana: oi"),
            ("12/03/2024 14:32 - Ana: oi", "12.3.2024 14:32:00 Ana: oi"),
            ("12.03.24, 14:32 – Ana: oi", "12.3.24 14:32:00 Ana: oi"),
            ("12-03-2024 14.32 — Ana: oi", "12.3.2024 14:32:00 Ana: oi"),
            ("12. 3. 2024, 14:32 - Ana: oi", "12.3.2024 14:32:00 Ana: oi"),
            ("2024. 03. 12. 14:32 - Ana: oi", "2024.3.12 14:32:00 Ana: oi"),
            ("2024-03-12, 14:32 - Ana: oi", "2024.3.12 14:32:00 Ana: oi"),
            ("3/12/24, 9:29 PM - Ana: oi", "3.12.24 21:29:00 Ana: oi"),
            ("3/12/24, 9:29\u{202f}p.\u{a0}m. - Ana: oi", "3.12.24 21:29:00 Ana: oi"),
            ("3/12/24, 12:00 a.m. - Ana: oi", "3.12.24 0:00:00 Ana: oi"),
            ("3/12/24, 12:00 pm - Ana: oi", "3.12.24 12:00:00 Ana: oi"),
            ("3/12/24, 00:08 a. m. - Ana: oi", "3.12.24 0:08:00 Ana: oi"),
            ("[12/03/24, 14:32:05] Ana: oi", "12.3.24 14:32:05 Ana: oi"),
            ("[12/03/24 14:32:05] Ana: oi", "12.3.24 14:32:05 Ana: oi"),
            ("\u{200e}[3/12/24, 9:29:05\u{202f}PM] Ana: \u{200e}oi", "3.12.24 21:29:05 Ana: \u{200e}oi"),
            ("[2024-03-12, 9:29:05 p. m.] Ana: oi", "2024.3.12 21:29:05 Ana: oi"),
            ("[14:32, 12/03/2024] Ana: oi", "12.3.2024 14:32:00 Ana: oi"),
            ("[9:29 PM, 3/12/2024] Ana: oi", "3.12.2024 21:29:00 Ana: oi"),
            ("12/03/17 14:32:05: Ana: oi", "12.3.17 14:32:05 Ana: oi"),
            ("12/03/2017 às 14:32 - Ana: oi", "12.3.2017 14:32:00 Ana: oi"),
            ("2024/3/12 下午3:05 - Ana: oi", "2024.3.12 15:05:00 Ana: oi"),
            ("\\ufeff1/3/24, 10:30\\u202fa.\\u202fm. - Ana: oi", "1.3.24 10:30:00 Ana: oi"),
            ("12/03/24, 14:32 -", "12.3.24 14:32:00 "),
        ] {
            assert_eq!(read(line).as_deref(), Some(expected), "{line:?}");
        }
        for line in [
            "",
            "oi",
            "12/03/24",
            "12/03/24 foi o dia",
            "12/03/24, 14:32",
            "12/03/24, 14:32 Ana: oi",
            "12/03/24, 14:32-15:00 reunião",
            "12/03/24, 25:00 - Ana: oi",
            "12/03/24, 14:62 - Ana: oi",
            "12/03/24, 4:5 - Ana: oi",
            "12/03, 14:32 - Ana: oi",
            "[12/03/24, 14:32 Ana: oi",
            "[14:32] Ana: oi",
            "14:32 - Ana: oi",
            "123/03/24, 14:32 - Ana: oi",
            "2024/03/2024, 14:32 - Ana: oi",
            "1.2.3 4:56 ok",
            "192.168.0.1 10:00 - oi",
            " 12/03/24, 14:32 - Ana: oi",
        ] {
            assert_eq!(read(line), None, "{line:?}");
        }
    }

    #[test]
    fn lines_of_another_shape_are_quotations() {
        let text = "12/03/24, 14:32 - Ana: veja\n[10/03/24, 9:00:00] Rui: antes\n12/03/24, 14:33 - Ana: e aí?\n\
                    12/03/24, 14:34 - a\n12/03/24, 14:35 - b\n12/03/24, 14:36 - c\n12/03/24, 14:37 - d\n";
        assert_eq!(entries(text).iter().map(|entry| entry.line).collect::<Vec<_>>(), [1, 3, 4, 5, 6, 7]);
    }
}
