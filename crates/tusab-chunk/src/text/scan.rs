//! Moving through a text while counting its bytes and its characters.

use super::Place;

/// Bytes counted at a time: small enough that the compiler keeps the sum in one vector register.
const BLOCK: usize = 64;

/// True for a byte that starts a character.
fn starts_char(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

fn count_starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| starts_char(**byte)).count()
}

/// `count` characters after `from`, or the end of the text.
pub(super) fn forward(text: &str, from: Place, count: usize) -> Place {
    let rest = text.as_bytes().get(from.byte..).unwrap_or_default();
    let mut left = count;
    let mut bytes = 0;
    // Whole blocks first: a block never holds more characters than bytes.
    for block in rest.chunks_exact(BLOCK) {
        if left < BLOCK {
            break;
        }
        left -= count_starts(block);
        bytes += BLOCK;
    }
    for byte in rest.get(bytes..).unwrap_or_default() {
        if starts_char(*byte) {
            if left == 0 {
                break;
            }
            left -= 1;
        }
        bytes += 1;
    }
    Place { byte: from.byte + bytes, char: from.char + (count - left) }
}

/// `count` characters before `from`, or the start of the text.
pub(super) fn backward(text: &str, from: Place, count: usize) -> Place {
    let before = text.as_bytes().get(..from.byte).unwrap_or_default();
    let mut place = from;
    for byte in before.iter().rev() {
        if place.char + count == from.char {
            break;
        }
        place.byte -= 1;
        place.char -= usize::from(starts_char(*byte));
    }
    place
}

/// The first place from `from` on that is not white space.
pub(super) fn skip_space(text: &str, from: Place) -> Place {
    let mut place = from;
    for c in text.get(from.byte..).unwrap_or_default().chars().take_while(|c| c.is_whitespace()) {
        place.byte += c.len_utf8();
        place.char += 1;
    }
    place
}

/// `end` moved back over white space, not before `start`.
pub(super) fn trim_space(text: &str, start: Place, end: Place) -> Place {
    let mut place = end;
    for c in
        text.get(start.byte..end.byte).unwrap_or_default().chars().rev().take_while(|c| c.is_whitespace())
    {
        place.byte -= c.len_utf8();
        place.char -= 1;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forward_and_backward_agree_with_a_plain_count() {
        let text = "aé漢😀 ".repeat(60);
        let places: Vec<Place> = text
            .char_indices()
            .map(|(byte, _)| byte)
            .chain([text.len()])
            .enumerate()
            .map(|(char, byte)| Place { byte, char })
            .collect();
        for from in [0, 1, 7, 100, 250] {
            for count in [0, 1, 63, 64, 65, 130, 1000] {
                let to = (from + count).min(places.len() - 1);
                assert_eq!(forward(&text, places[from], count), places[to]);
                assert_eq!(backward(&text, places[from], count), places[from.saturating_sub(count)]);
            }
        }
    }
}
