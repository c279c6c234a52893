//! What is sent and what comes back, as OpenAI's API reference describes it; pure.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::capability::{GroqThinking, OpenAi};
use crate::count::Count;
use crate::models::ModelInfo;
use crate::remote::Terms;
use crate::{ChatRequest, Error, ModelId, Provider, Thinking, Tokens, Usage};

#[derive(Serialize)]
struct ChatBody<'a> {
    model: &'a str,
    messages: Vec<ChatMessage<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chat_template_kwargs: Option<TemplateArguments>,
}

#[derive(Serialize)]
struct ChatMessage<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct ResponseFormat<'a> {
    r#type: &'static str,
    json_schema: SchemaFormat<'a>,
}

#[derive(Serialize)]
struct SchemaFormat<'a> {
    name: &'a str,
    schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

/// What llama.cpp, vLLM and `SGLang` hand to the chat template of a model.
#[derive(Serialize)]
struct TemplateArguments {
    enable_thinking: bool,
}

/// The body of a call to `/chat/completions`.
pub(super) fn chat_body(model: &ModelId, request: &ChatRequest, terms: Terms) -> Result<Vec<u8>, Error> {
    let provider = model.provider();
    let system = request.system.iter().map(|content| ChatMessage { role: "system", content });
    let turns =
        request.messages.iter().map(|turn| ChatMessage { role: turn.role.as_str(), content: &turn.content });
    let limit = request.max_output.map(Tokens::get);
    // OpenAI and Groq have given the limit a new name, which most other servers do not know yet.
    let new_name = (provider != Provider::OpenAiCompatible) != terms.other_limit_name;
    let thinking = request.thinking;
    let (reasoning_effort, reasoning_format) = match provider {
        Provider::OpenAi => (openai_effort(model.name(), thinking), None),
        Provider::Groq => groq_thinking(model.name(), thinking),
        _ => (None, None),
    };
    let compatible = provider == Provider::OpenAiCompatible;
    let body = ChatBody {
        model: model.name(),
        messages: system.chain(turns).collect(),
        stream: true,
        // Groq tells the usage without being asked.
        stream_options: (provider != Provider::Groq).then_some(StreamOptions { include_usage: true }),
        max_completion_tokens: limit.filter(|_| new_name),
        max_tokens: limit.filter(|_| !new_name),
        temperature: request.temperature.map(crate::Temperature::get),
        seed: request.seed,
        stop: &request.stop,
        response_format: request.schema.as_ref().map(|form| ResponseFormat {
            r#type: "json_schema",
            json_schema: SchemaFormat {
                name: &form.name,
                schema: &form.schema,
                // Others know it for some of their models only.
                strict: (provider == Provider::OpenAi).then_some(true),
            },
        }),
        reasoning_effort,
        reasoning_format,
        chat_template_kwargs: thinking
            .filter(|_| compatible)
            .map(|thinking| TemplateArguments { enable_thinking: thinking == Thinking::On }),
    };
    serde_json::to_vec(&body).map_err(|_| Error::BadRequest { reason: "it cannot be written as JSON" })
}

fn openai_effort(name: &str, thinking: Option<Thinking>) -> Option<&'static str> {
    let OpenAi { effort_off, effort_on, .. } = OpenAi::of(name);
    match thinking? {
        Thinking::Off => effort_off,
        Thinking::On => effort_on,
    }
}

fn groq_thinking(name: &str, thinking: Option<Thinking>) -> (Option<&'static str>, Option<&'static str>) {
    match (GroqThinking::of(name), thinking) {
        (GroqThinking::Switched, Some(Thinking::Off)) => (Some("none"), None),
        (GroqThinking::Switched, Some(Thinking::On)) => (Some("default"), Some("parsed")),
        _ => (None, None),
    }
}

/// `usage` of an answer or a chunk.
#[derive(Deserialize)]
pub(super) struct WireUsage {
    #[serde(default)]
    prompt_tokens: Count,
    #[serde(default)]
    completion_tokens: Count,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    #[serde(default)]
    cached_tokens: Count,
}

#[derive(Deserialize)]
struct CompletionDetails {
    #[serde(default)]
    reasoning_tokens: Count,
}

impl WireUsage {
    pub(super) fn usage(&self) -> Usage {
        Usage {
            input: self.prompt_tokens.0,
            output: self.completion_tokens.0,
            cached: self.prompt_tokens_details.as_ref().and_then(|details| details.cached_tokens.0),
            thinking: self.completion_tokens_details.as_ref().and_then(|details| details.reasoning_tokens.0),
        }
    }
}

#[derive(Deserialize)]
struct Embeddings {
    data: Vec<Embedding>,
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct Embedding {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// What `/embeddings` answers.
pub(super) fn embedded(body: &[u8]) -> Option<(Vec<Vec<f32>>, Usage)> {
    let Embeddings { mut data, usage } = serde_json::from_slice(body).ok()?;
    if data.iter().all(|embedding| embedding.index.is_some()) {
        data.sort_by_key(|embedding| embedding.index);
    }
    let usage = usage.map(|usage| usage.usage()).unwrap_or_default();
    Some((data.into_iter().map(|embedding| embedding.embedding).collect(), usage))
}

#[derive(Deserialize)]
struct List {
    data: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
    /// Groq.
    #[serde(default)]
    context_window: Count,
    #[serde(default)]
    max_completion_tokens: Count,
    /// vLLM.
    #[serde(default)]
    max_model_len: Count,
    /// llama.cpp.
    meta: Option<ListedMeta>,
}

#[derive(Deserialize)]
struct ListedMeta {
    #[serde(default)]
    n_ctx: Count,
}

/// What `/models` answers. A model whose name cannot be asked for is left out.
pub(super) fn listed(provider: Provider, body: &[u8]) -> Option<Vec<ModelInfo>> {
    let List { data } = serde_json::from_slice(body).ok()?;
    let models = data.into_iter().filter_map(|listed| {
        let loaded = listed.meta.and_then(|meta| meta.n_ctx.0);
        Some(ModelInfo {
            id: ModelId::new(provider, &listed.id).ok()?,
            context_length: listed.context_window.0.or(listed.max_model_len.0).or(loaded),
            max_output: listed.max_completion_tokens.0,
        })
    });
    Some(models.collect())
}

#[cfg(test)]
mod tests;
