//! Real weights on ONNX Runtime, beside what the Python originals gave.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::missing_panics_doc,
    reason = "tests fail by panicking"
)]
#![cfg(all(feature = "onnxruntime", feature = "rten"))]

mod common;

use std::path::Path;
use std::sync::Arc;

use common::{cross_encoder, model, on, passages, sentence_encoder};
use serde_json::Value;
use tusab_rerank::{
    Backend, CrossEncoder, CrossEncoderOptions, Embedder, KeyBert, KeyBertOptions, Mode, Reranker,
    SentenceEncoder, SentenceOptions, Windows,
};

/// Lines of a file of the material beside the project; `None`, and it is said, where there is none.
fn beside(file: &str) -> Option<Vec<Value>> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: no {}", path.display());
        return None;
    };
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn sentences() -> SentenceEncoder {
    SentenceEncoder::new(
        model("sentences"),
        SentenceOptions::default().with_runtime(on(Backend::OnnxRuntime)),
    )
}

fn minilm_l12(backend: Backend, windows: Windows) -> CrossEncoder {
    let options = CrossEncoderOptions::default().with_runtime(on(backend)).with_windows(windows);
    CrossEncoder::new(model("cross-encoder"), options)
}

#[test]
#[ignore = "needs the library of ONNX Runtime: scripts/test.sh"]
fn both_runtimes_agree_on_a_model_in_full() {
    let owned = passages();
    let passages: Vec<&str> = owned.iter().map(String::as_str).collect();
    let [a, b] = [Backend::OnnxRuntime, Backend::Rten]
        .map(|on| cross_encoder(on).scores("juro composto", &passages).unwrap());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-3), "{a:?} {b:?}");
    let [a, b] = [Backend::OnnxRuntime, Backend::Rten]
        .map(|on| sentence_encoder(on).embed_passages(&passages).unwrap());
    assert!(a.rows().flatten().zip(b.rows().flatten()).all(|(a, b)| (a - b).abs() < 1e-3));
}

#[test]
#[ignore = "needs the library of ONNX Runtime and models: scripts/test.sh"]
fn both_runtimes_rank_alike_with_a_quantised_model() {
    let passages = [
        "Compound interest grows with time, since interest is paid on earlier interest.",
        "Corn cake: two cups of corn flour, three eggs and a glass of milk.",
        "Interest rates were left unchanged by the central bank today.",
        "A quantum computer could break the signatures of today's accounts.",
    ];
    let rank = |backend| {
        let scores = minilm_l12(backend, Windows::default())
            .scores("how does compound interest work", &passages)
            .unwrap();
        let mut order: Vec<usize> = (0..passages.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        (scores, order)
    };
    let ((a, first), (b, second)) = (rank(Backend::OnnxRuntime), rank(Backend::Rten));
    assert_eq!((first[0], second[0]), (0, 0), "{a:?} {b:?}");
    // What the same weights give, dequantised, in 32-bit arithmetic (ONNX Runtime 1.31 from Python).
    let full = [5.310, -11.281, -11.003, -11.314];
    for scores in [a, b] {
        assert!(scores.iter().zip(full).all(|(score, full)| (score - full).abs() < 0.6), "{scores:?}");
    }
}

#[test]
#[ignore = "needs the library of ONNX Runtime and models: scripts/test.sh"]
fn an_answer_at_the_end_of_a_long_passage_is_found() {
    let filler =
        "The committee met again and spoke of the budget of the harbour for the coming year. ".repeat(80);
    let passages = [format!("{filler} Compound interest is paid on earlier interest."), filler.clone()];
    let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
    let scores = minilm_l12(Backend::OnnxRuntime, Windows::default())
        .scores("what is compound interest", &passages)
        .unwrap();
    assert!(scores[0] > scores[1] + 5.0, "{scores:?}");
}

/// The weights of which `sentences` are the quantised form, by `scripts/full_precision.py`.
#[test]
#[ignore = "needs the library of ONNX Runtime and models: scripts/test.sh"]
fn vectors_in_full_precision_are_those_of_sentence_transformers() {
    let Some(golden) = beside("golden/keybert.jsonl") else { return };
    let texts: Vec<&str> = golden.iter().map(|row| row["text"].as_str().unwrap()).collect();
    // rten takes seconds a text where it was built without optimisation.
    for (backend, count) in [(Backend::OnnxRuntime, texts.len()), (Backend::Rten, 3)] {
        let options = SentenceOptions::default().with_runtime(on(backend));
        let encoder = SentenceEncoder::new(model("sentences-full"), options);
        let heads = encoder.embed_heads(&texts[..count]).unwrap();
        for (row, vector) in golden.iter().zip(heads.rows()) {
            let theirs = row["vector_head"].as_array().unwrap();
            assert_eq!(theirs.len(), 16);
            for (ours, theirs) in vector.iter().zip(theirs) {
                assert!(
                    (f64::from(*ours) - theirs.as_f64().unwrap()).abs() < 1e-4,
                    "{backend}: {ours} {theirs}"
                );
            }
        }
    }
}

#[test]
#[ignore = "needs the library of ONNX Runtime and models: scripts/test.sh"]
fn vectors_and_phrases_are_those_of_python() {
    let Some(golden) = beside("golden/keybert.jsonl") else { return };
    let encoder = Arc::new(sentences());
    let keybert = KeyBert::new(encoder.clone(), KeyBertOptions::default().with_mode(Mode::Exact));
    let texts: Vec<&str> = golden.iter().map(|row| row["text"].as_str().unwrap()).collect();
    let heads = encoder.embed_heads(&texts).unwrap();
    for (row, vector) in golden.iter().zip(heads.rows()) {
        for (ours, theirs) in vector.iter().zip(row["int8_vector_head"].as_array().unwrap()) {
            assert!((f64::from(*ours) - theirs.as_f64().unwrap()).abs() < 0.01, "{ours} {theirs}");
        }
    }
    let mut equal = 0;
    for (row, keywords) in golden.iter().zip(keybert.keywords_of_each(&texts).unwrap()) {
        let mut theirs: Vec<&str> =
            row["int8_mmr_0.5"].as_array().unwrap().iter().map(|pair| pair[0].as_str().unwrap()).collect();
        let mut ours: Vec<&str> = keywords.iter().map(|keyword| keyword.phrase.as_str()).collect();
        theirs.sort_unstable();
        ours.sort_unstable();
        equal += usize::from(ours == theirs);
    }
    println!("{equal} of {} sets of phrases are equal", golden.len());
    assert!(equal * 100 >= golden.len() * 95, "{equal} of {}", golden.len());
}

#[test]
#[ignore = "needs the library of ONNX Runtime and models: scripts/test.sh"]
fn the_shortlist_keeps_most_phrases() {
    let Some(golden) = beside("golden/keybert.jsonl") else { return };
    let encoder: Arc<dyn Embedder> = Arc::new(sentences());
    let texts: Vec<&str> = golden.iter().map(|row| row["text"].as_str().unwrap()).collect();
    let exact = KeyBert::new(Arc::clone(&encoder), KeyBertOptions::default().with_mode(Mode::Exact));
    let short = KeyBert::new(encoder, KeyBertOptions::default());
    let (exact, short) = (exact.keywords_of_each(&texts).unwrap(), short.keywords_of_each(&texts).unwrap());
    let all: usize = exact.iter().map(Vec::len).sum();
    let kept: usize = exact
        .iter()
        .zip(&short)
        .map(|(exact, short)| exact.iter().filter(|a| short.iter().any(|b| a.phrase == b.phrase)).count())
        .sum();
    println!("{kept} of {all} phrases are kept");
    assert!(kept * 100 >= all * 85, "{kept} of {all}");
}

#[test]
#[ignore = "needs the library of ONNX Runtime: scripts/test.sh"]
fn a_session_pool_is_shared_by_many_threads() {
    let encoder = cross_encoder(Backend::OnnxRuntime);
    let expected = encoder.scores("juro", &["juro composto", "bolo"]).unwrap();
    std::thread::scope(|scope| {
        for round in 0..8 {
            let (encoder, expected) = (&encoder, &expected);
            scope.spawn(move || {
                for call in 0..20 {
                    let question = format!("juro {round} {call}");
                    assert_eq!(encoder.scores(&question, &["juro composto", "bolo"]).unwrap().len(), 2);
                    assert_eq!(encoder.scores("juro", &["juro composto", "bolo"]).unwrap(), *expected);
                }
            });
        }
    });
}
