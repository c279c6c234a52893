//! Every measure keeps what the seam promises, and windows keep their word whatever a measure says.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking, helpers of tests too"
)]

mod common;

use std::error::Error as _;
use std::sync::Arc;

use common::{check_spans, config, doc, text};
use proptest::prelude::*;
use tusab_chunk::{
    Characters, Error, Graphemes, Measure, MeasureError, MeasuredWindows, Position, TextSpan, Units, Words,
};
use unicode_segmentation::UnicodeSegmentation;

/// Bytes in fours, as a rule of thumb for tokens; found by measuring alone.
struct Estimate;

impl Measure for Estimate {
    fn measure(&self, text: &str) -> Result<usize, MeasureError> {
        Ok(text.len().div_ceil(4))
    }
}

fn measures() -> Vec<(&'static str, Arc<dyn Measure>)> {
    vec![
        ("characters", Arc::new(Characters)),
        ("graphemes", Arc::new(Graphemes)),
        ("words", Arc::new(Words)),
        ("estimate", Arc::new(Estimate)),
        #[cfg(feature = "tokenizers")]
        ("tokens", Arc::new(tokens::tokens())),
    ]
}

/// The promises of [`Measure`], for one text and size; those that find how much fits in one pass are `exact`.
fn conforms(measure: &dyn Measure, exact: bool, text: &str, size: usize) -> Result<(), TestCaseError> {
    prop_assert_eq!(measure.measure("").unwrap(), 0);
    prop_assert_eq!(measure.measure(text).unwrap(), measure.measure(text).unwrap());
    let prefix = measure.prefix(text, size).unwrap();
    prop_assert!(text.is_char_boundary(prefix), "prefix {prefix}");
    prop_assert!(measure.measure(&text[..prefix]).unwrap() <= size);
    let suffix = measure.suffix(text, size).unwrap();
    prop_assert!(text.is_char_boundary(text.len() - suffix), "suffix {suffix}");
    prop_assert!(measure.measure(&text[text.len() - suffix..]).unwrap() <= size);
    if exact && measure.measure(text).unwrap() <= size {
        prop_assert_eq!((prefix, suffix), (text.len(), text.len()), "all of it fits");
    }
    Ok(())
}

fn spans(measure: impl Measure, size: usize, overlap: usize, text: &str) -> Vec<TextSpan> {
    let windows = MeasuredWindows::new(measure, Units(size), Units(overlap)).unwrap();
    windows.spans(text).collect::<Result<_, _>>().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..config() })]

    #[test]
    fn every_measure_keeps_the_promises_of_the_seam(text in text(), size in 0..80_usize) {
        for (name, measure) in measures() {
            let exact = !matches!(name, "estimate" | "tokens");
            conforms(&measure, exact, &text, size)
                .map_err(|error| TestCaseError::fail(format!("{name}: {error}")))?;
        }
    }

    #[test]
    fn windows_of_every_measure_lose_nothing_and_keep_their_size(
        text in text(), (size, overlap) in common::sizes(),
    ) {
        for (name, measure) in measures() {
            let spans = spans(&measure, size, overlap, &text);
            check_spans(&text, &spans).map_err(|error| TestCaseError::fail(format!("{name}: {error}")))?;
            for span in spans {
                let part = span.slice(&text).unwrap();
                let measured = measure.measure(part).unwrap();
                prop_assert!(measured <= size || part.graphemes(true).count() == 1, "{name}: {measured}: {part:?}");
            }
        }
    }

    #[test]
    fn a_measure_whose_parts_do_not_add_up_is_kept_to(
        text in text(), size in 8..14_usize, own in 1..6_usize,
    ) {
        /// Words, and three more for a text that starts with a vowel.
        struct Uneven;
        impl Measure for Uneven {
            fn measure(&self, text: &str) -> Result<usize, MeasureError> {
                let more = if text.starts_with(['a', 'e', 'i', 'o', 'u', 'é', 'ã']) { 3 } else { 0 };
                Ok(text.unicode_words().count() + more)
            }
        }
        let spans = spans(Uneven, size, size - own, &text);
        check_spans(&text, &spans)?;
        for span in spans {
            let part = span.slice(&text).unwrap();
            prop_assert!(Uneven.measure(part).unwrap() <= size, "{part:?}");
        }
    }

    #[test]
    fn no_measure_can_make_windows_loop_or_lose_text(
        text in text(), answers in proptest::collection::vec(0..40_usize, 1..7), size in 1..30_usize,
    ) {
        /// Says anything.
        struct Any(Vec<usize>);
        impl Measure for Any {
            fn measure(&self, text: &str) -> Result<usize, MeasureError> {
                Ok(self.0[text.len() % self.0.len()])
            }
        }
        let spans = spans(Any(answers), size, size / 3, &text);
        let mut covered = 0;
        for span in &spans {
            prop_assert!(text.get(covered..span.byte_start().0).unwrap_or_default().trim().is_empty());
            covered = covered.max(span.byte_end().0);
        }
        prop_assert!(text[covered..].trim().is_empty());
        prop_assert!(spans.is_sorted_by(|a, b| a.byte_start() < b.byte_start()));
    }
}

#[test]
fn each_unit_is_what_its_name_says() {
    let text = "Família 👩‍👩‍👧‍👦: 14.688 — “olá”";
    assert_eq!(Characters.measure(text).unwrap(), 31);
    assert_eq!(Graphemes.measure(text).unwrap(), 25);
    assert_eq!(Words.measure(text).unwrap(), 3);
    let words = "um dois três quatro cinco seis sete oito nove dez ".repeat(10);
    let spans = spans(Words, 20, 5, &words);
    for span in &spans[..spans.len() - 1] {
        assert!((15..=20).contains(&Words.measure(span.slice(&words).unwrap()).unwrap()));
    }
}

#[test]
fn the_overlap_is_measured_too() {
    let text = "um dois três quatro cinco seis sete oito nove dez ".repeat(20);
    for pair in spans(Words, 30, 6, &text).windows(2) {
        let shared = text.get(pair[1].byte_start().0..pair[0].byte_end().0).unwrap();
        assert_eq!(Words.measure(shared).unwrap(), 6, "{shared}");
    }
}

#[test]
fn a_failing_measure_ends_the_windows_with_its_reason() {
    /// Fails at the word `ruim`.
    struct Fails;
    impl Measure for Fails {
        fn measure(&self, text: &str) -> Result<usize, MeasureError> {
            if text.contains("ruim") { Err(MeasureError::new("no model")) } else { Ok(text.len()) }
        }
    }
    let windows = MeasuredWindows::new(Fails, Units(20), Units(4)).unwrap();
    let text = format!("{}ruim {}", "bom ".repeat(60), "bom ".repeat(60));
    let found: Vec<_> = windows.spans(&text).collect();
    let (last, before) = found.split_last().unwrap();
    assert!(!before.is_empty() && before.iter().all(Result::is_ok));
    let error = last.as_ref().unwrap_err();
    assert_eq!(error.to_string(), "the text could not be measured");
    assert_eq!(error.source().unwrap().to_string(), "no model");
    assert!(windows.chunks(&doc(), &text).is_err());
    assert!(windows.markdown_chunks(&doc(), &text).is_err());
}

#[test]
fn an_overlap_that_would_never_advance_is_refused() {
    assert_eq!(MeasuredWindows::new(Words, Units(0), Units(0)), Err(Error::ZeroBound));
    let (size, overlap) = (Units(5), Units(5));
    assert_eq!(MeasuredWindows::new(Words, size, overlap), Err(Error::UnitOverlapTooLong { size, overlap }));
}

#[test]
fn chunks_of_characters_are_those_of_text_windows() {
    let text = "Uma frase de prova, com acentuação. Outra logo depois?\n\n".repeat(200);
    let measured = MeasuredWindows::new(Characters, Units(2000), Units(200)).unwrap();
    let chunks = measured.chunks(&doc(), &text).unwrap();
    assert_eq!(chunks, tusab_chunk::TextWindows::default().chunks(&doc(), &text));
    assert!(
        matches!(chunks[1].position(), Position::Text(span) if span.byte_start() > tusab_chunk::ByteOffset(1))
    );
}

#[test]
fn what_fits_is_found_by_measuring_alone() {
    let text = "água mole em pedra dura, ".repeat(400);
    for size in [1, 10, 512, 2000] {
        // Within a sixteenth of the size, and a character.
        let least = size - size / 16;
        for found in [Estimate.prefix(&text, size).unwrap(), Estimate.suffix(&text, size).unwrap()] {
            assert!((least * 4 - 2..=size * 4).contains(&found), "{found} bytes for {size} units");
        }
    }
    let all = text.len().div_ceil(4);
    assert_eq!(Estimate.prefix(&text, all).unwrap(), text.len());
    assert_eq!(Estimate.suffix(&text, all).unwrap(), text.len());
}

#[test]
fn a_measure_may_be_borrowed_boxed_or_shared() {
    let text = "um dois três quatro cinco seis sete oito nove dez ".repeat(20);
    let expected = spans(Words, 30, 6, &text);
    let borrowed: &dyn Measure = &Words;
    let boxed: Box<dyn Measure> = Box::new(Words);
    let shared: Arc<dyn Measure> = Arc::new(Words);
    assert_eq!(spans(borrowed, 30, 6, &text), expected);
    assert_eq!(spans(boxed, 30, 6, &text), expected);
    assert_eq!(spans(shared, 30, 6, &text), expected);
}

#[cfg(feature = "tokenizers")]
mod tokens {
    use std::collections::HashMap;

    use tokenizers::models::bpe::BPE;
    use tokenizers::pre_tokenizers::byte_level::ByteLevel;
    use tokenizers::{PaddingParams, Tokenizer, TruncationParams};
    use tusab_chunk::{Measure, MeasuredWindows, Tokens, Units};

    /// A byte-level BPE of the kind language models have, with a few merges, truncating at 8 tokens.
    fn tokenizer() -> Tokenizer {
        let mut letters: Vec<char> = ByteLevel::alphabet().into_iter().collect();
        letters.sort_unstable();
        let merges = [("a", "l"), ("p", "al"), ("pal", "a"), ("v", "r"), ("Ġ", "pala"), ("d", "e")];
        let words = letters.iter().map(char::to_string).chain(merges.map(|(a, b)| [a, b].concat()));
        let vocabulary: HashMap<String, u32> = words.zip(0..).collect();
        let merges = merges.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec();
        let model = BPE::builder()
            .vocab_and_merges(vocabulary.into_iter().collect::<tokenizers::models::bpe::Vocab>(), merges)
            .build()
            .unwrap();
        let mut tokenizer = Tokenizer::new(model);
        tokenizer.with_pre_tokenizer(Some(ByteLevel::default()));
        let truncation = TruncationParams { max_length: 8, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).unwrap();
        tokenizer.with_padding(Some(PaddingParams::default()));
        tokenizer
    }

    pub(super) fn tokens() -> Tokens {
        Tokens::new(tokenizer()).unwrap()
    }

    #[test]
    fn tokens_are_counted_beyond_the_truncation_of_the_tokenizer() {
        let text = "palavra de palavra ".repeat(20);
        assert_eq!(tokenizer().encode_fast(text.as_str(), false).unwrap().len(), 8);
        assert!(tokens().measure(&text).unwrap() > 100);
    }

    #[test]
    fn windows_hold_about_as_many_tokens_as_they_may() {
        let text = "palavra de palavra, e mais uma frase. ".repeat(200);
        let windows = MeasuredWindows::new(tokens(), Units(128), Units(16)).unwrap();
        let spans: Vec<_> = windows.spans(&text).collect::<Result<_, _>>().unwrap();
        for span in &spans[..spans.len() - 1] {
            let measured = tokens().measure(span.slice(&text).unwrap()).unwrap();
            assert!((90..=128).contains(&measured), "{measured}");
        }
    }
}
