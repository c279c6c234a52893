//! Maps from the codes of a font to text (`ToUnicode`; ISO 32000-2, 9.10.3), read leniently.

use std::collections::HashMap;

use super::content::{Item, Token, Tokens};

/// The most codes that one range, and a whole map, may spell out. A code has at most two bytes in practice.
const MOST_CODES: usize = 1 << 17;

#[derive(Debug, Default)]
pub(super) struct CMap {
    texts: HashMap<u32, String>,
    /// Bytes of a code, where the map says.
    pub(super) code_length: Option<usize>,
}

impl CMap {
    pub(super) fn text(&self, code: u32) -> Option<&str> {
        self.texts.get(&code).map(String::as_str)
    }

    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut map = Self::default();
        let mut operands: Vec<Token> = Vec::new();
        for token in Tokens::new(bytes) {
            let Token::Operator(operator) = token else {
                operands.push(token);
                continue;
            };
            match operator.as_slice() {
                b"endcodespacerange" => map.code_length = operands.iter().find_map(length),
                b"endbfchar" => {
                    for pair in operands.chunks_exact(2) {
                        if let [Token::Text(code), Token::Text(text)] = pair {
                            map.insert(code_of(code), utf16(text));
                        }
                    }
                }
                b"endbfrange" => {
                    for range in operands.chunks_exact(3) {
                        map.range(range);
                    }
                }
                _ => {}
            }
            operands.clear();
        }
        map
    }

    fn insert(&mut self, code: u32, text: String) {
        if self.texts.len() < MOST_CODES {
            self.texts.insert(code, text);
        }
    }

    fn range(&mut self, range: &[Token]) {
        let [Token::Text(first), Token::Text(last), to] = range else { return };
        let (first, last) = (code_of(first), code_of(last));
        let codes = (first..=last).take(MOST_CODES);
        match to {
            Token::Text(text) => {
                let Some((end, head)) = text.split_last() else { return };
                for (step, code) in codes.enumerate() {
                    if self.texts.len() >= MOST_CODES {
                        return;
                    }
                    // The last byte counts up; some programs let it run over into the one before.
                    let count = usize::from(*end) + step;
                    let mut next = head.to_vec();
                    if let Some(before) = next.last_mut().filter(|_| count > 255) {
                        *before = before.wrapping_add(u8::try_from(count >> 8 & 0xFF).unwrap_or_default());
                    }
                    next.push(u8::try_from(count & 0xFF).unwrap_or_default());
                    self.insert(code, utf16(&next));
                }
            }
            Token::Array(texts) => {
                for (code, item) in codes.zip(texts) {
                    if let Item::Text(text) = item {
                        self.insert(code, utf16(text));
                    }
                }
            }
            _ => {}
        }
    }
}

fn length(token: &Token) -> Option<usize> {
    match token {
        Token::Text(code) if (1..=4).contains(&code.len()) => Some(code.len()),
        _ => None,
    }
}

/// A code of up to four bytes, the highest first.
pub(super) fn code_of(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0_u32, |code, byte| code << 8 | u32::from(*byte))
}

/// Text in UTF-16, big-endian; a single byte is a character of Latin-1.
pub(super) fn utf16(bytes: &[u8]) -> String {
    if let [byte] = bytes {
        return char::from(*byte).to_string();
    }
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair));
    char::decode_utf16(units).flatten().filter(|c| *c != '\0').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_and_ranges() {
        let map = CMap::parse(
            b"1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfchar <0003> <0020> <0004> <00660069>\nendbfchar
              2 beginbfrange <0010> <0012> <0041> <0020> <0021> [<0061> <D83DDE1B>] endbfrange",
        );
        assert_eq!(map.code_length, Some(2));
        let texts = [3, 4, 0x10, 0x12, 0x20, 0x21].map(|code| map.text(code).unwrap_or("?"));
        assert_eq!(texts, [" ", "fi", "A", "C", "a", "😛"]);
        assert_eq!(map.text(0x13), None);
        let hostile = CMap::parse(b"1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange");
        assert_eq!(hostile.texts.len(), MOST_CODES);
    }
}
