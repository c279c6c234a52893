//! Packing neighbouring cues into chunks under a character bound.

use std::num::NonZeroU32;

use crate::chunk::{Draft, Mark};
use crate::{ByteOffset, Chars, Part, Position, Segment, TextWindows, TimeSpan};

/// A text under the bound, with the time of its cues.
pub(crate) struct Packed {
    text: String,
    span: TimeSpan,
    marks: Vec<Mark>,
    /// Which of the given cues it starts with.
    pub(crate) first: usize,
}

/// Joins cues with spaces into texts of at most `bound` characters, cut between cues.
///
/// A single cue over the bound is cut inside, at the best boundary; its pieces share the cue's time, since a cue
/// does not say when its words fall. Cues of white space alone give nothing.
pub(crate) fn pack(segments: &[&Segment], bound: usize) -> Vec<Packed> {
    let mut packed: Vec<Packed> = Vec::new();
    let mut room = 0;
    let inside = TextWindows::new(Chars(bound), Chars(0)).unwrap_or_default();
    for (first, segment) in segments.iter().enumerate() {
        for span in inside.spans(&segment.text) {
            let text = span.slice(&segment.text).unwrap_or_default();
            let chars = span.char_end().0 - span.char_start().0;
            match packed.last_mut() {
                Some(last) if chars < room => {
                    last.text.push(' ');
                    last.marks.push(Mark { at: ByteOffset(last.text.len()), start: segment.span.start() });
                    last.text.push_str(text);
                    last.span = last.span.union(segment.span);
                    room -= chars + 1;
                }
                _ => {
                    let marks = vec![Mark { at: ByteOffset(0), start: segment.span.start() }];
                    packed.push(Packed { text: text.to_owned(), span: segment.span, marks, first });
                    room = bound.saturating_sub(chars);
                }
            }
        }
    }
    packed
}

/// Turns the texts of one window or chapter into what becomes chunks; several become numbered parts.
pub(crate) fn drafts(packed: Vec<Packed>, section: Option<&str>) -> impl Iterator<Item = Draft> {
    let of = u32::try_from(packed.len()).ok().filter(|n| *n > 1).and_then(NonZeroU32::new);
    let section = section.map(str::to_owned);
    (1..).zip(packed).map(move |(number, Packed { text, span, marks, .. })| {
        let part = of.and_then(|of| NonZeroU32::new(number).map(|number| Part { number, of }));
        Draft { section: section.clone(), part, marks, ..Draft::new(text, Position::Time(span)) }
    })
}
