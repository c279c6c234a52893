//! What holds for every document that is read.

use std::io::{Cursor, Write};

use tusab_ingest::{ByteCount, Content, DocumentLimits, Error, Options, Parsed, Source};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Limits that keep each run short.
pub fn limits() -> Options {
    let limits = DocumentLimits::default().with_text(ByteCount::mib(4)).with_unpacked(ByteCount::mib(16));
    Options::default().with_limits(limits.with_steps(1_000_000))
}

/// A document that is read holds text, and its pages cover it in order.
pub fn check(read: Result<Parsed<Source>, Error>) {
    let Ok(parsed) = read else { return };
    let source = parsed.value;
    let (Content::Text(text) | Content::Markdown(text)) = &source.content else { return };
    assert!(!text.trim().is_empty(), "an empty text is an error");
    if !source.pages.is_empty() {
        assert_eq!(source.pages.starts().first().map(|start| start.0), Some(0));
        assert!(source.pages.starts().iter().all(|start| text.is_char_boundary(start.0)));
        let whole: String = source.pages.texts(text).flat_map(str::split_whitespace).collect();
        assert_eq!(whole, text.split_whitespace().collect::<String>(), "text outside of pages");
    }
}

/// An archive of these files, not packed, so that a changed byte stays one.
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in files {
        zip.start_file(*name, options).expect("a short name");
        zip.write_all(bytes).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}
