use tracing::Instrument;

use super::decode::ChatDecoder;
use super::server::{NO_REASON, not_there};
use super::{InstalledModel, Ollama, wire};
use crate::http::{Failure, Refusal, decode};
use crate::redact::Redactor;
use crate::{BoxFuture, ChatModel, ChatRequest, ChatStream, Error, ModelId, Provider, trace};

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
        request.check()?;
        let span = trace::chat(&self.id, &request);
        let json = wire::chat_body(self.id.name(), &request, self.server.context_length())?;
        let exchange = self.server.exchange();
        let redactor = Redactor::new(request, exchange.key());
        match exchange.post("api/chat", json).instrument(span.clone()).await {
            Ok(body) => Ok(decode(self.id.clone(), body, ChatDecoder::new(redactor), span)),
            Err(Failure::Broken(error)) => Err(error),
            Err(Failure::Refused(refusal)) => Err(self.refused(refusal, &redactor).await),
        }
    }

    async fn refused(&self, refusal: Refusal, redactor: &Redactor) -> Error {
        let message = wire::refusal(&refusal.body);
        if refusal.status() == 404 {
            if message.is_none() {
                return not_there();
            }
            let installed = self.server.models().await.ok();
            let here = installed.iter().flatten().any(|model| model.answers_to(self.id.name()));
            if !here {
                return self.not_found(installed);
            }
        }
        refusal.into_error(Provider::Ollama, redactor.clean(message.as_deref().unwrap_or(NO_REASON)))
    }

    fn not_found(&self, installed: Option<Vec<InstalledModel>>) -> Error {
        let installed: Option<Vec<String>> =
            installed.map(|models| models.into_iter().map(|model| model.name).collect());
        let remedy = remedy(self.id.name(), installed.as_deref());
        Error::ModelNotFound { model: self.id.clone(), installed, remedy }
    }
}

impl ChatModel for OllamaModel {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn stream(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatStream, Error>> {
        Box::pin(self.start(request))
    }
}

/// How a model that is missing can be had, or which one could be used in its place.
fn remedy(name: &str, installed: Option<&[String]>) -> String {
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
