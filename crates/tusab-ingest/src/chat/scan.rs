//! The parts of the start of a message, read one after the other.

use super::header::{Clock, Close, Field, is_mark};

/// A time of day.
pub(super) struct Time {
    pub(super) hour: u8,
    pub(super) minute: u8,
    pub(super) second: u8,
    pub(super) clock: Clock,
}

/// What is left of a line that is being read.
pub(super) struct Scan<'t> {
    pub(super) rest: &'t str,
}

/// Signs that some program wrote as their names in source code.
const ESCAPED: [&str; 6] = ["\\ufeff", "\\u200e", "\\u200f", "\\u202f", "\\u00a0", "\\u2009"];

/// A part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Morning,
    Afternoon,
    /// From eleven to one or two.
    Noon,
}

/// Parts of the day in languages that do not write `a` or `p` before an `m`.
const PARTS: [(&str, Part); 41] = [
    ("午前", Part::Morning),
    ("午後", Part::Afternoon),
    ("上午", Part::Morning),
    ("下午", Part::Afternoon),
    ("凌晨", Part::Morning),
    ("清晨", Part::Morning),
    ("早上", Part::Morning),
    ("中午", Part::Noon),
    ("傍晚", Part::Afternoon),
    ("晚上", Part::Afternoon),
    ("오전", Part::Morning),
    ("오후", Part::Afternoon),
    ("صباحًا", Part::Morning),
    ("مساءً", Part::Afternoon),
    ("ص", Part::Morning),
    ("م", Part::Afternoon),
    ("ق.ظ.", Part::Morning),
    ("ب.ظ.", Part::Afternoon),
    ("לפנה״צ", Part::Morning),
    ("אחה״צ", Part::Afternoon),
    ("לפנה\"צ", Part::Morning),
    ("אחה\"צ", Part::Afternoon),
    ("पूर्वाह्न", Part::Morning),
    ("अपराह्न", Part::Afternoon),
    ("ÖÖ", Part::Morning),
    ("ÖS", Part::Afternoon),
    ("π.μ.", Part::Morning),
    ("μ.μ.", Part::Afternoon),
    ("vorm.", Part::Morning),
    ("nachm.", Part::Afternoon),
    ("da madrugada", Part::Morning),
    ("da manhã", Part::Morning),
    ("da tarde", Part::Afternoon),
    ("da noite", Part::Afternoon),
    ("de la madrugada", Part::Morning),
    ("de la mañana", Part::Morning),
    ("de la tarde", Part::Afternoon),
    ("de la noche", Part::Afternoon),
    ("del mediodía", Part::Noon),
    ("SA", Part::Morning),
    ("CH", Part::Afternoon),
];

/// "Year" and "hour", behind a date and a time.
const YEAR: &str = "г.";
const HOUR: [&str; 2] = ["ч.", "Uhr"];

/// Where the digits of the scripts start in which phones write dates: Latin, Arabic, Persian, Devanagari, Bengali.
const ZEROS: [char; 5] = ['0', '\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}'];

/// The value of a digit.
pub(super) fn digit(c: char) -> Option<u16> {
    // Nearly every one is of these.
    if c.is_ascii() {
        return c.to_digit(10).and_then(|value| value.try_into().ok());
    }
    let of_script = |zero: &char| u32::from(c).checked_sub(u32::from(*zero)).filter(|value| *value < 10);
    ZEROS.iter().find_map(of_script).and_then(|value| value.try_into().ok())
}

/// "At", between date and time.
const AT: [&str; 9] = ["às", "as", "at", "um", "kl.", "klo", "om", "alle", "à"];

impl Scan<'_> {
    pub(super) fn marks(&mut self) {
        self.skip(is_mark);
    }

    fn spaces(&mut self) {
        self.skip(|c| c.is_whitespace() || is_mark(c));
    }

    fn skip(&mut self, wanted: fn(char) -> bool) {
        loop {
            self.rest = self.rest.trim_start_matches(wanted);
            if !self.rest.starts_with('\\') {
                break;
            }
            let Some(rest) = ESCAPED.iter().find_map(|escaped| self.rest.strip_prefix(escaped)) else {
                break;
            };
            self.rest = rest;
        }
    }

    pub(super) fn sign(&mut self, signs: &[char]) -> bool {
        let Some(rest) = self.rest.strip_prefix(signs) else { return false };
        self.rest = rest;
        true
    }

    fn digits(&mut self, most: usize) -> Option<Field> {
        let (mut value, mut count) = (0_u16, 0_usize);
        while let Some(digit) = self.rest.chars().next().and_then(digit) {
            count += 1;
            if count > most {
                return None;
            }
            value = value.checked_mul(10)?.checked_add(digit)?;
            self.rest = self.rest.get(self.rest.chars().next().map_or(1, char::len_utf8)..)?;
        }
        (count > 0).then_some(Field { value, digits: u8::try_from(count).ok()? })
    }

    /// `12/03/24`, `2024-03-12`, `12. 3. 2024`
    pub(super) fn date(&mut self) -> Option<([Field; 3], char)> {
        let first = self.digits(4)?;
        self.marks();
        let separator = self.rest.chars().next().filter(|c| matches!(c, '/' | '.' | '-'))?;
        let mut next = |most: usize| {
            self.marks();
            if !self.sign(&[separator]) {
                return None;
            }
            if separator == '.' {
                self.spaces();
            }
            self.marks();
            self.digits(most)
        };
        let second = next(2)?;
        let third = next(4)?;
        let years = [first, third].into_iter().filter(|field| field.digits == 4).count();
        let is_date = years < 2 && [first, third].iter().all(|field| matches!(field.digits, 1 | 2 | 4));
        if separator == '.' {
            self.sign(&['.']);
            self.word(&[YEAR]);
        }
        is_date.then_some(([first, second, third], separator))
    }

    /// A word, with spaces before it.
    fn word(&mut self, words: &[&str]) {
        let mut scan = Scan { rest: self.rest };
        scan.spaces();
        if let Some(rest) = words.iter().find_map(|word| scan.rest.strip_prefix(word)) {
            self.rest = rest;
        }
    }

    /// What stands between date and time: a comma, a space, a word such as `às`.
    pub(super) fn between(&mut self) -> Option<()> {
        let before = self.rest.len();
        self.sign(&[',', '،']);
        self.spaces();
        if self.rest.len() == before {
            return None;
        }
        let word = AT.iter().find_map(|word| self.rest.strip_prefix(word));
        if let Some(rest) = word.filter(|rest| rest.starts_with(char::is_whitespace)) {
            self.rest = rest;
            self.spaces();
        }
        Some(())
    }

    /// `14:32`, `9.29`, `9:29:05 p. m.`
    pub(super) fn time(&mut self) -> Option<Time> {
        let before = self.part_before();
        self.spaces();
        let hour = self.digits(2)?.value;
        let separator = self.rest.chars().next().filter(|c| matches!(c, ':' | '.'))?;
        self.sign(&[separator]);
        let minute = self.digits(2).filter(|field| field.digits == 2)?.value;
        let mut second = 0;
        if self.rest.strip_prefix(separator).is_some_and(|rest| rest.starts_with(|c| digit(c).is_some())) {
            self.sign(&[separator]);
            second = self.digits(2).filter(|field| field.digits == 2)?.value;
        }
        let part = before.or_else(|| self.part_after());
        let hour = match part {
            Some((Part::Afternoon, _)) if hour < 12 => hour + 12,
            Some((Part::Noon, _)) if hour < 11 => hour + 12,
            Some((Part::Morning, _)) if hour == 12 => 0,
            _ => hour,
        };
        self.word(&HOUR);
        let in_range = hour < 24 && minute < 60 && second < 60;
        in_range.then_some(())?;
        Some(Time {
            hour: u8::try_from(hour).ok()?,
            minute: u8::try_from(minute).ok()?,
            second: u8::try_from(second).ok()?,
            clock: part.map_or(Clock::Hours24, |(_, clock)| clock),
        })
    }

    fn part_before(&mut self) -> Option<(Part, Clock)> {
        if self.rest.starts_with(|c| matches!(c, '0'..='9' | '-' | ']')) {
            return None;
        }
        let (rest, part) =
            PARTS.iter().find_map(|(name, part)| Some((self.rest.strip_prefix(name)?, *part)))?;
        self.rest = rest;
        Some((part, Clock::Other12))
    }

    /// `AM`, `p.m.`, `a. m.`, also after a narrow space.
    fn part_after(&mut self) -> Option<(Part, Clock)> {
        let mut scan = Scan { rest: self.rest };
        scan.spaces();
        if let Some(found) = scan.part_before() {
            self.rest = scan.rest;
            return Some(found);
        }
        let plain = scan.rest.starts_with("AM") || scan.rest.starts_with("PM");
        let second = scan.rest.starts_with(['p', 'P']);
        if !scan.sign(&['a', 'A', 'p', 'P']) {
            return None;
        }
        scan.sign(&['.']);
        scan.spaces();
        if !scan.sign(&['m', 'M']) || scan.rest.starts_with(char::is_alphanumeric) {
            return None;
        }
        scan.sign(&['.']);
        self.rest = scan.rest;
        let part = if second { Part::Afternoon } else { Part::Morning };
        Some((part, if plain { Clock::Plain12 } else { Clock::Other12 }))
    }

    pub(super) fn close(&mut self, bracketed: bool) -> Option<Close> {
        if bracketed {
            self.spaces();
            if !self.sign(&[']']) {
                return None;
            }
            // A mark here tells a notice from a message, and stays.
            self.rest = self.rest.trim_start_matches(' ');
            return Some(Close::Bracket);
        }
        if self.rest.starts_with(": ") {
            self.sign(&[':']);
            self.rest = self.rest.trim_start_matches(' ');
            return Some(Close::Colon);
        }
        let before = self.rest.len();
        self.spaces();
        let spaced = self.rest.len() < before;
        if !spaced || !self.sign(&['-', '–', '—']) || !(self.rest.is_empty() || self.rest.starts_with(' '))
        {
            return None;
        }
        self.rest = self.rest.trim_start_matches(' ');
        Some(Close::Dash)
    }
}
