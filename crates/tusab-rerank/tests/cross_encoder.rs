//! The cross-encoder on a model of one layer.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::missing_panics_doc,
    reason = "tests fail by panicking"
)]
#![cfg(feature = "rten")]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::{cross_encoder, number, on, tiny};
use tusab_rerank::{
    Activation, Backend, CrossEncoder, CrossEncoderOptions, EarlyStop, End, Error, Limits, Missing, Reranker,
    Windows,
};

fn options() -> CrossEncoderOptions {
    CrossEncoderOptions::default().with_runtime(on(Backend::Rten))
}

const QUERY: &str = "juro composto";
const PASSAGES: [&str; 6] = [
    "juro composto e tempo",
    "bolo de fuba",
    "the proof of the seed",
    "quantum computer",
    "account",
    "tempo tempo juro",
];

#[test]
fn nothing_is_read_before_the_first_use_and_the_result_names_its_backend() {
    let encoder = CrossEncoder::new("/nowhere/at-all", options());
    assert_eq!((encoder.model(), encoder.backend()), ("at-all", None));
    let encoder = cross_encoder(Backend::Rten);
    assert_eq!(encoder.backend(), None);
    encoder.scores(QUERY, &PASSAGES).unwrap();
    assert_eq!((encoder.model(), encoder.backend()), ("tiny", Some(Backend::Rten)));
    encoder.unload();
    assert_eq!(encoder.backend(), None);
    assert_eq!(encoder.load().unwrap(), Backend::Rten);
}

#[test]
fn a_missing_model_is_named_with_its_remedy_and_remembered() {
    let encoder = CrossEncoder::new("/nowhere/at-all", options());
    let error = encoder.scores(QUERY, &PASSAGES).unwrap_err();
    assert!(matches!(error.missing(), Some(Missing::Model { name, .. }) if name == "at-all"), "{error:?}");
    assert!(error.is_retryable());
    assert!(matches!(encoder.scores(QUERY, &PASSAGES), Err(Error::Unavailable { .. })));
}

#[test]
fn a_damaged_model_is_an_error_and_never_a_panic() {
    let whole = std::fs::read(tiny().join("model.onnx")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(tiny().join("tokenizer.json"), folder.path().join("tokenizer.json")).unwrap();
    let tries = [Vec::new(), b"no model".to_vec(), whole[..whole.len() / 2].to_vec(), vec![0xff; 4096]];
    for bytes in tries {
        std::fs::write(folder.path().join("model.onnx"), bytes).unwrap();
        let error = CrossEncoder::new(folder.path(), options()).scores(QUERY, &PASSAGES).unwrap_err();
        assert!(error.missing().is_none(), "{error:?}");
    }
}

#[test]
fn a_sentence_encoder_is_no_cross_encoder() {
    // A model whose logits carry another name: its first output has a vector a token.
    let folder = tempfile::tempdir().unwrap();
    for name in ["tokenizer.json", "config.json"] {
        std::fs::copy(tiny().join(name), folder.path().join(name)).unwrap();
    }
    let bytes = std::fs::read(tiny().join("model.onnx")).unwrap();
    let renamed: Vec<u8> = String::from_utf8_lossy(&bytes).matches("logits").map(|_| 0).collect();
    assert!(!renamed.is_empty());
    let at: Vec<usize> =
        bytes.windows(6).enumerate().filter(|(_, part)| part == b"logits").map(|(at, _)| at).collect();
    let mut other = bytes;
    for at in at {
        other[at..at + 6].copy_from_slice(b"others");
    }
    std::fs::write(folder.path().join("model.onnx"), other).unwrap();
    let error = CrossEncoder::new(folder.path(), options()).scores(QUERY, &PASSAGES).unwrap_err();
    let Error::Model { source, .. } = error else { panic!("{error:?}") };
    assert!(source.to_string().contains("one number a pair"), "{source}");
}

#[test]
fn threads_change_no_score() {
    let with = |threads: usize| {
        let options = options().with_runtime(on(Backend::Rten).with_threads(number(threads)));
        CrossEncoder::new(tiny(), options).scores(QUERY, &PASSAGES).unwrap()
    };
    assert_eq!(with(1), with(3));
    let encoder = cross_encoder(Backend::Rten);
    let expected = with(1);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(encoder.scores(QUERY, &PASSAGES).unwrap(), expected));
        }
    });
}

#[test]
fn the_sigmoid_keeps_the_order() {
    let raw = cross_encoder(Backend::Rten).scores(QUERY, &PASSAGES).unwrap();
    let sigmoid = CrossEncoder::new(tiny(), options().with_activation(Activation::Sigmoid))
        .scores(QUERY, &PASSAGES)
        .unwrap();
    for (raw, sigmoid) in raw.iter().zip(&sigmoid) {
        assert!((1.0 / (1.0 + (-raw).exp()) - sigmoid).abs() < 1e-6);
    }
    assert!(raw.iter().any(|score| !(0.0..=1.0).contains(score)), "a test that proves nothing: {raw:?}");
}

#[test]
fn a_long_passage_is_scored_by_its_best_window_not_by_its_head() {
    // 64 positions hold 58 tokens besides this question and the marks.
    let filler = "bolo fuba ".repeat(60);
    let long = format!("{filler}{QUERY} {filler}");
    let cut: String = filler.clone();
    let all = CrossEncoder::new(tiny(), options().with_windows(Windows::All));
    let best = Windows::Best { tokens: number(64), head: 0, count: number(2) };
    let best = CrossEncoder::new(tiny(), options().with_windows(best));
    let head = all.scores(QUERY, &[&cut[..cut.len() / 3]]).unwrap()[0];
    let (of_all, of_best) =
        (all.scores(QUERY, &[&long]).unwrap()[0], best.scores(QUERY, &[&long]).unwrap()[0]);
    assert!(of_all >= of_best && (of_all - head).abs() > 1e-3, "{of_all} {of_best} {head}");
    assert!((of_best - head).abs() > 1e-3, "the words of the question were not read: {of_best} {head}");
}

#[test]
fn a_long_question_is_capped_and_leaves_room_for_the_passage() {
    let encoder = cross_encoder(Backend::Rten);
    let question = "what is the proof ".repeat(100);
    let scores = encoder.scores(&question, &["juro composto", "bolo fuba"]).unwrap();
    assert!((scores[0] - scores[1]).abs() > 1e-4, "the passages were not read: {scores:?}");
}

#[test]
fn of_the_question_no_more_is_read_than_asked() {
    let capped = CrossEncoder::new(tiny(), options().with_query_tokens(number(2)));
    let whole = cross_encoder(Backend::Rten);
    let (short, long) = (QUERY, "juro composto quantum computer");
    assert_eq!(capped.scores(long, &PASSAGES).unwrap(), capped.scores(short, &PASSAGES).unwrap());
    assert_ne!(whole.scores(long, &PASSAGES).unwrap(), whole.scores(short, &PASSAGES).unwrap());
}

#[test]
fn a_stop_does_not_wait_for_the_windows_of_a_long_passage() {
    let long = "bolo fuba ".repeat(200);
    let encoder = CrossEncoder::new(tiny(), options().with_windows(Windows::All));
    let asked = AtomicUsize::new(0);
    // No at the start and before the passage, yes between its windows.
    let stop = || asked.fetch_add(1, Ordering::SeqCst) >= 2;
    let scored = encoder.scores_within(QUERY, &[&long], &Limits::default().with_stop(&stop)).unwrap();
    assert_eq!((scored.scores, scored.end), (vec![None], End::Stopped));
    // Half of a passage is not remembered as all of it.
    let all = CrossEncoder::new(tiny(), options().with_windows(Windows::All));
    assert_eq!(encoder.scores(QUERY, &[&long]).unwrap(), all.scores(QUERY, &[&long]).unwrap());
}

#[test]
fn a_remembered_score_is_the_one_that_was_computed() {
    let encoder = cross_encoder(Backend::Rten);
    let first = encoder.scores(QUERY, &PASSAGES).unwrap();
    let asked = AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, Ordering::SeqCst) > 0;
    // Only what is remembered can be told: the stop leaves time for nothing else.
    let again = encoder.scores_within(QUERY, &PASSAGES, &Limits::default().with_stop(&stop)).unwrap();
    assert_eq!((again.all(), again.end), (Some(first), End::Complete));
    let forgetful = CrossEncoder::new(tiny(), options().with_cached_scores(0));
    forgetful.scores(QUERY, &PASSAGES).unwrap();
    asked.store(0, Ordering::SeqCst);
    let again = forgetful.scores_within(QUERY, &PASSAGES, &Limits::default().with_stop(&stop)).unwrap();
    assert_eq!((again.scores, again.end), (vec![None; PASSAGES.len()], End::Stopped));
}

#[test]
fn passages_that_come_first_are_scored_first() {
    let one = options().with_runtime(on(Backend::Rten).with_threads(number(1)));
    let encoder = CrossEncoder::new(tiny(), one);
    let all = encoder.scores(QUERY, &PASSAGES).unwrap();
    let fresh = CrossEncoder::new(tiny(), options().with_runtime(on(Backend::Rten).with_threads(number(1))));
    let asked = AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, Ordering::SeqCst) >= 4;
    let scored = fresh.scores_within(QUERY, &PASSAGES, &Limits::default().with_stop(&stop)).unwrap();
    assert_eq!(scored.end, End::Stopped);
    let count = scored.scores.iter().flatten().count();
    assert!(0 < count && count < PASSAGES.len(), "{scored:?}");
    assert!(scored.scores.iter().zip(&all).take(count).all(|(some, score)| *some == Some(*score)));
}

#[test]
fn an_early_stop_is_the_same_on_any_number_of_threads() {
    let passages: Vec<String> = (0..40).map(|at| format!("{} {at}", PASSAGES[at % 6])).collect();
    let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
    let stop = EarlyStop { top: number(3), misses: number(6) };
    let with = |threads: usize| {
        let runtime = on(Backend::Rten).with_threads(number(threads));
        let encoder = CrossEncoder::new(tiny(), options().with_runtime(runtime).with_early_stop(stop));
        encoder.scores_within(QUERY, &passages, &Limits::default()).unwrap()
    };
    let one = with(1);
    assert_eq!(one.end, End::Decided);
    assert_eq!(one, with(4));
    let all = cross_encoder(Backend::Rten).scores(QUERY, &passages).unwrap();
    let scored = one.scores.iter().flatten().count();
    assert!(one.scores.iter().zip(&all).take(scored).all(|(some, score)| *some == Some(*score)));
}
