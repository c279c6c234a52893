//! A real server with a real, small model: llama.cpp with `SmolLM2` (135 million parameters), by OpenAI's API and by
//! Anthropic's.

use serde_json::{Value, json};
use tusab_llm::testing::conformance;
use tusab_llm::{
    ApiKey, BaseUrl, ChatRequest, Client, Delta, EmbedRequest, Endpoint, Error, FinishReason, JsonSchema,
    Message, ModelId, Provider, Temperature, Tokens,
};

use super::child::{Part, python};

fn client(url: &str) -> Client {
    let provider = Provider::OpenAiCompatible;
    let openai = Endpoint::at(BaseUrl::parse(provider, &format!("{url}/v1")).unwrap());
    let key = ApiKey::new("sk-1".to_owned()).unwrap();
    let anthropic = Endpoint::new(key).with_base_url(BaseUrl::parse(Provider::Anthropic, url).unwrap());
    Client::builder()
        .with_endpoint(provider, openai)
        .with_endpoint(Provider::Anthropic, anthropic)
        .build()
        .unwrap()
}

fn ask(text: &str) -> ChatRequest {
    ChatRequest::new([Message::user(text)])
        .with_temperature(Temperature::ZERO)
        .with_max_output(Tokens::new(24))
}

/// One test, since loading the model takes longer than all that is asked of it.
#[tokio::test]
#[ignore = "needs llama.cpp's server and a model: run scripts/test.sh"]
async fn a_real_server_is_spoken_to() {
    let mut part = Part::start(python("serve_llama.py"));
    let client = client(&part.url());
    let openai: ModelId = "openai-compatible::smollm2".parse().unwrap();
    let anthropic: ModelId = "anthropic::claude-haiku-4-5".parse().unwrap();

    keeps_the_contract(&client, [&openai, &anthropic]).await;
    streams_with_usage(&client, [&openai, &anthropic]).await;
    writes_json(&client, &openai).await;
    makes_vectors(&client, &openai).await;
    lists_itself(&client).await;
    refuses_what_is_too_long(&client, [&openai, &anthropic]).await;
    cancels(&client, &openai).await;
}

async fn keeps_the_contract(client: &Client, models: [&ModelId; 2]) {
    for id in models {
        conformance(&*client.model(id).unwrap()).await.unwrap();
    }
}

async fn streams_with_usage(client: &Client, models: [&ModelId; 2]) {
    let mut answers = Vec::new();
    for id in models {
        let mut stream = client.model(id).unwrap().stream(ask("Say hello to my friend Ana.")).await.unwrap();
        let (mut text, mut pieces, mut usage, mut reason) = (String::new(), 0, None, None);
        while let Some(delta) = stream.next().await {
            match delta.unwrap() {
                Delta::Text(words) => {
                    text.push_str(&words);
                    pieces += 1;
                }
                Delta::Usage(reported) => usage = Some(reported),
                Delta::Done { finish_reason } => reason = Some(finish_reason),
                other => panic!("{other:?}"),
            }
        }
        let usage = usage.expect("usage is reported");
        assert!(pieces > 1 && !text.trim().is_empty(), "{id}: {text:?}");
        assert!(usage.input.unwrap().get() > 5 && usage.output.unwrap().get() > 1, "{id}: {usage:?}");
        assert!(matches!(reason, Some(FinishReason::Stop | FinishReason::Length)), "{id}: {reason:?}");
        answers.push(text);
    }
    // The same model, asked the same by both APIs without chance, says the same.
    assert_eq!(answers[0], answers[1]);
    let model = client.model(models[0]).unwrap();
    let short = model.chat(ask("Count to one hundred.").with_max_output(Tokens::new(3))).await.unwrap();
    assert_eq!(short.finish_reason, FinishReason::Length);
}

async fn writes_json(client: &Client, id: &ModelId) {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string", "maxLength": 12}, "warm": {"type": "boolean"}},
        "required": ["city", "warm"], "additionalProperties": false});
    let request = ask("Name a city and say whether it is warm there.").with_max_output(Tokens::new(64));
    let request = request.with_json_schema(JsonSchema::new("city", schema).unwrap());
    let reply = client.model(id).unwrap().chat(request).await.unwrap();
    let answer: Value =
        serde_json::from_str(&reply.text).unwrap_or_else(|error| panic!("{error}: {}", reply.text));
    assert!(answer["city"].is_string() && answer["warm"].is_boolean(), "{answer}");
}

async fn makes_vectors(client: &Client, id: &ModelId) {
    let texts = [
        "The cat sleeps on the sofa.",
        "A cat is sleeping on a couch.",
        "Interest rates rose by two percent.",
    ];
    let reply = client.embed(id, &EmbedRequest::new(texts)).await.unwrap();
    assert_eq!(reply.vectors.len(), 3);
    assert_eq!(reply.vectors[0].len(), 576);
    let alike = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let [cat, couch, rates] = [&reply.vectors[0], &reply.vectors[1], &reply.vectors[2]];
    assert!(alike(cat, couch) > alike(cat, rates));
    assert!(reply.usage.input.is_some());
}

async fn lists_itself(client: &Client) {
    let models = client.list_models(Provider::OpenAiCompatible).await.unwrap();
    assert_eq!(models.len(), 1);
}

async fn refuses_what_is_too_long(client: &Client, models: [&ModelId; 2]) {
    for id in models {
        let error = client.model(id).unwrap().chat(ask(&"word ".repeat(3000))).await.unwrap_err();
        assert!(matches!(error, Error::ContextLengthExceeded { .. }), "{id}: {error:?}");
        let error = error.to_string();
        assert!(error.contains("1024"), "{error}");
    }
}

/// The server has room for two at a time: more are answered only if those before were let go.
async fn cancels(client: &Client, id: &ModelId) {
    let model = client.model(id).unwrap();
    for _ in 0..4 {
        let mut stream =
            model.stream(ask("Tell a very long story.").with_max_output(Tokens::new(900))).await.unwrap();
        stream.next().await.unwrap().unwrap();
    }
    model.chat(ask("Say hello.").with_max_output(Tokens::new(4))).await.unwrap();
}
