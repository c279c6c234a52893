//! What holds for every cut of every text; each check panics, which is how a fuzz target fails.

pub mod captions;
pub mod documents;
pub mod framing;
pub mod llm;

use tusab_chunk::{DocId, SourceKind, TextSpan};
use unicode_segmentation::UnicodeSegmentation;

/// A document to cut.
pub fn doc() -> DocId {
    DocId::new(SourceKind::Text, "fuzz").expect("a valid id")
}

/// A size from 1 on and an overlap shorter than it.
pub fn sizes((size, overlap): (u16, u16)) -> (usize, usize) {
    let size = usize::from(size % 512) + 1;
    (size, usize::from(overlap) % size)
}

/// Order, true offsets, whole clusters, trimmed edges, full coverage, and that each window adds something.
pub fn check_spans(text: &str, spans: &[TextSpan]) {
    let mut edges: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).collect();
    edges.push(text.len());
    let mut covered = 0;
    let mut start_before = None;
    for span in spans {
        let (start, end) = (span.byte_start().0, span.byte_end().0);
        let part = span.slice(text).expect("cut at characters");
        assert_eq!(text[..start].chars().count(), span.char_start().0);
        assert_eq!(part.chars().count(), span.char_end().0 - span.char_start().0);
        assert!(edges.binary_search(&start).is_ok() && edges.binary_search(&end).is_ok(), "a cluster is cut");
        let blank = |cluster: Option<&str>| cluster.is_none_or(|cluster| cluster.trim().is_empty());
        assert!(
            !blank(part.graphemes(true).next()) && !blank(part.graphemes(true).next_back()),
            "a blank edge"
        );
        assert!(text.get(covered..start).unwrap_or_default().trim().is_empty(), "text is lost");
        assert!(
            end > covered && start_before.is_none_or(|before| before < start),
            "a window does not advance"
        );
        covered = end;
        start_before = Some(start);
    }
    assert!(text[covered..].trim().is_empty(), "the end is lost");
}
