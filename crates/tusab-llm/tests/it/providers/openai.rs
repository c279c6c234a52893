//! OpenAI, as its API reference describes it.

use serde_json::json;
use tusab_llm::{
    ChatOption, EmbedRequest, Error, FinishReason, JsonSchema, Message, Stage, Temperature, Thinking,
    Timeouts, Tokens, Usage,
};

use super::subject::{ENOUGH, Subject, ask, events};
use crate::server::{Server, both};

#[expect(clippy::needless_pass_by_value, reason = "it is given what `json!` makes")]
pub(crate) fn chunk(delta: serde_json::Value, finish: serde_json::Value) -> serde_json::Value {
    json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_760_000_000, "model": "m",
        "service_tier": "default", "system_fingerprint": "fp_1",
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}], "usage": null})
}

pub(crate) fn subject() -> Subject {
    let usage = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_760_000_000, "model": "m",
        "choices": [], "usage": {"prompt_tokens": 26, "completion_tokens": 40, "total_tokens": 66,
            "prompt_tokens_details": {"cached_tokens": 16, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 30, "audio_tokens": 0,
                "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}}});
    let words = [
        chunk(json!({"role": "assistant", "content": "", "refusal": null}), json!(null)),
        chunk(json!({"content": "A ação "}), json!(null)),
        chunk(json!({"content": "é boa: 👩‍🚀 "}), json!(null)),
        chunk(json!({"content": "ok\n"}), json!(null)),
        chunk(json!({}), json!("stop")),
        usage,
    ];
    let mut reported = Usage::new(Tokens::new(26), Tokens::new(40));
    reported.cached = Some(Tokens::new(16));
    reported.thinking = Some(Tokens::new(30));
    Subject {
        model: "openai::gpt-5.4-mini",
        target: "POST /chat/completions",
        auth: "authorization: bearer sk-verysecret",
        content_type: "text/event-stream",
        stream: events(&words) + "data: [DONE]\n\n",
        thinking: "",
        text: "A ação é boa: 👩‍🚀 ok\n",
        usage: reported,
        first_word: events(&[chunk(json!({"content": "Ol"}), json!(null))]),
        error_inside: (
            events(&[
                json!({"error": {"message": "The server had an error processing 'meu segredo é 12345'",
                "type": "server_error", "param": null, "code": null}}),
            ]),
            "Rejected",
        ),
        refusals: vec![
            (
                "401 Unauthorized",
                "",
                r#"{"error":{"message":"Incorrect API key provided: sk-verysecret.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
                "Auth",
            ),
            (
                "404 Not Found",
                "",
                r#"{"error":{"message":"The model `x` does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#,
                "ModelNotFound",
            ),
            (
                "429 Too Many Requests",
                "Retry-After: 20\r\n",
                r#"{"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}}"#,
                "RateLimited",
            ),
            (
                "429 Too Many Requests",
                "",
                r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#,
                "OutOfCredit",
            ),
            (
                "400 Bad Request",
                "",
                r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. meu segredo é 12345","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
                "ContextLengthExceeded",
            ),
            (
                "503 Service Unavailable",
                "Retry-After: 2\r\n",
                r#"{"error":{"message":"The engine is currently overloaded","type":"server_error","param":null,"code":null}}"#,
                "Overloaded",
            ),
            (
                "429 Too Many Requests",
                "Retry-After: 2\r\n",
                r#"{"error":{"message":"Too many at once","type":"server_error","param":null,"code":null}}"#,
                "RateLimited",
            ),
            ("503 Service Unavailable", "", "", "Overloaded"),
            ("500 Internal Server Error", "", "<html>", "Rejected"),
            (
                "400 Bad Request",
                "",
                r#"{"error":{"message":"invalid: meu segredo é 12345","type":"invalid_request_error","param":null,"code":null}}"#,
                "Rejected",
            ),
            (
                "403 Forbidden",
                "",
                r#"{"error":{"message":"Country, region, or territory not supported","type":"request_forbidden","param":null,"code":"unsupported_country_region_territory"}}"#,
                "UnsupportedRegion",
            ),
            ("307 Temporary Redirect", "Location: http://127.0.0.1:1/\r\n", "", "Protocol"),
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
async fn a_model_that_thinks_takes_a_limit_by_its_new_name_and_no_temperature() {
    let request = ask().with_temperature(Temperature::ZERO).with_max_output(Tokens::new(9));
    let sent = subject().chats(request).await.body;
    assert_eq!(sent["max_completion_tokens"], 9);
    assert_eq!((sent.get("max_tokens"), sent.get("temperature")), (None, None));
    assert_eq!(sent["stream_options"], json!({"include_usage": true}));
}

#[tokio::test]
async fn an_option_refused_by_name_is_given_up_once_with_a_warning() {
    let subject = Subject { model: "openai::gpt-4.1-new", ..subject() };
    let server = Server::bind().await;
    let model = subject.chat_model(&server);
    let refusal = |param: &str, code: &str| {
        json!({"error": {"message": "Unsupported", "type": "invalid_request_error", "param": param, "code": code}})
            .to_string()
    };
    let script = async {
        let mut bodies = Vec::new();
        let mut connection = server.accept().await;
        for answer in [
            refusal("max_completion_tokens", "unsupported_parameter"),
            refusal("temperature", "unsupported_value"),
        ] {
            bodies.push(connection.request().await.body);
            connection.answer("400 Bad Request", "", &answer).await;
        }
        bodies.push(connection.request().await.body);
        connection.answer("200 OK", "Content-Type: text/event-stream\r\n", &subject.stream).await;
        bodies
    };
    let request = ask().with_temperature(Temperature::ZERO).with_max_output(Tokens::new(9));
    let (reply, bodies) = both(model.chat(request.clone()), script).await;
    let reply = reply.unwrap();
    assert_eq!(reply.text, subject.text);
    assert_eq!(
        reply.warnings.iter().map(|warning| warning.option).collect::<Vec<_>>(),
        [ChatOption::Temperature]
    );
    assert_eq!((bodies[0].get("max_tokens"), &bodies[0]["max_completion_tokens"]), (None, &json!(9)));
    assert_eq!((&bodies[1]["max_tokens"], &bodies[1]["temperature"]), (&json!(9), &json!(0.0)));
    assert_eq!((bodies[2].get("temperature"), bodies[2].get("max_completion_tokens")), (None, None));

    // The same refusal twice is an error, not an endless exchange.
    let error = subject.refused("400 Bad Request", "", &refusal("temperature", "unsupported_value")).await;
    assert!(matches!(error, Error::Rejected { status: 400, .. }), "{error:?}");
}

#[tokio::test]
async fn what_is_refused_before_it_is_sent_is_never_sent() {
    let subject = Subject { model: "openai::gpt-4o", ..subject() };
    let server = Server::bind().await;
    let model = subject.chat_model(&server);
    let answer = both(model.chat(ask().with_thinking(Thinking::On)), async {}).await.0;
    assert!(matches!(answer, Err(Error::Unsupported { .. })), "{answer:?}");
    let connected = tokio::time::timeout(super::subject::SHORT, server.accept()).await;
    assert!(connected.is_err(), "it connected");
}

#[tokio::test]
async fn a_filter_that_leaves_nothing_is_an_error_and_one_that_cuts_is_a_reason() {
    let subject = subject();
    let filtered = events(&[chunk(json!({}), json!("content_filter"))]) + "data: [DONE]\n\n";
    let error = subject.streamed(&filtered).await;
    assert!(matches!(&error, Error::Blocked { reason, .. } if reason == "content_filter"), "{error:?}");
    let cut = Subject { stream: format!("{}{filtered}", subject.first_word), ..super::openai::subject() };
    let (deltas, error) = tusab_llm::testing::decode(&cut.id(), [cut.stream.as_bytes()]);
    assert!(error.is_none());
    assert_eq!(deltas.last(), Some(&tusab_llm::Delta::Done { finish_reason: FinishReason::Filtered }));
}

#[tokio::test]
async fn texts_become_vectors_in_as_many_requests_as_needed() {
    let subject = subject();
    let server = Server::bind().await;
    let client = subject.client(&server, Timeouts::default());
    let serving = server.serve(async |mut connection, request| {
        assert_eq!(request.target, "POST /embeddings");
        let texts = request.body["input"].as_array().unwrap().clone();
        // In the wrong order, as the index allows.
        let data: Vec<_> = texts.iter().enumerate().rev()
            .map(|(index, text)| json!({"object": "embedding", "index": index,
                "embedding": [text.as_str().unwrap().parse::<f32>().unwrap(), 1.0]}))
            .collect();
        let answer = json!({"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": texts.len(), "total_tokens": texts.len()}});
        connection.answer("200 OK", "", &answer.to_string()).await;
        connection
    });
    let request = EmbedRequest::new((0..150).map(|n| n.to_string())).with_dimensions(2);
    let id = "openai::text-embedding-3-small".parse().unwrap();
    let reply = both(client.embed(&id, &request), async {}).await.0.unwrap();
    serving.abort();
    let firsts: Vec<f32> = reply.vectors.iter().map(|vector| vector[0]).collect();
    assert_eq!(firsts, (0..150_u16).map(f32::from).collect::<Vec<_>>());
    assert_eq!(reply.usage.input, Some(Tokens::new(150)));
}

#[tokio::test]
async fn vectors_have_a_limit_of_their_own_by_request() {
    let server = Server::bind().await;
    let client = subject().client(&server, Timeouts::default());
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.closed().await;
    };
    let id = "openai::text-embedding-3-small".parse().unwrap();
    let request = EmbedRequest::new(["a"]).with_timeout(ENOUGH);
    let error = both(client.embed(&id, &request), script).await.0.unwrap_err();
    assert!(matches!(error, Error::Timeout { stage: Stage::FirstByte, limit: ENOUGH, .. }), "{error:?}");
}

#[tokio::test]
async fn a_schema_reaches_the_server() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
    let request = ask()
        .with_message(Message::assistant("b"))
        .with_message(Message::user("c"))
        .with_json_schema(JsonSchema::new("form", schema.clone()).unwrap());
    let sent = subject().chats(request).await.body;
    assert_eq!(sent["response_format"]["json_schema"]["schema"], schema);
}
