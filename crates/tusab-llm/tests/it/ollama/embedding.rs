//! Vectors from Ollama.

use serde_json::json;
use tusab_llm::{EmbedRequest, Error, Ollama, Tokens};

use crate::server::{Server, both};

#[tokio::test]
async fn texts_become_vectors_in_their_order() {
    let server = Server::bind().await;
    let ollama = Ollama::new(server.options()).unwrap();
    let serving = server.serve(async |mut connection, request| {
        assert_eq!((request.target.as_str(), &request.body["truncate"]), ("POST /api/embed", &json!(false)));
        let texts = request.body["input"].as_array().unwrap();
        assert!(texts.len() <= 100);
        let vectors: Vec<_> =
            texts.iter().map(|text| [text.as_str().unwrap().parse::<f32>().unwrap(), 1.0]).collect();
        let answer = json!({"model": "m", "embeddings": vectors, "prompt_eval_count": texts.len()});
        connection.answer("200 OK", "", &answer.to_string()).await;
        connection
    });
    let request = EmbedRequest::new((0..230).map(|n| n.to_string()));
    let reply = both(ollama.embed("nomic-embed-text", &request), async {}).await.0.unwrap();
    serving.abort();
    let firsts: Vec<f32> = reply.vectors.iter().map(|vector| vector[0]).collect();
    assert_eq!(firsts, (0..230_u16).map(f32::from).collect::<Vec<_>>());
    assert_eq!(reply.usage.input, Some(Tokens::new(230)));
}

async fn answered(status: &'static str, body: &'static str) -> Error {
    let server = Server::bind().await;
    let ollama = Ollama::new(server.options()).unwrap();
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.answer(status, "X-Request-Id: req_1\r\n", body).await;
    };
    let request = EmbedRequest::new(["meu segredo é 12345", "b"]);
    let error = both(ollama.embed("m", &request), script).await.0.unwrap_err();
    let code: u16 = status[..3].parse().unwrap();
    assert_eq!((error.status(), error.request_id()), (Some(code), Some("req_1")), "{error:?}");
    error
}

#[tokio::test]
async fn what_is_no_whole_set_of_vectors_is_an_error() {
    for body in [
        r#"{"embedding":[1,2]}"#,
        r#"{"embeddings":[[1,2]]}"#,
        r#"{"embeddings":[[1,2],[1]]}"#,
        r#"{"embeddings":[[1e999,2],[1,2]]}"#,
        r#"{"embeddings":[[],[]]}"#,
        "",
    ] {
        assert!(matches!(answered("200 OK", body).await, Error::Protocol { .. }), "{body}");
    }
    let error =
        answered("400 Bad Request", r#"{"error":"the input length exceeds the context length"}"#).await;
    assert!(matches!(error, Error::ContextLengthExceeded { .. }), "{error:?}");
    let error = answered(
        "400 Bad Request",
        r#"{"error":{"type":"exceed_context_size_error","message":"m","n_prompt_tokens":900,"n_ctx":512}}"#,
    )
    .await;
    let (limit, asked) = (Some(Tokens::new(512)), Some(Tokens::new(900)));
    assert!(
        matches!(error, Error::ContextLengthExceeded { limit: l, asked: a, .. } if (l, a) == (limit, asked)),
        "{error:?}"
    );
    // Gateways answer 200 and put the error into the body.
    let error = answered("200 OK", r#"{"error":{"message":"busy","code":503}}"#).await;
    assert!(matches!(error, Error::Overloaded { .. }), "{error:?}");
    let error = answered("500 Internal Server Error", r#"{"error":"no: meu segredo é 12345"}"#).await;
    assert!(!format!("{error} {error:?}").contains("12345"), "{error}");
}

#[tokio::test]
async fn no_texts_are_no_call_and_an_empty_one_is_refused() {
    let server = Server::bind().await;
    let ollama = Ollama::new(server.options()).unwrap();
    assert_eq!(ollama.embed("m", &EmbedRequest::default()).await.unwrap().vectors.len(), 0);
    assert!(matches!(ollama.embed("m", &EmbedRequest::new([""])).await, Err(Error::BadRequest { .. })));
}
