//! Groq, as its API reference describes it: OpenAI's form, with a field of its own for usage and errors.

use serde_json::json;
use tusab_llm::{EmbedRequest, Error, Timeouts, Tokens, Usage};

use super::openai::chunk;
use super::subject::{Subject, ask, events};
use crate::server::Server;

pub(crate) fn subject() -> Subject {
    let mut last = chunk(json!({}), json!("stop"));
    last["x_groq"] = json!({"id": "req_01", "usage": {"queue_time": 0.04, "prompt_tokens": 26, "prompt_time": 0.001,
        "completion_tokens": 40, "completion_time": 0.05, "total_tokens": 66, "total_time": 0.06}});
    let mut first = chunk(json!({"role": "assistant", "content": ""}), json!(null));
    first["x_groq"] = json!({"id": "req_01"});
    let words = [
        first,
        chunk(json!({"reasoning": "Hm, "}), json!(null)),
        chunk(json!({"reasoning": "não…"}), json!(null)),
        chunk(json!({"content": "A ação é boa: "}), json!(null)),
        chunk(json!({"content": "👩‍🚀 <think>ok</think>\n"}), json!(null)),
        last,
    ];
    Subject {
        model: "groq::openai/gpt-oss-20b",
        target: "POST /chat/completions",
        auth: "authorization: bearer sk-verysecret",
        content_type: "text/event-stream",
        stream: events(&words) + "data: [DONE]\n\n",
        thinking: "Hm, não…",
        // Thoughts have come in their own field, so that marks in the answer are its words.
        text: "A ação é boa: 👩‍🚀 <think>ok</think>\n",
        usage: Usage::new(Tokens::new(26), Tokens::new(40)),
        first_word: events(&[chunk(json!({"content": "Ol"}), json!(null))]),
        error_inside: (
            events(&[json!({"id": "c", "object": "chat.completion.chunk", "choices": [],
                "x_groq": {"id": "req_01", "error": "over capacity, meu segredo é 12345"}})]),
            "Rejected",
        ),
        refusals: vec![
            (
                "401 Unauthorized",
                "",
                r#"{"error":{"message":"Invalid API Key","type":"invalid_request_error","code":"invalid_api_key"}}"#,
                "Auth",
            ),
            (
                "404 Not Found",
                "",
                r#"{"error":{"message":"The model `x` does not exist or you do not have access to it.","type":"invalid_request_error","code":"model_not_found"}}"#,
                "ModelNotFound",
            ),
            (
                "400 Bad Request",
                "",
                r#"{"error":{"message":"The model `x` has been decommissioned","type":"invalid_request_error","code":"model_decommissioned"}}"#,
                "ModelNotFound",
            ),
            (
                "413 Payload Too Large",
                "",
                r#"{"error":{"message":"Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 8000","type":"tokens","code":"rate_limit_exceeded"}}"#,
                "ContextLengthExceeded",
            ),
            (
                "429 Too Many Requests",
                "Retry-After: 2\r\n",
                r#"{"error":{"message":"Rate limit reached for model `m`","type":"tokens","code":"rate_limit_exceeded"}}"#,
                "RateLimited",
            ),
            (
                "400 Bad Request",
                "",
                r#"{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded","param":"messages"}}"#,
                "ContextLengthExceeded",
            ),
            ("503 Service Unavailable", "", "", "Overloaded"),
            (
                "400 Bad Request",
                "",
                r#"{"error":{"message":"The model `x` requires terms acceptance. Please have the org admin accept the terms","type":"invalid_request_error","code":"model_terms_required"}}"#,
                "ModelNotFound",
            ),
            (
                "403 Forbidden",
                "",
                r#"{"error":{"message":"The model `x` is blocked at the organization level.","type":"permissions_error","code":"model_permission_blocked_org"}}"#,
                "ModelNotFound",
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
async fn a_model_that_is_closed_to_the_account_says_what_opens_it() {
    let (status, headers, body, _) =
        subject().refusals.into_iter().find(|(_, _, body, _)| body.contains("model_terms_required")).unwrap();
    let error = subject().refused(status, headers, body).await;
    assert!(error.is_unavailable() && !error.is_retryable());
    assert!(error.to_string().contains("have the org admin accept the terms"), "{error}");
}

#[tokio::test]
async fn it_tells_the_usage_without_being_asked() {
    let sent = subject().chats(ask().with_max_output(Tokens::new(9))).await.body;
    assert_eq!((sent.get("stream_options"), &sent["max_completion_tokens"]), (None, &json!(9)));
}

#[tokio::test]
async fn it_has_no_embeddings_and_says_so_before_it_is_asked() {
    let server = Server::bind().await;
    let client = subject().client(&server, Timeouts::default());
    let answer = client.embed(&subject().id(), &EmbedRequest::new(["a"])).await;
    assert!(matches!(answer, Err(Error::Unsupported { .. })), "{answer:?}");
}
