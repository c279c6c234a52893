//! What the one-byte codes of simple fonts stand for (ISO 32000-2, 9.6.5): by a named table, by names of letters that
//! the font's dictionary lists, or by those that the embedded font itself lists.

use lopdf::{Dictionary, Document, Object};

#[derive(Debug)]
pub(super) struct Encoding {
    texts: Vec<String>,
}

impl Encoding {
    pub(super) fn text(&self, code: u32) -> &str {
        usize::try_from(code).ok().and_then(|code| self.texts.get(code)).map_or("", String::as_str)
    }

    pub(super) fn read(doc: &Document, font: &Dictionary, most: usize) -> Self {
        let encoding = font.get_deref(b"Encoding", doc).ok();
        let described = encoding.and_then(|encoding| encoding.as_dict().ok());
        let base = encoding
            .and_then(|encoding| encoding.as_name().ok())
            .or_else(|| described?.get_deref(b"BaseEncoding", doc).ok()?.as_name().ok());
        let is_true_type =
            font.get_deref(b"Subtype", doc).and_then(Object::as_name).ok() == Some(b"TrueType");
        let mut texts = match base {
            Some(name) => table(doc, name),
            None if is_true_type => table(doc, b"WinAnsiEncoding"),
            None => table(doc, b"StandardEncoding"),
        };
        if base.is_none() {
            for (code, name) in built_in(doc, font, most) {
                set(&mut texts, code, &name);
            }
        }
        let differences =
            described.and_then(|dict| dict.get_deref(b"Differences", doc).ok()?.as_array().ok());
        let mut code = 0_usize;
        for item in differences.into_iter().flatten() {
            match item {
                Object::Integer(next) => code = usize::try_from(*next).unwrap_or(usize::MAX),
                Object::Name(name) => {
                    set(&mut texts, code, name);
                    code = code.saturating_add(1);
                }
                _ => {}
            }
        }
        Self { texts }
    }
}

fn set(texts: &mut [String], code: usize, name: &[u8]) {
    if let (Some(place), Some(text)) = (texts.get_mut(code), text_of_name(name)) {
        *place = text;
    }
}

/// A dictionary through which the tables of the PDF library are asked.
fn probe(encoding: Object) -> Dictionary {
    Dictionary::from_iter([("Type", Object::Name(b"Font".to_vec())), ("Encoding", encoding)])
}

fn table(doc: &Document, name: &[u8]) -> Vec<String> {
    let probe = probe(Object::Name(name.to_vec()));
    let encoding = probe.get_font_encoding_with_limit(doc, 0).ok();
    (0..=255_u8)
        .map(|code| {
            encoding.as_ref().and_then(|table| table.bytes_to_string(&[code]).ok()).unwrap_or_default()
        })
        .collect()
}

/// The text of a letter by its name (Adobe Glyph List, and its rules for names that are not in it).
fn text_of_name(name: &[u8]) -> Option<String> {
    // Variants are named after their letter: `a.sc`.
    let name = name.split(|byte| *byte == b'.').next().filter(|name| !name.is_empty())?;
    let hex = |digits: &[u8]| {
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok().and_then(char::from_u32)
    };
    if let Some(digits) =
        name.strip_prefix(b"uni").filter(|digits| digits.len() >= 4 && digits.len().is_multiple_of(4))
    {
        let text: Option<String> = digits.chunks(4).map(hex).collect();
        if text.is_some() {
            return text;
        }
    }
    if let Some(digits) = name.strip_prefix(b"u").filter(|digits| (4..=6).contains(&digits.len()))
        && let Some(c) = hex(digits)
    {
        return Some(c.to_string());
    }
    let names = Object::Array(vec![Object::Integer(0), Object::Name(name.to_vec())]);
    let differences = Object::Dictionary(Dictionary::from_iter([("Differences", names)]));
    let (probe, nothing) = (probe(differences), Document::new());
    let known = probe.get_font_encoding_with_limit(&nothing, 0).ok()?;
    let lopdf::Encoding::Differences(known) = known else { return None };
    let unit = known.map.get(&0)?.utf16_code_unit();
    char::from_u32(u32::from(unit)).map(String::from)
}

/// The codes and names of letters in the readable head of an embedded Type 1 font: `dup 65 /A put`.
fn built_in(doc: &Document, font: &Dictionary, most: usize) -> Vec<(usize, Vec<u8>)> {
    let program = font
        .get_deref(b"FontDescriptor", doc)
        .and_then(Object::as_dict)
        .and_then(|descriptor| descriptor.get_deref(b"FontFile", doc))
        .and_then(Object::as_stream)
        .and_then(|stream| stream.get_plain_content_with_limit(most));
    let Ok(program) = program else { return Vec::new() };
    let head = program.windows(5).position(|five| five == b"eexec").unwrap_or(program.len());
    let words: Vec<&[u8]> = program
        .get(..head)
        .unwrap_or_default()
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .collect();
    let entries = words.windows(4).filter_map(|four| match four {
        [b"dup", code, [b'/', name @ ..], b"put"] => {
            let code = std::str::from_utf8(code).ok()?.parse::<usize>().ok()?;
            Some((code, name.to_vec()))
        }
        _ => None,
    });
    entries.collect()
}

/// Whether a predefined map of a composite font has codes that are UTF-16 already.
pub(super) fn is_unicode_cmap(name: &[u8]) -> bool {
    name.windows(4).any(|part| part == b"UCS2") || name.windows(5).any(|part| part == b"UTF16")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_letters() {
        for (name, text) in [
            ("A", Some("A")),
            ("eacute", Some("é")),
            ("uni00E7", Some("ç")),
            ("u1F61B", Some("😛")),
            ("a.sc", Some("a")),
            ("uni00660069", Some("fi")),
            ("g123", None),
            (".notdef", None),
        ] {
            assert_eq!(text_of_name(name.as_bytes()).as_deref(), text, "{name}");
        }
    }
}
