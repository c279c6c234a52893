//! Embeddings of an Ollama server, played by a recording on 127.0.0.1.

use std::sync::Arc;

use serde_json::{Value, json};
use tusab_engine::llm::testing::{Recorded, ReplayServer};
use tusab_engine::llm::{BaseUrl, Client, OllamaOptions, Provider};
use tusab_engine::rerank::Embedder;
use tusab_engine::{Part, ProviderEmbedder};

use super::models::Opinions;
use super::{broad, builder, filled};

fn vectors(of: &[[f32; 2]]) -> Recorded {
    Recorded::json(200, json!({"model": "nomic-embed-text", "embeddings": of}).to_string())
}

fn embedder(url: &str) -> ProviderEmbedder {
    let options = OllamaOptions::default().with_base_url(BaseUrl::parse(Provider::Ollama, url).unwrap());
    ProviderEmbedder::nomic(Client::builder().with_ollama(options).build().unwrap()).unwrap()
}

fn asked(server: &ReplayServer) -> Vec<Value> {
    server.requests().iter().map(|request| serde_json::from_slice(&request.body).unwrap()).collect()
}

#[test]
fn prefixes_and_context_are_said_and_a_long_text_is_read_in_halves() {
    let too_long = || Recorded::json(400, r#"{"error":"the input length exceeds the context length"}"#);
    let answers = [
        vectors(&[[3.0, 4.0]]),
        too_long(),
        vectors(&[[1.0, 0.0]]),
        too_long(),
        vectors(&[[1.0, 0.0]]),
        vectors(&[[0.0, 1.0]]),
    ];
    let server = ReplayServer::start(answers).unwrap();
    let embedder = embedder(&server.url());
    assert_eq!(embedder.embed_query("juros").unwrap(), [3.0, 4.0]);
    let passages = embedder.embed_passages(&["curto", "primeira segunda"]).unwrap();
    let rows: Vec<&[f32]> = passages.rows().collect();
    assert_eq!(rows, [&[1.0, 0.0][..], &[0.5, 0.5]]);
    assert_eq!(embedder.dimension().unwrap().get(), 2);
    assert!(embedder.embed_passages(&[]).unwrap().is_empty());

    let asked = asked(&server);
    let inputs: Vec<&Value> = asked.iter().map(|body| &body["input"]).collect();
    let document = |text: &str| json!([format!("search_document: {text}")]);
    assert_eq!(inputs[0], &json!(["search_query: juros"]));
    assert_eq!(inputs[1], &json!(["search_document: curto", "search_document: primeira segunda"]));
    assert_eq!(inputs[4..], [&document("primeira"), &document(" segunda")]);
    assert!(asked.iter().all(|body| body["options"]["num_ctx"] == 8192 && body["truncate"] == false));
    // Other words before the texts are another space.
    let plain = embedder.clone().with_prefixes("", "");
    assert_ne!(plain.identity().unwrap(), embedder.identity().unwrap());
}

#[tokio::test]
async fn a_server_that_is_gone_is_told_and_words_go_on() {
    let server = ReplayServer::start([]).unwrap();
    let embedder = embedder(&server.url());
    drop(server);
    let data = tempfile::tempdir().unwrap();
    let reranker = Arc::new(Opinions::new(&[]));
    let engine = builder(data.path()).reranker(reranker).embedder(Arc::new(embedder)).build().unwrap();
    let project = filled(engine).await;
    let found = broad(&project, "car").await;
    assert!(!found.hits.is_empty());
    let [degraded] = &found.degraded[..] else { panic!("{:?}", found.degraded) };
    assert_eq!(degraded.part(), Part::Embedder);
    assert!(degraded.reason().contains("nomic-embed-text"), "{}", degraded.reason());
}
