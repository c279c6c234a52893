//! Streams that the official SDK and this client both read, from one mock: what they make of them must agree.

use serde_json::{Value, json};
use tusab_llm::{
    ApiKey, BaseUrl, ChatRequest, Client, Endpoint, Error, FinishReason, Message, ModelId, OllamaOptions,
    Provider, RetryPolicy, Tokens, Usage,
};

use super::child::{Part, node, python};

/// Each provider's model, and the path under which the mock has its API.
pub(super) const MODELS: [(&str, &str); 6] = [
    ("openai::gpt-4o", "/v1"),
    ("openai-compatible::local", "/v1"),
    ("groq::llama-3.3-70b-versatile", "/openai/v1"),
    ("anthropic::claude-haiku-4-5", ""),
    ("gemini::gemini-3.5-flash", ""),
    ("ollama::llama3.2:1b", ""),
];

pub(super) fn client(id: &ModelId, url: &str) -> Client {
    let url = BaseUrl::parse(id.provider(), url).unwrap();
    let builder = Client::builder().with_retry(RetryPolicy::never());
    let builder = if id.provider() == Provider::Ollama {
        builder.with_ollama(OllamaOptions::default().with_base_url(url))
    } else {
        let key = ApiKey::new("sk-1".to_owned()).unwrap();
        builder.with_endpoint(id.provider(), Endpoint::new(key).with_base_url(url))
    };
    builder.build().unwrap()
}

/// A reason to stop, in the words of any provider.
fn reason(text: &str) -> FinishReason {
    match text {
        "stop" | "end_turn" | "STOP" => FinishReason::Stop,
        "length" | "max_tokens" | "MAX_TOKENS" => FinishReason::Length,
        other => FinishReason::Other(other.to_owned()),
    }
}

fn class(error: &Error) -> &'static str {
    match error {
        Error::Auth { .. } => "Auth",
        Error::RateLimited { .. } => "RateLimited",
        Error::ModelNotFound { .. } | Error::Rejected { status: 404, .. } => "Missing",
        Error::Overloaded { .. } | Error::Rejected { status: 500.., .. } => "Server",
        other => panic!("{other:?}"),
    }
}

/// What a call has cost, as the SDK's reader writes it: null for what was not told.
pub(super) fn usage(usage: &Usage) -> Value {
    let count = |count: Option<Tokens>| count.map(Tokens::get);
    json!({"input": count(usage.input), "output": count(usage.output), "cached": count(usage.cached),
        "thinking": count(usage.thinking)})
}

#[tokio::test]
#[ignore = "needs a mock and the official SDKs: run scripts/test.sh"]
async fn the_official_sdk_and_this_client_read_the_same() {
    let mut mock = Part::start(node("serve_mock.mjs"));
    let url = mock.url();
    let mut sdk = Part::start(python("read_sdk.py"));
    for (model, path) in MODELS {
        let id: ModelId = model.parse().unwrap();
        let base = format!("{url}{path}");
        for prompt in ["plain", "cut", "thinking", "unauthorized", "limited", "broken", "missing"] {
            let case = json!({"provider": id.provider(), "url": base, "model": id.name(), "prompt": prompt});
            let theirs = sdk.ask(&case);
            let ours =
                client(&id, &base).model(&id).unwrap().chat(ChatRequest::new([Message::user(prompt)])).await;
            assert!(theirs.get("rejected").is_none(), "{model} {prompt}: the SDK cannot read it: {theirs}");
            match (ours, theirs.get("error")) {
                (Ok(reply), None) => {
                    assert_eq!(reply.text, theirs["text"], "{model} {prompt}");
                    assert_eq!(reply.thinking, theirs["thinking"], "{model} {prompt}");
                    assert!(reply.text.contains("👩‍🚀 três"), "{}", reply.text);
                    assert_eq!(
                        reply.finish_reason,
                        reason(theirs["finish"].as_str().unwrap()),
                        "{model} {prompt}"
                    );
                    assert_eq!(usage(&reply.usage), theirs["usage"], "{model} {prompt}");
                }
                (Err(error), Some(theirs)) => {
                    assert_eq!(class(&error), theirs, "{model} {prompt}: {error:?}");
                    if prompt == "limited" && id.provider() != Provider::Gemini {
                        assert_eq!(
                            error.retry_after().map(|wait| wait.as_secs()),
                            Some(7),
                            "{model}: {error:?}"
                        );
                    }
                }
                (ours, theirs) => panic!("{model} {prompt}: {ours:?} here, {theirs:?} there"),
            }
        }
    }
}
