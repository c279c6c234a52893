//! Packing neighbouring cues into chunks under a character bound.

use std::num::NonZeroU32;

use crate::{Chunk, DocId, Part, Position, Segment, TextWindows, TimeSpan};

/// Texts under the bound, each with the time of its cues.
pub(crate) struct Packed {
    text: String,
    span: TimeSpan,
}

/// Joins cues with spaces into texts of at most `bound` characters, cut between cues.
///
/// A single cue over the bound is cut inside, at the best boundary; its pieces share the cue's time, since a cue
/// does not say when its words fall. Cues of white space alone give nothing.
pub(crate) fn pack<'s>(segments: impl Iterator<Item = &'s Segment>, bound: usize) -> Vec<Packed> {
    let mut packed: Vec<Packed> = Vec::new();
    let mut room = 0;
    let inside = TextWindows::new(crate::Chars(bound), crate::Chars(0)).unwrap_or_default();
    for segment in segments {
        for span in inside.spans(&segment.text) {
            let text = span.slice(&segment.text).unwrap_or_default();
            let chars = span.char_end().0 - span.char_start().0;
            match packed.last_mut() {
                Some(last) if chars < room => {
                    last.text.push(' ');
                    last.text.push_str(text);
                    last.span = last.span.union(segment.span);
                    room -= chars + 1;
                }
                _ => {
                    packed.push(Packed { text: text.to_owned(), span: segment.span });
                    room = bound.saturating_sub(chars);
                }
            }
        }
    }
    packed
}

/// Turns the texts of one window or chapter into chunks; several become numbered parts.
pub(crate) fn push_chunks(chunks: &mut Vec<Chunk>, doc: &DocId, packed: Vec<Packed>, section: Option<&str>) {
    let of = u32::try_from(packed.len()).ok().filter(|n| *n > 1).and_then(NonZeroU32::new);
    for (number, Packed { text, span }) in (1..).zip(packed) {
        let ordinal = u32::try_from(chunks.len()).unwrap_or(u32::MAX);
        let part = of.and_then(|of| NonZeroU32::new(number).map(|number| Part { number, of }));
        chunks.push(
            Chunk::new(doc.clone(), ordinal, text, Position::Time(span))
                .with_section(section.map(str::to_owned))
                .with_part(part),
        );
    }
}
