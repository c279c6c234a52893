//! Anthropic, by its Messages API.

mod decode;
mod refusal;
mod wire;

use crate::events::{Context, EventDecoder};
use crate::http::{Auth, Decoder, Said, Target, encode_segment};
use crate::models::ModelInfo;
use crate::redact::Redactor;
use crate::remote::{Terms, Wire};
use crate::{ChatRequest, Error, ModelId};

pub(crate) const AUTH: Auth = Auth::Header("x-api-key");
pub(crate) const BASE: &str = "https://api.anthropic.com";
/// The version of the API that this is written to.
pub(crate) const HEADERS: &[(&str, &str)] = &[("anthropic-version", "2023-06-01")];

pub(crate) static ANTHROPIC: AnthropicWire = AnthropicWire;

#[derive(Debug)]
pub(crate) struct AnthropicWire;

impl Wire for AnthropicWire {
    fn chat(&self, model: &ModelId, request: &ChatRequest, _: Terms) -> Result<Target, Error> {
        Ok(Target::post("v1/messages", wire::chat_body(model.name(), request)?))
    }

    fn decoder(&self, model: &ModelId, redactor: Redactor) -> Box<dyn Decoder> {
        let context = Context { model: model.clone(), redactor };
        Box::new(EventDecoder::new(decode::MessageEvents::new(context)))
    }

    fn said(&self, body: &[u8]) -> Said {
        refusal::said(body)
    }

    fn list(&self, after: Option<&str>) -> Target {
        let after = after.map(|id| format!("&after_id={}", encode_segment(id))).unwrap_or_default();
        Target::get("v1/models").with_query(format!("limit=1000{after}"))
    }

    fn listed(&self, body: &[u8]) -> Option<(Vec<ModelInfo>, Option<String>)> {
        wire::listed(body)
    }
}
