//! Which model is asked for what, and none when the app is offline.

use std::sync::Arc;

use serde_json::Value;
use tusab_engine::llm::testing::{Answer as Scripted, Recorded, ReplayServer, ScriptedModel};
use tusab_engine::llm::{ApiKey, BaseUrl, Client, Endpoint, Provider, RetryPolicy, Routes};
use tusab_engine::{AnswerKind, Degradation, Engine, Error, Offline};

use crate::parts::{QUESTION, engine, herbs};

fn words(text: &str) -> Recorded {
    let event = |name: &str, data: Value| format!("event: {name}\ndata: {data}\n\n");
    let start = serde_json::json!({"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 9, "output_tokens": 1}}});
    let block = serde_json::json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
    let delta = serde_json::json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    let stop = serde_json::json!({"type": "content_block_stop", "index": 0});
    let end = serde_json::json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}});
    let done = serde_json::json!({"type": "message_stop"});
    Recorded::events(
        [
            ("message_start", start),
            ("content_block_start", block),
            ("content_block_delta", delta),
            ("content_block_stop", stop),
            ("message_delta", end),
            ("message_stop", done),
        ]
        .map(|(name, data)| event(name, data))
        .concat(),
    )
}

#[tokio::test]
async fn helpers_and_answers_go_to_the_models_of_their_purpose() {
    let data = tempfile::tempdir().unwrap();
    let answers =
        [words("Três [1]."), words("Quantas horas de sol o manjericão precisa?"), words("Seis [1].")];
    let server = ReplayServer::start(answers).unwrap();
    let key = ApiKey::new("sk-1".to_owned()).unwrap();
    let url = BaseUrl::parse(Provider::Anthropic, &server.url()).unwrap();
    let client = Client::builder()
        .with_retry(RetryPolicy::never())
        .with_endpoint(Provider::Anthropic, Endpoint::new(key).with_base_url(url))
        .build()
        .unwrap();
    let routes = Routes::of(Provider::Anthropic).unwrap();
    let project = herbs(engine(data.path()).routes(&client, &routes).unwrap()).await;
    let chat = project.chat("s");
    assert_eq!(chat.ask(QUESTION).await.unwrap().text, "Três [1].");
    let answer = chat.ask("E o manjericão?").await.unwrap();
    assert_eq!((answer.text.as_str(), answer.degraded.as_slice()), ("Seis [1].", &[][..]));
    assert_eq!(answer.usage.unwrap().input.unwrap().get(), 9);
    let models: Vec<String> = server
        .requests()
        .iter()
        .map(|request| {
            serde_json::from_slice::<Value>(&request.body).unwrap()["model"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(models, ["claude-sonnet-4-6", "claude-haiku-4-5", "claude-sonnet-4-6"]);
}

#[test]
fn a_model_without_a_key_is_an_error_at_once() {
    let client = Client::new().unwrap();
    let error = Engine::builder().routes(&client, &Routes::of(Provider::OpenAi).unwrap()).unwrap_err();
    assert!(matches!(&error, Error::Model { .. }));
    assert!(std::error::Error::source(&error).unwrap().to_string().contains("OPENAI_API_KEY"));
}

#[tokio::test]
async fn offline_asks_nobody_beyond_this_machine() {
    let data = tempfile::tempdir().unwrap();
    let offline = Offline::new(true);
    let model = ScriptedModel::new().with_fallback(|_| Scripted::text("Três [1]."));
    let builder = engine(data.path()).model(Arc::new(model.clone())).auxiliary_model(Arc::new(model.clone()));
    let project = herbs(builder.offline(offline.clone())).await;
    let chat = project.chat("s");
    let answer = chat.ask(QUESTION).await.unwrap();
    assert_eq!(answer.kind, AnswerKind::Extractive);
    let refusal = [Degradation::Offline { model: "openai-compatible::scripted".to_owned() }];
    assert_eq!(answer.degraded, refusal);
    // A question to complete would ask the helper too; that is told once.
    assert_eq!(chat.ask("E o manjericão?").await.unwrap().degraded, refusal);
    let doc = chat.history().await.unwrap()[0].sources[0].doc.clone();
    let error = project.summarize(&doc).await.unwrap_err();
    assert!(matches!(error, Error::NoAuxiliaryModel { is_offline: true }), "{error}");
    assert!(model.requests().is_empty());
    offline.set(false);
    assert_eq!(chat.ask(QUESTION).await.unwrap().text, "Três [1].");
}

#[tokio::test]
async fn offline_still_asks_what_runs_here() {
    let data = tempfile::tempdir().unwrap();
    let model = ScriptedModel::new().on_this_machine().with_fallback(|_| Scripted::text("Três [1]."));
    let project = herbs(engine(data.path()).model(Arc::new(model)).offline(Offline::new(true))).await;
    assert_eq!(project.chat("s").ask(QUESTION).await.unwrap().text, "Três [1].");
}

#[tokio::test]
async fn of_a_route_only_what_runs_here_is_asked_offline() {
    let data = tempfile::tempdir().unwrap();
    let event = serde_json::json!({"choices": [{"index": 0, "delta": {"content": "Daqui."}, "finish_reason": "stop"}]});
    let here = ReplayServer::start([
        Recorded::json(200, "{\"data\":[]}"),
        Recorded::events(format!("data: {event}\n\ndata: [DONE]\n\n")),
    ])
    .unwrap();
    let provider = Provider::OpenAiCompatible;
    let key = ApiKey::new("sk-1".to_owned()).unwrap();
    // Groq's own address: a call there would fail the test by its degradation.
    let client = Client::builder()
        .with_retry(RetryPolicy::never())
        .with_endpoint(provider, Endpoint::at(BaseUrl::parse(provider, &here.url()).unwrap()))
        .with_endpoint(Provider::Groq, Endpoint::new(key))
        .build()
        .unwrap();
    let routes = Routes::of(Provider::Groq)
        .unwrap()
        .with_fallback(tusab_engine::llm::Purpose::Final, "openai-compatible::here".parse().unwrap());
    let builder = engine(data.path()).routes(&client, &routes).unwrap().offline(Offline::new(true));
    let answer = herbs(builder).await.chat("s").ask(QUESTION).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.degraded.as_slice()), ("Daqui.", &[][..]));
}

#[tokio::test]
async fn offline_asks_youtube_nothing() {
    use tusab_engine::{Cancel, YouTubeOptions};
    let data = tempfile::tempdir().unwrap();
    let project = herbs(engine(data.path()).offline(Offline::new(true))).await;
    let video = "https://www.youtube.com/watch?v=hv7Qk2LrT0c".parse().unwrap();
    let error = project.youtube(&video, &YouTubeOptions::default(), &Cancel::new()).await.unwrap_err();
    assert!(matches!(error, Error::Offline { what: "YouTube" }) && error.is_retryable(), "{error}");
}

/// Another context than that of the answers would make Ollama load the model again for each call.
#[tokio::test]
async fn helpers_and_answers_ask_ollama_for_one_context() {
    use tusab_engine::llm::{OllamaOptions, Purpose};
    let data = tempfile::tempdir().unwrap();
    let line = |text: &str| {
        let said = serde_json::json!({"model": "m", "message": {"role": "assistant", "content": text}, "done": false});
        let done = serde_json::json!({"model": "m", "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop"});
        Recorded::json(200, format!("{said}\n{done}\n"))
    };
    let info =
        serde_json::json!({"model_info": {"general.architecture": "llama", "llama.context_length": 131_072}});
    let answers = [
        Recorded::json(200, info.to_string()),
        line("Três [1]."),
        line("Quantas horas de sol o manjericão precisa?"),
        line("Seis [1]."),
    ];
    let server = ReplayServer::start(answers).unwrap();
    let url = BaseUrl::parse(Provider::Ollama, &server.url()).unwrap();
    let ollama = OllamaOptions::default().with_base_url(url);
    let client = Client::builder().with_retry(RetryPolicy::never()).with_ollama(ollama).build().unwrap();
    let routes = Routes::of(Provider::Ollama).unwrap();
    assert_eq!(routes.models(Purpose::Final).next(), routes.models(Purpose::Auxiliary).next());
    let project = herbs(engine(data.path()).routes(&client, &routes).unwrap()).await;
    let chat = project.chat("s");
    assert_eq!(chat.ask(QUESTION).await.unwrap().text, "Três [1].");
    assert_eq!(chat.ask("E o manjericão?").await.unwrap().text, "Seis [1].");
    let contexts: Vec<Value> = server
        .requests()
        .iter()
        .skip(1)
        .map(|request| serde_json::from_slice::<Value>(&request.body).unwrap()["options"]["num_ctx"].clone())
        .collect();
    assert_eq!(contexts, [8192, 8192, 8192]);
}
