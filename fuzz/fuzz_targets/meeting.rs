#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_ingest::{Format, Options, decode, parse, parse_meeting};

fuzz_target!(|text: &str| {
    let Ok(parsed) = parse_meeting(text) else {
        // Some texts begin like a binary, or hold too many zeros to be one.
        let is_detected = Format::detect("", text) == Format::Meeting && decode(text.as_bytes()).is_ok();
        assert!(
            !is_detected || parse("", text.as_bytes(), &Options::default()).is_ok(),
            "detected and not read"
        );
        return;
    };
    let meeting = parsed.value;
    assert!(!meeting.speakers.is_empty());
    let mut said = String::new();
    for turn in &meeting.turns {
        assert!(!turn.pieces.is_empty());
        assert!(turn.speaker.as_ref().is_none_or(|name| meeting.speakers.contains(name)));
        assert!(
            turn.pieces.iter().all(|piece| piece.span.start() <= piece.span.end() && !piece.text.is_empty())
        );
        said.extend(turn.text().split_whitespace());
    }
    let turns = meeting.turns();
    let cut: String = turns.iter().flat_map(|turn| turn.text.split_whitespace()).collect();
    assert_eq!(cut, said, "turns lose words");
});
