//! Anthropic, as its API reference describes it.

use serde_json::{Value, json};
use tusab_llm::testing::decode;
use tusab_llm::{Delta, EmbedRequest, Error, FinishReason, Message, Provider, Timeouts, Tokens, Usage};

use super::subject::{Subject, ask};
use crate::server::{Server, both};

/// Named events, as the API sends them.
fn named(events: &[Value]) -> String {
    let line = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    events.iter().map(line).collect()
}

fn start() -> Value {
    json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": [],
        "model": "claude-haiku-4-5", "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 10,
        "cache_creation_input_tokens": 4, "cache_read_input_tokens": 12, "output_tokens": 1}}})
}

fn text(words: &str) -> Value {
    json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": words}})
}

fn stop(reason: &str) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
            "usage": {"output_tokens": 40, "output_tokens_details": {"thinking_tokens": 30}}}),
        json!({"type": "message_stop"}),
    ]
}

pub(crate) fn subject() -> Subject {
    let thought = |words: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": words}});
    let words = [
        start(),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        json!({"type": "ping"}),
        thought("Hm, "),
        thought("não…"),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "EqQBCgIYAhIM"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
        text("A ação é boa: "),
        text("👩‍🚀 ok\n"),
        json!({"type": "content_block_stop", "index": 1}),
    ];
    let mut usage = Usage::new(Tokens::new(26), Tokens::new(40));
    usage.cached = Some(Tokens::new(12));
    usage.thinking = Some(Tokens::new(30));
    Subject {
        model: "anthropic::claude-haiku-4-5",
        target: "POST /v1/messages",
        auth: "x-api-key: sk-verysecret",
        content_type: "text/event-stream; charset=utf-8",
        stream: named(&words) + &named(&stop("end_turn")),
        thinking: "Hm, não…",
        text: "A ação é boa: 👩‍🚀 ok\n",
        usage,
        first_word: named(&[start(), text("Ol")]),
        error_inside: (
            named(&[
                json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
            ]),
            "Overloaded",
        ),
        refusals: vec![
            (
                "401 Unauthorized",
                "",
                r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
                "Auth",
            ),
            (
                "404 Not Found",
                "",
                r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}"#,
                "ModelNotFound",
            ),
            (
                "429 Too Many Requests",
                "retry-after: 12\r\n",
                r#"{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit"}}"#,
                "RateLimited",
            ),
            (
                "529 Overloaded",
                "",
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                "Overloaded",
            ),
            ("529 Overloaded", "", "", "Overloaded"),
            (
                "500 Internal Server Error",
                "",
                r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#,
                "Rejected",
            ),
            (
                "400 Bad Request",
                "",
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
                "ContextLengthExceeded",
            ),
            (
                "413 Request Too Large",
                "",
                r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
                "ContextLengthExceeded",
            ),
            (
                "400 Bad Request",
                "",
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
                "OutOfCredit",
            ),
            (
                "400 Bad Request",
                "",
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.0: meu segredo é 12345"}}"#,
                "Rejected",
            ),
        ],
    }
}

#[tokio::test]
async fn it_passes_the_suite() {
    subject().passes("\"end_turn\"").await;
}

#[tokio::test]
async fn it_is_read_however_the_network_cuts_it() {
    subject().is_read_however_the_network_cuts_it().await;
}

#[tokio::test]
async fn the_system_prompt_is_a_field_of_its_own_and_the_version_is_named() {
    let request = ask().with_system("Seja breve.").with_message(Message::system("E claro."));
    let request = subject().chats(request).await;
    assert!(request.headers.contains(&"anthropic-version: 2023-06-01".to_owned()), "{:?}", request.headers);
    assert!(!request.headers.iter().any(|header| header.starts_with("authorization")));
    assert_eq!(request.body["system"], "Seja breve.\n\nE claro.");
    assert_eq!(request.body["messages"].as_array().unwrap().len(), 1);
    assert_eq!(request.body["max_tokens"], 4096);
}

#[test]
fn reasons_to_stop_are_told_apart() {
    for (reason, expected) in [
        ("end_turn", FinishReason::Stop),
        ("stop_sequence", FinishReason::Stop),
        ("max_tokens", FinishReason::Length),
        ("model_context_window_exceeded", FinishReason::Length),
        ("refusal", FinishReason::Filtered),
        ("pause_turn", FinishReason::Other("pause_turn".to_owned())),
    ] {
        let stream = subject().first_word + &named(&stop(reason));
        let (deltas, error) = decode(&subject().id(), [stream.as_bytes()]);
        assert!(error.is_none());
        assert_eq!(deltas.last(), Some(&Delta::Done { finish_reason: expected }), "{reason}");
    }
    let silent = named(&[start()]) + &named(&stop("refusal"));
    let (_, error) = decode(&subject().id(), [silent.as_bytes()]);
    assert!(matches!(error, Some(Error::Blocked { .. })), "{error:?}");
}

#[tokio::test]
async fn models_are_listed_page_by_page() {
    let server = Server::bind().await;
    let client = subject().client(&server, Timeouts::default());
    let serving = server.serve(async |mut connection, request| {
        let page = match request.target.as_str() {
            "GET /v1/models?limit=1000" => {
                json!({"data": [{"type": "model", "id": "a"}], "has_more": true, "last_id": "a"})
            }
            "GET /v1/models?limit=1000&after_id=a" => {
                json!({"data": [{"type": "model", "id": "b"}], "has_more": false, "last_id": "b"})
            }
            other => panic!("{other}"),
        };
        connection.answer("200 OK", "", &page.to_string()).await;
        connection
    });
    let models = both(client.list_models(Provider::Anthropic), async {}).await.0.unwrap();
    serving.abort();
    assert_eq!(models.iter().map(|model| model.id.name()).collect::<Vec<_>>(), ["a", "b"]);
    let answer = client.embed(&subject().id(), &EmbedRequest::new(["a"])).await;
    assert!(matches!(answer, Err(Error::Unsupported { .. })), "{answer:?}");
}
