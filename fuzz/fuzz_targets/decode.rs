#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_ingest::{Encoding, decode};

fuzz_target!(|bytes: &[u8]| {
    let Ok(parsed) = decode(bytes) else { return };
    let text = &parsed.value.text;
    assert!(!text.trim().is_empty());
    // Sound UTF-8 that is not told to be broken comes back as it is.
    if let Ok(sound) = std::str::from_utf8(bytes)
        && parsed.warnings.is_empty()
        && parsed.value.encoding == Encoding::Utf8
    {
        assert_eq!(text, sound.strip_prefix('\u{feff}').unwrap_or(sound));
    }
    // What was turned back, or decoded, is not decoded again.
    if let Ok(again) = decode(text.as_bytes())
        && !text.starts_with('\u{feff}')
    {
        assert_eq!(&again.value.text, text);
    }
});
