//! Every body that the client sends, for every provider and option, against the vendors' published specifications and the
//! official SDKs' own types, both with unknown fields forbidden.

use serde_json::{Value, json};
use tusab_llm::testing::{Recorded, ReplayServer};
use tusab_llm::{
    ApiKey, BaseUrl, ChatRequest, Client, Endpoint, Error, JsonSchema, Message, ModelId, OllamaOptions,
    Provider, RetryPolicy, Temperature, Thinking, Tokens,
};

use super::child::{Part, python};

/// Models of every family whose requests differ.
const MODELS: [&str; 24] = [
    "openai::gpt-4o-mini",
    "openai::gpt-4.1",
    "openai::o1",
    "openai::o3",
    "openai::o4-mini",
    "openai::gpt-5",
    "openai::gpt-5.4-mini",
    "openai::gpt-5-chat-latest",
    "groq::llama-3.3-70b-versatile",
    "groq::openai/gpt-oss-20b",
    "groq::qwen/qwen3-32b",
    "anthropic::claude-3-5-haiku-20241022",
    "anthropic::claude-3-7-sonnet-20250219",
    "anthropic::claude-haiku-4-5",
    "anthropic::claude-sonnet-4-6",
    "anthropic::claude-opus-4-8",
    "gemini::gemini-2.0-flash",
    "gemini::gemini-2.5-flash",
    "gemini::gemini-2.5-pro",
    "gemini::gemini-3.5-flash",
    "gemini::gemini-3.1-pro-preview",
    "openai-compatible::local",
    "ollama::llama3.2:1b",
    "ollama::qwen3:0.6b",
];

fn schema() -> JsonSchema {
    let schema = json!({"type": "object", "properties": {"answer": {"type": "string"}, "found": {"type": "boolean"}},
        "required": ["answer", "found"], "additionalProperties": false});
    JsonSchema::new("answer_form", schema).unwrap()
}

/// Every option alone, all that go together at once, and every kind of conversation.
fn requests() -> Vec<ChatRequest> {
    let ask = || ChatRequest::new([Message::user("Quanto é 2 + 2? \"🙂\"\n")]);
    let full = ask()
        .with_system("Seja breve.")
        .with_max_output(Tokens::new(2000))
        .with_seed(u32::MAX)
        .with_json_schema(schema())
        .with_context_length(Tokens::new(8192));
    vec![
        ask(),
        ask().with_system("Seja breve."),
        ChatRequest::new([Message::user("a"), Message::assistant("b"), Message::user("c")]),
        ChatRequest::new([
            Message::system("a"),
            Message::user("b"),
            Message::system("c"),
            Message::user("d"),
        ]),
        ask().with_temperature(Temperature::ZERO),
        ask().with_temperature(Temperature::ONE),
        ask().with_temperature(Temperature::new(2.0).unwrap()),
        ask().with_max_output(Tokens::new(1)),
        ask().with_stop("###").with_stop("fim"),
        ask().with_seed(0),
        ask().with_context_length(Tokens::new(2048)),
        ask().with_json_schema(schema()),
        ask().with_thinking(Thinking::On),
        ask().with_thinking(Thinking::Off),
        full.clone(),
        full.clone().with_thinking(Thinking::On),
        full.clone().with_thinking(Thinking::Off).with_temperature(Temperature::new(0.7).unwrap()),
        full.with_stop("\u{0}").with_temperature(Temperature::new(0.3).unwrap()),
    ]
}

pub(super) fn client(server: &ReplayServer) -> Client {
    let key = || ApiKey::new("sk-1".to_owned()).unwrap();
    let url = |provider| BaseUrl::parse(provider, &server.url()).unwrap();
    let ollama = OllamaOptions::default().with_base_url(url(Provider::Ollama));
    let hosted = Provider::ALL.into_iter().filter(|provider| *provider != Provider::Ollama);
    let builder = Client::builder().with_retry(RetryPolicy::never()).with_ollama(ollama);
    hosted
        .fold(builder, |builder, provider| {
            builder.with_endpoint(provider, Endpoint::new(key()).with_base_url(url(provider)))
        })
        .build()
        .unwrap()
}

/// The body that is sent for a chat; `None` if the model cannot do what is asked, and nothing is.
async fn sent(model: &ModelId, request: ChatRequest) -> Option<Value> {
    // What is answered does not matter here, also where Ollama is first asked how much its model holds.
    let server = ReplayServer::start([Recorded::json(418, "{}"), Recorded::json(418, "{}")]).unwrap();
    let error = client(&server).model(model).unwrap().chat(request).await.unwrap_err();
    if matches!(error, Error::Unsupported { .. }) {
        assert_eq!(server.requests(), []);
        return None;
    }
    Some(serde_json::from_slice(&server.requests().last().unwrap().body).unwrap())
}

/// What the vendor's specification and SDK say of a body: nothing, if it is as it should be.
pub(super) fn faults(validator: &mut Part, provider: Provider, call: &str, body: &Value) -> Vec<String> {
    let verdict = validator.ask(&json!({"provider": provider, "call": call, "body": body}));
    ["spec", "sdk"]
        .into_iter()
        .filter(|by| !matches!(&verdict[by], Value::Null) && verdict[by] != "-")
        .map(|by| format!("{by}: {}", verdict[by]))
        .collect()
}

#[tokio::test]
#[ignore = "needs the vendors' specifications and SDKs: run scripts/test.sh"]
async fn every_request_is_as_the_vendors_say() {
    let mut validator = Part::start(python("validate.py"));
    let (mut checked, mut refused) = (0, 0);
    for model in MODELS.map(|model| model.parse::<ModelId>().unwrap()) {
        for request in requests() {
            let Some(body) = sent(&model, request.clone()).await else {
                refused += 1;
                continue;
            };
            let found = faults(&mut validator, model.provider(), "chat", &body);
            assert_eq!(found, Vec::<String>::new(), "{model}: {body}");
            checked += 1;
        }
    }
    // What a model cannot do is refused before it is sent; most can do most.
    assert!(checked > 380 && refused > 10, "{checked} checked, {refused} refused");
}

/// The validator finds what is wrong: each good body is spoiled in one place.
#[tokio::test]
#[ignore = "needs the vendors' specifications and SDKs: run scripts/test.sh"]
async fn the_validator_bites() {
    let mut validator = Part::start(python("validate.py"));
    let request = || {
        ChatRequest::new([Message::user("a")])
            .with_system("s")
            .with_max_output(Tokens::new(9))
            .with_stop("x")
            .with_json_schema(schema())
    };
    for (model, spoils) in [
        (
            "openai::gpt-4o-mini",
            vec![
                ("/surprise", json!(1)),
                ("/max_completion_tokens", json!("9")),
                ("/messages/0/role", json!("boss")),
                ("/messages/0/surprise", json!(1)),
                ("/stop", json!(["1", "2", "3", "4", "5"])),
                ("/response_format/json_schema/name", Value::Null),
                ("/stream_options/include_usage", json!("yes")),
            ],
        ),
        (
            "groq::llama-3.3-70b-versatile",
            vec![
                ("/surprise", json!(1)),
                ("/max_completion_tokens", json!("x")),
                ("/messages/0/role", json!("boss")),
                ("/reasoning_format", json!("loud")),
            ],
        ),
        (
            "openai-compatible::local",
            vec![("/surprise", json!(1)), ("/max_tokens", json!("x")), ("/messages", json!("a"))],
        ),
        (
            "anthropic::claude-sonnet-4-6",
            vec![
                ("/surprise", json!(1)),
                ("/max_tokens", Value::Null),
                ("/system", json!(7)),
                ("/temperature", json!(1.5)),
                ("/thinking", json!({"type": "enabled", "budget_tokens": 9})),
                ("/output_config/format/name", json!("f")),
                ("/messages/0/role", json!("boss")),
            ],
        ),
        (
            "gemini::gemini-3.5-flash",
            vec![
                ("/surprise", json!(1)),
                ("/generationConfig/surprise", json!(1)),
                ("/generationConfig/maxOutputTokens", json!("x")),
                ("/contents/0/parts/0/words", json!("a")),
                ("/generationConfig/seed", json!(4_294_967_295_u32)),
                ("/generationConfig/thinkingConfig", json!({"thinkingLevel": "LOUD"})),
            ],
        ),
        (
            "ollama::llama3.2:1b",
            vec![
                ("/surprise", json!(1)),
                ("/options/num_ctxx", json!(1)),
                ("/messages/0/words", json!("a")),
                ("/options/num_ctx", json!("long")),
                ("/stream", json!("perhaps")),
            ],
        ),
    ] {
        let model: ModelId = model.parse().unwrap();
        let good = sent(&model, request()).await.unwrap();
        assert_eq!(faults(&mut validator, model.provider(), "chat", &good), Vec::<String>::new(), "{good}");
        for (place, spoil) in spoils {
            let bad = spoiled(good.clone(), place, spoil);
            let found = faults(&mut validator, model.provider(), "chat", &bad);
            assert!(!found.is_empty(), "{model} {place}: {bad} passed");
        }
    }
}

/// `body` with `value` at `place`; null takes out what is there.
pub(super) fn spoiled(mut body: Value, place: &str, value: Value) -> Value {
    let (parent, field) = place.rsplit_once('/').unwrap();
    if let Some(item) = body.pointer_mut(parent).and_then(Value::as_array_mut) {
        item[field.parse::<usize>().unwrap()] = value;
        return body;
    }
    let parent = body.pointer_mut(parent).and_then(Value::as_object_mut).expect("the place is there");
    if value.is_null() {
        assert!(parent.remove(field).is_some(), "{place} is there");
    } else {
        parent.insert(field.to_owned(), value);
    }
    body
}
