#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_chunk::{Graphemes, Measure, MeasureError, MeasuredWindows, TextSpan, Units, Words};
use tusab_fuzz::{check_spans, sizes};
use unicode_segmentation::UnicodeSegmentation;

/// Bytes in fours, found by measuring alone.
struct Estimate;

impl Measure for Estimate {
    fn measure(&self, text: &str) -> Result<usize, MeasureError> {
        Ok(text.len().div_ceil(4))
    }
}

fuzz_target!(|input: ((u16, u16), u8, &str)| {
    let (given, which, text) = input;
    let (size, overlap) = sizes(given);
    let measure: &dyn Measure = match which % 3 {
        0 => &Graphemes,
        1 => &Words,
        _ => &Estimate,
    };
    let windows = MeasuredWindows::new(measure, Units(size), Units(overlap)).expect("the overlap is shorter");
    let spans: Vec<TextSpan> = windows.spans(text).collect::<Result<_, _>>().expect("nothing fails");
    check_spans(text, &spans);
    for span in spans {
        let part = span.slice(text).unwrap_or_default();
        let measured = measure.measure(part).expect("nothing fails");
        assert!(measured <= size || part.graphemes(true).count() == 1, "{measured} of {size}");
    }
});
