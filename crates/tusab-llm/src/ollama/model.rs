use tracing::{Instrument, Span};

use super::decode::{ChatDecoder, Prompt};
use super::server::not_there;
use super::{InstalledModel, Ollama, wire};
use crate::capability::fit;
use crate::events::Context;
use crate::http::{Answer, Failure, Target, Whom, decode};
use crate::redact::Redactor;
use crate::{
    BoxFuture, ChatModel, ChatRequest, ChatStream, Error, ModelId, Provider, Tokens, Warning, trace,
};

/// One model of an [`Ollama`] server; made by [`Ollama::model`].
#[derive(Debug, Clone)]
pub struct OllamaModel {
    server: Ollama,
    id: ModelId,
}

impl OllamaModel {
    pub(super) fn new(server: Ollama, id: ModelId) -> Self {
        Self { server, id }
    }

    async fn start(&self, request: ChatRequest) -> Result<ChatStream, Error> {
        let (request, warnings) = fit(&self.id, request)?;
        let span = trace::chat(&self.id, &request, self.server.base_url());
        let begun = self.begin(request, warnings, span.clone()).await;
        begun.inspect_err(|error| trace::failed(&span, error))
    }

    async fn begin(
        &self,
        request: ChatRequest,
        warnings: Vec<Warning>,
        span: Span,
    ) -> Result<ChatStream, Error> {
        let exchange = self.server.exchange();
        let secret = exchange.secret()?;
        let context = self.server.context_for(&self.id, &request).instrument(span.clone()).await?;
        let prompt = Prompt { estimated: request.estimated_tokens(&self.id), context };
        let target = Target::post("api/chat", wire::chat_body(self.id.name(), &request, context)?);
        let limits = exchange.timeouts().of_chat(&request);
        match exchange.begin(target, secret.as_ref(), limits).instrument(span.clone()).await {
            Ok(body) => {
                let context = Context { model: self.id.clone(), redactor: Redactor::new(request, secret) };
                let decoder = Box::new(ChatDecoder::new(context, prompt));
                Ok(decode(self.id.clone(), body, decoder, span).with_warnings(warnings))
            }
            Err(Failure::Broken(error)) => Err(error),
            Err(Failure::Refused(answer)) => Err(self.refused(answer, request).await),
        }
    }

    async fn refused(&self, answer: Answer, request: ChatRequest) -> Error {
        let said = wire::refusal(&answer.body);
        if answer.status() == 404 {
            if said.is_none() {
                return not_there(answer);
            }
            let installed = self.server.models().await.ok();
            let here = installed.iter().flatten().any(|model| model.answers_to(self.id.name()));
            if !here {
                return self.not_found(installed, answer);
            }
        }
        let said = said.unwrap_or_default();
        if said.message.as_deref().is_some_and(|message| message.ends_with("does not support thinking")) {
            let what = "this model cannot think first: choose one that can, or ask without";
            let response = Some(Box::new(answer.into_head()));
            return Error::Unsupported { provider: Provider::Ollama, what, response };
        }
        answer.into_error(Whom::Model(&self.id), said, request)
    }

    fn not_found(&self, installed: Option<Vec<InstalledModel>>, answer: Answer) -> Error {
        let installed: Option<Vec<String>> =
            installed.map(|models| models.into_iter().map(|model| model.name).collect());
        let remedy = remedy(self.id.name(), installed.as_deref());
        let response = Some(Box::new(answer.into_head()));
        Error::ModelNotFound { model: self.id.clone(), installed, remedy, response }
    }
}

impl ChatModel for OllamaModel {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn stream(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatStream, Error>> {
        Box::pin(self.start(request))
    }

    fn context_length(&self) -> BoxFuture<'_, Option<Tokens>> {
        Box::pin(self.server.longest_context(&self.id))
    }

    fn is_local(&self) -> bool {
        self.server.base_url().is_loopback()
    }
}

/// How a model that is missing can be had, or which one could be used in its place.
pub(super) fn remedy(name: &str, installed: Option<&[String]>) -> String {
    const SHOWN: usize = 8;
    let other = match installed {
        None => String::new(),
        Some([]) => "; none is installed yet".to_owned(),
        Some(names) => {
            let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = if names.len() > SHOWN { ", ..." } else { "" };
            format!(", or choose one that is installed: {shown}{more}")
        }
    };
    format!("install it with `ollama pull {name}`{other}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remedy_names_what_could_be_used_instead() {
        let pull = "install it with `ollama pull x:1b`";
        assert_eq!(remedy("x:1b", None), pull);
        assert_eq!(remedy("x:1b", Some(&[])), format!("{pull}; none is installed yet"));
        let names: Vec<String> = (1..=9).map(|n| format!("m{n}")).collect();
        assert_eq!(
            remedy("x:1b", Some(&names[..2])),
            format!("{pull}, or choose one that is installed: m1, m2")
        );
        let many = remedy("x:1b", Some(&names));
        assert!(many.ends_with("m7, m8, ..."), "{many}");
    }
}
