//! Hostile and ordinary texts for the property tests.
#![allow(dead_code, unreachable_pub, reason = "each test program includes this file and uses its part")]

use proptest::prelude::*;
use tusab_chunk::{DocId, TextSpan};
use unicode_segmentation::UnicodeSegmentation;

/// Many cases, since each is small. Failing cases are printed, not filed away: write them down as a test.
pub fn config() -> ProptestConfig {
    ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() }
}

pub fn doc() -> DocId {
    "file:a1".parse().unwrap()
}

/// Pieces that texts are strung together from: words of several scripts, and all that has broken chunkers.
fn piece() -> impl Strategy<Value = String> {
    let one =
        |choices: &'static [&'static str]| proptest::sample::select(choices).prop_map(str::to_owned).boxed();
    let repeated = |choices: &'static [&'static str]| {
        (proptest::sample::select(choices), 1..40_usize).prop_map(|(piece, n)| piece.repeat(n)).boxed()
    };
    prop_oneof![
        8 => "[a-zçãé]{1,9}".boxed(),
        8 => one(&[" "]),
        3 => one(&[". ", "! ", "? ", "… ", ", ", "; ", ".\n", ".\n\n"]),
        1 => one(&["\r\n", "\r\n\r\n", "\r", "\n \t\n", "\u{2029}"]),
        2 => one(&["Dr. Ana", "14.688", "https://a.example/b?c=d.e", "e.g. ", "1. ", "\u{a0}", "`x`"]),
        2 => one(&["漢字。", "「そう。」", "กขค", "한국어", "क्षि", "नमस्ते", "\u{1100}\u{1161}\u{11a8}"]),
        // Clusters of many characters: combining marks, joiners, flags, prepended marks, a mark on a space.
        2 => repeated(&["\u{301}", "\u{200d}", "\u{fe0f}", "\u{1f1e7}", "e\u{301}", "\u{0600}"]),
        2 => one(&["👩‍👩‍👧‍👦", "🇧🇷", "👍🏽", " \u{301}", "\u{600} ", "\u{200d}", "\u{feff}"]),
        1 => repeated(&[" ", "\n", "\t", "\r\n", "\u{3000}", "a", "\0", "漢", "(", ")", ". "]),
    ]
}

pub fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat())
}

/// Texts whose clusters are single characters and whose words stand one space apart.
pub fn plain_text() -> impl Strategy<Value = String> {
    proptest::collection::vec("[a-zçã]{1,9}[.,]?", 1..80).prop_map(|words| words.join(" "))
}

/// A size and an overlap shorter than it.
pub fn sizes() -> impl Strategy<Value = (usize, usize)> {
    prop_oneof![1..12_usize, 1..80_usize, 20..400_usize]
        .prop_flat_map(|size| (Just(size), prop_oneof![0..size, 0..=(size - 1).min(size / 5)]))
}

/// The clusters of `text` with their byte and character offsets.
pub struct Clusters {
    /// Byte offset, character offset, and whether the cluster is white space alone; ends with the text's end.
    pub starts: Vec<(usize, usize, bool)>,
}

impl Clusters {
    pub fn of(text: &str) -> Self {
        let mut chars = 0;
        let mut starts = Vec::new();
        for (byte, cluster) in text.grapheme_indices(true) {
            starts.push((byte, chars, cluster.trim().is_empty()));
            chars += cluster.chars().count();
        }
        starts.push((text.len(), chars, true));
        Self { starts }
    }

    pub fn has_edge(&self, byte: usize) -> bool {
        self.starts.binary_search_by_key(&byte, |cluster| cluster.0).is_ok()
    }

    /// Every phrase of whole clusters, of at most `longest` characters and as long as it can be, that neither
    /// starts nor ends with white space; as byte ranges.
    pub fn phrases(&self, longest: usize) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (first, &(byte, char, blank)) in self.starts.iter().enumerate() {
            if blank {
                continue;
            }
            let mut end = None;
            for pair in self.starts[first..].windows(2) {
                let [(_, _, blank), (next_byte, next_char, _)] = [pair[0], pair[1]];
                if next_char - char > longest {
                    break;
                }
                if !blank {
                    end = Some(next_byte);
                }
            }
            found.extend(end.map(|end| (byte, end)));
        }
        found
    }
}

/// What holds for every cut of every text: order, true offsets, whole clusters, trimmed edges, full coverage, and
/// that each window adds something.
pub fn check_spans(text: &str, spans: &[TextSpan]) -> Result<(), TestCaseError> {
    let clusters = Clusters::of(text);
    let mut covered = 0;
    for span in spans {
        let (start, end) = (span.byte_start().0, span.byte_end().0);
        let part = span.slice(text).expect("a span is cut at characters");
        prop_assert!(start < end, "empty window at {start}");
        prop_assert_eq!(text[..start].chars().count(), span.char_start().0);
        prop_assert_eq!(text[..end].chars().count(), span.char_end().0);
        prop_assert!(clusters.has_edge(start) && clusters.has_edge(end), "{start}..{end} cuts a cluster");
        let [first, last] = [part.graphemes(true).next(), part.graphemes(true).next_back()];
        prop_assert!(
            !first.unwrap().trim().is_empty() && !last.unwrap().trim().is_empty(),
            "blank edge: {part:?}"
        );
        prop_assert!(text.get(covered..start).unwrap_or_default().trim().is_empty(), "lost before {start}");
        prop_assert!(end > covered, "the window {start}..{end} adds nothing");
        covered = end;
    }
    prop_assert!(text[covered..].trim().is_empty(), "lost after {covered}");
    prop_assert!(spans.is_sorted_by(|a, b| a.byte_start() < b.byte_start()), "starts do not advance");
    Ok(())
}
