//! Every implementation of a seam keeps the seam's contract.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::missing_panics_doc,
    reason = "tests fail by panicking"
)]
#![cfg(feature = "models")]

mod common;

use common::{
    cross_encoder, embedder_keeps_its_contract, model, on, reranker_keeps_its_contract, sentence_encoder,
};
use tusab_rerank::{
    Backend, CrossEncoder, CrossEncoderOptions, Error, Reranker, SentenceEncoder, SentenceOptions,
};

/// Knows no way to stop midway: what the seam offers such ones is tried here.
struct SharedWords;

impl Reranker for SharedWords {
    fn model(&self) -> &'static str {
        "shared-words"
    }

    fn scores(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, Error> {
        let count =
            |text: &str| query.split_whitespace().filter(|word| text.contains(word)).take(1000).count();
        Ok(passages.iter().map(|passage| f32::from(u16::try_from(count(passage)).unwrap())).collect())
    }
}

#[test]
fn a_reranker_without_a_model() {
    reranker_keeps_its_contract(&SharedWords, 0.0);
}

#[cfg(feature = "rten")]
#[test]
fn the_cross_encoder_on_rten() {
    reranker_keeps_its_contract(&cross_encoder(Backend::Rten), 1e-6);
}

#[cfg(feature = "rten")]
#[test]
fn the_sentence_encoder_on_rten() {
    embedder_keeps_its_contract(&sentence_encoder(Backend::Rten), 1e-5);
}

#[cfg(feature = "onnxruntime")]
#[test]
#[ignore = "needs the library of ONNX Runtime: scripts/test.sh"]
fn the_encoders_on_onnx_runtime() {
    reranker_keeps_its_contract(&cross_encoder(Backend::OnnxRuntime), 1e-6);
    embedder_keeps_its_contract(&sentence_encoder(Backend::OnnxRuntime), 1e-5);
}

#[cfg(feature = "onnxruntime")]
#[test]
#[ignore = "needs the library of ONNX Runtime and models: scripts/test.sh"]
fn real_models_on_onnx_runtime() {
    let options = CrossEncoderOptions::default().with_runtime(on(Backend::OnnxRuntime));
    reranker_keeps_its_contract(&CrossEncoder::new(model("cross-encoder"), options), 1e-5);
    // Quantised: phrases of one length share the rounding of their batch.
    let options = SentenceOptions::default().with_runtime(on(Backend::OnnxRuntime));
    embedder_keeps_its_contract(&SentenceEncoder::new(model("sentences"), options), 0.02);
}
