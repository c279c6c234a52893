//! Spans with the names of the OpenTelemetry conventions for generative AI. They hold no text of anyone.

use tracing::field::Empty;
use tracing::{Span, info_span};

use crate::{BaseUrl, ChatRequest, Delta, EmbedReply, Error, FinishReason, ModelId, Provider};

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

/// What vectors cost, or why there are none.
pub(crate) fn embedded(span: &Span, reply: &Result<EmbedReply, Error>) {
    match reply {
        Ok(reply) => {
            span.record("gen_ai.usage.input_tokens", reply.usage.input.map(crate::Tokens::get));
        }
        Err(error) => failed(span, error),
    }
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

    #[test]
    fn every_provider_and_reason_has_its_name() {
        let fields = Fields::default();
        let span_of = |provider, reason| {
            let request = ChatRequest::new([Message::user("segredo")])
                .with_temperature(crate::Temperature::ONE)
                .with_seed(3);
            let base = BaseUrl::parse(provider, "https://127.0.0.1").unwrap();
            tracing::subscriber::with_default(fields.clone(), || {
                let span = chat(&ModelId::known(provider, "m"), &request, &base);
                record(&span, &Delta::Done { finish_reason: reason });
            });
            std::mem::take(&mut *fields.0.lock().unwrap()).join(" ")
        };
        for (provider, name, reason, word) in [
            (Provider::Gemini, "gcp.gemini", FinishReason::Stop, "stop"),
            (Provider::Anthropic, "anthropic", FinishReason::Length, "length"),
            (Provider::OpenAi, "openai", FinishReason::Filtered, "content_filter"),
            (Provider::Groq, "groq", FinishReason::Unreported, "unreported"),
        ] {
            let found = span_of(provider, reason);
            for field in [
                format!("gen_ai.provider.name=\"{name}\""),
                format!("gen_ai.response.finish_reasons=\"{word}\""),
                "gen_ai.request.temperature=1".to_owned(),
                "gen_ai.request.seed=3".to_owned(),
                "server.port=443".to_owned(),
            ] {
                assert!(found.contains(&field), "{field} in {found}");
            }
        }
    }

    /// What a call for vectors gives its span, where the server answers `answer`.
    #[cfg(all(feature = "openai", feature = "ollama"))]
    fn embedding(model: &str, answer: crate::testing::Recorded) -> String {
        let fields = Fields::default();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tracing::subscriber::with_default(fields.clone(), || {
            runtime.block_on(async {
                let id: ModelId = model.parse().unwrap();
                let server = crate::testing::ReplayServer::start([answer]).unwrap();
                let base = BaseUrl::parse(id.provider(), &server.url()).unwrap();
                let builder =
                    crate::Client::builder().with_endpoint(id.provider(), crate::Endpoint::at(base));
                let client = builder.with_retry(crate::RetryPolicy::never()).build().unwrap();
                let _ = client.embed(&id, &crate::EmbedRequest::new(["segredo"])).await;
            });
        });
        fields.0.lock().unwrap().join("\n")
    }

    #[cfg(all(feature = "openai", feature = "ollama"))]
    #[test]
    fn a_span_of_vectors_says_what_they_cost_or_why_there_are_none() {
        use crate::testing::Recorded;
        let openai = r#"{"data":[{"index":0,"embedding":[1.0]}],"usage":{"prompt_tokens":26}}"#;
        let ollama = r#"{"embeddings":[[1.0]],"prompt_eval_count":26}"#;
        for (model, answer) in [("openai::m", openai), ("ollama::m", ollama)] {
            let fields = embedding(model, Recorded::json(200, answer));
            assert!(fields.contains("gen_ai.usage.input_tokens=26"), "{fields}");
            assert!(!fields.contains("error.type") && !fields.contains("segredo"), "{fields}");
            let fields = embedding(model, Recorded::json(429, "{}"));
            assert!(fields.contains("error.type=\"rate_limited\""), "{fields}");
            // An answer that is none is an error, too.
            let fields = embedding(model, Recorded::json(200, "{}"));
            assert!(fields.contains("error.type="), "{fields}");
        }
    }
}
