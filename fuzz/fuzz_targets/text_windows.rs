#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_chunk::{Chars, TextSpan, TextWindows};
use tusab_fuzz::{check_spans, sizes};
use unicode_segmentation::UnicodeSegmentation;

fuzz_target!(|input: ((u16, u16), &str)| {
    let (given, text) = input;
    let (size, overlap) = sizes(given);
    let windows = TextWindows::new(Chars(size), Chars(overlap)).expect("the overlap is shorter");
    let spans: Vec<TextSpan> = windows.spans(text).collect();
    check_spans(text, &spans);
    for span in &spans {
        let part = span.slice(text).unwrap_or_default();
        assert!(part.chars().count() <= size || part.graphemes(true).count() == 1, "over its size");
    }
    // Every phrase of up to the overlap stands whole in some window.
    let mut first = 0;
    let clusters: Vec<(usize, &str)> =
        text.grapheme_indices(true).filter(|(_, cluster)| !cluster.trim().is_empty()).collect();
    for (at, (start, _)) in clusters.iter().enumerate() {
        let ends = clusters.iter().skip(at).map(|(start, cluster)| start + cluster.len());
        let Some(end) = ends.take_while(|end| text[*start..*end].chars().count() <= overlap).last() else {
            continue;
        };
        // Windows advance at both ends, so the first that reaches the end is the only one to ask.
        while spans[first].byte_end().0 < end {
            first += 1;
        }
        assert!(spans[first].byte_start().0 <= *start, "{:?} is cut", &text[*start..end]);
    }
});
