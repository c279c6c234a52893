//! Documents: made here, real ones where they are there, and hostile ones.

mod docx;
mod hostile;
mod made;
mod pdf;
mod pptx;
mod real;
mod xlsx;

use tusab_ingest::{Content, Error, Options, Source, parse};

/// A document that must be read without a warning.
fn source(name: &str, bytes: &[u8]) -> Source {
    let parsed = parse(name, bytes, &Options::default()).unwrap();
    assert_eq!(parsed.warnings, [], "{name}");
    parsed.value
}

fn text(source: &Source) -> &str {
    match &source.content {
        Content::Text(text) | Content::Markdown(text) => text,
        other => panic!("not text: {other:?}"),
    }
}

fn error(name: &str, bytes: &[u8]) -> Error {
    parse(name, bytes, &Options::default()).unwrap_err()
}
