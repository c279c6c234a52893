//! Which encoding a page is in: by its mark, by being UTF-8, or by what it says (HTML, 13.2.3.2).

use encoding_rs::{Encoding, WINDOWS_1252};

/// How far into a page it says its encoding, in bytes.
const WITHIN: usize = 1024;

/// The text of a page in an encoding that it declares, or in the one that pages are in which declare none. None for
/// what is UTF-8, has a mark, or does not look like a page: that is read like any text.
pub(crate) fn decode(name: &str, bytes: &[u8]) -> Option<String> {
    let is_marked = matches!(bytes, [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] | [0xEF, 0xBB, 0xBF, ..]);
    if is_marked || !is_page(name, bytes) || std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let encoding = declared(bytes).unwrap_or(WINDOWS_1252);
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    Some(text.into_owned())
}

fn is_page(name: &str, bytes: &[u8]) -> bool {
    let name = name.to_lowercase();
    let is_named = [".html", ".htm", ".xhtml", ".xht"].iter().any(|end| name.ends_with(end));
    let head = bytes.get(..WITHIN).unwrap_or(bytes).to_ascii_lowercase();
    let head = String::from_utf8_lossy(&head);
    is_named || crate::documents::is_html(&head)
}

/// The encoding after the first `charset=` or, in XHTML, `encoding=`.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..WITHIN).unwrap_or(bytes).to_ascii_lowercase();
    let find = |key: &[u8]| head.windows(key.len()).position(|part| part == key).map(|at| at + key.len());
    let start = find(b"charset=").or_else(|| find(b"encoding="))?;
    let label = head.get(start..)?.trim_ascii_start();
    let label = label.strip_prefix(b"\"").or_else(|| label.strip_prefix(b"'")).unwrap_or(label);
    let end =
        label.iter().position(|byte| matches!(byte, b'"' | b'\'' | b';' | b'>' | b' ' | b'/' | b'?'))?;
    Encoding::for_label(label.get(..end)?)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn pages_say_their_encoding() {
        let text = |bytes: &[u8]| decode("", bytes);
        assert_eq!(
            text(b"<html><meta charset=iso-8859-2><p>\xb1").as_deref(),
            Some("<html><meta charset=iso-8859-2><p>ą")
        );
        let old = b"<HTML><META http-equiv=Content-Type content='text/html; charset=windows-1251'>\xe4";
        assert!(text(old).is_some_and(|text| text.ends_with('д')));
        assert!(text(b"<html><p>\xe7").is_some_and(|text| text.ends_with('ç')));
        assert!(decode("a.HTM", b"<p>\x80").is_some_and(|text| text.ends_with('€')));
        assert_eq!(text("<html><meta charset=iso-8859-1>ç".as_bytes()), None);
        assert_eq!(text(b"texto \xe7"), None);
    }
}
