//! What is sent and what comes back, as Ollama's API documentation describes it; pure.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::InstalledModel;
use crate::count::Count;
use crate::embed::EmbedRequest;
use crate::http::{Said, context_size, named_status};
use crate::text::Text;
use crate::{ChatRequest, Error, FinishReason, Provider, Thinking, Tokens, Usage};

#[derive(Serialize)]
struct ChatBody<'a> {
    model: &'a str,
    messages: Vec<ChatMessage<'a>>,
    stream: bool,
    /// A JSON schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    think: Option<bool>,
    options: Options<'a>,
}

#[derive(Serialize)]
struct ChatMessage<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct Options<'a> {
    num_ctx: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_predict: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop: &'a [String],
}

/// The body of a call to `/api/chat`.
pub(super) fn chat_body(model: &str, request: &ChatRequest, context: Tokens) -> Result<Vec<u8>, Error> {
    let system = request.system.iter().map(|content| ChatMessage { role: "system", content });
    let turns =
        request.messages.iter().map(|turn| ChatMessage { role: turn.role.as_str(), content: &turn.content });
    let body = ChatBody {
        model,
        messages: system.chain(turns).collect(),
        stream: true,
        format: request.schema.as_ref().map(|form| &form.schema),
        think: request.thinking.map(|thinking| thinking == Thinking::On),
        options: Options {
            num_ctx: context.get(),
            num_predict: request.max_output.map(Tokens::get),
            temperature: request.temperature.map(crate::Temperature::get),
            seed: request.seed,
            stop: &request.stop,
        },
    };
    serde_json::to_vec(&body).map_err(|_| Error::BadRequest { reason: "it cannot be written as JSON" })
}

/// One line of the answer to `/api/chat`. Every field may be missing or null, and others may be there.
#[derive(Deserialize)]
pub(super) struct ChatLine {
    pub(super) message: Option<LineMessage>,
    pub(super) done: Option<bool>,
    done_reason: Option<String>,
    #[serde(default)]
    prompt_eval_count: Count,
    #[serde(default)]
    eval_count: Count,
    pub(super) error: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct LineMessage {
    pub(super) content: Option<Text>,
    pub(super) thinking: Option<Text>,
}

impl ChatLine {
    pub(super) fn usage(&self) -> Usage {
        Usage { input: self.prompt_eval_count.0, output: self.eval_count.0, ..Usage::default() }
    }

    pub(super) fn finish_reason(self) -> FinishReason {
        match self.done_reason.as_deref() {
            Some("stop") => FinishReason::Stop,
            Some("length") => FinishReason::Length,
            // A version before it had reasons, or a server whose runner closed the connection.
            None | Some("") => FinishReason::Unreported,
            Some(other) => FinishReason::Other(other.to_owned()),
        }
    }
}

#[derive(Deserialize)]
struct Tags {
    // A server without models may write null.
    models: Option<Vec<Tag>>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
    size: Option<u64>,
    details: Option<TagDetails>,
}

#[derive(Deserialize)]
struct TagDetails {
    parameter_size: Option<String>,
    quantization_level: Option<String>,
}

/// What `/api/tags` says is installed.
pub(super) fn installed(body: &[u8]) -> Result<Vec<InstalledModel>, Error> {
    let tags: Tags = serde_json::from_slice(body).map_err(|_| not_ollama("a list of models"))?;
    let known = |text: Option<String>| text.filter(|text| !text.is_empty());
    let models = tags.models.unwrap_or_default().into_iter().map(|tag| {
        let (parameters, quantization) =
            tag.details.map_or((None, None), |details| (details.parameter_size, details.quantization_level));
        InstalledModel {
            name: tag.name,
            size_bytes: tag.size,
            parameters: known(parameters),
            quantization: known(quantization),
        }
    });
    Ok(models.collect())
}

#[derive(Deserialize)]
struct Version {
    version: String,
}

/// What `/api/version` says.
pub(super) fn version(body: &[u8]) -> Result<String, Error> {
    let version: Version = serde_json::from_slice(body).map_err(|_| not_ollama("a version"))?;
    Ok(version.version)
}

/// The body of a call to `/api/embed`.
pub(super) fn embed_body(model: &str, request: &EmbedRequest, texts: &[String]) -> Result<Vec<u8>, Error> {
    #[derive(Serialize)]
    struct Body<'a> {
        model: &'a str,
        input: &'a [String],
        // Else the end of a long text would be left out of its vector without a word.
        truncate: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        dimensions: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        options: Option<Options>,
    }
    #[derive(Serialize)]
    struct Options {
        num_ctx: u32,
    }
    let options = request.context_length.map(|length| Options { num_ctx: length.get() });
    let body = Body { model, input: texts, truncate: false, dimensions: request.dimensions, options };
    serde_json::to_vec(&body).map_err(|_| Error::BadRequest { reason: "it cannot be written as JSON" })
}

/// What `/api/embed` answers.
pub(super) fn embedded(body: &[u8]) -> Option<(Vec<Vec<f32>>, Usage)> {
    #[derive(Deserialize)]
    struct Answer {
        embeddings: Vec<Vec<f32>>,
        #[serde(default)]
        prompt_eval_count: Count,
    }
    let answer: Answer = serde_json::from_slice(body).ok()?;
    Some((answer.embeddings, Usage { input: answer.prompt_eval_count.0, ..Usage::default() }))
}

/// The body of a call that is about one model.
pub(super) fn about(model: &str) -> Vec<u8> {
    serde_json::json!({ "model": model }).to_string().into_bytes()
}

/// What an error page says, if it is one of Ollama's.
pub(super) fn refusal(body: &[u8]) -> Option<Said> {
    #[derive(Deserialize)]
    struct Page {
        error: Value,
    }
    serde_json::from_slice::<Page>(body).ok().map(|page| said(&page.error))
}

/// What an `error` field says: a text, or an object that holds one.
pub(super) fn said(error: &Value) -> Said {
    let text = error.as_str().or_else(|| error.get("message").and_then(Value::as_str));
    let message = text.filter(|text| !text.trim().is_empty()).unwrap_or("it gave no reason");
    let too_long = error.get("type").and_then(Value::as_str) == Some("exceed_context_size_error")
        || TOO_LONG.iter().any(|words| message.contains(words));
    let fault = too_long.then(|| context_size(error, message));
    let status = named_status(error.get("code"));
    Said { message: Some(message.to_owned()), status, fault, ..Said::default() }
}

/// What Ollama and the engines under it say of a text that is too long, where they give it no type.
const TOO_LONG: [&str; 3] =
    ["exceeds the context length", "exceeds maximum context", "exceeds the available context size"];

pub(super) fn not_ollama(expected: &str) -> Error {
    let reason =
        format!("its answer is not {expected}: is it an Ollama server that listens at the base URL?");
    Error::Protocol { provider: Provider::Ollama, reason, response: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Fault;
    use crate::{Message, Temperature};
    use proptest::prelude::*;
    use serde_json::json;

    fn body(request: &ChatRequest) -> Value {
        serde_json::from_slice(&chat_body("llama3.2:1b", request, Tokens::new(4096)).unwrap()).unwrap()
    }

    #[test]
    fn what_is_not_set_is_not_sent_but_the_context_length_is() {
        assert_eq!(
            body(&ChatRequest::new([Message::user("Olá \"você\" 🙂\n\0")])),
            json!({
                "model": "llama3.2:1b",
                "messages": [{"role": "user", "content": "Olá \"você\" 🙂\n\0"}],
                "stream": true,
                "options": {"num_ctx": 4096},
            })
        );
    }

    #[test]
    fn every_option_has_its_place() {
        let request = ChatRequest::new([Message::user("a"), Message::assistant("b"), Message::user("c")])
            .with_system("s")
            .with_message(Message::system("later"))
            .with_temperature(Temperature::new(0.3).unwrap())
            .with_max_output(Tokens::new(512))
            .with_seed(u32::MAX)
            .with_stop("###")
            .with_stop("\n\n")
            .with_thinking(Thinking::Off)
            .with_json_schema(crate::JsonSchema::new("form", json!({"type": "object"})).unwrap());
        assert_eq!(
            body(&request),
            json!({
                "model": "llama3.2:1b",
                "messages": [
                    {"role": "system", "content": "s"},
                    {"role": "user", "content": "a"},
                    {"role": "assistant", "content": "b"},
                    {"role": "user", "content": "c"},
                    {"role": "system", "content": "later"},
                ],
                "stream": true,
                "format": {"type": "object"},
                "think": false,
                "options": {
                    "num_ctx": 4096,
                    "num_predict": 512,
                    "temperature": 0.3,
                    "seed": 4_294_967_295_u32,
                    "stop": ["###", "\n\n"],
                },
            })
        );
    }

    #[test]
    fn texts_are_embedded_whole_or_not_at_all() {
        let request = EmbedRequest::new(["a", "b"]).with_dimensions(8);
        let sent: Value =
            serde_json::from_slice(&embed_body("nomic-embed-text", &request, &request.texts).unwrap())
                .unwrap();
        assert_eq!(
            sent,
            json!({"model": "nomic-embed-text", "input": ["a", "b"], "truncate": false, "dimensions": 8})
        );
        let request = EmbedRequest::new(["a"]).with_context_length(Tokens::new(8192));
        let sent: Value =
            serde_json::from_slice(&embed_body("m", &request, &request.texts).unwrap()).unwrap();
        assert_eq!(sent["options"], json!({"num_ctx": 8192}));
        let answer = br#"{"model":"m","embeddings":[[0.5,1],[2,3]],"prompt_eval_count":4}"#;
        let (vectors, usage) = embedded(answer).unwrap();
        assert_eq!((vectors, usage.input), (vec![vec![0.5, 1.0], vec![2.0, 3.0]], Some(Tokens::new(4))));
        assert!(embedded(br#"{"embedding":[1]}"#).is_none());
    }

    #[test]
    fn installed_models_are_read_with_what_is_known_of_them() {
        let body = json!({"models": [
            {"name": "llama3.2:1b", "model": "llama3.2:1b", "size": 1_321_098_329_u64, "digest": "baf6",
             "details": {"parameter_size": "1.2B", "quantization_level": "Q8_0", "families": ["llama"]}},
            {"name": "gpt-oss:120b-cloud", "size": 384, "details": {"parameter_size": "", "families": null}},
            {"name": "bare"},
        ]});
        let models = installed(body.to_string().as_bytes()).unwrap();
        let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
        assert_eq!(names, ["llama3.2:1b", "gpt-oss:120b-cloud", "bare"]);
        assert_eq!(models[0].size_bytes, Some(1_321_098_329));
        assert_eq!(models[0].parameters.as_deref(), Some("1.2B"));
        assert_eq!(models[0].quantization.as_deref(), Some("Q8_0"));
        assert_eq!((models[1].parameters.as_deref(), models[2].size_bytes), (None, None));
        assert_eq!(installed(br#"{"models":null}"#).unwrap(), []);
        assert_eq!(installed(b"{}").unwrap(), []);
    }

    #[test]
    fn what_is_no_answer_of_ollama_says_so() {
        for body in [&b"<html>"[..], b"", b"[]", b"{\"models\":7}", b"\xff"] {
            assert!(installed(body).unwrap_err().to_string().contains("Ollama server"));
            assert!(version(body).unwrap_err().to_string().contains("Ollama server"));
        }
        assert_eq!(version(br#"{"version":"0.12.3"}"#).unwrap(), "0.12.3");
    }

    #[test]
    fn a_reason_is_found_in_every_form() {
        let reason = |body: &[u8]| refusal(body).unwrap().message.unwrap();
        assert_eq!(reason(br#"{"error":"model 'x' not found"}"#), "model 'x' not found");
        assert_eq!(reason(br#"{"error":{"message":"busy","code":503}}"#), "busy");
        assert_eq!(reason(br#"{"error":null}"#), "it gave no reason");
        assert_eq!(refusal(b"404 page not found"), None);
    }

    proptest! {
        #[test]
        fn whatever_an_error_says_it_is_one(words in ".{0,40}", number in any::<u64>(), count in any::<i64>()) {
            let message = format!("exceeds the context length {number} {number} > {words} {number}");
            for error in [json!(message), json!({"message": message, "n_ctx": count, "n_prompt_tokens": number})] {
                let found = refusal(json!({ "error": error }).to_string().as_bytes());
                let too_long = matches!(found.unwrap().fault, Some(Fault::ContextLength { .. }));
                prop_assert!(too_long, "{error}");
            }
        }
    }
}
