//! UTF-8 that had been read as Windows-1252 or ISO-8859-1 and saved again: `informaÃ§Ã£o`.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

use super::{Decoded, legacy};
use crate::{Parsed, Problem, Warning};

/// Repairs a text if it is broken throughout, so that nothing else can be meant.
///
/// For certain means: every character beyond ASCII is one of Windows-1252; as its bytes the whole text is UTF-8; and
/// what is broken stands in words. A text that speaks of `Ã§` does not, and sound text never is UTF-8 in this way: its
/// first accented letter before a plain one ends the attempt.
pub(super) fn repair(mut parsed: Parsed<Decoded<'_>>) -> Parsed<Decoded<'_>> {
    let text = &parsed.value.text;
    let Some(mut repaired) = turned_back(text) else { return parsed };
    // Some texts were broken more than once; each turn makes them shorter.
    while let Some(again) = turned_back(&repaired) {
        repaired = again;
    }
    if is_in_words(&repaired) {
        parsed.warnings.extend(warning(text, &repaired));
        parsed.value.text = Cow::Owned(repaired);
    }
    parsed
}

/// The text whose UTF-8 was read as this one, if there is such a text.
fn turned_back(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        bytes.push(byte(c)?);
        // Sound text fails at its first accented letter; looking at the last few bytes finds that at once.
        if bytes.len().is_multiple_of(256) && !is_utf8_so_far(&bytes) {
            return None;
        }
    }
    String::from_utf8(bytes).ok()
}

/// The byte of which this character was made.
fn byte(c: char) -> Option<u8> {
    // ISO-8859-1, which also has the control characters that Windows-1252 replaces by signs.
    if let Ok(byte) = u8::try_from(u32::from(c)) {
        return Some(byte);
    }
    let mut utf8 = [0; 4];
    let (bytes, _, unmappable) = WINDOWS_1252.encode(c.encode_utf8(&mut utf8));
    match bytes.as_ref() {
        [byte] if !unmappable => Some(*byte),
        _ => None,
    }
}

/// Whether the last 300 bytes are UTF-8, save for an incomplete character at either end.
fn is_utf8_so_far(bytes: &[u8]) -> bool {
    let tail = bytes.get(bytes.len().saturating_sub(300)..).unwrap_or(bytes);
    let start = tail.iter().take(4).take_while(|byte| (0x80..0xC0).contains(*byte)).count();
    match std::str::from_utf8(tail.get(start..).unwrap_or_default()) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    }
}

/// Whether at least two characters were broken, and at least half of them beside a plain letter.
fn is_in_words(repaired: &str) -> bool {
    let (mut broken, mut in_words) = (0_usize, 0_usize);
    let mut before = ' ';
    let mut chars = repaired.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_ascii() {
            broken += 1;
            let beside = |c: char| c.is_ascii_alphabetic();
            in_words += usize::from(beside(before) || chars.peek().copied().is_some_and(beside));
        }
        before = c;
    }
    broken >= 2 && in_words * 2 >= broken
}

fn warning(text: &str, repaired: &str) -> Option<Warning> {
    let first = |text: &str| text.split_whitespace().find(|word| !word.is_ascii()).map(Problem::quote);
    // The same word in both: what was repaired was not plain before, and is not now.
    let (broken, repaired) = (first(text)?, first(repaired)?);
    let line = text.lines().position(|line| !line.is_ascii())?;
    let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
    Some(Warning::at(line, Problem::RepairedMojibake { encoding: legacy::NAME, broken, repaired }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode;

    /// The text as it comes out of a program that takes UTF-8 for Windows-1252.
    fn broken(text: &str) -> String {
        WINDOWS_1252.decode_without_bom_handling(text.as_bytes()).0.into_owned()
    }

    #[test]
    fn what_is_broken_throughout_is_repaired() {
        let text = "uma linha\nNão é isto, Às vezes Índio “já”… — coração ☺ à toa";
        let latin1: String = text.bytes().map(char::from).collect();
        for (broken, first) in [(broken(text), "NÃ£o"), (latin1, "NÃ£o"), (broken(&broken(text)), "NÃƒÂ£o")]
        {
            let parsed = decode(broken.as_bytes()).unwrap();
            assert_eq!(parsed.value.text, text);
            let [warning] = parsed.warnings.as_slice() else { panic!("{:?}", parsed.warnings) };
            assert_eq!(warning.line.map(std::num::NonZeroU32::get), Some(2));
            assert!(
                matches!(&warning.problem, Problem::RepairedMojibake { broken, repaired, .. } if broken == first && repaired == "Não"),
                "{warning}"
            );
        }
    }

    #[test]
    fn what_may_be_meant_stays() {
        for text in [
            "informação",
            "Ãngulo e Ârea",
            "o texto “Ã§” é um ç mal lido",
            "Ã§",
            "veja `Ã©` e `Ã§` na tabela",
            "informaÃ§Ã£o ☺",
            "informaÃ§Ã£o e informação",
            "SÃO PAULO, AÇÃO",
            "à‰ um sinal, lá",
            "naïve café Â© 2024",
        ] {
            let parsed = decode(text.as_bytes()).unwrap();
            assert_eq!((parsed.value.text.as_ref(), parsed.warnings.len()), (text, 0));
        }
    }
}
