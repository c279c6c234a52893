//! Broad Search with real models.

use std::path::PathBuf;
use std::sync::Arc;

use tusab_engine::rerank::{
    CrossEncoder, CrossEncoderOptions, RuntimeOptions, SentenceEncoder, SentenceOptions,
};

use super::{broad, builder, filled, titles};

#[tokio::test]
#[ignore = "needs the models of scripts/assets.sh (TUSAB_MODELS)"]
async fn a_question_in_other_words_finds_its_passage() {
    let models = PathBuf::from(std::env::var_os("TUSAB_MODELS").expect("TUSAB_MODELS is set"));
    let runtime = RuntimeOptions::from_env();
    let data = tempfile::tempdir().unwrap();
    let reranker = CrossEncoder::new(
        models.join("cross-encoder"),
        CrossEncoderOptions::default().with_runtime(runtime.clone()),
    );
    let embedder =
        SentenceEncoder::new(models.join("sentences"), SentenceOptions::default().with_runtime(runtime));
    let engine =
        builder(data.path()).reranker(Arc::new(reranker)).embedder(Arc::new(embedder)).build().unwrap();
    let project = filled(engine).await;
    let question = "where is the vehicle parked";
    assert!(!titles(&project.search(question).await.unwrap()).contains(&"garage"));
    let found = broad(&project, question).await;
    assert!(found.degraded.is_empty(), "{:?}", found.degraded);
    assert_eq!(titles(&found)[0], "garage");
}
