use super::*;
use crate::{JsonSchema, Message, Temperature};
use serde_json::json;

fn body(model: &str, request: &ChatRequest) -> Value {
    body_on(model, request, Terms::default())
}

fn body_on(model: &str, request: &ChatRequest, terms: Terms) -> Value {
    serde_json::from_slice(&chat_body(&model.parse().unwrap(), request, terms).unwrap()).unwrap()
}

#[test]
fn what_is_not_set_is_not_sent() {
    assert_eq!(
        body("openai::gpt-4o-mini", &ChatRequest::new([Message::user("Olá \"você\" 🙂\n\0")])),
        json!({
            "model": "gpt-4o-mini",
            "messages": [{"role": "user", "content": "Olá \"você\" 🙂\n\0"}],
            "stream": true,
            "stream_options": {"include_usage": true},
        })
    );
}

#[test]
fn every_option_has_its_place() {
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let request = ChatRequest::new([Message::user("a"), Message::assistant("b"), Message::system("later")])
        .with_system("s")
        .with_temperature(Temperature::new(0.3).unwrap())
        .with_max_output(Tokens::new(512))
        .with_seed(u32::MAX)
        .with_stop("###")
        .with_json_schema(JsonSchema::new("form", schema.clone()).unwrap());
    let sent = body("openai::gpt-4o-mini", &request);
    assert_eq!(
        sent,
        json!({
            "model": "gpt-4o-mini",
            "messages": [
                {"role": "system", "content": "s"},
                {"role": "user", "content": "a"},
                {"role": "assistant", "content": "b"},
                {"role": "system", "content": "later"},
            ],
            "stream": true,
            "stream_options": {"include_usage": true},
            "max_completion_tokens": 512,
            "temperature": 0.3,
            "seed": 4_294_967_295_u32,
            "stop": ["###"],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "form", "schema": schema, "strict": true},
            },
        })
    );
    assert_eq!(body("groq::llama", &request).get("stream_options"), None);
    assert_eq!(body("groq::llama", &request)["response_format"]["json_schema"].get("strict"), None);
}

#[test]
fn the_limit_goes_by_the_name_that_the_server_knows() {
    let request = ChatRequest::new([Message::user("a")]).with_max_output(Tokens::new(9));
    let names = |model, other_limit_name| {
        let sent = body_on(model, &request, Terms { other_limit_name });
        (sent.get("max_completion_tokens").is_some(), sent.get("max_tokens").is_some())
    };
    assert_eq!(names("openai::o3", false), (true, false));
    assert_eq!(names("groq::llama", false), (true, false));
    assert_eq!(names("openai-compatible::x", false), (false, true));
    assert_eq!(names("openai-compatible::x", true), (true, false));
    assert_eq!(names("openai::old", true), (false, true));
}

#[test]
fn thinking_is_switched_as_each_family_wants_it() {
    let ask = |thinking| ChatRequest::new([Message::user("a")]).with_thinking(thinking);
    for (model, thinking, field, value) in [
        ("openai::gpt-5", Thinking::Off, "reasoning_effort", json!("minimal")),
        ("openai::gpt-5.4-mini", Thinking::Off, "reasoning_effort", json!("none")),
        // From here on, a model thinks only when it is told to.
        ("openai::gpt-5.1", Thinking::On, "reasoning_effort", json!("medium")),
        ("openai::gpt-5.4-mini", Thinking::On, "reasoning_effort", json!("medium")),
        ("openai::gpt-5", Thinking::On, "reasoning_effort", Value::Null),
        ("openai::gpt-5.2-pro", Thinking::On, "reasoning_effort", Value::Null),
        ("openai::o3", Thinking::On, "reasoning_effort", Value::Null),
        ("openai::gpt-4o", Thinking::Off, "reasoning_effort", Value::Null),
        ("groq::qwen/qwen3-32b", Thinking::Off, "reasoning_effort", json!("none")),
        ("groq::qwen/qwen3-32b", Thinking::On, "reasoning_format", json!("parsed")),
        ("groq::openai/gpt-oss-20b", Thinking::On, "reasoning_effort", Value::Null),
        ("openai-compatible::x", Thinking::Off, "chat_template_kwargs", json!({"enable_thinking": false})),
        ("openai-compatible::x", Thinking::On, "chat_template_kwargs", json!({"enable_thinking": true})),
    ] {
        let sent = body(model, &ask(thinking));
        assert_eq!(sent.get(field).cloned().unwrap_or(Value::Null), value, "{model}");
    }
}

#[test]
fn vectors_are_put_in_the_order_of_their_texts() {
    let answer = json!({"object": "list", "model": "m", "usage": {"prompt_tokens": 5, "total_tokens": 5}, "data": [
        {"object": "embedding", "index": 1, "embedding": [3.0, 4.0]},
        {"object": "embedding", "index": 0, "embedding": [1.0, 2.0]},
    ]});
    let (vectors, usage) = embedded(answer.to_string().as_bytes()).unwrap();
    assert_eq!(vectors, [[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!((usage.input, usage.output), (Some(Tokens::new(5)), None));
    for nothing in ["", "{}", "{\"data\":7}", "{\"data\":[{\"embedding\":\"AAAA\"}]}"] {
        assert_eq!(embedded(nothing.as_bytes()), None, "{nothing}");
    }
}

#[test]
fn models_are_listed_with_what_is_told_of_them() {
    let answer = json!({"object": "list", "data": [
        {"id": "llama-3.1-8b-instant", "object": "model", "context_window": 131_072, "max_completion_tokens": 8192},
        {"id": "gpt-4o-mini", "object": "model", "created": 1, "owned_by": "system"},
        {"id": "no name"},
    ]});
    let models = listed(Provider::Groq, answer.to_string().as_bytes()).unwrap();
    assert_eq!(models.len(), 2);
    assert_eq!(models[0].id.to_string(), "groq::llama-3.1-8b-instant");
    assert_eq!(models[0].context_length, Some(Tokens::new(131_072)));
    assert_eq!((models[0].max_output, models[1].context_length), (Some(Tokens::new(8192)), None));
}
