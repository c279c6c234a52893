//! Servers that speak OpenAI's form, as llama.cpp, vLLM, LM Studio and others document it.

use serde_json::json;
use tusab_llm::testing::decode;
use tusab_llm::{Delta, EmbedRequest, Error, Thinking, Timeouts, Tokens, Usage};

use super::openai::chunk;
use super::subject::{Subject, ask, events, tells_no_secret};
use crate::server::{Server, both};

pub(crate) fn subject() -> Subject {
    let words = [
        chunk(json!({"role": "assistant", "content": null}), json!(null)),
        chunk(json!({"content": "<thi"}), json!(null)),
        chunk(json!({"content": "nk>Hm, não…</th"}), json!(null)),
        chunk(json!({"content": "ink>\n\nA ação é boa: "}), json!(null)),
        chunk(json!({"content": "👩‍🚀 ok\n"}), json!(null)),
        chunk(json!({}), json!("stop")),
        json!({"object": "chat.completion.chunk", "choices": [],
            "usage": {"prompt_tokens": 26, "completion_tokens": 40, "total_tokens": 66}}),
    ];
    Subject {
        model: "openai-compatible::local",
        target: "POST /chat/completions",
        auth: "authorization: bearer sk-verysecret",
        content_type: "text/event-stream",
        stream: events(&words) + "data: [DONE]\n\n",
        thinking: "Hm, não…",
        text: "A ação é boa: 👩‍🚀 ok\n",
        usage: Usage::new(Tokens::new(26), Tokens::new(40)),
        first_word: events(&[chunk(json!({"content": "Ol"}), json!(null))]),
        error_inside: (
            events(&[
                json!({"error": {"code": 500, "message": "failed on 'meu segredo é 12345'", "type": "server_error"}}),
            ]),
            "Rejected",
        ),
        refusals: vec![
            (
                "401 Unauthorized",
                "",
                r#"{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}"#,
                "Auth",
            ),
            (
                "503 Service Unavailable",
                "",
                r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
                "Overloaded",
            ),
            (
                "400 Bad Request",
                "",
                r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":7000,"n_ctx":4096}}"#,
                "ContextLengthExceeded",
            ),
            (
                "400 Bad Request",
                "",
                r#"{"object":"error","message":"This model's maximum context length is 2048 tokens. However, you requested 3000 tokens","type":"BadRequestError","param":null,"code":400}"#,
                "ContextLengthExceeded",
            ),
            ("404 Not Found", "", r#"{"detail":"Not Found"}"#, "Rejected"),
            (
                "404 Not Found",
                "",
                r#"{"error":{"message":"The model `x` does not exist.","type":"NotFoundError","param":"model","code":404}}"#,
                "ModelNotFound",
            ),
            (
                "404 Not Found",
                "",
                r#"{"object":"error","message":"The model `x` does not exist.","type":"NotFoundError","param":null,"code":404}"#,
                "ModelNotFound",
            ),
            (
                "429 Too Many Requests",
                "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\nDate: Wed, 21 Oct 2026 07:27:50 GMT\r\n",
                "",
                "RateLimited",
            ),
        ],
    }
}

#[tokio::test]
async fn it_passes_the_suite() {
    subject().passes("\"stop\"").await;
}

#[tokio::test]
async fn it_is_read_however_the_network_cuts_it() {
    subject().is_read_however_the_network_cuts_it().await;
}

#[tokio::test]
async fn a_limit_goes_by_its_old_name_and_thinking_by_the_template() {
    let sent = subject().chats(ask().with_max_output(Tokens::new(9)).with_thinking(Thinking::Off)).await.body;
    assert_eq!((&sent["max_tokens"], sent.get("max_completion_tokens")), (&json!(9), None));
    assert_eq!(sent["chat_template_kwargs"], json!({"enable_thinking": false}));
}

#[test]
fn an_end_without_done_is_an_end_if_the_reason_was_given() {
    let stream = subject().stream.replace("data: [DONE]\n\n", "");
    let (deltas, error) = decode(&subject().id(), [stream.as_bytes()]);
    assert!(error.is_none() && matches!(deltas.last(), Some(Delta::Done { .. })), "{error:?}");
}

#[test]
fn thoughts_that_were_never_opened_are_taken_back() {
    let words = ["Hm, ", "não…\n</thi", "nk>\n", "\nOlá"]
        .map(|words| chunk(json!({ "content": words }), json!(null)));
    let stream = events(&words) + "data: [DONE]\n\n";
    let (deltas, _) = decode(&subject().id(), stream.as_bytes().chunks(5));
    let text = |words: &str| Delta::Text(words.to_owned());
    assert_eq!(deltas[..4], [text("Hm, "), text("não…"), Delta::TextWasThinking, text("Olá")]);
}

#[test]
fn events_that_say_nothing_are_passed_over() {
    let noise = ": ping\n\nevent: keepalive\ndata: {}\n\ndata: {\"choices\":null}\n\ndata: {\"choices\":[{\"delta\":null}]}\n\n\
        data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}\n\n";
    let stream = format!("{noise}{}", subject().stream);
    let (deltas, error) = decode(&subject().id(), [stream.as_bytes()]);
    assert!(error.is_none());
    assert_eq!(deltas, decode(&subject().id(), [subject().stream.as_bytes()]).0);
}

/// Gateways answer 200 at once, and put what the server behind them says into the answer, with its status as the code.
#[tokio::test]
async fn an_error_with_a_status_for_a_code_is_what_the_status_says() {
    for (code, expected) in [
        (json!(401), "Auth"),
        (json!(429), "RateLimited"),
        (json!("503"), "Overloaded"),
        (json!(400), "Rejected"),
    ] {
        let page = json!({"error": {"message": "it says", "code": code}}).to_string();
        for body in [page.clone(), format!("data: {page}\n\n")] {
            let error = subject().streamed(&body).await;
            assert_eq!(
                (super::subject::name(&error).as_str(), error.status()),
                (expected, Some(200)),
                "{error:?}"
            );
        }
    }
}

/// An answer that is no list, and no vectors.
async fn answered(body: &str) -> [Error; 2] {
    let server = Server::bind().await;
    let client = subject().client(&server, Timeouts::default());
    let body = body.to_owned();
    let serving = server.serve(move |mut connection, _| {
        let body = body.clone();
        async move {
            connection.answer("200 OK", "X-Request-Id: req_1\r\n", &body).await;
            connection
        }
    });
    let (id, request) = (subject().id(), EmbedRequest::new(["meu segredo é 12345"]));
    let (models, vectors) = both(client.list_models(subject().provider()), client.embed(&id, &request)).await;
    serving.abort();
    let errors = [models.unwrap_err(), vectors.unwrap_err()];
    for error in &errors {
        assert_eq!((error.status(), error.request_id()), (Some(200), Some("req_1")), "{error:?}");
        tells_no_secret(error);
    }
    errors
}

#[tokio::test]
async fn an_error_in_place_of_a_list_or_of_vectors_is_what_it_says() {
    for error in answered("<html>").await {
        assert!(matches!(error, Error::Protocol { .. }), "{error:?}");
    }
    for error in answered(r#"{"error":{"message":"not with sk-verysecret","code":429}}"#).await {
        assert!(matches!(error, Error::RateLimited { .. }), "{error:?}");
    }
    for error in answered(r#"{"error":"not with sk-verysecret"}"#).await {
        assert!(
            matches!(&error, Error::Rejected { message, .. } if message == "not with [...]"),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn models_are_listed() {
    let server = Server::bind().await;
    let client = subject().client(&server, Timeouts::default());
    let script = async {
        let mut connection = server.accept().await;
        let target = connection.request().await.target;
        let list = r#"{"object":"list","data":[{"id":"local","object":"model","meta":{"n_ctx":4096,"n_params":1}}]}"#;
        connection.answer("200 OK", "", list).await;
        target
    };
    let (models, target) = both(client.list_models(subject().provider()), script).await;
    let models = models.unwrap();
    assert_eq!(target, "GET /models");
    assert_eq!(
        (models[0].id.to_string().as_str(), models[0].context_length),
        (subject().model, Some(Tokens::new(4096)))
    );
}
