//! Text of before UTF-8: Windows-1252, as the web reads it (<https://encoding.spec.whatwg.org/#windows-1252>), which
//! holds ISO-8859-1.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

use super::{Decoded, Encoding};
use crate::{Parsed, Problem, Warning};

/// Its usual name.
pub(super) const NAME: &str = "Windows-1252";

/// Reads bytes that are not UTF-8; none when they make no sense as Windows-1252 either.
///
/// Where most of the bytes above ASCII are sound UTF-8, as in two files put together, only the others are read so.
pub(super) fn read(bytes: &[u8]) -> Option<Parsed<Decoded<'_>>> {
    let (mut sound, mut foreign, mut first_line) = (0, 0, 1);
    for chunk in bytes.utf8_chunks() {
        sound += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        if foreign == 0 {
            first_line += chunk.valid().bytes().filter(|byte| *byte == b'\n').count();
        }
        foreign += chunk.invalid().len();
    }
    // By chance, a few pairs of letters of Windows-1252 are sound UTF-8 too.
    let is_mixed = sound * 4 > foreign;
    let text = if is_mixed { mixed(bytes)? } else { whole(bytes)? };
    let problem = if is_mixed {
        Problem::ForeignBytes { count: foreign, encoding: NAME }
    } else {
        Problem::GuessedEncoding { encoding: NAME }
    };
    let line = u32::try_from(first_line).unwrap_or(u32::MAX);
    let encoding = if is_mixed { Encoding::Utf8 } else { Encoding::Windows1252 };
    let value = Decoded { text: Cow::Owned(text), encoding };
    Some(Parsed { value, warnings: vec![Warning::at(line, problem)] })
}

fn whole(bytes: &[u8]) -> Option<String> {
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    is_latin(&text, |c| !c.is_ascii()).then(|| text.into_owned())
}

fn mixed(bytes: &[u8]) -> Option<String> {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        let foreign = WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0;
        if foreign.chars().any(is_never_written) {
            return None;
        }
        text.push_str(&foreign);
    }
    Some(text)
}

/// Whether a text decoded as Windows-1252 is written in the Latin alphabet, and not in another encoding.
///
/// There a word has one or two letters beyond ASCII beside each other, not three and more as in the encodings of
/// Cyrillic, Greek or Chinese, and no signs inside, as in the encodings of DOS and of the old Macintosh.
fn is_latin(text: &str, is_foreign: impl Fn(char) -> bool) -> bool {
    let (mut count, mut wrong) = (0_usize, 0_usize);
    let mut run = 0_usize;
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if !is_foreign(c) {
            run = 0;
            before = c;
            if c.is_control() && !c.is_whitespace() && c != '\u{1b}' && c != '\0' {
                wrong += 1;
            }
            continue;
        }
        if is_never_written(c) {
            return false;
        }
        count += 1;
        run += usize::from(c.is_alphabetic());
        wrong += match run {
            0..3 => 0,
            3 => 3,
            _ => 1,
        };
        let inside = before.is_alphabetic() && chars.peek().is_some_and(|next| next.is_alphabetic());
        let may_be_inside =
            c.is_alphabetic() || matches!(c, '’' | '‘' | '´' | '·' | '\u{ad}' | '–' | '—' | '\u{a0}' | '…');
        // `ÿ` is hardly a letter of any language, but a byte of nothing but ones.
        let is_rare = matches!(c, 'ÿ' | 'ƒ');
        wrong += if inside && !may_be_inside { 2 } else { usize::from(is_rare) };
        before = c;
    }
    wrong * 4 <= count
}

/// The five bytes that mean nothing in Windows-1252, and come out as control characters.
fn is_never_written(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, decode};

    fn bytes(text: &str) -> Vec<u8> {
        let (bytes, _, unmappable) = WINDOWS_1252.encode(text);
        assert!(!unmappable, "{text}");
        bytes.into_owned()
    }

    #[test]
    fn latin_text_is_read_and_the_guess_is_told() {
        for text in [
            "informação",
            "uma linha\nNão é isto, não? “Amanhã” — disse a mãe… 10 €, 5º andar, d’água",
            "é",
            "été",
            "Größe, Müßiggang, naïveté, œuvre, ¿Qué año? «Sí»",
            "1\r\n00:00:01,000 --> 00:00:02,000\r\nÀs vezes, à noite, há razões\r\n",
        ] {
            let bytes = bytes(text);
            let parsed = decode(&bytes).unwrap();
            assert_eq!((parsed.value.text.as_ref(), parsed.value.encoding), (text, Encoding::Windows1252));
            let [warning] = parsed.warnings.as_slice() else { panic!("{:?}", parsed.warnings) };
            assert_eq!(warning.problem, Problem::GuessedEncoding { encoding: "Windows-1252" });
            let line = text.lines().position(|line| !line.is_ascii()).unwrap() + 1;
            assert_eq!(warning.line.map(|line| line.get() as usize), Some(line), "{text}");
        }
    }

    #[test]
    fn other_encodings_are_refused() {
        for (name, bytes) in [
            ("Windows-1251", b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0!".as_slice()),
            ("CP850", b"informa\x87\xc6o e cora\x87\xc6o"),
            ("Mac Roman", b"informa\x8d\x8bo"),
            ("Windows-1250", b"Za\xbf\xf3\xb3\xe6 g\xea\x9cl\xb9 ja\x9f\xf1"),
            ("Shift_JIS", b"\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67"),
            ("GBK", b"\xd6\xd0\xce\xc4\xb1\xea\xcc\xe2"),
            ("bytes", b"ab\x01\x02\xff\xfe\x03cd\x04"),
        ] {
            assert!(matches!(decode(bytes), Err(Error::NotUtf8 { .. })), "{name}");
        }
    }

    #[test]
    fn foreign_bytes_in_utf8_cost_nothing_else() {
        let joined = ["ação, reação e coração ☺\n".as_bytes(), &bytes("só uma opção")].concat();
        let parsed = decode(&joined).unwrap();
        assert_eq!(parsed.value.text, "ação, reação e coração ☺\nsó uma opção");
        assert_eq!(parsed.value.encoding, Encoding::Utf8);
        assert_eq!(
            parsed.warnings[0].to_string(),
            "line 2: 3 bytes are not UTF-8, here the first; read as Windows-1252, which is a guess"
        );
    }
}
