//! Edges of grapheme clusters (Unicode Standard Annex 29) and of the white space around them.
//!
//! Every function looks from `start`, a known edge, so that its work stays within one window whatever came before.

use unicode_segmentation::GraphemeCursor;

use super::place::Place;

/// Whether there is an edge after byte `at`, where it and the next one are ASCII: two such characters form a cluster only
/// as CR LF. This spares the tables for most text.
fn edge_in_ascii(text: &str, at: usize) -> Option<bool> {
    let [before, after] = text.as_bytes().get(at..)?.first_chunk()?;
    (before.is_ascii() && after.is_ascii()).then_some((*before, *after) != (b'\r', b'\n'))
}

/// True when no cluster is cut at `byte`.
pub(crate) fn is_edge(text: &str, start: usize, byte: usize) -> bool {
    if byte <= start || byte >= text.len() {
        return true;
    }
    if let Some(is_edge) = edge_in_ascii(text, byte - 1) {
        return is_edge;
    }
    let Some(rest) = text.get(start..) else { return false };
    GraphemeCursor::new(byte - start, rest.len(), true).is_boundary(rest, 0).unwrap_or(false)
}

/// The last edge from `start` on that is not after `byte`.
pub(crate) fn floor(text: &str, start: usize, byte: usize) -> usize {
    let mut at = byte;
    while at > start && !is_edge(text, start, at) {
        at = text.floor_char_boundary(at - 1);
    }
    at
}

/// The first edge that is not before `byte`.
pub(crate) fn ceil(text: &str, start: usize, byte: usize) -> usize {
    if is_edge(text, start, byte) { byte } else { next(text, start, byte) }
}

/// The first edge after `byte`.
pub(crate) fn next(text: &str, start: usize, byte: usize) -> usize {
    if edge_in_ascii(text, byte) == Some(true) {
        return byte + 1;
    }
    let Some(rest) = text.get(start..) else { return text.len() };
    let mut cursor = GraphemeCursor::new(byte - start, rest.len(), true);
    cursor.next_boundary(rest, 0).ok().flatten().map_or(text.len(), |end| start + end)
}

/// The first cluster from `from` on that is more than white space, or the end of the text.
pub(crate) fn skip_space(text: &str, from: Place) -> Place {
    let rest = text.get(from.byte..).unwrap_or_default();
    let mut place = from;
    let mut last = 0;
    for c in rest.chars().take_while(|c| c.is_whitespace()) {
        last = c.len_utf8();
        place.byte += last;
        place.char += 1;
    }
    // A space that carries a combining mark is part of what is written.
    if last > 0 && !is_edge(text, from.byte, place.byte) {
        place.byte -= last;
        place.char -= 1;
    }
    place
}

/// `end`, an edge, moved back over white space, not before `start`.
pub(crate) fn trim_space(text: &str, start: Place, end: Place) -> Place {
    let part = text.get(start.byte..end.byte).unwrap_or_default();
    let mut place = end;
    let mut last = 0;
    for c in part.chars().rev().take_while(|c| c.is_whitespace()) {
        last = c.len_utf8();
        place.byte -= last;
        place.char -= 1;
    }
    // A space that a prepended mark holds is part of what is written.
    if last > 0 && !is_edge(text, start.byte, place.byte) {
        place.byte += last;
        place.char += 1;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_is_that_of_the_annex() {
        use unicode_segmentation::UnicodeSegmentation;
        let text = "a\r\nb e\u{301} \u{301}🇧🇷🇧🇷👩\u{200d}👧क्षि\u{600} x\u{1100}\u{1161}";
        let mut edges: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).collect();
        edges.push(text.len());
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert_eq!(is_edge(text, 0, at), edges.contains(&at), "{at}");
            assert_eq!(Some(&floor(text, 0, at)), edges.iter().rfind(|edge| **edge <= at));
            assert_eq!(Some(&ceil(text, 0, at)), edges.iter().find(|edge| **edge >= at));
            assert_eq!(
                next(text, 0, at),
                edges.iter().copied().find(|edge| *edge > at).unwrap_or(text.len())
            );
        }
    }
}
