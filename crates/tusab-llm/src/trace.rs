//! Spans with the names of the OpenTelemetry conventions for generative AI. They hold no text of anyone.

use tracing::field::Empty;
use tracing::{Span, info_span};

use crate::{ChatRequest, Delta, FinishReason, ModelId};

pub(crate) fn chat(model: &ModelId, request: &ChatRequest) -> Span {
    info_span!(
        "chat",
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = model.provider().as_str(),
        gen_ai.request.model = model.name(),
        gen_ai.request.max_tokens = request.max_output.map(crate::Tokens::get),
        gen_ai.request.temperature = request.temperature.map(crate::Temperature::get),
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.response.finish_reasons = Empty,
    )
}

pub(crate) fn record(span: &Span, delta: &Delta) {
    match delta {
        Delta::Usage(usage) => {
            span.record("gen_ai.usage.input_tokens", usage.input.map(crate::Tokens::get));
            span.record("gen_ai.usage.output_tokens", usage.output.map(crate::Tokens::get));
        }
        Delta::Done { finish_reason } => {
            let reason = match finish_reason {
                FinishReason::Stop => "stop",
                FinishReason::Length => "length",
                FinishReason::Other(_) => "other",
                FinishReason::Unreported => "unreported",
            };
            span.record("gen_ai.response.finish_reasons", reason);
        }
        Delta::Text(_) | Delta::Thinking(_) => {}
    }
}
