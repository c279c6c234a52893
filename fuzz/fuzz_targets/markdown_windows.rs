#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_chunk::{Chars, Position, TextWindows};
use tusab_fuzz::{check_spans, doc, sizes};

fuzz_target!(|input: ((u16, u16), &str)| {
    let (given, text) = input;
    let (size, overlap) = sizes(given);
    let windows = TextWindows::new(Chars(size), Chars(overlap)).expect("the overlap is shorter");
    let spans: Vec<_> = windows
        .markdown_chunks(&doc(), text)
        .iter()
        .map(|chunk| match chunk.position() {
            Position::Text(span) => {
                assert_eq!(span.slice(text), Some(chunk.original_text()));
                span
            }
            other => panic!("not of a text: {other:?}"),
        })
        .collect();
    check_spans(text, &spans);
});
