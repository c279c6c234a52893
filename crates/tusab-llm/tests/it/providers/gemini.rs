//! Gemini, as its API reference describes it.

use serde_json::{Value, json};
use tusab_llm::testing::decode;
use tusab_llm::{
    Delta, EmbedReply, EmbedRequest, EmbedTask, Error, FinishReason, Message, Timeouts, Tokens, Usage,
};

use super::subject::{Subject, ask, events};
use crate::server::{Server, both};

fn piece(parts: &[Value], finish: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
    if let Some(reason) = finish {
        candidate["finishReason"] = reason.into();
    }
    json!({"candidates": [candidate], "usageMetadata": {"promptTokenCount": 26, "candidatesTokenCount": 10,
        "thoughtsTokenCount": 30, "cachedContentTokenCount": 16, "totalTokenCount": 66,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 26}]},
        "modelVersion": "gemini-3.5-flash", "responseId": "r1"})
}

pub(crate) fn subject() -> Subject {
    let words = [
        piece(&[json!({"text": "Hm, não…", "thought": true})], None),
        piece(&[json!({"text": "A ação "}), json!({"text": "é boa: "})], None),
        piece(&[json!({"text": "👩‍🚀 ok\n", "thoughtSignature": "Cv8B"})], None),
        piece(&[json!({"text": ""})], Some("STOP")),
    ];
    let mut usage = Usage::new(Tokens::new(26), Tokens::new(40));
    usage.cached = Some(Tokens::new(16));
    usage.thinking = Some(Tokens::new(30));
    Subject {
        model: "gemini::gemini-3.5-flash",
        target: "POST /v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse",
        auth: "x-goog-api-key: sk-verysecret",
        content_type: "text/event-stream",
        stream: events(&words).replace('\n', "\r\n"),
        thinking: "Hm, não…",
        text: "A ação é boa: 👩‍🚀 ok\n",
        usage,
        first_word: events(&[piece(&[json!({"text": "Ol"})], None)]),
        error_inside: (
            events(&[
                json!({"error": {"code": 503, "message": "The model is overloaded. Please try again later.", "status": "UNAVAILABLE"}}),
            ]),
            "Overloaded",
        ),
        refusals: vec![
            (
                "400 Bad Request",
                "",
                r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}"#,
                "Auth",
            ),
            (
                "404 Not Found",
                "",
                r#"{"error":{"code":404,"message":"models/x is not found for API version v1beta, or is not supported for generateContent.","status":"NOT_FOUND"}}"#,
                "ModelNotFound",
            ),
            (
                "429 Too Many Requests",
                "",
                r#"{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}"#,
                "RateLimited",
            ),
            (
                "503 Service Unavailable",
                "",
                r#"[{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}]"#,
                "Overloaded",
            ),
            (
                "400 Bad Request",
                "",
                r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).","status":"INVALID_ARGUMENT"}}"#,
                "ContextLengthExceeded",
            ),
            (
                "400 Bad Request",
                "",
                r#"{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}"#,
                "UnsupportedRegion",
            ),
            (
                "500 Internal Server Error",
                "",
                r#"{"error":{"code":500,"message":"An internal error has occurred","status":"INTERNAL"}}"#,
                "Rejected",
            ),
            (
                "400 Bad Request",
                "",
                r#"{"error":{"code":400,"message":"Invalid value: meu segredo é 12345","status":"INVALID_ARGUMENT"}}"#,
                "Rejected",
            ),
        ],
    }
}

#[tokio::test]
async fn it_passes_the_suite() {
    subject().passes("\"STOP\"").await;
}

#[tokio::test]
async fn it_is_read_however_the_network_cuts_it() {
    subject().is_read_however_the_network_cuts_it().await;
}

#[tokio::test]
async fn roles_and_instructions_have_their_own_names() {
    let request = ask().with_system("Seja breve.").with_message(Message::assistant("b"));
    let sent = subject().chats(request).await.body;
    assert_eq!(sent["systemInstruction"], json!({"parts": [{"text": "Seja breve."}]}));
    assert_eq!(sent["contents"][1], json!({"role": "model", "parts": [{"text": "b"}]}));
}

#[tokio::test]
async fn the_wait_stands_in_the_details() {
    let subject = subject();
    let (status, headers, body, _) = subject.refusals[2];
    let error = subject.refused(status, headers, body).await;
    assert_eq!(error.retry_after(), Some(std::time::Duration::from_secs(34)));
}

#[test]
fn a_block_is_an_error_with_its_reason_however_it_is_told() {
    for (stream, reason) in [
        (
            json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 5}}),
            "PROHIBITED_CONTENT",
        ),
        (
            json!({"promptFeedback": {"blockReason": "A_REASON_OF_TOMORROW", "safetyRatings": []}}),
            "A_REASON_OF_TOMORROW",
        ),
        (json!({"candidates": [{"finishReason": "SAFETY", "index": 0, "safetyRatings": []}]}), "SAFETY"),
        (json!({"candidates": [{"content": {"role": "model"}, "finishReason": "RECITATION"}]}), "RECITATION"),
        (json!({"usageMetadata": {"promptTokenCount": 5}}), "it gave no candidate, and no reason"),
        (json!({"candidates": []}), "it gave no candidate, and no reason"),
    ] {
        let (_, error) = decode(&subject().id(), [events(std::slice::from_ref(&stream)).as_bytes()]);
        assert!(
            matches!(&error, Some(Error::Blocked { reason: found, .. }) if found == reason),
            "{stream}: {error:?}"
        );
    }
}

#[test]
fn a_filter_that_cuts_the_answer_is_its_reason_to_stop_and_unknown_ones_are_kept() {
    for (reason, expected) in [
        ("SAFETY", FinishReason::Filtered),
        ("IMAGE_SAFETY", FinishReason::Filtered),
        ("MODEL_ARMOR", FinishReason::Filtered),
        ("MAX_TOKENS", FinishReason::Length),
        ("MALFORMED_FUNCTION_CALL", FinishReason::Other("MALFORMED_FUNCTION_CALL".to_owned())),
        ("A_REASON_OF_TOMORROW", FinishReason::Other("A_REASON_OF_TOMORROW".to_owned())),
    ] {
        let stream = subject().first_word + &events(&[piece(&[], Some(reason))]);
        let (deltas, error) = decode(&subject().id(), [stream.as_bytes()]);
        assert!(error.is_none());
        assert_eq!(deltas.last(), Some(&Delta::Done { finish_reason: expected }));
    }
}

/// Models that make images write none, some, or words alone.
#[test]
fn an_image_in_place_of_an_answer_is_an_error() {
    let image = || json!({"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}});
    let read = |parts: &[Value]| decode(&subject().id(), [events(&[piece(parts, Some("STOP"))]).as_bytes()]);
    for parts in [vec![image()], vec![json!({"text": ""}), json!({"fileData": {"fileUri": "x"}})]] {
        let (deltas, error) = read(&parts);
        assert!(matches!(error, Some(Error::Unsupported { .. })), "{error:?}");
        assert!(!deltas.iter().any(|delta| matches!(delta, Delta::Done { .. })), "{deltas:?}");
    }
    let (deltas, error) = read(&[image(), json!({"text": "a"}), image()]);
    assert!(error.is_none(), "{error:?}");
    assert!(deltas.contains(&Delta::Text("a".to_owned())), "{deltas:?}");
    // An empty answer without one is empty.
    assert!(read(&[json!({"text": ""})]).1.is_none());
}

#[test]
fn a_feedback_without_a_reason_blocks_nothing() {
    for feedback in [
        json!({"blockReason": "BLOCK_REASON_UNSPECIFIED"}),
        json!({"blockReason": "BLOCKED_REASON_UNSPECIFIED"}),
        json!({"safetyRatings": []}),
    ] {
        let stream = format!("data: {}\n\n{}", json!({ "promptFeedback": feedback }), subject().stream);
        let (deltas, error) = decode(&subject().id(), [stream.as_bytes()]);
        assert!(error.is_none(), "{error:?}");
        assert_eq!(deltas.last(), Some(&Delta::Done { finish_reason: FinishReason::Stop }));
    }
}

#[tokio::test]
async fn texts_become_vectors_and_models_are_listed() {
    let server = Server::bind().await;
    let client = subject().client(&server, Timeouts::default());
    let serving = server.serve(async |mut connection, request| {
        let answer = match request.target.as_str() {
            "POST /v1beta/models/gemini-embedding-001:batchEmbedContents" => {
                assert_eq!(request.body["requests"][1]["taskType"], "RETRIEVAL_DOCUMENT");
                json!({"embeddings": [{"values": [1.0, 2.0]}, {"values": [3.0, 4.0]}],
                    "usageMetadata": {"promptTokenCount": 9, "promptTokenDetails": []}})
            }
            "GET /v1beta/models?pageSize=1000" => {
                json!({"models": [{"name": "models/a"}], "nextPageToken": "t/1"})
            }
            "GET /v1beta/models?pageSize=1000&pageToken=t%2F1" => json!({"models": [{"name": "models/b"}]}),
            other => panic!("{other}"),
        };
        connection.answer("200 OK", "", &answer.to_string()).await;
        connection
    });
    let request = EmbedRequest::new(["a", "b"]).with_task(EmbedTask::Document);
    let id = "gemini::models/gemini-embedding-001".parse().unwrap();
    let (vectors, models) = both(client.embed(&id, &request), client.list_models(subject().provider())).await;
    serving.abort();
    let EmbedReply { vectors, usage, .. } = vectors.unwrap();
    assert_eq!(vectors, [[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!((usage.input, usage.output), (Some(Tokens::new(9)), None));
    assert_eq!(models.unwrap().iter().map(|model| model.id.name()).collect::<Vec<_>>(), ["a", "b"]);
}
