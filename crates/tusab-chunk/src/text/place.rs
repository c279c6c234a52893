//! Moving through a text while counting its bytes and its characters.

/// A position counted both ways, always between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) byte: usize,
    pub(crate) char: usize,
}

impl Place {
    pub(crate) const START: Self = Self { byte: 0, char: 0 };

    /// The place at `byte` of the same text, wherever it is.
    pub(crate) fn at(self, text: &str, byte: usize) -> Self {
        let between = |from: usize, to: usize| count(text.as_bytes().get(from..to).unwrap_or_default());
        if byte < self.byte {
            Self { byte, char: self.char - between(byte, self.byte) }
        } else {
            Self { byte, char: self.char + between(self.byte, byte) }
        }
    }
}

/// Bytes counted at a time: few enough that the count of one block fits a byte.
const BLOCK: usize = 128;
/// Bytes counted at a time where a block is too much.
const STEP: usize = 16;

/// True for a byte that starts a character.
fn starts_char(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

/// Characters in one block of at most 255 bytes; a sum of bytes is what compilers turn into vector code.
fn count_block(block: &[u8]) -> usize {
    usize::from(block.iter().map(|byte| u8::from(starts_char(*byte))).sum::<u8>())
}

/// Characters in `bytes`.
pub(crate) fn count(bytes: &[u8]) -> usize {
    bytes.chunks(BLOCK).map(count_block).sum()
}

/// Passes blocks of `N` bytes as long as `left` characters are surely not in fewer: a block never holds more
/// characters than bytes. Returns the bytes passed.
fn pass<'b, const N: usize>(blocks: impl Iterator<Item = &'b [u8]>, left: &mut usize) -> usize {
    let mut bytes = 0;
    for block in blocks {
        if *left < N {
            break;
        }
        *left -= count_block(block);
        bytes += N;
    }
    bytes
}

/// `count` characters after `from`, or the end of the text.
pub(crate) fn forward(text: &str, from: Place, count: usize) -> Place {
    let rest = text.as_bytes().get(from.byte..).unwrap_or_default();
    let mut left = count;
    let mut bytes = pass::<BLOCK>(rest.chunks_exact(BLOCK), &mut left);
    bytes += pass::<STEP>(rest.get(bytes..).unwrap_or_default().chunks_exact(STEP), &mut left);
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
pub(crate) fn backward(text: &str, from: Place, count: usize) -> Place {
    let before = text.as_bytes().get(..from.byte).unwrap_or_default();
    let mut left = count;
    let mut bytes = pass::<BLOCK>(before.rchunks_exact(BLOCK), &mut left);
    let nearer = before.get(..before.len() - bytes).unwrap_or_default();
    bytes += pass::<STEP>(nearer.rchunks_exact(STEP), &mut left);
    // The block before may have ended inside a character: its first byte is still to come.
    for byte in before.get(..before.len() - bytes).unwrap_or_default().iter().rev() {
        if left == 0 {
            break;
        }
        left -= usize::from(starts_char(*byte));
        bytes += 1;
    }
    Place { byte: from.byte - bytes, char: from.char - (count - left) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_moving_agrees_with_a_plain_count() {
        let text = "aé漢😀 ".repeat(60);
        let places: Vec<Place> = text
            .char_indices()
            .map(|(byte, _)| byte)
            .chain([text.len()])
            .enumerate()
            .map(|(char, byte)| Place { byte, char })
            .collect();
        for from in [0, 1, 7, 100, 250, 300] {
            for count in [0, 1, 15, 16, 17, 33, 63, 127, 128, 129, 130, 150, 255, 256, 1000] {
                let to = (from + count).min(places.len() - 1);
                assert_eq!(forward(&text, places[from], count), places[to]);
                assert_eq!(places[from].at(&text, places[to].byte), places[to]);
                let to = from.saturating_sub(count);
                assert_eq!(backward(&text, places[from], count), places[to], "{from} {count}");
                assert_eq!(places[from].at(&text, places[to].byte), places[to]);
            }
        }
    }
}
