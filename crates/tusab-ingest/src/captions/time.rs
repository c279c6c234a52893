//! Times of cues, as <https://www.w3.org/TR/webvtt1/#collect-a-webvtt-timestamp> reads them.

use tusab_chunk::MediaTime;

/// A time read from the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) time: MediaTime,
    /// A minus stood before it; the time is then the start of the recording.
    pub(crate) negative: bool,
    /// A comma stood before the milliseconds.
    pub(crate) comma: bool,
}

/// Reads a time at the start of `text`; gives what follows it. Hours may be missing or of any length.
///
/// Two things are read that the specification refuses, for a caller to warn of: a minus, and a comma for the point.
pub(crate) fn stamp(text: &str) -> Option<(Stamp, &str)> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (first, rest) = digits(rest)?;
    let (second, rest) = two_digits(rest.strip_prefix(':')?)?;
    let (hours, minutes, seconds, rest) = match rest.strip_prefix(':') {
        Some(rest) => {
            let (third, rest) = two_digits(rest)?;
            (number(first)?, second, third, rest)
        }
        None if first.len() == 2 => (0, number(first)?, second, rest),
        None => return None,
    };
    let comma = rest.starts_with(',');
    let (millis, rest) = digits(rest.strip_prefix(['.', ','])?)?;
    if millis.len() != 3 || minutes > 59 || seconds > 59 {
        return None;
    }
    let seconds = hours.checked_mul(3600)?.checked_add(minutes * 60 + seconds)?;
    let millis = seconds.checked_mul(1000)?.checked_add(number(millis)?)?;
    let time = if negative { MediaTime::ZERO } else { MediaTime::from_millis(millis) };
    Some((Stamp { time, negative, comma }, rest))
}

/// The digits at the start, at least one, and the rest.
fn digits(text: &str) -> Option<(&str, &str)> {
    let len = text.bytes().take_while(u8::is_ascii_digit).count();
    text.split_at_checked(len).filter(|(digits, _)| !digits.is_empty())
}

fn two_digits(text: &str) -> Option<(u64, &str)> {
    let (digits, rest) = digits(text)?;
    if digits.len() == 2 { Some((number(digits)?, rest)) } else { None }
}

fn number(digits: &str) -> Option<u64> {
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(text: &str) -> Option<u64> {
        let (stamp, rest) = stamp(text)?;
        (rest.is_empty() && !stamp.negative && !stamp.comma).then(|| stamp.time.as_millis())
    }

    #[test]
    fn the_times_of_the_specification_and_no_others() {
        assert_eq!(millis("00:00.000"), Some(0));
        assert_eq!(millis("59:59.999"), Some(3_599_999));
        assert_eq!(millis("01:02:03.004"), Some(3_723_004));
        assert_eq!(millis("1:02:03.004"), Some(3_723_004));
        assert_eq!(millis("000:00:01.000"), Some(1000));
        assert_eq!(millis("1000:00:00.000"), Some(3_600_000_000));
        for bad in [
            "",
            "0:01.000",
            "000:01.000",
            "60:00.000",
            "00:60.000",
            "00:00:60.000",
            "00:00",
            "00:00.00",
            "00:00.0000",
            "00:000.000",
            "00::00.000",
            "00:00..000",
            "00:00: 0.000",
            "+0:00:00.000",
            "00:00:00",
            "99999999999999999999:00:00.000",
            "9999999999999999:00:00.000",
            "٠٠:٠٠.٠٠٠",
        ] {
            assert_eq!(millis(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_minus_and_a_comma_are_read_and_told() {
        let (negative, _) = stamp("-00:01.000").unwrap();
        assert!(negative.negative && negative.time == MediaTime::ZERO);
        let (comma, rest) = stamp("00:00:01,500 --> ").unwrap();
        assert!(comma.comma && comma.time.as_millis() == 1500 && rest == " --> ");
    }
}
