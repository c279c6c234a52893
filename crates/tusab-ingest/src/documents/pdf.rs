//! PDF: the text of each page, in the order in which it is read.
//!
//! Objects, streams and encryption are `lopdf`'s; what the text of a page is, and where it stands, is found here.

mod cmap;
mod columns;
mod content;
mod encoding;
mod font;
mod interpreter;
mod matrix;
mod properties;
mod text;
mod words;

use std::panic::{AssertUnwindSafe, catch_unwind};

use lopdf::{Document, LoadOptions};

use super::limits::{DocumentLimits, Limit};
use super::pages::Pages;
use crate::{Content, Error, Format, Parsed, Problem, Source, Warning};
use interpreter::Interpreter;

/// Reads a PDF. A panic of the library underneath, should there be one, becomes an error.
pub(super) fn read(bytes: &[u8], limits: &DocumentLimits) -> Result<Parsed<Source>, Error> {
    catch_unwind(AssertUnwindSafe(|| read_inside(bytes, limits)))
        .unwrap_or_else(|_| Err(damaged("the file breaks its parser")))
}

fn damaged(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::Damaged { format: Format::Pdf, part: None, source: source.into() }
}

fn read_inside(bytes: &[u8], limits: &DocumentLimits) -> Result<Parsed<Source>, Error> {
    let doc = load(bytes, limits)?;
    let most = usize::try_from(limits.pages).unwrap_or(usize::MAX);
    let ids: Vec<_> = doc.page_iter().take(most.saturating_add(1)).collect();
    if ids.len() > most {
        return Err(Error::TooLarge { limit: Limit::Pages(limits.pages) });
    }
    if ids.is_empty() {
        return Err(damaged("it has no pages"));
    }
    let mut interpreter = Interpreter::new(&doc, limits);
    let mut texts = Vec::with_capacity(ids.len());
    let (mut pictures, mut unknown) = (0, 0);
    for id in &ids {
        let page = interpreter.page(*id)?;
        unknown += page.unknown;
        let text = page_text(page.glyphs);
        pictures += usize::from(page.has_pictures && text.trim().is_empty());
        texts.push(text);
    }
    assemble(&doc, limits, &texts, pictures, unknown)
}

fn load(bytes: &[u8], limits: &DocumentLimits) -> Result<Document, Error> {
    let most = usize::try_from(limits.unpacked.0).unwrap_or(usize::MAX);
    let options = LoadOptions::with_max_decompressed_size(most);
    let doc = Document::load_mem_with_options(bytes, options).map_err(|error| match error {
        // How the library says that a password is missing, in one way.
        lopdf::Error::InvalidPassword | lopdf::Error::Unimplemented(_) | lopdf::Error::Decryption(_) => {
            Error::EncryptedPdf
        }
        lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. }) => {
            Error::TooLarge { limit: Limit::Unpacked(limits.unpacked) }
        }
        error => damaged(error),
    })?;
    // And in the other: it loads none of what is encrypted. What opens without a password has been decrypted.
    if doc.trailer.get(b"Encrypt").is_ok() && doc.encryption_state.is_none() {
        return Err(Error::EncryptedPdf);
    }
    Ok(doc)
}

fn page_text(glyphs: Vec<interpreter::Glyph>) -> String {
    let mut parts = Vec::new();
    for words in words::by_direction(glyphs) {
        if !words.is_empty() {
            parts.push(text::page(&columns::in_order(&words::rows(words))));
        }
    }
    parts.join("\n\n")
}

fn assemble(
    doc: &Document,
    limits: &DocumentLimits,
    texts: &[String],
    pictures: usize,
    unknown: usize,
) -> Result<Parsed<Source>, Error> {
    let mut pages = Pages::default();
    let mut whole = String::new();
    let most = usize::try_from(limits.text.0).unwrap_or(usize::MAX);
    for text in text::without_hyphenation(texts) {
        let text = text.trim();
        if !whole.is_empty() && !text.is_empty() {
            whole.push_str("\n\n");
        }
        pages.start(whole.len());
        whole.push_str(text);
        if whole.len() > most {
            return Err(Error::TooLarge { limit: Limit::Text(limits.text) });
        }
    }
    if whole.is_empty() {
        return Err(match (pictures, unknown) {
            (0, 0) => Error::NoText { format: Format::Pdf },
            // Letters without a meaning are pictures to whoever reads.
            _ => Error::ScannedPdf { pages: texts.len() },
        });
    }
    let mut warnings = Vec::new();
    if pictures > 0 {
        warnings.push(Warning::of_whole(Problem::ScannedPages { pages: pictures, of: texts.len() }));
    }
    if unknown > 0 {
        warnings.push(Warning::of_whole(Problem::UnknownLetters { letters: unknown }));
    }
    let properties = properties::Properties::read(doc);
    let value = Source {
        title: properties.title,
        language: properties.language,
        date: properties.date,
        tags: properties.tags,
        pages,
        ..Source::new(Format::Pdf, Content::Text(whole))
    };
    Ok(Parsed { value, warnings })
}
