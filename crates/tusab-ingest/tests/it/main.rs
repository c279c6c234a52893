//! The tests that go through the public interface, as one program.

// clippy.toml exempts test functions; these helpers are theirs.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stdout)]

mod detection;
#[cfg(all(feature = "csv", feature = "html", feature = "office", feature = "pdf"))]
mod documents;
mod hostile;
mod meetings;
mod real_captions;
mod real_formats;
mod real_metadata;
mod rolling;
mod sources;
mod srt;
mod webvtt;
mod whatsapp;
mod youtube_captions;

use std::path::PathBuf;

use tusab_ingest::{CaptionOptions, Captions, Cue, Parsed, parse_webvtt};

/// Captions read with the default options.
fn read(text: &str) -> Parsed<Captions> {
    parse_webvtt(text, &CaptionOptions::default()).unwrap()
}

/// The texts of the cues.
fn texts(captions: &Captions) -> Vec<&str> {
    captions.cues.iter().map(Cue::text).collect()
}

/// Bytes of a file among the real material beside the project; none, and a line that says so, when it is not there.
fn shared(path: &str) -> Option<Vec<u8>> {
    let full = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(path);
    let bytes = std::fs::read(&full).ok();
    if bytes.is_none() {
        println!("skipped: {path} is not there");
    }
    bytes
}
