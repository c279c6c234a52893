use std::fmt::Write as _;

use super::UrlProblem;

/// An address in its parts, as far as they matter here (RFC 3986, section 3). The fragment is passed over.
pub(super) struct Parts<'t> {
    pub(super) host: String,
    pub(super) path: &'t str,
    query: &'t str,
}

/// Longest address that is looked at, in bytes.
const LONGEST: usize = 2000;

impl<'t> Parts<'t> {
    pub(super) fn split(text: &'t str) -> Result<Self, UrlProblem> {
        let text = text.trim();
        let scheme = ["https://", "http://"]
            .iter()
            .find(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        let rest = scheme.and_then(|scheme| text.get(scheme.len()..)).ok_or(UrlProblem::NoScheme)?;
        let strange = |sign: char| sign.is_whitespace() || sign.is_control() || "\\\"'<>^`{|}".contains(sign);
        if text.len() > LONGEST || rest.contains(strange) {
            return Err(UrlProblem::BadCharacter);
        }
        let rest = rest.split('#').next().unwrap_or_default();
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (host, path) = place.split_at(place.find('/').unwrap_or(place.len()));
        Ok(Self { host: host.to_ascii_lowercase(), path, query })
    }

    /// The first value that is given for a name.
    pub(super) fn query(&self, name: &str) -> Option<&'t str> {
        self.query
            .split('&')
            .find_map(|pair| pair.split_once('=').filter(|(key, _)| *key == name))
            .map(|p| p.1)
    }
}

/// The hosts on which the site answers. A user, a password or a port before or after them is refused.
pub(super) fn is_youtube(host: &str) -> bool {
    [
        "www.youtube.com",
        "youtube.com",
        "m.youtube.com",
        "music.youtube.com",
        "www.youtube-nocookie.com",
        "youtube-nocookie.com",
    ]
    .contains(&host)
}

/// Percent signs turned back (RFC 3986, section 2.1); none where they spell no UTF-8.
pub(super) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
            let value = digit()? * 16 + digit()?;
            bytes.push(u8::try_from(value).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Everything but the unreserved signs of RFC 3986, section 2.3, as percent signs.
pub(super) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Whether a sign belongs to the letter before it: vowel signs of Indic scripts, accents written apart.
pub(super) fn is_mark(sign: char) -> bool {
    matches!(sign, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' | '\u{e31}'..='\u{e4e}' | '\u{200c}' | '\u{200d}')
}
