//! UTF-16 without a mark: told by the zeros of its ASCII signs, of which even a text in Japanese has its digits, spaces
//! and line breaks.

use super::{Decoded, Encoding, utf16};
use crate::{Parsed, Problem, Warning};

/// How much of a file is looked at, in bytes.
const HEAD: usize = 8192;

/// Reads bytes with many zeros as UTF-16; none where they are no text in it.
pub(super) fn read(bytes: &[u8]) -> Option<Parsed<Decoded<'static>>> {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let (pairs, _) = head.as_chunks::<2>();
    let high = pairs.iter().filter(|[first, _]| *first == 0).count();
    let low = pairs.iter().filter(|[_, second]| *second == 0).count();
    // In the other half of every pair a zero is as rare as U+0100 is.
    let is_one_sided = high.min(low) * 20 < high.max(low);
    let (encoding, unit): (_, fn([u8; 2]) -> u16) = if low > high {
        (Encoding::Utf16Le, u16::from_le_bytes)
    } else {
        (Encoding::Utf16Be, u16::from_be_bytes)
    };
    let mut parsed = utf16(bytes, encoding, unit).ok().filter(|_| is_one_sided)?;
    if parsed.value.text.trim().is_empty() || parsed.value.text.contains(is_never_written) {
        return None;
    }
    let name = if encoding == Encoding::Utf16Le { "UTF-16LE" } else { "UTF-16BE" };
    parsed.warnings.push(Warning::of_whole(Problem::GuessedEncoding { encoding: name }));
    Some(parsed)
}

/// Control characters, and those of private use: pairs of bytes that are no text.
fn is_never_written(c: char) -> bool {
    (c.is_control() && !c.is_whitespace() && c != '\u{1b}')
        || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, decode};

    fn bytes(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn utf_16_without_a_mark_is_read_and_the_guess_is_told() {
        for text in
            ["1\r\n00:00:01,000 --> 00:00:02,000\r\nNão é ação", "12/03/24, 14:32 - 田中: こんにちは\n"]
        {
            for (unit, encoding, name) in [
                (u16::to_le_bytes as fn(u16) -> [u8; 2], Encoding::Utf16Le, "UTF-16LE"),
                (u16::to_be_bytes, Encoding::Utf16Be, "UTF-16BE"),
            ] {
                let bytes = bytes(text, unit);
                let parsed = decode(&bytes).unwrap();
                assert_eq!((parsed.value.text.as_ref(), parsed.value.encoding), (text, encoding));
                let told = Warning::of_whole(Problem::GuessedEncoding { encoding: name });
                assert_eq!(parsed.warnings, [told]);
            }
        }
    }

    #[test]
    fn other_bytes_with_zeros_are_no_text() {
        for bytes in [
            b"\x01\0\x02\0\x03\0\x04\0".as_slice(),
            &[0; 64],
            b"a\0\0\0b\0\0\0c\0\0\0",
            &bytes("abc\u{e000}\n", u16::to_le_bytes),
        ] {
            assert!(matches!(decode(bytes), Err(Error::Binary { .. })), "{bytes:?}");
        }
    }
}
