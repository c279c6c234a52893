use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A text in JSON, which may be cut inside a character.
///
/// Servers that cut strings by UTF-16 units send the two halves of an emoji in two pieces, each as an escape of its own
/// (`\ud83d`, then `\ude42`). Each is no text, but both together are. Here a half is kept as the three bytes that it would
/// be in UTF-8, if it were a character (WTF-8); [`Joiner`] puts the halves together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text(Vec<u8>);

impl Text {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Text, E> {
                Ok(Text(bytes.to_vec()))
            }
        }

        // As bytes, the JSON library lets halves through.
        deserializer.deserialize_bytes(Bytes)
    }
}

/// Puts the pieces of one text together where they were cut inside a character.
#[derive(Debug, Clone, Default)]
pub(crate) struct Joiner {
    /// The first half of a character, whose second is to come.
    half: Option<u16>,
}

/// The bytes are no UTF-8, nor halves of characters.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotText;

impl Joiner {
    /// The next piece. A half that stays alone becomes `U+FFFD`.
    pub(crate) fn push(&mut self, text: Text) -> Result<String, NotText> {
        if self.half.is_some() && text.is_empty() {
            return Ok(String::new());
        }
        let bytes = match String::from_utf8(text.0) {
            Ok(text) if self.half.is_none() => return Ok(text),
            Ok(text) => text.into_bytes(),
            Err(error) => error.into_bytes(),
        };
        let mut joined = String::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let valid = match std::str::from_utf8(rest) {
                Ok(valid) => valid.len(),
                Err(error) => error.valid_up_to(),
            };
            let (text, after) = rest.split_at(valid);
            if !text.is_empty() {
                self.end_half(&mut joined);
                joined.push_str(std::str::from_utf8(text).map_err(|_| NotText)?);
            }
            if after.is_empty() {
                break;
            }
            let (unit, after) = surrogate(after).ok_or(NotText)?;
            self.unit(unit, &mut joined);
            rest = after;
        }
        Ok(joined)
    }

    /// Takes half of a character.
    fn unit(&mut self, unit: u16, joined: &mut String) {
        let is_first = unit < 0xdc00;
        match self.half.take() {
            Some(first) if !is_first => {
                joined.extend(
                    char::decode_utf16([first, unit]).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)),
                );
            }
            Some(_) => joined.push(char::REPLACEMENT_CHARACTER),
            None if !is_first => joined.push(char::REPLACEMENT_CHARACTER),
            None => {}
        }
        if is_first {
            self.half = Some(unit);
        }
    }

    fn end_half(&mut self, joined: &mut String) {
        if self.half.take().is_some() {
            joined.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// Reads one half of a character, as three bytes.
fn surrogate(bytes: &[u8]) -> Option<(u16, &[u8])> {
    match bytes {
        [0xed, high @ 0xa0..=0xbf, low @ 0x80..=0xbf, rest @ ..] => {
            Some((0xd000 | (u16::from(high & 0x3f) << 6) | u16::from(low & 0x3f), rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn join(pieces: &[&str]) -> Result<String, NotText> {
        let mut joiner = Joiner::default();
        pieces.iter().map(|json| joiner.push(serde_json::from_str(json).unwrap())).collect()
    }

    #[test]
    fn halves_of_a_character_are_put_together() {
        assert_eq!(join(&[r#""Olá \ud83d""#, r#""\ude42!""#]).unwrap(), "Olá 🙂!");
        assert_eq!(join(&[r#""\ud83d""#, r#""""#, r#""\ude42""#]).unwrap(), "🙂");
        assert_eq!(join(&[r#""\ud83d\udc69\u200d\ud83d""#, r#""\ude80""#]).unwrap(), "👩‍🚀");
        assert_eq!(join(&[r#""🙂 é""#, r#""x""#]).unwrap(), "🙂 éx");
        // The first and the last of each half.
        assert_eq!(join(&[r#""\ud800""#, r#""\udc00""#]).unwrap(), "\u{10000}");
        assert_eq!(join(&[r#""\udbff""#, r#""\udfff""#]).unwrap(), "\u{10ffff}");
        assert_eq!(join(&[r#""\udc00""#]).unwrap(), "\u{fffd}");
    }

    #[test]
    fn a_half_that_stays_alone_is_shown_as_such() {
        assert_eq!(join(&[r#""a\ud83d""#, r#""b""#]).unwrap(), "a\u{fffd}b");
        assert_eq!(join(&[r#""\ude42b""#]).unwrap(), "\u{fffd}b");
        assert_eq!(join(&[r#""\ud83d\ud83d""#, r#""\ude42""#]).unwrap(), "\u{fffd}🙂");
    }

    #[test]
    fn what_is_no_text_is_none() {
        let mut joiner = Joiner::default();
        for bytes in [&b"\xff"[..], b"a\xc3", b"\xed\xa0", b"\xed\xa0\x80\xff"] {
            assert_eq!(joiner.push(Text(bytes.to_vec())), Err(NotText));
        }
        for json in ["7", "null", "[1]", "{}"] {
            assert!(serde_json::from_str::<Text>(json).is_err());
        }
    }

    proptest! {
        /// Cut by UTF-16 units as a JavaScript server would, any text is whole again.
        #[test]
        fn any_text_cut_anywhere_is_whole_again(text in any::<String>(), size in 1_usize..5) {
            let units: Vec<u16> = text.encode_utf16().collect();
            let mut joiner = Joiner::default();
            let mut joined = String::new();
            for piece in units.chunks(size) {
                let json: String = piece.iter().fold(String::new(), |json, unit| format!("{json}\\u{unit:04x}"));
                joined.push_str(&joiner.push(serde_json::from_str(&format!("\"{json}\"")).unwrap()).unwrap());
            }
            prop_assert_eq!(joined, text);
        }
    }
}
