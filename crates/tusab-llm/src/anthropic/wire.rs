//! What is sent and what comes back, as Anthropic's API reference describes it; pure.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::capability::Anthropic;
use crate::count::{Count, sum};
use crate::models::ModelInfo;
use crate::{ChatRequest, Error, ModelId, Provider, Thinking, Tokens, Usage};

/// The longest answer where a request does not say: the API has no default.
const DEFAULT_MAX_OUTPUT: u32 = 4096;
/// How much a model may think, beside the answer: `max_tokens` counts both.
const THINKING_BUDGET: u32 = 4096;

#[derive(Serialize)]
struct ChatBody<'a> {
    model: &'a str,
    max_tokens: u32,
    messages: Vec<ChatMessage<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop_sequences: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<ThinkingConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig<'a>>,
}

#[derive(Serialize)]
struct ChatMessage<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum ThinkingConfig {
    Enabled { budget_tokens: u32 },
    Adaptive { display: &'static str },
    Disabled,
}

#[derive(Serialize)]
struct OutputConfig<'a> {
    format: OutputFormat<'a>,
}

#[derive(Serialize)]
struct OutputFormat<'a> {
    r#type: &'static str,
    schema: &'a Value,
}

/// The body of a call to `/v1/messages`.
pub(super) fn chat_body(model: &str, request: &ChatRequest) -> Result<Vec<u8>, Error> {
    let family = Anthropic::of(model);
    let thinking = match request.thinking {
        Some(Thinking::On) if family.adaptive => Some(ThinkingConfig::Adaptive { display: "summarized" }),
        Some(Thinking::On) => Some(ThinkingConfig::Enabled { budget_tokens: THINKING_BUDGET }),
        // Those before think only when they are told to.
        Some(Thinking::Off) if family.adaptive => Some(ThinkingConfig::Disabled),
        Some(Thinking::Off) | None => None,
    };
    let more = if request.thinking == Some(Thinking::On) { THINKING_BUDGET } else { 0 };
    let system: Vec<&str> = request.system_texts().collect();
    let body = ChatBody {
        model,
        max_tokens: request.max_output.map_or(DEFAULT_MAX_OUTPUT, Tokens::get).saturating_add(more),
        messages: request
            .turns()
            .map(|turn| ChatMessage { role: turn.role.as_str(), content: &turn.content })
            .collect(),
        stream: true,
        system: (!system.is_empty()).then(|| system.join("\n\n")),
        temperature: request.temperature.map(crate::Temperature::get),
        stop_sequences: &request.stop,
        thinking,
        output_config: request.schema.as_ref().map(|form| OutputConfig {
            format: OutputFormat { r#type: "json_schema", schema: &form.schema },
        }),
    };
    serde_json::to_vec(&body).map_err(|_| Error::BadRequest { reason: "it cannot be written as JSON" })
}

/// `usage` of an event: the counts so far.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct WireUsage {
    input_tokens: Count,
    cache_creation_input_tokens: Count,
    cache_read_input_tokens: Count,
    output_tokens: Count,
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct OutputDetails {
    thinking_tokens: Count,
}

impl WireUsage {
    /// Takes over what a later event knows better.
    pub(super) fn update(&mut self, later: Self) {
        let newer = |known: &mut Count, later: Count| {
            if later.0.is_some() {
                *known = later;
            }
        };
        newer(&mut self.input_tokens, later.input_tokens);
        newer(&mut self.cache_creation_input_tokens, later.cache_creation_input_tokens);
        newer(&mut self.cache_read_input_tokens, later.cache_read_input_tokens);
        newer(&mut self.output_tokens, later.output_tokens);
        self.output_tokens_details = later.output_tokens_details.or(self.output_tokens_details);
    }

    pub(super) fn usage(&self) -> Usage {
        Usage {
            // What was cached is counted apart.
            input: sum([self.input_tokens, self.cache_creation_input_tokens, self.cache_read_input_tokens]),
            output: self.output_tokens.0,
            cached: self.cache_read_input_tokens.0,
            thinking: self.output_tokens_details.and_then(|details| details.thinking_tokens.0),
        }
    }
}

#[derive(Deserialize)]
struct List {
    data: Vec<Listed>,
    has_more: Option<bool>,
    last_id: Option<String>,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
    #[serde(default)]
    max_input_tokens: Count,
    #[serde(default)]
    max_tokens: Count,
}

/// What `/v1/models` answers, and where the next page starts.
pub(super) fn listed(body: &[u8]) -> Option<(Vec<ModelInfo>, Option<String>)> {
    let List { data, has_more, last_id } = serde_json::from_slice(body).ok()?;
    let models = data.into_iter().filter_map(|listed| {
        Some(ModelInfo {
            id: ModelId::new(Provider::Anthropic, &listed.id).ok()?,
            context_length: listed.max_input_tokens.0,
            max_output: listed.max_tokens.0,
        })
    });
    Some((models.collect(), last_id.filter(|_| has_more == Some(true))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JsonSchema, Message, Temperature};
    use serde_json::json;

    fn body(model: &str, request: &ChatRequest) -> Value {
        serde_json::from_slice(&chat_body(model, request).unwrap()).unwrap()
    }

    #[test]
    fn the_system_prompt_is_a_field_of_its_own_and_the_limit_is_always_sent() {
        let request =
            ChatRequest::new([Message::user("a"), Message::assistant("b"), Message::system("later")])
                .with_message(Message::user("c"))
                .with_system("s");
        assert_eq!(
            body("claude-haiku-4-5", &request),
            json!({
                "model": "claude-haiku-4-5",
                "max_tokens": 4096,
                "messages": [
                    {"role": "user", "content": "a"},
                    {"role": "assistant", "content": "b"},
                    {"role": "user", "content": "c"},
                ],
                "stream": true,
                "system": "s\n\nlater",
            })
        );
    }

    #[test]
    fn every_option_has_its_place() {
        let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let request = ChatRequest::new([Message::user("a")])
            .with_temperature(Temperature::new(0.3).unwrap())
            .with_max_output(Tokens::new(512))
            .with_stop("###")
            .with_json_schema(JsonSchema::new("form", schema.clone()).unwrap());
        assert_eq!(
            body("claude-sonnet-4-6", &request),
            json!({
                "model": "claude-sonnet-4-6",
                "max_tokens": 512,
                "messages": [{"role": "user", "content": "a"}],
                "stream": true,
                "temperature": 0.3,
                "stop_sequences": ["###"],
                "output_config": {"format": {"type": "json_schema", "schema": schema}},
            })
        );
    }

    #[test]
    fn thinking_leaves_the_answer_its_room() {
        let ask = |thinking| {
            ChatRequest::new([Message::user("a")]).with_max_output(Tokens::new(500)).with_thinking(thinking)
        };
        for (model, thinking, limit, expected) in [
            ("claude-haiku-4-5", Thinking::On, 4596, json!({"type": "enabled", "budget_tokens": 4096})),
            ("claude-haiku-4-5", Thinking::Off, 500, Value::Null),
            ("claude-sonnet-4-6", Thinking::On, 4596, json!({"type": "adaptive", "display": "summarized"})),
            ("claude-sonnet-4-6", Thinking::Off, 500, json!({"type": "disabled"})),
        ] {
            let sent = body(model, &ask(thinking));
            assert_eq!(sent["max_tokens"], limit);
            assert_eq!(sent.get("thinking").cloned().unwrap_or(Value::Null), expected, "{model}");
        }
    }

    #[test]
    fn models_are_listed_page_by_page() {
        let page = json!({"data": [{"type": "model", "id": "claude-sonnet-4-6", "display_name": "Claude Sonnet 4.6",
            "created_at": "2026-02-01T00:00:00Z"}], "has_more": true, "first_id": "claude-sonnet-4-6",
            "last_id": "claude-sonnet-4-6"});
        let (models, next) = listed(page.to_string().as_bytes()).unwrap();
        assert_eq!(models[0].id.to_string(), "anthropic::claude-sonnet-4-6");
        assert_eq!(next.as_deref(), Some("claude-sonnet-4-6"));
        assert_eq!(listed(br#"{"data":[],"has_more":false,"last_id":"x"}"#), Some((vec![], None)));
        assert_eq!(listed(b"<html>"), None);
    }
}
