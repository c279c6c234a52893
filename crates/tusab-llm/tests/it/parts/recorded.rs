//! Answers written by us in the form that each vendor documents, read by the official SDK and by this client: every reason to
//! stop, counts of zero and counts that are missing, and errors of every class, before an answer and inside one.

use serde_json::{Value, json};
use tusab_llm::testing::{Recorded, ReplayServer};
use tusab_llm::{ChatRequest, Error, FinishReason, Message, ModelId, Provider, Usage};

use super::child::{Part, python};
use super::responses::{MODELS, client, usage};
use super::words::{BLOCKS, reasons};

/// How an answer ends in the form of `provider`: its reason to stop, and what it has cost, null where that is not told.
fn answer(provider: Provider, words: &str, reason: &Value, usage: &Value) -> String {
    let events = |events: &[Value]| -> String {
        events.iter().fold(String::new(), |all, event| {
            let name = event["type"].as_str().map(|name| format!("event: {name}\n")).unwrap_or_default();
            format!("{all}{name}data: {event}\n\n")
        })
    };
    match provider {
        Provider::Anthropic => {
            let start = json!({"type": "message", "id": "msg_1", "role": "assistant", "content": [], "model": "m",
                "stop_reason": null, "stop_sequence": null, "usage": usage});
            events(&[
                json!({"type": "message_start", "message": start}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": words}}),
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": usage}),
                json!({"type": "message_stop"}),
            ])
        }
        Provider::Gemini => {
            let content = json!({"role": "model", "parts": [{"text": words}]});
            events(&[
                json!({"candidates": [{"index": 0, "content": content}]}),
                json!({"candidates": [{"index": 0, "finishReason": reason}], "usageMetadata": usage}),
            ])
        }
        Provider::Ollama => {
            let mut last = json!({"model": "m", "message": {"role": "assistant", "content": ""}, "done": true,
                "done_reason": reason});
            last.as_object_mut().unwrap().extend(usage.as_object().cloned().unwrap_or_default());
            format!(
                "{}\n{last}\n",
                json!({"model": "m", "message": {"role": "assistant", "content": words}, "done": false})
            )
        }
        _ => {
            let chunk = |choices: Value, usage: &Value| {
                json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices,
                    "usage": usage})
            };
            let choice = |delta: Value, reason: &Value| {
                chunk(json!([{"index": 0, "delta": delta, "finish_reason": reason}]), &Value::Null)
            };
            let ends = [
                choice(json!({"role": "assistant", "content": words}), &Value::Null),
                choice(json!({}), reason),
                chunk(json!([]), usage),
            ];
            events(&ends) + "data: [DONE]\n\n"
        }
    }
}

/// What both make of the same recorded answer.
async fn read(
    sdk: &mut Part,
    model: &str,
    answer: Recorded,
) -> (Result<(String, FinishReason, Usage), Error>, Value) {
    let server = ReplayServer::start([answer.clone(), answer]).unwrap();
    let id: ModelId = model.parse().unwrap();
    let case = json!({"provider": id.provider(), "url": server.url(), "model": id.name(), "prompt": "oi"});
    let theirs = sdk.ask(&case);
    assert!(theirs.get("rejected").is_none(), "{model}: the SDK cannot read it: {theirs}");
    let model = client(&id, &server.url()).model(&id).unwrap();
    let ours = model.chat(ChatRequest::new([Message::user("oi")])).await;
    (ours.map(|reply| (reply.text, reply.finish_reason, reply.usage)), theirs)
}

fn recorded(provider: Provider, body: String) -> Recorded {
    match provider {
        Provider::Ollama => Recorded::json(200, body),
        _ => Recorded::events(body),
    }
}

#[tokio::test]
#[ignore = "needs the official SDKs: run scripts/test.sh"]
async fn every_reason_to_stop_is_read_as_the_sdk_reads_it() {
    let mut sdk = Part::start(python("read_sdk.py"));
    for (model, _) in MODELS {
        let provider = model.parse::<ModelId>().unwrap().provider();
        // What was said before a filter stopped it is an answer; where nothing was, it is an error with the filter's word.
        for (word, expected) in reasons(provider) {
            for words in ["Olá", ""] {
                let body = answer(provider, words, &json!(word), &counts(provider, Some(0)));
                let (ours, theirs) = read(&mut sdk, model, recorded(provider, body)).await;
                assert_eq!((&theirs["text"], &theirs["finish"]), (&json!(words), &json!(word)), "{model}");
                match ours {
                    Ok((text, reason, _)) => {
                        assert_eq!(text, words);
                        let expected =
                            expected.clone().unwrap_or_else(|| FinishReason::Other(word.to_owned()));
                        assert_eq!(reason, expected, "{model} {word}");
                        assert!(!words.is_empty() || expected != FinishReason::Filtered, "{model} {word}");
                    }
                    Err(Error::Blocked { reason, .. }) => {
                        assert_eq!(
                            (reason.as_str(), words, &expected),
                            (word, "", &Some(FinishReason::Filtered))
                        );
                    }
                    Err(error) => panic!("{model} {word}: {error:?}"),
                }
            }
        }
    }
}

#[tokio::test]
#[ignore = "needs the official SDKs: run scripts/test.sh"]
async fn a_blocked_prompt_is_read_as_the_sdk_reads_it() {
    let mut sdk = Part::start(python("read_sdk.py"));
    for word in BLOCKS {
        let page = json!({"promptFeedback": {"blockReason": word}, "usageMetadata": {"promptTokenCount": 5}});
        let answer = Recorded::events(format!("data: {page}\n\n"));
        let (ours, theirs) = read(&mut sdk, "gemini::gemini-3.5-flash", answer).await;
        assert_eq!(theirs["blocked"], word);
        assert!(matches!(&ours, Err(Error::Blocked { reason, .. }) if reason == word), "{ours:?}");
    }
}

/// The counts of an answer in the form of `provider`, all of them `count`; those that are not told are left out.
fn counts(provider: Provider, count: Option<u32>) -> Value {
    let Some(count) = count else {
        // Anthropic has no answer without any.
        return if provider == Provider::Anthropic {
            json!({"input_tokens": 3, "output_tokens": 4})
        } else {
            Value::Null
        };
    };
    match provider {
        Provider::Anthropic => json!({"input_tokens": count, "output_tokens": count,
            "cache_creation_input_tokens": count, "cache_read_input_tokens": count,
            "output_tokens_details": {"thinking_tokens": count}}),
        Provider::Gemini => json!({"promptTokenCount": count, "candidatesTokenCount": count,
            "thoughtsTokenCount": count, "cachedContentTokenCount": count, "totalTokenCount": 3 * count}),
        Provider::Ollama => json!({"prompt_eval_count": count, "eval_count": count}),
        _ => json!({"prompt_tokens": count, "completion_tokens": count, "total_tokens": 2 * count,
            "prompt_tokens_details": {"cached_tokens": count}, "completion_tokens_details": {"reasoning_tokens": count}}),
    }
}

#[tokio::test]
#[ignore = "needs the official SDKs: run scripts/test.sh"]
async fn a_count_of_zero_is_zero_and_one_that_is_not_told_is_none() {
    let mut sdk = Part::start(python("read_sdk.py"));
    for (model, _) in MODELS {
        let provider = model.parse::<ModelId>().unwrap().provider();
        let stop = json!(reasons(provider)[0].0);
        for count in [Some(0), Some(7), None] {
            let body = answer(provider, "Olá", &stop, &counts(provider, count));
            let (ours, theirs) = read(&mut sdk, model, recorded(provider, body)).await;
            let ours = ours.unwrap().2;
            assert_eq!(usage(&ours), theirs["usage"], "{model} {count:?}");
            if count == Some(0) {
                let told = |count: Option<tusab_llm::Tokens>| count.map(tusab_llm::Tokens::get);
                assert_eq!((told(ours.input), told(ours.output)), (Some(0), Some(0)), "{model}");
            }
            assert!(
                count.is_some() || provider == Provider::Anthropic || ours.is_empty(),
                "{model}: {ours:?}"
            );
        }
    }
}

/// An error page of `provider` for `status`.
fn page(provider: Provider, status: u16) -> Value {
    let kind = match (provider, status) {
        (Provider::Anthropic, 400) => "invalid_request_error",
        (Provider::Anthropic, 401) => "authentication_error",
        (Provider::Anthropic, 403) => "permission_error",
        (Provider::Anthropic, 404) => "not_found_error",
        (Provider::Anthropic, 429) => "rate_limit_error",
        (Provider::Anthropic, 503 | 529) => "overloaded_error",
        (Provider::Anthropic, _) => "api_error",
        (Provider::Gemini, 400) => "INVALID_ARGUMENT",
        (Provider::Gemini, 401) => "UNAUTHENTICATED",
        (Provider::Gemini, 403) => "PERMISSION_DENIED",
        (Provider::Gemini, 404) => "NOT_FOUND",
        (Provider::Gemini, 429) => "RESOURCE_EXHAUSTED",
        (Provider::Gemini, 503) => "UNAVAILABLE",
        (Provider::Gemini, _) => "INTERNAL",
        _ => "",
    };
    let message = match provider {
        Provider::Anthropic => "model: m",
        Provider::Gemini => "models/m is not found",
        _ => "The model `m` does not exist",
    };
    match provider {
        Provider::Ollama => json!({"error": "model 'm' not found"}),
        Provider::Anthropic => json!({"type": "error", "error": {"type": kind, "message": message}}),
        Provider::Gemini => json!({"error": {"code": status, "message": message, "status": kind}}),
        Provider::OpenAiCompatible => {
            json!({"error": {"message": message, "type": "x", "param": null, "code": status}})
        }
        _ => json!({"error": {"message": message, "type": "x", "param": null, "code": null}}),
    }
}

fn class(error: &Error) -> &'static str {
    match error {
        Error::Auth { .. } => "Auth",
        Error::ModelNotFound { .. } => "Missing",
        Error::RateLimited { .. } => "RateLimited",
        Error::Overloaded { .. } | Error::Rejected { transient: true, .. } => "Server",
        Error::Rejected { .. } => "Other",
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
#[ignore = "needs the official SDKs: run scripts/test.sh"]
async fn an_error_before_an_answer_has_the_class_status_and_request_id_that_the_sdk_gives_it() {
    let mut sdk = Part::start(python("read_sdk.py"));
    for (model, _) in MODELS {
        let provider = model.parse::<ModelId>().unwrap().provider();
        for status in [400, 401, 403, 404, 429, 500, 503, 529] {
            let page = page(provider, status).to_string();
            let answer = Recorded::json(status, page).with_header("x-request-id", "req_1");
            let (ours, theirs) = read(&mut sdk, model, answer).await;
            let error = ours.unwrap_err();
            assert_eq!(class(&error), theirs["error"], "{model} {status}: {error:?}");
            assert_eq!((error.status(), error.request_id()), (Some(status), Some("req_1")), "{error:?}");
            assert_eq!(theirs["status"], status, "{model}");
            // Some of the SDKs do not keep it.
            assert!(theirs["request_id"].is_null() || theirs["request_id"] == "req_1", "{model}: {theirs}");
        }
    }
}

/// An error that comes inside an answer whose status was 200, as the SDK and this client tell it. A code that is a status is
/// what it says.
#[tokio::test]
#[ignore = "needs the official SDKs: run scripts/test.sh"]
async fn an_error_inside_an_answer_is_one_to_both() {
    let mut sdk = Part::start(python("read_sdk.py"));
    for (model, _) in MODELS {
        let provider = model.parse::<ModelId>().unwrap().provider();
        for status in [401, 429, 503] {
            let page = page(provider, status);
            let body = match provider {
                Provider::Ollama => format!("{page}\n"),
                Provider::Anthropic => format!("event: error\ndata: {page}\n\n"),
                _ => format!("data: {page}\n\n"),
            };
            let (ours, theirs) = read(&mut sdk, model, recorded(provider, body)).await;
            let error = ours.unwrap_err();
            assert!(theirs["error"].is_string(), "{model}: {theirs}");
            assert_eq!(error.status(), Some(200), "{error:?}");
            // The others give no code, or not this one.
            if matches!(provider, Provider::OpenAiCompatible | Provider::Gemini) {
                // A number to one of them, digits to the other.
                assert_eq!(theirs["code"].to_string().trim_matches('"'), status.to_string(), "{model}");
                let expected = match status {
                    401 => "Auth",
                    429 => "RateLimited",
                    _ => "Server",
                };
                assert_eq!(class(&error), expected, "{model}: {error:?}");
            }
        }
    }
}
