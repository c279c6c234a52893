//! The line of times of an SRT cue, in all the ways in which programs and people write it.

use tusab_chunk::{MediaTime, TimeSpan};

/// When a cue is shown, and what is odd about how that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timing {
    pub(crate) span: TimeSpan,
    pub(crate) negative: bool,
    pub(crate) reversed: bool,
    /// What was read is a guess: not three digits of milliseconds, more than 59 minutes or seconds, or spaces inside.
    pub(crate) odd: bool,
}

/// Reads `00:00:01,000 --> 00:00:02,000`, also without hours or milliseconds, with a point, with another arrow; what
/// stands after the times, such as coordinates on the screen, is skipped.
pub(crate) fn timing(line: &str) -> Option<Timing> {
    let mut scan = Scan { rest: line.trim_start(), odd: false };
    let start = scan.stamp()?;
    scan.arrow()?;
    let end = scan.stamp()?;
    if scan.rest.starts_with(|c: char| c.is_alphanumeric() || c == ':') {
        return None;
    }
    Some(Timing {
        span: TimeSpan::between(start.time, end.time.max(start.time)),
        negative: start.negative || end.negative,
        reversed: end.time < start.time,
        odd: scan.odd,
    })
}

struct Stamp {
    time: MediaTime,
    negative: bool,
}

struct Scan<'t> {
    rest: &'t str,
    odd: bool,
}

impl<'t> Scan<'t> {
    fn stamp(&mut self) -> Option<Stamp> {
        let negative = self.sign('-');
        let mut fields = vec![self.digits()?];
        while fields.len() < 4 && self.sign(':') {
            fields.push(self.digits()?);
        }
        let mut fraction = None;
        if self.rest.starts_with([',', '،', '.']) {
            self.rest = self.rest.get(self.rest.chars().next().map_or(1, char::len_utf8)..)?;
            self.spaces();
            fraction = Some(self.digits()?);
        } else if let [_, _, _, millis] = fields.as_slice() {
            // A colon before the milliseconds.
            fraction = Some(*millis);
            self.odd = true;
            fields.pop();
        }
        let (hours, minutes, seconds) = match fields.as_slice() {
            [hours, minutes, seconds] => (number(hours)?, number(minutes)?, number(seconds)?),
            [minutes, seconds] => (0, number(minutes)?, number(seconds)?),
            _ => return None,
        };
        self.odd |= (hours > 0 && minutes > 59) || seconds > 59;
        let seconds = hours.checked_mul(3600)?.checked_add(minutes.checked_mul(60)?)?.checked_add(seconds)?;
        let millis = seconds.checked_mul(1000)?.checked_add(fraction.map_or(Some(0), |f| self.millis(f))?)?;
        let time = if negative { MediaTime::ZERO } else { MediaTime::from_millis(millis) };
        Some(Stamp { time, negative })
    }

    /// The digits after the point as a decimal fraction: `5` is half a second.
    fn millis(&mut self, fraction: &str) -> Option<u64> {
        self.odd |= fraction.len() != 3;
        let first = fraction.get(..fraction.len().min(3))?;
        Some(number(first)? * 10_u64.pow(3 - u32::try_from(first.len()).ok()?))
    }

    /// `-->`, `->`, `–>`, also with spaces inside.
    fn arrow(&mut self) -> Option<()> {
        self.spaces();
        let dashes = self.rest.trim_start_matches(['-', '–', '—', ' ']);
        let has_dash = dashes.len() < self.rest.len();
        self.rest = dashes.strip_prefix('>').filter(|_| has_dash)?;
        self.spaces();
        Some(())
    }

    /// A sign, with spaces after it.
    fn sign(&mut self, sign: char) -> bool {
        let spaced = self.rest.trim_start_matches(' ');
        let Some(rest) = spaced.strip_prefix(sign) else { return false };
        self.odd |= spaced.len() < self.rest.len();
        let trimmed = rest.trim_start_matches(' ');
        self.odd |= trimmed.len() < rest.len();
        self.rest = trimmed;
        true
    }

    fn spaces(&mut self) {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace());
    }

    /// Digits, at least one.
    fn digits(&mut self) -> Option<&'t str> {
        let len = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at_checked(len).filter(|(digits, _)| !digits.is_empty())?;
        self.rest = rest;
        Some(digits)
    }
}

fn number(digits: &str) -> Option<u64> {
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(u64, u64, bool)> {
        let timing = timing(line)?;
        Some((timing.span.start().as_millis(), timing.span.end().as_millis(), timing.odd))
    }

    #[test]
    fn times_as_they_are_found() {
        for (line, start, end, odd) in [
            ("00:00:01,000 --> 00:00:02,500", 1000, 2500, false),
            ("  0:00:01.000-->0:00:02.500  ", 1000, 2500, false),
            ("00:01,000 --> 00:02,500 X1:40 X2:600", 1000, 2500, false),
            ("00:00:01 --> 00:00:02", 1000, 2000, false),
            ("00:00:01,000 -> 00:00:02,500", 1000, 2500, false),
            ("00:00:01,000 –> 00:00:02,500", 1000, 2500, false),
            ("00:00:01,000\t--> 00:00:02,500\tline:0", 1000, 2500, false),
            ("100:00:00,000 --> 100:00:00,001", 360_000_000, 360_000_001, false),
            ("90:00,000 --> 90:01,000", 5_400_000, 5_401_000, false),
            ("00:00:01,5 --> 00:00:02,04", 1500, 2040, true),
            ("00:00:01,5004 --> 00:00:02,040", 1500, 2040, true),
            ("00:00:01:000 --> 00:00:02:500", 1000, 2500, true),
            ("00: 00: 01, 000 -- > 00 :00:02,500", 1000, 2500, true),
            ("00:00:61,000 --> 00:01:02,000", 61_000, 62_000, true),
        ] {
            assert_eq!(read(line), Some((start, end, odd)), "{line:?}");
        }
        for bad in [
            "",
            "1",
            "00:00:01,000",
            "00:00:01,000 --> ",
            "00:00:01,000 --> 00:00:0x,000",
            "00:00:01,000 00:00:02,000",
            "a 00:00:01,000 --> 00:00:02,000",
            "1 --> 2",
            "00:00:01, --> 00:00:02,",
            "99999999999999999999:00:00,000 --> 99999999999999999999:00:00,000",
            "9999999999999999:00:00,000 --> 9999999999999999:00:00,000",
            "00:1:2:3:4 --> 5:6",
        ] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn negative_and_reversed_times_are_told() {
        let negative = timing("-0:00:04,567 --> 00:00:03,456").unwrap();
        assert!(negative.negative && !negative.reversed && negative.span.start() == MediaTime::ZERO);
        assert!(timing("00:00:04,567 --> 00:00:03,456").unwrap().reversed);
    }
}
