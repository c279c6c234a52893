use tracing::Instrument;

use super::decode::{ChatDecoder, Prompt};
use super::server::not_there;
use super::{InstalledModel, Ollama, wire};
use crate::capability::fit;
use crate::events::Context;
use crate::http::{Failure, Refusal, Target, Whom, decode};
use crate::redact::Redactor;
use crate::{BoxFuture, ChatModel, ChatRequest, ChatStream, Error, ModelId, Provider, Tokens, trace};

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
        let exchange = self.server.exchange();
        let span = trace::chat(&self.id, &request, exchange.base());
        let secret = exchange.secret()?;
        let context = self.server.context_for(&self.id, &request).instrument(span.clone()).await?;
        let prompt = Prompt { estimated: request.estimated_tokens(&self.id), context };
        let json = wire::chat_body(self.id.name(), &request, context)?;
        let begun =
            exchange.begin(Target::post("api/chat", json), secret.as_ref()).instrument(span.clone()).await;
        let redactor = Redactor::new(request, secret);
        let error = match begun {
            Ok(body) => {
                let context = Context { model: self.id.clone(), redactor };
                let decoder = Box::new(ChatDecoder::new(context, prompt));
                return Ok(decode(self.id.clone(), body, decoder, span).with_warnings(warnings));
            }
            Err(Failure::Broken(error)) => error,
            Err(Failure::Refused(refusal)) => self.refused(refusal, &redactor).await,
        };
        trace::failed(&span, &error);
        Err(error)
    }

    async fn refused(&self, refusal: Refusal, redactor: &Redactor) -> Error {
        let said = wire::refusal(&refusal.body);
        if refusal.status() == 404 {
            if said.is_none() {
                return not_there();
            }
            let installed = self.server.models().await.ok();
            let here = installed.iter().flatten().any(|model| model.answers_to(self.id.name()));
            if !here {
                return self.not_found(installed, &refusal);
            }
        }
        let said = said.unwrap_or_default();
        if said.message.as_deref().is_some_and(|message| message.ends_with("does not support thinking")) {
            let what = "this model cannot think first: choose one that can, or ask without";
            return Error::Unsupported { provider: Provider::Ollama, what };
        }
        refusal.into_error(Whom::Model(&self.id), said, redactor)
    }

    fn not_found(&self, installed: Option<Vec<InstalledModel>>, refusal: &Refusal) -> Error {
        let installed: Option<Vec<String>> =
            installed.map(|models| models.into_iter().map(|model| model.name).collect());
        let remedy = remedy(self.id.name(), installed.as_deref());
        let response = Some(Box::new(refusal.head().clone()));
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
