//! Every body that is no chat, against the vendors' published specifications and the official SDKs' own types.

use serde_json::{Value, json};
use tusab_llm::testing::{Recorded, ReplayServer};
use tusab_llm::{EmbedRequest, EmbedTask, ModelId, Provider, Tokens};

use super::child::{Part, python};
use super::requests::{client, faults, spoiled};

const MODELS: [&str; 4] = [
    "openai::text-embedding-3-small",
    "openai-compatible::local",
    "gemini::gemini-embedding-001",
    "ollama::nomic-embed-text",
];

/// A server that answers each call with what is no success.
fn server() -> ReplayServer {
    ReplayServer::start([Recorded::json(418, "{}")]).unwrap()
}

fn body(server: &ReplayServer) -> Value {
    serde_json::from_slice(&server.requests()[0].body).unwrap()
}

async fn sent(id: &ModelId, request: &EmbedRequest) -> Value {
    let server = server();
    client(&server).embed(id, request).await.unwrap_err();
    body(&server)
}

#[tokio::test]
#[ignore = "needs the vendors' specifications and SDKs: run scripts/test.sh"]
async fn every_request_for_vectors_is_as_the_vendors_say() {
    let mut validator = Part::start(python("validate.py"));
    let plain = || EmbedRequest::new(["a", "Olá \"🙂\"\n"]);
    for model in MODELS {
        for request in [
            EmbedRequest::new(["a"]),
            plain(),
            plain().with_dimensions(256),
            plain().with_task(EmbedTask::Query),
            plain().with_task(EmbedTask::Document),
            plain().with_context_length(Tokens::new(8192)),
            plain().with_dimensions(1).with_task(EmbedTask::Query).with_context_length(Tokens::new(1)),
        ] {
            let id: ModelId = model.parse().unwrap();
            let body = sent(&id, &request).await;
            let found = faults(&mut validator, id.provider(), "embed", &body);
            assert_eq!(found, Vec::<String>::new(), "{model}: {body}");
        }
    }
}

#[tokio::test]
#[ignore = "needs the vendors' specifications and SDKs: run scripts/test.sh"]
async fn what_is_asked_of_ollama_about_a_model_is_as_its_sdk_says() {
    let mut validator = Part::start(python("validate.py"));
    for call in ["show", "pull"] {
        let server = server();
        let client = client(&server);
        match call {
            "show" => drop(client.ollama().show("llama3.2:1b").await.unwrap_err()),
            _ => drop(client.ollama().pull("llama3.2:1b").await.unwrap_err()),
        }
        let good = body(&server);
        assert_eq!(faults(&mut validator, Provider::Ollama, call, &good), Vec::<String>::new(), "{good}");
        for (place, spoil) in [("/surprise", json!(1)), ("/model", json!(7)), ("/model", Value::Null)] {
            let bad = spoiled(good.clone(), place, spoil);
            assert!(!faults(&mut validator, Provider::Ollama, call, &bad).is_empty(), "{bad} passed");
        }
    }
}

/// The validator finds what is wrong: each good body is spoiled in one place.
#[tokio::test]
#[ignore = "needs the vendors' specifications and SDKs: run scripts/test.sh"]
async fn the_validator_of_vectors_bites() {
    let mut validator = Part::start(python("validate.py"));
    let openai = || {
        vec![
            ("/surprise", json!(1)),
            ("/input", Value::Null),
            ("/input", json!(7)),
            ("/model", json!(7)),
            ("/dimensions", json!("x")),
            ("/encoding_format", json!("int4")),
        ]
    };
    for (model, spoils) in [
        ("openai::text-embedding-3-small", openai()),
        ("openai-compatible::local", openai()),
        (
            "gemini::gemini-embedding-001",
            vec![
                ("/surprise", json!(1)),
                ("/requests/0/surprise", json!(1)),
                ("/requests/0/model", json!("gemini-embedding-001")),
                ("/requests/0/content/parts/0/words", json!("a")),
                ("/requests/0/taskType", json!("RETRIEVAL")),
                ("/requests/0/outputDimensionality", json!("x")),
                ("/requests/1", json!(7)),
            ],
        ),
        (
            "ollama::nomic-embed-text",
            vec![
                ("/surprise", json!(1)),
                ("/input", json!({"a": 1})),
                ("/input/0", json!(7)),
                ("/truncate", json!("perhaps")),
                ("/dimensions", json!("x")),
                ("/options/num_ctxx", json!(1)),
                ("/options/num_ctx", json!("long")),
            ],
        ),
    ] {
        let id: ModelId = model.parse().unwrap();
        let request = EmbedRequest::new(["a", "b"]).with_dimensions(8).with_task(EmbedTask::Query);
        let good = sent(&id, &request.with_context_length(Tokens::new(512))).await;
        assert_eq!(faults(&mut validator, id.provider(), "embed", &good), Vec::<String>::new(), "{good}");
        for (place, spoil) in spoils {
            let bad = spoiled(good.clone(), place, spoil);
            let found = faults(&mut validator, id.provider(), "embed", &bad);
            assert!(!found.is_empty(), "{model} {place}: {bad} passed");
        }
    }
}
