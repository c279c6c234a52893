//! What is sent and what comes back, as the Gemini API reference describes it; pure.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::capability::Gemini;
use crate::count::{Count, sum};
use crate::embed::{EmbedRequest, EmbedTask};
use crate::models::ModelInfo;
use crate::{ChatRequest, Error, ModelId, Provider, Role, Thinking, Tokens, Usage};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChatBody<'a> {
    contents: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<GenerationConfig<'a>>,
}

#[derive(Serialize)]
struct Content<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    parts: Vec<Part<'a>>,
}

#[derive(Serialize)]
struct Part<'a> {
    text: &'a str,
}

#[derive(Serialize, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop_sequences: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<ThinkingConfig>,
}

#[derive(Serialize, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
struct ThinkingConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    include_thoughts: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_level: Option<&'static str>,
}

/// The body of a call to `:streamGenerateContent`.
pub(super) fn chat_body(model: &str, request: &ChatRequest) -> Result<Vec<u8>, Error> {
    // Several at once, as one text, since the field is meant for one.
    let parts: Vec<Part<'_>> = request.system_texts().map(|text| Part { text }).collect();
    let config = GenerationConfig {
        temperature: request.temperature.map(crate::Temperature::get),
        max_output_tokens: request.max_output.map(Tokens::get),
        stop_sequences: &request.stop,
        // Its seed has one bit less.
        seed: request.seed.map(|seed| seed & (u32::MAX >> 1)),
        response_mime_type: request.schema.as_ref().map(|_| "application/json"),
        response_json_schema: request.schema.as_ref().map(|form| &form.schema),
        thinking_config: thinking(model, request.thinking),
    };
    let body = ChatBody {
        contents: request
            .turns()
            .map(|turn| Content {
                role: Some(if turn.role == Role::Assistant { "model" } else { "user" }),
                parts: vec![Part { text: &turn.content }],
            })
            .collect(),
        system_instruction: (!parts.is_empty()).then_some(Content { role: None, parts }),
        generation_config: Some(config).filter(|config| *config != GenerationConfig::default()),
    };
    serde_json::to_vec(&body).map_err(|_| Error::BadRequest { reason: "it cannot be written as JSON" })
}

fn thinking(model: &str, thinking: Option<Thinking>) -> Option<ThinkingConfig> {
    let none = ThinkingConfig::default();
    match (Gemini::of(model), thinking?) {
        (Gemini::Plain, _) => None,
        (Gemini::Budget { .. }, Thinking::On) => {
            // As much as the model sees fit.
            Some(ThinkingConfig { include_thoughts: Some(true), thinking_budget: Some(-1), ..none })
        }
        (Gemini::Level { .. }, Thinking::On) => Some(ThinkingConfig { include_thoughts: Some(true), ..none }),
        (Gemini::Budget { .. }, Thinking::Off) => Some(ThinkingConfig { thinking_budget: Some(0), ..none }),
        (Gemini::Level { .. }, Thinking::Off) => {
            Some(ThinkingConfig { thinking_level: Some("MINIMAL"), ..none })
        }
    }
}

#[derive(Serialize)]
struct EmbedBody<'a> {
    requests: Vec<EmbedOne<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EmbedOne<'a> {
    model: &'a str,
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_dimensionality: Option<u32>,
}

/// The body of a call to `:batchEmbedContents`.
pub(super) fn embed_body(model: &str, request: &EmbedRequest, texts: &[String]) -> Result<Vec<u8>, Error> {
    let model = format!("models/{}", model.strip_prefix("models/").unwrap_or(model));
    let requests = texts.iter().map(|text| EmbedOne {
        model: &model,
        content: Content { role: None, parts: vec![Part { text }] },
        task_type: request.task.map(|task| match task {
            EmbedTask::Query => "RETRIEVAL_QUERY",
            EmbedTask::Document => "RETRIEVAL_DOCUMENT",
        }),
        output_dimensionality: request.dimensions,
    });
    serde_json::to_vec(&EmbedBody { requests: requests.collect() })
        .map_err(|_| Error::BadRequest { reason: "it cannot be written as JSON" })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Embeddings {
    embeddings: Vec<Embedding>,
    usage_metadata: Option<WireUsage>,
}

#[derive(Deserialize)]
struct Embedding {
    values: Vec<f32>,
}

/// What `:batchEmbedContents` answers.
pub(super) fn embedded(body: &[u8]) -> Option<(Vec<Vec<f32>>, Usage)> {
    let Embeddings { embeddings, usage_metadata } = serde_json::from_slice(body).ok()?;
    let usage = usage_metadata.map(|usage| usage.usage()).unwrap_or_default();
    Some((embeddings.into_iter().map(|embedding| embedding.values).collect(), usage))
}

/// `usageMetadata` of a chunk: the counts so far.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names are the provider's")]
pub(super) struct WireUsage {
    #[serde(default)]
    prompt_token_count: Count,
    #[serde(default)]
    candidates_token_count: Count,
    #[serde(default)]
    thoughts_token_count: Count,
    #[serde(default)]
    cached_content_token_count: Count,
}

impl WireUsage {
    pub(super) fn usage(&self) -> Usage {
        Usage {
            input: self.prompt_token_count.0,
            // Thoughts are counted apart.
            output: sum([self.candidates_token_count, self.thoughts_token_count]),
            cached: self.cached_content_token_count.0,
            thinking: self.thoughts_token_count.0,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    #[serde(default)]
    models: Vec<Listed>,
    next_page_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    name: String,
    #[serde(default)]
    input_token_limit: Count,
    #[serde(default)]
    output_token_limit: Count,
}

/// What `/models` answers, and where the next page starts.
pub(super) fn listed(body: &[u8]) -> Option<(Vec<ModelInfo>, Option<String>)> {
    let List { models, next_page_token } = serde_json::from_slice(body).ok()?;
    let models = models.into_iter().filter_map(|listed| {
        let name = listed.name.strip_prefix("models/").unwrap_or(&listed.name);
        Some(ModelInfo {
            id: ModelId::new(Provider::Gemini, name).ok()?,
            context_length: listed.input_token_limit.0,
            max_output: listed.output_token_limit.0,
        })
    });
    Some((models.collect(), next_page_token.filter(|token| !token.is_empty())))
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
    fn what_is_not_set_is_not_sent() {
        let request = ChatRequest::new([Message::user("a"), Message::assistant("b"), Message::user("c")])
            .with_system("s")
            .with_message(Message::system("later"));
        assert_eq!(
            body("gemini-3.5-flash", &request),
            json!({
                "contents": [
                    {"role": "user", "parts": [{"text": "a"}]},
                    {"role": "model", "parts": [{"text": "b"}]},
                    {"role": "user", "parts": [{"text": "c"}]},
                ],
                "systemInstruction": {"parts": [{"text": "s"}, {"text": "later"}]},
            })
        );
    }

    #[test]
    fn every_option_has_its_place() {
        let schema = json!({"type": "object", "properties": {}});
        let request = ChatRequest::new([Message::user("a")])
            .with_temperature(Temperature::new(0.3).unwrap())
            .with_max_output(Tokens::new(512))
            .with_stop("###")
            .with_seed(u32::MAX)
            .with_thinking(Thinking::On)
            .with_json_schema(JsonSchema::new("form", schema.clone()).unwrap());
        assert_eq!(
            body("gemini-2.5-flash", &request)["generationConfig"],
            json!({
                "temperature": 0.3,
                "maxOutputTokens": 512,
                "stopSequences": ["###"],
                "seed": i32::MAX,
                "responseMimeType": "application/json",
                "responseJsonSchema": schema,
                "thinkingConfig": {"includeThoughts": true, "thinkingBudget": -1},
            })
        );
    }

    #[test]
    fn thinking_is_switched_as_each_family_wants_it() {
        for (model, thinking, expected) in [
            ("gemini-2.5-flash", Thinking::Off, json!({"thinkingBudget": 0})),
            ("gemini-3.5-flash", Thinking::Off, json!({"thinkingLevel": "MINIMAL"})),
            ("gemini-3.5-flash", Thinking::On, json!({"includeThoughts": true})),
        ] {
            let request = ChatRequest::new([Message::user("a")]).with_thinking(thinking);
            assert_eq!(body(model, &request)["generationConfig"]["thinkingConfig"], expected, "{model}");
        }
        let off = ChatRequest::new([Message::user("a")]).with_thinking(Thinking::Off);
        assert_eq!(body("gemini-2.0-flash", &off).get("generationConfig"), None);
    }

    #[test]
    fn texts_are_embedded_one_by_one() {
        let request = EmbedRequest::new(["a", "b"]).with_dimensions(8).with_task(EmbedTask::Query);
        let sent = embed_body("gemini-embedding-001", &request, &request.texts).unwrap();
        let one = |text: &str| {
            json!({
                "model": "models/gemini-embedding-001",
                "content": {"parts": [{"text": text}]},
                "taskType": "RETRIEVAL_QUERY",
                "outputDimensionality": 8,
            })
        };
        let sent: Value = serde_json::from_slice(&sent).unwrap();
        assert_eq!(sent, json!({"requests": [one("a"), one("b")]}));
        let (vectors, _) = embedded(br#"{"embeddings":[{"values":[0.5,1]},{"values":[2,3]}]}"#).unwrap();
        assert_eq!(vectors, [[0.5, 1.0], [2.0, 3.0]]);
        assert_eq!(embedded(b"{}"), None);
    }

    #[test]
    fn models_are_listed_without_their_prefix() {
        let page = json!({"models": [{"name": "models/gemini-3.5-flash", "version": "001",
            "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536}], "nextPageToken": "t"});
        let (models, next) = listed(page.to_string().as_bytes()).unwrap();
        assert_eq!(models[0].id.to_string(), "gemini::gemini-3.5-flash");
        assert_eq!(models[0].context_length, Some(Tokens::new(1_048_576)));
        assert_eq!(next.as_deref(), Some("t"));
        assert_eq!(listed(b"{}"), Some((vec![], None)));
    }
}
