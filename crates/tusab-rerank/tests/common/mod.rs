//! What the tests share: the tiny model, and one suite a seam that every implementation has to pass.

#![allow(dead_code, reason = "no test uses all of it")]

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tusab_rerank::{
    Backend, CrossEncoder, CrossEncoderOptions, Embedder, End, Limits, Reranker, RuntimeOptions,
    SentenceEncoder, SentenceOptions,
};

pub(crate) fn number(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap()
}

/// A folder with a BERT of one layer and random weights; `tests/models/make.py` wrote it.
pub(crate) fn tiny() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models/tiny"))
}

/// The folder of a real model, as `scripts/assets.sh` names it.
pub(crate) fn model(kind: &str) -> PathBuf {
    let folder =
        std::env::var_os("TUSAB_MODELS").expect("TUSAB_MODELS is not set: eval \"$(scripts/assets.sh)\"");
    PathBuf::from(folder).join(kind)
}

pub(crate) fn on(backend: Backend) -> RuntimeOptions {
    RuntimeOptions::from_env().with_backend(backend).with_threads(number(2))
}

pub(crate) fn cross_encoder(backend: Backend) -> CrossEncoder {
    CrossEncoder::new(tiny(), CrossEncoderOptions::default().with_runtime(on(backend)))
}

pub(crate) fn sentence_encoder(backend: Backend) -> SentenceEncoder {
    SentenceEncoder::new(tiny(), SentenceOptions::default().with_runtime(on(backend)))
}

/// Passages of many kinds and lengths, hostile ones among them.
pub(crate) fn passages() -> Vec<String> {
    let mut passages: Vec<String> = [
        "",
        " ",
        "the proof of the seed",
        "juro composto e tempo",
        "\u{0}\u{feff}\u{202e}",
        "🌽 bolo de fubá",
    ]
    .map(str::to_owned)
    .to_vec();
    passages.push("quantum computer today ".repeat(60));
    passages.push("x".repeat(20_000));
    passages.push((0..90).map(|at| if at == 80 { "juro composto " } else { "bolo fuba " }).collect());
    passages
}

/// The contract of [`Reranker`], within a tolerance for rounding.
pub(crate) fn reranker_keeps_its_contract(reranker: &dyn Reranker, tolerance: f32) {
    let owned = passages();
    let passages: Vec<&str> = owned.iter().map(String::as_str).collect();
    for query in ["juro composto", "", "what is the proof ".repeat(200).as_str()] {
        let scores = reranker.scores(query, &passages).unwrap();
        assert_eq!(scores.len(), passages.len());
        assert!(scores.iter().all(|score| score.is_finite()), "{scores:?}");
        let near = |a: f32, b: f32| (a - b).abs() <= tolerance;
        for (passage, score) in passages.iter().zip(&scores) {
            let alone = reranker.scores(query, &[passage]).unwrap();
            assert!(near(alone[0], *score), "a score depends on the other passages: {alone:?} {score}");
        }
        let reversed: Vec<&str> = passages.iter().rev().copied().collect();
        let back: Vec<f32> = reranker.scores(query, &reversed).unwrap().into_iter().rev().collect();
        assert!(back.iter().zip(&scores).all(|(a, b)| near(*a, *b)), "scores are not in the order given");
        let within = reranker.scores_within(query, &passages, &Limits::default()).unwrap();
        assert_eq!(within.end, End::Complete);
        assert!(within.all().unwrap().iter().zip(&scores).all(|(a, b)| near(*a, *b)));
    }
    assert_eq!(reranker.scores("a", &[]).unwrap(), [] as [f32; 0]);
    let late =
        reranker.scores_within("a", &passages, &Limits::default().with_deadline(Instant::now())).unwrap();
    assert_eq!((late.end, late.scores.iter().flatten().count()), (End::OutOfTime, 0));
    let asked = AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, Ordering::SeqCst) >= 3;
    let stopped = reranker.scores_within("b", &passages, &Limits::default().with_stop(&stop)).unwrap();
    assert_eq!(stopped.scores.len(), passages.len());
    assert!(
        stopped.end == End::Stopped && stopped.all().is_none() || stopped.end == End::Complete,
        "{stopped:?}"
    );
}

/// The contract of [`Embedder`], within a tolerance for rounding.
pub(crate) fn embedder_keeps_its_contract(embedder: &dyn Embedder, tolerance: f32) {
    let owned = passages();
    let passages: Vec<&str> = owned.iter().map(String::as_str).collect();
    let dimension = embedder.dimension().unwrap();
    let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance);
    for embed in [Embedder::embed_passages, Embedder::embed_phrases, Embedder::embed_heads] {
        let embeddings = embed(embedder, &passages).unwrap();
        assert_eq!((embeddings.len(), embeddings.dimension()), (passages.len(), dimension));
        for (passage, vector) in passages.iter().zip(embeddings.rows()) {
            let length: f32 = vector.iter().map(|number| number * number).sum();
            assert!((length - 1.0).abs() < 1e-4, "length {length}");
            let alone = embed(embedder, &[passage]).unwrap();
            assert!(near(alone.rows().next().unwrap(), vector), "a vector depends on the other texts");
        }
        assert!(embed(embedder, &[]).unwrap().is_empty());
    }
    let query = embedder.embed_query("").unwrap();
    assert_eq!(query.len(), dimension.get());
    assert_eq!(embedder.identity().unwrap(), embedder.identity().unwrap());
}
