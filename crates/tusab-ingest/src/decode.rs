mod binary;
mod legacy;
mod mojibake;
mod wide;

use std::borrow::Cow;

use tusab_chunk::ByteOffset;

pub use binary::BinaryKind;

use crate::{Error, Parsed, Problem, Warning};

/// Text, and the encoding it was in. A byte order mark is not part of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decoded<'b> {
    /// The text; borrowed from the bytes where they are UTF-8.
    pub text: Cow<'b, str>,
    /// The encoding it was in.
    pub encoding: Encoding,
}

/// An encoding of text that is told from its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-16, little-endian, with a byte order mark; without one it is a guess, told by a [`Problem`].
    Utf16Le,
    /// UTF-16, big-endian, with a byte order mark; without one it is a guess, told by a [`Problem`].
    Utf16Be,
    /// Windows-1252, which holds ISO-8859-1: a guess, told by a [`Problem`].
    Windows1252,
}

/// Reads bytes as text: UTF-8 or UTF-16 with or without a byte order mark, else Windows-1252 if it fits.
///
/// A file cut in the middle of its last character is read without that character, with a warning. Bytes that are not
/// UTF-8 are read as Windows-1252 (of which ISO-8859-1 is a part), with a warning, when they then spell words of the
/// Latin alphabet; other legacy encodings are an error. Text that had been read as Windows-1252 where it was UTF-8
/// (`informaÃ§Ã£o`) is repaired, with a warning, when the whole of it can be turned back.
///
/// ```
/// use tusab_ingest::{Encoding, Error, decode};
/// let decoded = decode(b"\xff\xfeo\0i\0")?.value;
/// assert_eq!((decoded.text.as_ref(), decoded.encoding), ("oi", Encoding::Utf16Le));
/// let legacy = decode(b"informa\xe7\xe3o")?;
/// assert_eq!((legacy.value.text.as_ref(), legacy.warnings.len()), ("informação", 1));
/// assert_eq!(decode("informaÃ§Ã£o".as_bytes())?.value.text, "informação");
/// // "Привет" in Windows-1251.
/// assert!(matches!(decode(b"\xcf\xf0\xe8\xe2\xe5\xf2"), Err(Error::NotUtf8 { offset }) if offset.0 == 0));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// [`Error::Empty`], [`Error::Binary`], [`Error::NotUtf8`] or [`Error::NotUtf16`].
pub fn decode(bytes: &[u8]) -> Result<Parsed<Decoded<'_>>, Error> {
    if let Some(kind) = BinaryKind::of(bytes) {
        return wide::read(bytes).ok_or(Error::Binary { kind });
    }
    let parsed = match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, Encoding::Utf16Le, u16::from_le_bytes)?,
        [0xFE, 0xFF, rest @ ..] => utf16(rest, Encoding::Utf16Be, u16::from_be_bytes)?,
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest, 3)?,
        _ => utf8(bytes, 0)?,
    };
    if parsed.value.text.trim().is_empty() {
        return Err(Error::Empty);
    }
    Ok(mojibake::repair(parsed))
}

fn utf8(bytes: &[u8], mark: usize) -> Result<Parsed<Decoded<'_>>, Error> {
    let decoded = |text| Decoded { text: Cow::Borrowed(text), encoding: Encoding::Utf8 };
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(Parsed::sound(decoded(text))),
        Err(error) => error,
    };
    let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
    // An incomplete last character means a cut file only where a whole one before it shows that this is UTF-8;
    // else it may as well be the one accented letter of a legacy encoding.
    if error.error_len().is_none()
        && !valid.is_ascii()
        && let Ok(text) = std::str::from_utf8(valid)
    {
        return Ok(Parsed { value: decoded(text), warnings: vec![cut(text)] });
    }
    if bytes.contains(&0) {
        return Err(Error::Binary { kind: BinaryKind::Unknown });
    }
    legacy::read(bytes).ok_or(Error::NotUtf8 { offset: ByteOffset(mark + error.valid_up_to()) })
}

fn utf16(
    bytes: &[u8],
    encoding: Encoding,
    unit: fn([u8; 2]) -> u16,
) -> Result<Parsed<Decoded<'static>>, Error> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(pairs.len());
    let mut warnings = Vec::new();
    let mut read = 0;
    for decoded in char::decode_utf16(pairs.iter().copied().map(unit)) {
        match decoded {
            Ok(char) => {
                text.push(char);
                read += char.len_utf16();
            }
            // Half a character with nothing after it.
            Err(error) if read + 1 == pairs.len() && error.unpaired_surrogate() < 0xDC00 => {
                warnings.push(cut(&text));
            }
            Err(_) => return Err(Error::NotUtf16 { offset: ByteOffset(2 + 2 * read) }),
        }
    }
    if !odd.is_empty() && warnings.is_empty() {
        warnings.push(cut(&text));
    }
    Ok(Parsed { value: Decoded { text: Cow::Owned(text), encoding }, warnings })
}

fn cut(text: &str) -> Warning {
    let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
    Warning::at(u32::try_from(breaks + 1).unwrap_or(u32::MAX), Problem::CutCharacter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        let parsed = decode(bytes).unwrap();
        assert_eq!(parsed.warnings, []);
        parsed.value.text.into_owned()
    }

    fn utf16_bytes(text: &str, mark: [u8; 2], bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect()
    }

    #[test]
    fn the_four_encodings_give_the_same_text() {
        let said = "É, não é? 😛\n";
        assert_eq!(text(said.as_bytes()), said);
        assert_eq!(text(&[b"\xEF\xBB\xBF", said.as_bytes()].concat()), said);
        assert_eq!(text(&utf16_bytes(said, [0xFF, 0xFE], u16::to_le_bytes)), said);
        assert_eq!(text(&utf16_bytes(said, [0xFE, 0xFF], u16::to_be_bytes)), said);
    }

    #[test]
    fn a_file_cut_inside_a_character_loses_that_character_alone() {
        let whole = "uma\nação";
        let cut = |bytes: &[u8]| {
            let parsed = decode(bytes).unwrap();
            let [warning] = parsed.warnings.as_slice() else { panic!("{:?}", parsed.warnings) };
            assert_eq!(warning.problem, Problem::CutCharacter);
            assert_eq!(warning.line.unwrap().get(), 2);
            parsed.value.text.into_owned()
        };
        assert_eq!(cut(&whole.as_bytes()[..whole.len() - 2]), "uma\naç");
        let wide = utf16_bytes("uma\naç😛", [0xFF, 0xFE], u16::to_le_bytes);
        for lost in 1..4 {
            assert_eq!(cut(&wide[..wide.len() - lost]), "uma\naç", "{lost} bytes lost");
        }
        // One accented letter at the end of plain ASCII is a legacy encoding as likely as a cut.
        assert_eq!(decode(b"caf\xe9").unwrap().value.text, "café");
    }

    #[test]
    fn what_is_not_text_says_where() {
        let offset = |bytes: &[u8]| match decode(bytes) {
            Err(Error::NotUtf8 { offset } | Error::NotUtf16 { offset }) => offset.0,
            other => panic!("{other:?}"),
        };
        assert_eq!(offset(b"\xEF\xBB\xBFabc\xff\xff"), 6);
        assert_eq!(offset(b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0"), 0);
        assert_eq!(offset("çé".as_bytes().iter().chain(b"\x8d ").copied().collect::<Vec<_>>().as_slice()), 4);
        let lone = [0xFF, 0xFE, b'a', 0, 0x00, 0xDC, b'b', 0];
        assert_eq!(offset(&lone), 4);
        for empty in [b"".as_slice(), b" \r\n\t", b"\xEF\xBB\xBF", b"\xFF\xFE", "\u{a0}\u{3000}".as_bytes()] {
            assert!(matches!(decode(empty), Err(Error::Empty)), "{empty:?}");
        }
    }
}
