//! What the bytes of shown text stand for, and how wide each letter is.

use std::collections::HashMap;

use lopdf::{Dictionary, Document, Object};

use super::cmap::{CMap, code_of, utf16};
use super::encoding::{Encoding, is_unicode_cmap};

/// Widths, in thousandths of the size, of the letters from space to `~` in Helvetica (Adobe's font metrics): for the
/// fonts that every viewer has and files need not describe.
#[rustfmt::skip]
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];
/// As [`HELVETICA`], of Times.
#[rustfmt::skip]
const TIMES: [u16; 95] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500, 500, 500, 500, 500,
    500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889,
    722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500,
    444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480,
    200, 480, 541,
];
const COURIER: f32 = 600.0;
/// The letters under the accents of Latin-1, from `À` to `ÿ`: as wide as without.
const UNDER_ACCENTS: &[u8; 64] = b"AAAAAAMCEEEEIIIIDNOOOOOxOUUUUYPBaaaaaamceeeeiiiidnooooo+ouuuuypy";

/// A font as a page uses it.
#[derive(Debug)]
pub(super) struct Font {
    to_unicode: Option<CMap>,
    kind: Kind,
    widths: HashMap<u32, f32>,
    default_width: f32,
}

#[derive(Debug)]
enum Kind {
    /// One byte a letter.
    Simple(Encoding),
    /// Codes of several bytes; whether they are UTF-16.
    Composite { is_utf16: bool },
}

/// A letter as it is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Letter<'f> {
    pub(super) text: &'f str,
    /// In thousandths of the font's size.
    pub(super) width: f32,
    /// Whether it is the one-byte code 32, to which word spacing is added.
    pub(super) is_space_code: bool,
}

impl Font {
    pub(super) fn read(doc: &Document, dict: &Dictionary, most: usize) -> Self {
        let to_unicode = dict
            .get_deref(b"ToUnicode", doc)
            .and_then(Object::as_stream)
            .and_then(|stream| stream.get_plain_content_with_limit(most))
            .map(|bytes| CMap::parse(&bytes))
            .ok();
        if dict.get_deref(b"Subtype", doc).and_then(Object::as_name).ok() == Some(b"Type0") {
            return Self::composite(doc, dict, to_unicode);
        }
        let (widths, default_width) = simple_widths(doc, dict);
        Self { to_unicode, kind: Kind::Simple(Encoding::read(doc, dict, most)), widths, default_width }
    }

    fn composite(doc: &Document, dict: &Dictionary, to_unicode: Option<CMap>) -> Self {
        let name = dict.get_deref(b"Encoding", doc).and_then(Object::as_name).unwrap_or_default();
        let descendant = dict
            .get_deref(b"DescendantFonts", doc)
            .and_then(Object::as_array)
            .ok()
            .and_then(|fonts| fonts.first())
            .and_then(|font| doc.dereference(font).ok())
            .and_then(|(_, font)| font.as_dict().ok());
        let (widths, default_width) =
            descendant.map_or((HashMap::new(), 1000.0), |font| cid_widths(doc, font));
        Self { to_unicode, kind: Kind::Composite { is_utf16: is_unicode_cmap(name) }, widths, default_width }
    }

    /// Gives the letters of shown bytes. Those whose meaning the file does not tell have an empty text.
    pub(super) fn letters(&self, bytes: &[u8], mut letter: impl FnMut(Letter<'_>)) {
        let length = match &self.kind {
            Kind::Simple(_) => 1,
            Kind::Composite { .. } => self.to_unicode.as_ref().and_then(|map| map.code_length).unwrap_or(2),
        };
        for code_bytes in bytes.chunks(length) {
            let code = code_of(code_bytes);
            let mapped = self.to_unicode.as_ref().and_then(|map| map.text(code));
            let decoded;
            let text = match (&self.kind, mapped) {
                (_, Some(text)) => text,
                (Kind::Simple(encoding), None) => encoding.text(code),
                (Kind::Composite { is_utf16: true }, None) => {
                    decoded = utf16(code_bytes);
                    &decoded
                }
                (Kind::Composite { .. }, None) => "",
            };
            let width = self.widths.get(&code).copied().unwrap_or(self.default_width);
            letter(Letter { text, width, is_space_code: length == 1 && code == 32 });
        }
    }
}

fn number(doc: &Document, object: &Object) -> Option<f32> {
    let (_, object) = doc.dereference(object).ok()?;
    object.as_float().ok().filter(|value| value.is_finite())
}

fn simple_widths(doc: &Document, dict: &Dictionary) -> (HashMap<u32, f32>, f32) {
    let descriptor = dict.get_deref(b"FontDescriptor", doc).and_then(Object::as_dict).ok();
    let missing = descriptor.and_then(|font| number(doc, font.get(b"MissingWidth").ok()?));
    let scale = type3_scale(doc, dict);
    let first = dict.get(b"FirstChar").ok().and_then(|first| number(doc, first)).unwrap_or(0.0);
    let Ok(array) = dict.get_deref(b"Widths", doc).and_then(Object::as_array) else {
        let name = dict.get_deref(b"BaseFont", doc).and_then(Object::as_name).unwrap_or_default();
        if name.windows(7).any(|part| part == b"Courier") {
            return (HashMap::new(), COURIER);
        }
        let is_times = name.windows(5).any(|part| part == b"Times");
        let table = if is_times { &TIMES } else { &HELVETICA };
        return (standard_widths(table), missing.unwrap_or(500.0));
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "held to the codes of one byte"
    )]
    let first = first.clamp(0.0, 255.0) as u32;
    let widths = (first..=255)
        .zip(array)
        .filter_map(|(code, width)| Some((code, number(doc, width)? * scale)))
        .collect();
    (widths, missing.unwrap_or(0.0))
}

/// The widths of codes in `WinAnsiEncoding`, near enough to tell gaps between words from those inside them.
fn standard_widths(table: &[u16; 95]) -> HashMap<u32, f32> {
    let of_letter = |letter: u8| table.get(usize::from(letter.checked_sub(b' ')?)).copied().map(f32::from);
    let plain = (b' '..=b'~').map(|letter| (u32::from(letter), letter));
    let accented = (0xC0..).zip(*UNDER_ACCENTS);
    plain.chain(accented).filter_map(|(code, letter)| Some((code, of_letter(letter)?))).collect()
}

/// Fonts whose letters are drawings say in which unit they are drawn; others use thousandths.
fn type3_scale(doc: &Document, dict: &Dictionary) -> f32 {
    let matrix = dict.get_deref(b"FontMatrix", doc).and_then(Object::as_array).ok();
    let across = matrix.and_then(|matrix| number(doc, matrix.first()?));
    across.map_or(1.0, |across| across.abs() * 1000.0)
}

/// The widths of a composite font: `[1 [500 600] 10 20 700]`.
fn cid_widths(doc: &Document, dict: &Dictionary) -> (HashMap<u32, f32>, f32) {
    let default = dict.get(b"DW").ok().and_then(|width| number(doc, width)).unwrap_or(1000.0);
    let mut widths = HashMap::new();
    let Ok(array) = dict.get_deref(b"W", doc).and_then(Object::as_array) else { return (widths, default) };
    let code = |object: &Object| {
        let (_, object) = doc.dereference(object).ok()?;
        u32::try_from(object.as_i64().ok()?).ok().filter(|code| *code <= 0xFFFF)
    };
    let mut rest = array.as_slice();
    while let [first, second, after @ ..] = rest {
        let Some(first) = code(first) else { break };
        let list = doc.dereference(second).ok().and_then(|(_, object)| object.as_array().ok());
        if let Some(list) = list {
            widths.extend(
                (first..=0xFFFF).zip(list).filter_map(|(code, width)| Some((code, number(doc, width)?))),
            );
            rest = after;
        } else {
            let [width, after @ ..] = after else { break };
            let (Some(end), Some(shared)) = (code(second), number(doc, width)) else { break };
            widths.extend((first..=end).map(|code| (code, shared)));
            rest = after;
        }
    }
    (widths, default)
}
