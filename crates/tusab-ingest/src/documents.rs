//! Documents: what arrives as a file with a structure of its own, rather than as text.
//!
//! Those with headings, lists and tables become Markdown, so that the windows know their sections; those that are but
//! pages or rows become plain text. Each format stands behind a feature of this crate.

#[cfg(feature = "csv")]
mod csv;
#[cfg(feature = "html")]
mod html;
mod limits;
#[cfg(any(feature = "office", feature = "html"))]
mod markdown;
#[cfg(feature = "office")]
mod office;
mod old_office;
mod pages;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(any(feature = "office", feature = "csv"))]
mod rows;

pub use limits::{ByteCount, DocumentLimits, Limit};
pub use old_office::OldOffice;
pub use pages::{PageNumber, Pages};

#[cfg(not(all(feature = "csv", feature = "html", feature = "pdf")))]
use crate::Format;
use crate::source::Input;
use crate::{BinaryKind, Error, Parsed, Source};

/// How far into a file the mark of a PDF may stand, in bytes: as viewers look for it.
const PDF_MARK_WITHIN: usize = 1024;

/// Reads a document that is no text, told by its first bytes; none where it may be text.
pub(crate) fn read_binary(
    name: &str,
    bytes: &[u8],
    limits: &DocumentLimits,
) -> Option<Result<Parsed<Source>, Error>> {
    let kind = BinaryKind::of(bytes);
    let read = match kind {
        Some(BinaryKind::Pdf) => pdf,
        Some(BinaryKind::Zip) => office,
        Some(BinaryKind::OldOffice) => old_office,
        _ if is_late_pdf(name, bytes) => pdf,
        _ => return None,
    };
    Some(within(bytes.len(), limits).and_then(|()| read(bytes, limits)))
}

/// Whether a file that calls itself a PDF has its mark after something else.
fn is_late_pdf(name: &str, bytes: &[u8]) -> bool {
    let head = bytes.get(..PDF_MARK_WITHIN).unwrap_or(bytes);
    name.to_lowercase().ends_with(".pdf") && head.windows(5).any(|five| five == b"%PDF-")
}

fn within(bytes: usize, limits: &DocumentLimits) -> Result<(), Error> {
    let limit = Limit::File(limits.file);
    if ByteCount::of(bytes) > limits.file { Err(Error::TooLarge { limit }) } else { Ok(()) }
}

fn old_office(bytes: &[u8], _: &DocumentLimits) -> Result<Parsed<Source>, Error> {
    Err(old_office::error(bytes))
}

#[cfg(feature = "office")]
use office::read as office;
#[cfg(not(feature = "office"))]
fn office(_: &[u8], _: &DocumentLimits) -> Result<Parsed<Source>, Error> {
    // Whether the archive is an Office document at all cannot be told without reading it.
    Err(Error::Binary { kind: BinaryKind::Zip })
}

#[cfg(feature = "pdf")]
use pdf::read as pdf;
#[cfg(not(feature = "pdf"))]
fn pdf(_: &[u8], _: &DocumentLimits) -> Result<Parsed<Source>, Error> {
    Err(Error::NotBuilt { format: Format::Pdf, feature: "pdf" })
}

pub(crate) fn csv(input: &Input<'_>) -> Result<Parsed<Source>, Error> {
    let (text, limits) = (input.text(), &input.options().limits);
    within(text.len(), limits)?;
    read_csv(text, limits)
}

#[cfg(feature = "csv")]
use csv::read as read_csv;
#[cfg(not(feature = "csv"))]
fn read_csv(_: &str, _: &DocumentLimits) -> Result<Parsed<Source>, Error> {
    Err(Error::NotBuilt { format: Format::Csv, feature: "csv" })
}

pub(crate) fn html(input: &Input<'_>) -> Result<Parsed<Source>, Error> {
    let (text, limits) = (input.text(), &input.options().limits);
    within(text.len(), limits)?;
    read_html(text, limits)
}

#[cfg(feature = "html")]
use html::read as read_html;
#[cfg(not(feature = "html"))]
fn read_html(_: &str, _: &DocumentLimits) -> Result<Parsed<Source>, Error> {
    Err(Error::NotBuilt { format: Format::Html, feature: "html" })
}

/// The text of a web page in an encoding that it declares; none for what is read like any text.
#[cfg(feature = "html")]
pub(crate) use html::decode as decode_html;
#[cfg(not(feature = "html"))]
pub(crate) fn decode_html(_: &str, _: &[u8]) -> Option<String> {
    None
}

/// Whether a text is an HTML page beyond doubt: it says so in its first tag.
pub(crate) fn is_html(text: &str) -> bool {
    let mut rest = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    // Comments and the mark of XML may come before.
    for _ in 0..8 {
        let after = match rest {
            comment if comment.starts_with("<!--") => comment.split_once("-->"),
            xml if xml.starts_with("<?xml") => xml.split_once("?>"),
            _ => None,
        };
        match after {
            Some((_, after)) => rest = after.trim_start(),
            None => break,
        }
    }
    let starts = |tag: &str| {
        rest.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag))
            && rest.get(tag.len()..).is_some_and(|rest| rest.starts_with(['>', ' ', '\t', '\r', '\n']))
    };
    starts("<!doctype html") || starts("<html")
}

/// The text with every run of white space as one space.
#[cfg(any(feature = "csv", feature = "html", feature = "office"))]
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::is_html;

    #[test]
    fn pages_are_told_from_text_about_them() {
        for page in ["<!DOCTYPE html>\n<p>oi", " \n<HTML lang=pt>", "<?xml version=\"1.0\"?><!-- a --><html>"]
        {
            assert!(is_html(page), "{page}");
        }
        for text in ["<htmlx>", "<p>oi</p>", "O <html> é", "<!-- sem fim", "<!doctype htmls>", "<?xml?><a>"]
        {
            assert!(!is_html(text), "{text}");
        }
    }
}
