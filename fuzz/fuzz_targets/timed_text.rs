#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_fuzz::captions::check_captions;
use tusab_ingest::{CaptionOptions, Notes, parse_timed_text};

fuzz_target!(|text: &str| {
    for notes in [Notes::Apart, Notes::Kept] {
        check_captions(parse_timed_text(text, &CaptionOptions::default().with_notes(notes)));
    }
});
