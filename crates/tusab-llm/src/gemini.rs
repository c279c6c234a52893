//! Google Gemini, by its native API.

mod decode;
mod refusal;
mod wire;

use crate::embed::EmbedRequest;
use crate::events::{Context, EventDecoder};
use crate::http::{Auth, Decoder, Said, Target, encode_segment};
use crate::models::ModelInfo;
use crate::redact::Redactor;
use crate::remote::{Terms, Wire};
use crate::{ChatRequest, Error, ModelId, Usage};

pub(crate) const AUTH: Auth = Auth::Header("x-goog-api-key");
pub(crate) const BASE: &str = "https://generativelanguage.googleapis.com";

pub(crate) static GEMINI: GeminiWire = GeminiWire;

#[derive(Debug)]
pub(crate) struct GeminiWire;

/// The path of a call to a model; `model` may be given with or without the `models/` that the API puts before it.
fn path(model: &str, call: &str) -> String {
    let name = model.strip_prefix("models/").unwrap_or(model);
    format!("v1beta/models/{}:{call}", encode_segment(name))
}

impl Wire for GeminiWire {
    fn chat(&self, model: &ModelId, request: &ChatRequest, _: Terms) -> Result<Target, Error> {
        let body = wire::chat_body(model.name(), request)?;
        // Without it the answer is one growing array.
        Ok(Target::post(path(model.name(), "streamGenerateContent"), body).with_query("alt=sse"))
    }

    fn decoder(&self, model: &ModelId, redactor: Redactor) -> Box<dyn Decoder> {
        let context = Context { model: model.clone(), redactor };
        Box::new(EventDecoder::new(decode::ContentEvents::new(context)))
    }

    fn said(&self, body: &[u8]) -> Said {
        refusal::said(body)
    }

    fn embed(&self, model: &ModelId, request: &EmbedRequest, texts: &[String]) -> Result<Target, Error> {
        let body = wire::embed_body(model.name(), request, texts)?;
        Ok(Target::post(path(model.name(), "batchEmbedContents"), body))
    }

    fn embedded(&self, body: &[u8]) -> Option<(Vec<Vec<f32>>, Usage)> {
        wire::embedded(body)
    }

    fn list(&self, after: Option<&str>) -> Target {
        let after = after.map(|token| format!("&pageToken={}", encode_segment(token))).unwrap_or_default();
        Target::get("v1beta/models").with_query(format!("pageSize=1000{after}"))
    }

    fn listed(&self, body: &[u8]) -> Option<(Vec<ModelInfo>, Option<String>)> {
        wire::listed(body)
    }
}
