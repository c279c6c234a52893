//! The chat API of OpenAI, and those who speak it too: Groq, and servers that call themselves compatible.

mod decode;
mod refusal;
mod wire;

use serde_json::json;

use crate::embed::EmbedRequest;
use crate::events::{Context, EventDecoder};
use crate::http::{Auth, Decoder, Said, Target};
use crate::models::ModelInfo;
use crate::redact::Redactor;
use crate::remote::{Terms, Wire};
use crate::{ChatRequest, Error, ModelId, Provider, Usage};

pub(crate) const AUTH: Auth = Auth::Bearer;
#[cfg(feature = "openai")]
pub(crate) const OPENAI_BASE: &str = "https://api.openai.com/v1";
#[cfg(feature = "groq")]
pub(crate) const GROQ_BASE: &str = "https://api.groq.com/openai/v1";

#[cfg(feature = "openai")]
pub(crate) static OPENAI: OpenAiWire = OpenAiWire(Provider::OpenAi);
#[cfg(feature = "groq")]
pub(crate) static GROQ: OpenAiWire = OpenAiWire(Provider::Groq);
#[cfg(feature = "openai-compatible")]
pub(crate) static COMPATIBLE: OpenAiWire = OpenAiWire(Provider::OpenAiCompatible);

/// Speaks the API as one of its providers does.
#[derive(Debug)]
pub(crate) struct OpenAiWire(Provider);

impl Wire for OpenAiWire {
    fn chat(&self, model: &ModelId, request: &ChatRequest, terms: Terms) -> Result<Target, Error> {
        Ok(Target::post("chat/completions", wire::chat_body(model, request, terms)?))
    }

    fn decoder(&self, model: &ModelId, redactor: Redactor) -> Box<dyn Decoder> {
        let context = Context { model: model.clone(), redactor };
        Box::new(EventDecoder::new(decode::ChatEvents::new(context)))
    }

    fn said(&self, body: &[u8]) -> Said {
        refusal::said(body)
    }

    fn embed(&self, model: &ModelId, request: &EmbedRequest, texts: &[String]) -> Result<Target, Error> {
        if self.0 == Provider::Groq {
            return Err(Error::Unsupported {
                provider: self.0,
                what: "it has no embeddings: use a model of Ollama, OpenAI or Gemini",
                response: None,
            });
        }
        let mut body = json!({"model": model.name(), "input": texts, "encoding_format": "float"});
        if let (Some(dimensions), Some(body)) = (request.dimensions, body.as_object_mut()) {
            body.insert("dimensions".to_owned(), dimensions.into());
        }
        Ok(Target::post("embeddings", body.to_string().into_bytes()))
    }

    fn embedded(&self, body: &[u8]) -> Option<(Vec<Vec<f32>>, Usage)> {
        wire::embedded(body)
    }

    fn list(&self, _: Option<&str>) -> Target {
        Target::get("models")
    }

    fn listed(&self, body: &[u8]) -> Option<(Vec<ModelInfo>, Option<String>)> {
        wire::listed(self.0, body).map(|models| (models, None))
    }
}
