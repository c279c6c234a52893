//! One client for all: routes, fallbacks, further tries, keys.

use std::num::NonZeroU32;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tusab_llm::testing::{Recorded, ReplayServer};
use tusab_llm::{
    ApiKey, BaseUrl, ChatRequest, Client, EmbedRequest, Endpoint, Error, Message, ModelId, Provider, Purpose,
    RetryPolicy, Routes, Tokens,
};

fn id(text: &str) -> ModelId {
    text.parse().unwrap()
}

fn ask() -> ChatRequest {
    ChatRequest::new([Message::user("oi")])
}

fn endpoint(provider: Provider, server: &ReplayServer) -> Endpoint {
    let key = ApiKey::new(format!("key-of-{provider}")).unwrap();
    Endpoint::new(key).with_base_url(BaseUrl::parse(provider, &server.url()).unwrap())
}

fn quick() -> RetryPolicy {
    RetryPolicy::default().with_first_wait(Duration::from_millis(2))
}

fn words(words: &str) -> Recorded {
    let event =
        serde_json::json!({"choices": [{"index": 0, "delta": {"content": words}, "finish_reason": "stop"}]});
    Recorded::events(format!("data: {event}\n\ndata: [DONE]\n\n")).in_pieces_of(7)
}

#[tokio::test]
async fn a_call_that_fails_before_its_first_word_is_made_again() {
    let inside = Recorded::events("data: {\"error\":{\"message\":\"busy\",\"type\":\"server_error\"}}\n\n");
    let limited =
        Recorded::json(429, r#"{"error":{"code":"rate_limit_exceeded"}}"#).with_header("retry-after-ms", "3");
    let server = ReplayServer::start([limited, inside, words("Olá")]).unwrap();
    let client = Client::builder()
        .with_endpoint(Provider::Groq, endpoint(Provider::Groq, &server))
        .with_retry(quick())
        .build()
        .unwrap();
    let model = client.model(&id("groq::m")).unwrap();
    assert_eq!(model.chat(ask()).await.unwrap().text, "Olá");
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn of_many_texts_only_those_of_the_call_that_failed_are_sent_again() {
    let vectors = |provider, count: usize| match provider {
        Provider::Ollama => Recorded::json(200, json!({"embeddings": vec![[1.0]; count]}).to_string()),
        _ => Recorded::json(200, json!({"data": vec![json!({"embedding": [1.0]}); count]}).to_string()),
    };
    for provider in [Provider::OpenAi, Provider::Ollama] {
        let busy = Recorded::json(503, "{}");
        let server = ReplayServer::start([vectors(provider, 100), busy, vectors(provider, 50)]).unwrap();
        let client = Client::builder()
            .with_endpoint(provider, endpoint(provider, &server))
            .with_retry(quick())
            .build()
            .unwrap();
        let request = EmbedRequest::new((0..150).map(|n| n.to_string()));
        let reply = client.embed(&ModelId::new(provider, "m").unwrap(), &request).await.unwrap();
        assert_eq!(reply.vectors.len(), 150);
        let sent: Vec<usize> = server
            .requests()
            .iter()
            .map(|request| {
                serde_json::from_slice::<Value>(&request.body).unwrap()["input"].as_array().unwrap().len()
            })
            .collect();
        assert_eq!(sent, [100, 50, 50], "{provider}");
    }
}

#[tokio::test]
async fn a_compatible_server_is_asked_once_how_much_its_models_hold() {
    let models = r#"{"data":[{"id":"short","meta":{"n_ctx":2048}},{"id":"untold"}]}"#;
    let server = ReplayServer::start([Recorded::json(500, "{}"), Recorded::json(200, models)]).unwrap();
    let provider = Provider::OpenAiCompatible;
    let builder = Client::builder().with_endpoint(provider, endpoint(provider, &server));
    let client = builder.with_retry(RetryPolicy::never()).build().unwrap();
    let length = async |name: &str| client.model(&id(name)).unwrap().context_length().await;
    // A server that fails is asked again.
    assert_eq!(length("openai-compatible::short").await, None);
    assert_eq!(length("openai-compatible::short").await, Some(Tokens::new(2048)));
    assert_eq!(length("openai-compatible::untold").await, None);
    assert_eq!(server.requests().len(), 2);
    assert!(client.model(&id("openai-compatible::short")).unwrap().is_local());
}

#[tokio::test]
async fn tries_end_and_what_cannot_succeed_is_not_tried_again() {
    let busy = || Recorded::json(503, "{}");
    let server = ReplayServer::start([busy(), busy(), Recorded::json(401, "{}")]).unwrap();
    let policy = quick().with_tries(NonZeroU32::new(2).unwrap());
    let builder = Client::builder().with_endpoint(Provider::OpenAi, endpoint(Provider::OpenAi, &server));
    let model = builder.with_retry(policy).build().unwrap().model(&id("openai::m")).unwrap();
    assert!(matches!(model.chat(ask()).await, Err(Error::Overloaded { .. })));
    assert!(matches!(model.chat(ask()).await, Err(Error::Auth { .. })));
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_route_asks_its_next_model_when_one_is_down() {
    let down = ReplayServer::start([Recorded::json(529, "{}")]).unwrap();
    let up = ReplayServer::start([words("Olá")]).unwrap();
    let client = Client::builder()
        .with_endpoint(Provider::Anthropic, endpoint(Provider::Anthropic, &down))
        .with_endpoint(Provider::Groq, endpoint(Provider::Groq, &up))
        .with_retry(RetryPolicy::never())
        .build()
        .unwrap();
    let routes = Routes::of(Provider::Anthropic).unwrap().with_fallback(Purpose::Final, id("groq::b"));
    let stream = client.route(&routes, Purpose::Final).unwrap().stream(ask()).await.unwrap();
    assert_eq!(stream.model(), &id("groq::b"));
    assert_eq!(stream.collect().await.unwrap().text, "Olá");
    // Each server is shown its own key and asked for its own model.
    let (asked, answered) = (&down.requests()[0], &up.requests()[0]);
    assert_eq!(asked.header("x-api-key"), Some("key-of-anthropic"));
    assert!(String::from_utf8_lossy(&asked.body).contains("claude-sonnet"));
    assert_eq!(answered.header("authorization"), Some("Bearer key-of-groq"));
    assert_eq!(answered.header("x-api-key"), None);
}

#[tokio::test]
async fn without_an_endpoint_nothing_is_sent_and_the_error_says_what_to_do() {
    let client = Client::new().unwrap();
    let error = client.model(&id("anthropic::claude-haiku-4-5")).unwrap_err();
    assert!(error.to_string().contains("ANTHROPIC_API_KEY"), "{error}");
    let error = client.model(&id("openai-compatible::m")).unwrap_err();
    assert!(error.to_string().contains("Endpoint::at"), "{error}");
    assert!(client.list_models(Provider::Gemini).await.is_err());
}

#[tokio::test]
async fn a_key_is_asked_for_before_each_call() {
    let server = ReplayServer::start([words("a"), words("b")]).unwrap();
    let count = std::sync::atomic::AtomicU8::new(0);
    let key = ApiKey::from_callback(move || {
        Ok(format!("key-{}", count.fetch_add(1, std::sync::atomic::Ordering::SeqCst)))
    });
    let endpoint = endpoint(Provider::Groq, &server).with_api_key(key);
    let client = Client::builder().with_endpoint(Provider::Groq, endpoint).build().unwrap();
    let model = client.model(&id("groq::m")).unwrap();
    model.chat(ask()).await.unwrap();
    model.chat(ask()).await.unwrap();
    let shown: Vec<_> =
        server.requests().iter().map(|request| request.header("authorization").map(str::to_owned)).collect();
    assert_eq!(shown, [Some("Bearer key-0".to_owned()), Some("Bearer key-1".to_owned())]);
}

/// The key of a call is asked for once, and what a server repeats of it is found, whatever the next one is.
#[tokio::test]
async fn an_error_is_searched_for_the_key_that_was_shown() {
    let refusal = |key: &str| {
        let body = json!({"error": {"message": format!("do not know {key}, sorry"), "type": "x"}});
        Recorded::json(400, body.to_string()).with_header("x-seen", &format!("by {key}"))
    };
    let shown = |n: usize| format!("key-number-{n}-of-many");
    for provider in [Provider::Groq, Provider::OpenAi, Provider::Ollama] {
        let server = ReplayServer::start((0..3).map(|n| refusal(&shown(n)))).unwrap();
        let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = std::sync::Arc::clone(&asked);
        let key =
            ApiKey::from_callback(move || Ok(shown(count.fetch_add(1, std::sync::atomic::Ordering::SeqCst))));
        let endpoint = endpoint(provider, &server).with_api_key(key);
        let builder = Client::builder().with_endpoint(provider, endpoint).with_retry(RetryPolicy::never());
        let client = builder.build().unwrap();
        let id = ModelId::new(provider, "m").unwrap();
        let mut errors = vec![client.model(&id).unwrap().chat(ask()).await.unwrap_err()];
        errors.push(client.list_models(provider).await.unwrap_err());
        match provider {
            Provider::Ollama => errors.push(client.ollama().pull("m").await.unwrap_err()),
            Provider::OpenAi => errors.push(client.embed(&id, &EmbedRequest::new(["a"])).await.unwrap_err()),
            _ => {}
        }
        for error in &errors {
            let told = format!("{error} {error:?}");
            assert!(told.contains("do not know [...], sorry") && !told.contains("of-many"), "{told}");
        }
        assert_eq!(asked.load(std::sync::atomic::Ordering::SeqCst), errors.len(), "{provider}");
        assert_eq!(server.requests().len(), errors.len());
    }
}

#[test]
fn nothing_that_is_shown_for_debugging_holds_a_key() {
    let key = ApiKey::new("sk-verysecret".to_owned()).unwrap();
    let builder = Client::builder().with_endpoint(Provider::OpenAi, Endpoint::new(key));
    let shown = format!("{builder:?} {:?}", builder.clone().build().unwrap());
    assert!(shown.contains("has_key: true") && !shown.contains("verysecret"), "{shown}");
}

/// Runs itself once more, in a process whose environment is made for it.
#[test]
fn a_client_takes_what_the_environment_holds() {
    if std::env::var_os("TUSAB_LLM_TEST_ENVIRONMENT").is_none() {
        return run_with_environment("client::a_client_takes_what_the_environment_holds");
    }
    let client = Client::from_env().unwrap();
    assert!(client.model(&id("openai::m")).is_ok());
    assert!(client.model(&id("gemini::m")).is_ok());
    assert!(matches!(client.model(&id("groq::m")), Err(Error::NoKey { .. })));
    assert_eq!(client.ollama().base_url().to_string(), "http://127.0.0.1:4321/");
}

fn run_with_environment(test: &str) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", test]).env("TUSAB_LLM_TEST_ENVIRONMENT", "1");
    child.env("OPENAI_API_KEY", "sk-1").env("GOOGLE_API_KEY", "sk-2").env("OLLAMA_HOST", "0.0.0.0:4321");
    for variable in ["GEMINI_API_KEY", "GROQ_API_KEY", "ANTHROPIC_API_KEY"] {
        child.env_remove(variable);
    }
    let output = child.output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && shown.contains("1 passed"), "{shown}");
}

/// The program's own HTTP client is used, and where it follows a redirect the call is refused.
#[cfg(feature = "reqwest-client")]
#[tokio::test]
async fn the_programs_own_http_client_is_used() {
    let end = ReplayServer::start([words("elsewhere")]).unwrap();
    let moved = Recorded::json(307, "{}").with_header("location", &format!("{}/chat/completions", end.url()));
    let server = ReplayServer::start([words("Olá"), moved]).unwrap();
    let http = reqwest::Client::builder().user_agent("the program").no_proxy();
    let http = http.tls_backend_preconfigured(no_tls()).build().unwrap();
    let client = Client::builder()
        .with_endpoint(Provider::Groq, endpoint(Provider::Groq, &server))
        .with_http_client(http)
        .build()
        .unwrap();
    let model = client.model(&id("groq::m")).unwrap();
    assert_eq!(model.chat(ask()).await.unwrap().text, "Olá");
    assert_eq!(server.requests()[0].header("user-agent"), Some("the program"));
    let error = model.chat(ask()).await.unwrap_err();
    assert!(error.to_string().contains("Policy::none()"), "{error}");
}

#[cfg(feature = "reqwest-client")]
fn no_tls() -> rustls::ClientConfig {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth()
}
