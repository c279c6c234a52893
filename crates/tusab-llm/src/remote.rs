//! A model of a hosted provider: its pure mapping, and the exchange that carries it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::{Instrument, Span};

use crate::capability::{drop_option, fit};
use crate::embed::{Batch, EmbedReply, EmbedRequest, in_batches};
use crate::http::{Answer, Concession, Decoder, Exchange, Failure, Said, Target, Whom, decode};
use crate::models::ModelInfo;
use crate::redact::Redactor;
use crate::{
    BoxFuture, ChatModel, ChatOption, ChatRequest, ChatStream, Error, ModelId, Provider, RetryPolicy, Tokens,
    Usage, Warning, trace,
};

/// How one provider is spoken to; pure.
pub(crate) trait Wire: fmt::Debug + Send + Sync {
    /// What is sent for `request`, which [`fit`] has made one that the model takes.
    fn chat(&self, model: &ModelId, request: &ChatRequest, terms: Terms) -> Result<Target, Error>;

    fn decoder(&self, model: &ModelId, redactor: Redactor) -> Box<dyn Decoder>;

    /// What the body of an error says.
    fn said(&self, body: &[u8]) -> Said;

    /// What is sent for vectors of `texts`, no more than [`most_texts`](Self::most_texts).
    fn embed(&self, model: &ModelId, request: &EmbedRequest, texts: &[String]) -> Result<Target, Error> {
        let _ = (request, texts);
        Err(Error::Unsupported {
            provider: model.provider(),
            what: "it has no embeddings: use a model of Ollama, OpenAI or Gemini",
            response: None,
        })
    }

    fn most_texts(&self) -> usize {
        100
    }

    /// The vectors in an answer, in the order of the texts.
    fn embedded(&self, body: &[u8]) -> Option<(Vec<Vec<f32>>, Usage)> {
        let _ = body;
        None
    }

    /// Where the list of models is, from `after` on.
    fn list(&self, after: Option<&str>) -> Target;

    /// The models of one page, and where the next starts.
    fn listed(&self, body: &[u8]) -> Option<(Vec<ModelInfo>, Option<String>)>;
}

/// What has been conceded to a provider that refused an option by name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Terms {
    pub(crate) other_limit_name: bool,
}

impl Terms {
    /// Changes the request as asked; `false` if that was done before, or there is nothing to change.
    fn grant(
        &mut self,
        concession: Concession,
        model: &ModelId,
        request: &mut ChatRequest,
        warnings: &mut Vec<Warning>,
    ) -> bool {
        match concession {
            Concession::OtherLimitName => {
                request.max_output.is_some() && !std::mem::replace(&mut self.other_limit_name, true)
            }
            Concession::Drop(option) => {
                let there = match option {
                    ChatOption::Temperature => request.temperature.is_some(),
                    ChatOption::Seed => request.seed.is_some(),
                    _ => false,
                };
                if there {
                    drop_option(request, option);
                    warnings.push(Warning::new(model, option, "the provider refuses it for this model"));
                }
                there
            }
        }
    }
}

/// A hosted provider, with its key.
#[derive(Debug, Clone)]
pub(crate) struct Remote {
    pub(crate) provider: Provider,
    pub(crate) exchange: Arc<Exchange>,
    pub(crate) wire: &'static dyn Wire,
    /// How much each model can hold, once the server was asked.
    pub(crate) limits: Arc<Mutex<Option<HashMap<ModelId, Tokens>>>>,
}

/// More pages of models than any provider has.
const MOST_PAGES: usize = 50;

impl Remote {
    pub(crate) fn model(&self, id: ModelId) -> RemoteModel {
        RemoteModel { remote: self.clone(), id }
    }

    pub(crate) async fn list_models(&self) -> Result<Vec<ModelInfo>, Error> {
        let (mut models, mut after) = (Vec::new(), None);
        for _ in 0..MOST_PAGES {
            let target = self.wire.list(after.as_deref());
            let answer = self.exchange.lookup(target).await.map_err(|failure| self.failed(None, failure))?;
            let Some((page, next)) = self.wire.listed(&answer.body) else {
                return Err(self.misread(None, answer, "its list of models is none"));
            };
            models.extend(page);
            match next {
                Some(next) if after.as_ref() != Some(&next) => after = Some(next),
                _ => break,
            }
        }
        Ok(models)
    }

    /// How much a model can hold. Only a server of the user's own is asked: it may have loaded a model with a short
    /// context, while what the others serve holds more than any prompt that is made to a budget.
    async fn context_length(&self, model: &ModelId) -> Option<Tokens> {
        if self.provider != Provider::OpenAiCompatible {
            return None;
        }
        let known = |limits: &HashMap<ModelId, Tokens>| limits.get(model).copied();
        if let Some(limits) = &*self.limits.lock().unwrap_or_else(PoisonError::into_inner) {
            return known(limits);
        }
        // A server that is away is told by the call itself, and asked again the next time.
        let models = self.list_models().await.ok()?;
        let limits = models.into_iter().filter_map(|info| Some((info.id, info.context_length?))).collect();
        let mut kept = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        known(&*kept.insert(limits))
    }

    /// Vectors of all texts.
    pub(crate) async fn embed(
        &self,
        model: &ModelId,
        request: &EmbedRequest,
        retry: &RetryPolicy,
    ) -> Result<EmbedReply, Error> {
        let call = |texts| self.embed_some(model, request, texts);
        in_batches(model, self.exchange.base(), request, self.wire.most_texts(), retry, call).await
    }

    async fn embed_some(
        &self,
        model: &ModelId,
        request: &EmbedRequest,
        texts: &[String],
    ) -> Result<Batch, Error> {
        let target = self.wire.embed(model, request, texts)?;
        let answer = self.exchange.work(target, request.timeout).await;
        let answer = answer.map_err(|failure| self.failed(Some((model, texts)), failure))?;
        Batch::read(answer, |body| self.wire.embedded(body))
            .map_err(|answer| self.misread(Some((model, texts)), answer, "its answer holds no vectors"))
    }

    fn failed(&self, about: Option<About<'_>>, failure: Failure) -> Error {
        match failure {
            Failure::Broken(error) => error,
            Failure::Refused(answer) => {
                let said = self.wire.said(&answer.body);
                self.error_of(about, answer, said)
            }
        }
    }

    /// The error of an answer that is a success by its status but not what was asked for: gateways put errors into such.
    fn misread(&self, about: Option<About<'_>>, answer: Answer, reason: &str) -> Error {
        let said = self.wire.said(&answer.body);
        if said != Said::default() {
            return self.error_of(about, answer, said);
        }
        let (provider, response) = (self.provider, Some(Box::new(answer.into_head())));
        Error::Protocol { provider, reason: reason.to_owned(), response }
    }

    fn error_of(&self, about: Option<About<'_>>, answer: Answer, said: Said) -> Error {
        let texts = about.map(|(_, texts)| texts).unwrap_or_default();
        let echoes = ChatRequest { stop: texts.to_vec(), ..ChatRequest::default() };
        let whom = about.map_or(Whom::Provider(self.provider), |(model, _)| Whom::Model(model));
        answer.into_error(whom, said, echoes)
    }
}

/// Which model was asked for vectors, and of which texts.
type About<'a> = (&'a ModelId, &'a [String]);

/// One model of a hosted provider.
#[derive(Debug, Clone)]
pub(crate) struct RemoteModel {
    remote: Remote,
    id: ModelId,
}

impl RemoteModel {
    async fn start(&self, request: ChatRequest) -> Result<ChatStream, Error> {
        let (request, warnings) = fit(&self.id, request)?;
        let span = trace::chat(&self.id, &request, self.remote.exchange.base());
        let begun = self.begin(request, warnings, span.clone()).await;
        begun.inspect_err(|error| trace::failed(&span, error))
    }

    async fn begin(
        &self,
        mut request: ChatRequest,
        mut warnings: Vec<Warning>,
        span: Span,
    ) -> Result<ChatStream, Error> {
        let Remote { exchange, wire, .. } = &self.remote;
        let secret = exchange.secret()?;
        let limits = exchange.timeouts().of_chat(&request);
        let mut terms = Terms::default();
        loop {
            let target = wire.chat(&self.id, &request, terms)?;
            match exchange.begin(target, secret.as_ref(), limits).instrument(span.clone()).await {
                Ok(body) => {
                    let decoder = wire.decoder(&self.id, Redactor::new(request, secret));
                    return Ok(decode(self.id.clone(), body, decoder, span).with_warnings(warnings));
                }
                Err(Failure::Broken(error)) => return Err(error),
                Err(Failure::Refused(refusal)) => {
                    let said = wire.said(&refusal.body);
                    let granted = matches!(refusal.status(), 400 | 422)
                        && said.concession.is_some_and(|concession| {
                            terms.grant(concession, &self.id, &mut request, &mut warnings)
                        });
                    if !granted {
                        return Err(refusal.into_error(Whom::Model(&self.id), said, request));
                    }
                }
            }
        }
    }
}

impl ChatModel for RemoteModel {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn stream(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatStream, Error>> {
        Box::pin(self.start(request))
    }

    fn context_length(&self) -> BoxFuture<'_, Option<Tokens>> {
        Box::pin(self.remote.context_length(&self.id))
    }

    fn is_local(&self) -> bool {
        self.remote.exchange.base().is_loopback()
    }
}

#[cfg(all(test, feature = "openai", feature = "anthropic", feature = "gemini"))]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::ResponseHead;

    const WIRES: [&dyn Wire; 3] =
        [&crate::openai::OPENAI, &crate::anthropic::ANTHROPIC, &crate::gemini::GEMINI];

    /// Each of the names by which one of the providers tells a fault.
    const KINDS: [&str; 7] = [
        "context_length_exceeded",
        "exceed_context_size_error",
        "request_too_large",
        "invalid_request_error",
        "rate_limit_exceeded",
        "INVALID_ARGUMENT",
        "server_error",
    ];

    proptest! {
        #[test]
        fn whatever_an_error_says_it_is_one(
            words in prop::collection::vec(
                prop_oneof!["[0-9,.>:;()]{1,24}", Just(u64::MAX.to_string()), Just(">".to_owned()), ".{0,12}"],
                0..8,
            ),
            beginning in prop::sample::select(vec![
                "", "prompt is too long: ", "Request too large ", "exceeds the maximum number of tokens ",
            ]),
            kind in prop::sample::select(KINDS.to_vec()),
            count in any::<i64>(),
            status in prop::sample::select(vec![200, 302, 400, 401, 413, 429, 500, 503, 529]),
            garbage in any::<Vec<u8>>(),
        ) {
            let message = format!("{beginning}{}", words.join(" "));
            let body = json!({"error": {"message": message, "type": kind, "code": kind, "status": kind,
                "n_ctx": count, "n_prompt_tokens": count}});
            let model = ModelId::known(Provider::OpenAi, "m");
            let head = ResponseHead::new(status, [("retry-after", message.as_str())]);
            for (wire, body) in
                WIRES.into_iter().flat_map(|wire| [(wire, body.to_string().into_bytes()), (wire, garbage.clone())])
            {
                let said = wire.said(&body);
                let redactor = || Redactor::new(ChatRequest::default(), None);
                let _ = wire.said(&body).in_stream(&model, &redactor());
                let error = said.refused(Whom::Model(&model), &head, &redactor());
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }
}
