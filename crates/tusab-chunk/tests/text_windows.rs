//! What must hold of text windows for every text and every configuration.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking, helpers of tests too"
)]

mod common;

use common::{Clusters, check_spans, doc, plain_text, sizes, text};
use proptest::prelude::*;
use tusab_chunk::{Body, Chars, Chunk, ChunkId, Chunker, Document, Position, TextSpan, TextWindows, Windows};
use unicode_segmentation::UnicodeSegmentation;

fn windows((size, overlap): (usize, usize)) -> TextWindows {
    TextWindows::new(Chars(size), Chars(overlap)).unwrap()
}

fn spans(sizes: (usize, usize), text: &str) -> Vec<TextSpan> {
    windows(sizes).spans(text).collect()
}

fn length(span: TextSpan) -> usize {
    span.char_end().0 - span.char_start().0
}

proptest! {
    #![proptest_config(common::config())]

    #[test]
    fn windows_advance_and_lose_nothing(text in text(), sizes in sizes()) {
        check_spans(&text, &spans(sizes, &text))?;
    }

    #[test]
    fn no_window_is_over_its_size_unless_one_cluster_is(text in text(), sizes in sizes()) {
        for span in spans(sizes, &text) {
            let part = span.slice(&text).unwrap();
            prop_assert!(length(span) <= sizes.0 || part.graphemes(true).count() == 1, "{part:?}");
        }
    }

    #[test]
    fn a_phrase_of_up_to_the_overlap_stands_whole_in_some_window(text in text(), sizes in sizes()) {
        let spans = spans(sizes, &text);
        for (start, end) in Clusters::of(&text).phrases(sizes.1) {
            let whole = spans.iter().any(|span| span.byte_start().0 <= start && end <= span.byte_end().0);
            prop_assert!(whole, "{:?} at {start} is cut in {spans:?}", &text[start..end]);
        }
    }

    #[test]
    fn a_phrase_inside_the_overlap_stands_in_two(text in plain_text(), sizes in sizes()) {
        let spans = spans(sizes, &text);
        for pair in spans.windows(2) {
            let shared = pair[0].char_end().0.saturating_sub(pair[1].char_start().0);
            // The next window holds a space and a character of its own, never starts with a space, and never repeats
            // one whole.
            let asked = sizes.1.min(sizes.0.saturating_sub(2));
            prop_assert!(shared + 1 >= asked || length(pair[0]) <= sizes.1, "{shared} of {sizes:?}: {spans:?}");
        }
    }

    #[test]
    fn the_overlap_is_what_was_asked_within_one_word(text in plain_text(), sizes in sizes()) {
        for pair in spans(sizes, &text).windows(2) {
            let shared = pair[0].char_end().0.saturating_sub(pair[1].char_start().0);
            let longest_word = 10;
            prop_assert!(shared <= sizes.1 + longest_word, "{shared} of {sizes:?}");
        }
    }

    #[test]
    fn chunks_are_the_spans_and_equal_input_gives_equal_output(text in text(), sizes in sizes()) {
        let windows = windows(sizes);
        let chunks = windows.chunks(&doc(), &text);
        prop_assert_eq!(&chunks, &windows.chunks(&doc(), &text));
        let spans: Vec<TextSpan> = windows.spans(&text).collect();
        prop_assert_eq!(chunks.len(), spans.len());
        for ((chunk, span), ordinal) in chunks.iter().zip(spans).zip(0..) {
            prop_assert_eq!(chunk.position(), Position::Text(span));
            prop_assert_eq!(Some(chunk.original_text()), span.slice(&text));
            prop_assert_eq!(chunk.ordinal(), ordinal);
        }
    }
}

#[test]
fn an_overlap_that_would_never_advance_is_refused() {
    for (size, overlap) in [(0, 0), (0, 1), (1, 1), (200, 200), (200, 201), (1, usize::MAX)] {
        assert!(TextWindows::new(Chars(size), Chars(overlap)).is_err(), "{size} {overlap}");
    }
    let widest = TextWindows::new(Chars(usize::MAX), Chars(usize::MAX - 1)).unwrap();
    assert_eq!(widest.spans("um dois").count(), 1);
}

/// Sentences that end between size - overlap and size have made others loop.
#[test]
fn a_boundary_inside_the_overlap_advances() {
    for sentence in 1..60 {
        let text = format!("{}. ", "a".repeat(sentence)).repeat(40);
        for sizes in [(50, 49), (50, 40), (50, 10), (20, 19), (3, 2), (2, 1)] {
            check_spans(&text, &spans(sizes, &text)).unwrap();
        }
    }
}

#[test]
fn text_that_ends_in_white_space_gives_no_window_of_repetition() {
    let text = format!("{}{}", "palavra ".repeat(250), " ".repeat(5000));
    assert_eq!(spans((2000, 200), &text).len(), 1);
    let text = format!("{}{}fim", "palavra ".repeat(250), "\n".repeat(5000));
    let found = spans((2000, 200), &text);
    assert_eq!(found.last().unwrap().slice(&text), Some("fim"));
    assert_eq!(found.len(), 2);
}

#[test]
fn huge_lines_and_clusters_are_cut_in_linear_time() {
    let megabytes = |piece: &str, n: usize| piece.repeat(n * 1_000_000 / piece.len());
    for (text, one_cluster) in [
        (megabytes("a", 10), false),
        (megabytes("\u{301}", 2), true),
        (megabytes("\u{200d}", 2), true),
        (megabytes("a\u{200d}\u{301}", 1), false),
        (megabytes("👩\u{200d}", 2), true),
        (megabytes("🇧", 1), false),
        (megabytes("\0", 2), false),
        (megabytes("\r\n", 4) + "x", false),
        (megabytes(" ", 10) + "x", false),
        (megabytes(". ", 2), false),
        (megabytes("(", 2), false),
        (megabytes(") ( ", 2), false),
        (megabytes("क्", 1), true),
    ] {
        let spans = spans((2000, 200), &text);
        assert_eq!(
            spans.len() == 1 && text.trim().chars().count() > 2000,
            one_cluster,
            "{:?}",
            text.get(..12)
        );
        assert!(spans.is_sorted_by(|a, b| a.byte_start() < b.byte_start() && a.byte_end() < b.byte_end()));
        assert_eq!(spans.last().map(|span| span.byte_end().0), Some(text.trim_end().len()));
    }
}

#[test]
fn a_token_longer_than_the_window_is_cut_between_clusters() {
    let text = format!("um {} dois", "x".repeat(500));
    let found = spans((100, 20), &text);
    check_spans(&text, &found).unwrap();
    assert!(found.iter().all(|span| length(*span) <= 100));
}

#[test]
fn cuts_fall_at_the_best_boundary_in_reach() {
    let last_words = |text: &str| {
        let first = spans((100, 0), text)[0].slice(text).unwrap().to_owned();
        first.rsplit(' ').next().unwrap().to_owned()
    };
    let filler = "palavra ".repeat(10);
    // The paragraph wins over the sentence after it, the sentence over words, and nothing cuts `Dr. Silva`, a
    // number or a link.
    assert_eq!(last_words(&format!("{filler}fim.\n\nOutro. Mais palavras que passam do limite")), "fim.");
    assert_eq!(last_words(&format!("{filler}fim\r\n\r\nOutro. Mais palavras que passam do limite")), "fim");
    assert_eq!(last_words(&format!("{filler}fim.\u{2029}Outro. Mais palavras que passam do limite")), "fim.");
    assert_eq!(last_words(&format!("{filler}frase. E depois palavras que passam do limite")), "frase.");
    assert_eq!(last_words(&format!("{filler}linha\noutra e mais palavras que passam do limite")), "linha");
    assert_eq!(last_words(&format!("{filler}linha\numa frase. E palavras que passam do limite")), "frase.");
    assert_eq!(last_words(&format!("{filler}linha\r\numa frase. E palavras que passam do limite")), "frase.");
    assert_eq!(last_words(&format!("{filler}o Dr. Silva {}", "z".repeat(40))), "Silva");
    assert_eq!(last_words(&format!("{filler}o Dr.\u{a0}Silva{}", "z".repeat(40))), "o");
    assert_eq!(last_words(&format!("{filler}a lei 14.688 {}", "z".repeat(40))), "14.688");
    assert_eq!(last_words(&format!("{filler}em https://a.example/b.c/{}", "z".repeat(40))), "em");
}

#[test]
fn a_cut_is_looked_for_in_the_last_quarter() {
    // A sentence of so many characters, then words.
    let first = |sentence: usize, sizes| {
        let text = format!("{}. {}", "a".repeat(sentence - 1), "Bb ".repeat(200));
        length(spans(sizes, &text)[0])
    };
    assert_eq!((first(75, (100, 0)), first(74, (100, 0))), (75, 98), "three characters a word");
    // Half of what the overlap leaves, where that is less.
    assert_eq!((first(90, (100, 80)), first(89, (100, 80))), (90, 98));
    assert_eq!((first(1500, (2000, 200)), first(1499, (2000, 200))), (1500, 2000));
}

/// The last word of the first window of `end` after some filler: where it was cut.
fn cut_after(end: &str) -> String {
    let text = format!("{}{end}", "palavra ".repeat(10));
    let first = spans((100, 0), &text)[0].slice(&text).unwrap().to_owned();
    first.rsplit(' ').next().unwrap().to_owned()
}

#[test]
fn a_sentence_ends_after_its_quotes_and_brackets_and_not_within_it() {
    let more = "e mais palavras que passam do limite";
    for (end, cut) in [
        (format!("disse “fim.” Depois {more}"), "“fim.”"),
        (format!("disse \"fim!\" Depois {more}"), "\"fim!\""),
        (format!("(é o fim.) Depois {more}"), "fim.)"),
        (format!("«é o fim.» Depois {more}"), "fim.»"),
        (format!("é o fim... Depois {more}"), "fim..."),
        (format!("é o fim… Depois {more}"), "fim…"),
        (format!("é o fim?! Depois {more}"), "fim?!"),
        (format!("é **o fim.** Depois {more}"), "fim.**"),
        (format!("é o fim. — Depois {more}"), "fim."),
        (format!("é o fim. “Depois {more}”"), "fim."),
    ] {
        assert_eq!(cut_after(&end), cut, "{end}");
    }
    for end in ["não sei... talvez", "as três p.m. de ontem", "versão 2.0. mas"] {
        assert_eq!(cut_after(&format!("a frase. E {end} 1234567")), "frase.", "{end}");
    }
}

#[test]
fn no_window_ends_after_an_abbreviation_where_another_word_ends_in_reach() {
    for short in [
        "Dr.", "Dra.", "Sr.", "Profa.", "Exma.", "Av.", "aprox.", "Mr.", "Mrs.", "Rep.", "Capt.", "e.g.",
        "J.", "U.S.",
    ] {
        let text = format!("{}{short} Silva {}", "palavra ".repeat(11), "z".repeat(40));
        let first = spans((93, 0), &text)[0].slice(&text).unwrap();
        assert!(first.ends_with("palavra"), "{short}: {first}");
    }
    let text = "veio o Dr. Ana com a Profa.\nBia e o Sr. Caio ".repeat(60);
    for size in 40..80 {
        let found = spans((size, 5), &text);
        check_spans(&text, &found).unwrap();
        for span in found {
            assert!(!span.slice(&text).unwrap().ends_with('.'), "{size}: {:?}", span.slice(&text));
        }
    }
}

#[test]
fn thai_is_cut_at_its_spaces_else_between_clusters() {
    let text = "ภาษาไทยเป็นภาษาที่มีระดับเสียง ".repeat(30);
    for span in spans((100, 0), &text) {
        assert!(span.slice(&text).unwrap().ends_with("เสียง"));
    }
    let text = text.replace(' ', "");
    check_spans(&text, &spans((100, 20), &text)).unwrap();
}

#[test]
fn scripts_without_spaces_are_cut_after_their_stops_else_between_words() {
    let text = "これは文です。".repeat(30);
    assert!(spans((50, 0), &text).iter().all(|span| span.slice(&text).unwrap().ends_with('。')));
    let quoted = "「これは文です。」".repeat(30);
    // 53 characters reach between a stop and the mark that closes its quote.
    for size in [50, 53] {
        assert!(spans((size, 0), &quoted).iter().all(|span| span.slice(&quoted).unwrap().ends_with('」')));
    }
    let path = "pasta/arquivo/".repeat(30);
    for span in spans((50, 0), &path) {
        let part = span.slice(&path).unwrap();
        assert!(part.ends_with('/') || part.ends_with("pasta") || part.ends_with("arquivo"), "{part}");
    }
}

#[test]
fn blank_text_gives_no_chunk() {
    for text in ["", " ", "\r\n\t\u{3000}", "\u{a0}"] {
        let document = Document::new(doc(), "vazio", Body::Text(text.to_owned()));
        assert!(Windows::default().chunks(&document).is_empty(), "{text:?}");
    }
}

#[test]
fn chunks_of_a_long_text_are_those_made_one_by_one() {
    // Longer than what neighbours share one copy of, with windows shorter and longer than that.
    let text = "Uma frase com acentuação. 漢字 também.\n\n".repeat(12_000);
    for sizes in [(2000, 200), (150_000, 10_000)] {
        let chunks = windows(sizes).chunks(&doc(), &text);
        let one_by_one: Vec<Chunk> = (0..)
            .zip(spans(sizes, &text))
            .map(|(n, span)| Chunk::new(doc(), n, span.slice(&text).unwrap(), Position::Text(span)))
            .collect();
        assert_eq!(chunks, one_by_one);
        for chunk in chunks {
            assert_eq!(chunk.id(), ChunkId::of(&doc(), chunk.ordinal(), chunk.original_text()));
        }
    }
}
