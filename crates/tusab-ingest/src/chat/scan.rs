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

/// Halves of the day in languages that do not write `a` or `p` before an `m`; whether it is the second half.
const HALVES: [(&str, bool); 12] = [
    ("午前", false),
    ("午後", true),
    ("上午", false),
    ("下午", true),
    ("오전", false),
    ("오후", true),
    ("ص", false),
    ("م", true),
    ("π.μ.", false),
    ("μ.μ.", true),
    ("vorm.", false),
    ("nachm.", true),
];

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
        let len = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if !(1..=most).contains(&len) {
            return None;
        }
        let (digits, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(Field { value: digits.parse().ok()?, digits: u8::try_from(len).ok()? })
    }

    /// `12/03/24`, `2024-03-12`, `12. 3. 2024`
    pub(super) fn date(&mut self) -> Option<([Field; 3], char)> {
        let first = self.digits(4)?;
        let separator = self.rest.chars().next().filter(|c| matches!(c, '/' | '.' | '-'))?;
        let mut next = |most: usize| {
            if !self.sign(&[separator]) {
                return None;
            }
            if separator == '.' {
                self.spaces();
            }
            self.digits(most)
        };
        let second = next(2)?;
        let third = next(4)?;
        let years = [first, third].into_iter().filter(|field| field.digits == 4).count();
        let is_date = years < 2 && [first, third].iter().all(|field| matches!(field.digits, 1 | 2 | 4));
        if separator == '.' && first.digits == 4 {
            self.sign(&['.']);
        }
        is_date.then_some(([first, second, third], separator))
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
        let before = self.half_before();
        let hour = self.digits(2)?.value;
        let separator = self.rest.chars().next().filter(|c| matches!(c, ':' | '.'))?;
        self.sign(&[separator]);
        let minute = self.digits(2).filter(|field| field.digits == 2)?.value;
        let mut second = 0;
        if self
            .rest
            .strip_prefix(separator)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        {
            self.sign(&[separator]);
            second = self.digits(2).filter(|field| field.digits == 2)?.value;
        }
        let half = before.or_else(|| self.half_after());
        let hour = match half {
            Some((true, _)) if hour < 12 => hour + 12,
            Some((false, _)) if hour == 12 => 0,
            _ => hour,
        };
        let in_range = hour < 24 && minute < 60 && second < 60;
        in_range.then_some(())?;
        Some(Time {
            hour: u8::try_from(hour).ok()?,
            minute: u8::try_from(minute).ok()?,
            second: u8::try_from(second).ok()?,
            clock: half.map_or(Clock::Hours24, |(_, clock)| clock),
        })
    }

    fn half_before(&mut self) -> Option<(bool, Clock)> {
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (rest, second) =
            HALVES.iter().find_map(|(name, second)| Some((self.rest.strip_prefix(name)?, *second)))?;
        self.rest = rest;
        self.spaces();
        Some((second, Clock::Other12))
    }

    /// `AM`, `p.m.`, `a. m.`, also after a narrow space.
    fn half_after(&mut self) -> Option<(bool, Clock)> {
        let mut scan = Scan { rest: self.rest };
        scan.spaces();
        if let Some(found) = scan.half_before() {
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
        Some((second, if plain { Clock::Plain12 } else { Clock::Other12 }))
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
