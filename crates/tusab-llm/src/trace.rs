//! Spans with the names of the OpenTelemetry conventions for generative AI. They hold no text of anyone.

use tracing::field::Empty;
use tracing::{Span, info_span};

use crate::{BaseUrl, ChatRequest, Delta, Error, FinishReason, ModelId, Provider};

/// The conventions have names for some providers; the others go by ours.
fn provider_name(provider: Provider) -> &'static str {
    match provider {
        Provider::Gemini => "gcp.gemini",
        other => other.as_str(),
    }
}

pub(crate) fn embeddings(model: &ModelId, base: &BaseUrl, texts: usize) -> Span {
    info_span!(
        "embeddings",
        otel.name = %format_args!("embeddings {}", model.name()),
        otel.kind = "client",
        gen_ai.operation.name = "embeddings",
        gen_ai.provider.name = provider_name(model.provider()),
        gen_ai.request.model = model.name(),
        server.address = base.host(),
        server.port = base.port(),
        texts,
        gen_ai.usage.input_tokens = Empty,
        error.type = Empty,
    )
}

pub(crate) fn chat(model: &ModelId, request: &ChatRequest, base: &BaseUrl) -> Span {
    info_span!(
        "chat",
        // The conventions want the model in the name of the span, which `tracing` fixes when it is compiled.
        otel.name = %format_args!("chat {}", model.name()),
        otel.kind = "client",
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = provider_name(model.provider()),
        gen_ai.request.model = model.name(),
        gen_ai.request.max_tokens = request.max_output.map(crate::Tokens::get),
        gen_ai.request.temperature = request.temperature.map(crate::Temperature::get),
        gen_ai.request.seed = request.seed,
        server.address = base.host(),
        server.port = base.port(),
        error.type = Empty,
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
                FinishReason::Filtered => "content_filter",
                FinishReason::Other(_) => "other",
                FinishReason::Unreported => "unreported",
            };
            span.record("gen_ai.response.finish_reasons", reason);
        }
        Delta::Text(_) | Delta::Thinking(_) | Delta::TextWasThinking => {}
    }
}

pub(crate) fn failed(span: &Span, error: &Error) {
    span.record("error.type", error.kind());
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;
    use std::sync::{Arc, Mutex};

    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::*;
    use crate::{Message, Provider, Tokens, Usage};

    /// Keeps every field that a span is given.
    #[derive(Clone, Default)]
    struct Fields(Arc<Mutex<Vec<String>>>);

    impl Visit for Fields {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            self.0.lock().unwrap().push(format!("{field}={value:?}"));
        }
    }

    impl Subscriber for Fields {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, span: &Attributes<'_>) -> Id {
            span.record(&mut self.clone());
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, values: &Record<'_>) {
            values.record(&mut self.clone());
        }

        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn a_span_says_what_was_called_and_what_it_cost_and_nothing_that_was_said() {
        let fields = Fields::default();
        tracing::subscriber::with_default(fields.clone(), || {
            let request = ChatRequest::new([Message::user("segredo")]).with_max_output(Tokens::new(9));
            let base = BaseUrl::parse(Provider::Ollama, "http://127.0.0.1:11434/x").unwrap();
            let span = chat(&ModelId::known(Provider::Ollama, "m"), &request, &base);
            record(&span, &Delta::Text("resposta".to_owned()));
            record(&span, &Delta::Usage(Usage::new(Tokens::new(26), Tokens::new(7))));
            record(&span, &Delta::Done { finish_reason: FinishReason::Other("resposta".to_owned()) });
            failed(&span, &Error::NoRuntime);
        });
        assert_eq!(
            *fields.0.lock().unwrap(),
            [
                "otel.name=chat m",
                "otel.kind=\"client\"",
                "gen_ai.operation.name=\"chat\"",
                "gen_ai.provider.name=\"ollama\"",
                "gen_ai.request.model=\"m\"",
                "gen_ai.request.max_tokens=9",
                "server.address=\"127.0.0.1\"",
                "server.port=11434",
                "gen_ai.usage.input_tokens=26",
                "gen_ai.usage.output_tokens=7",
                "gen_ai.response.finish_reasons=\"other\"",
                "error.type=\"_OTHER\"",
            ]
        );
    }
}
