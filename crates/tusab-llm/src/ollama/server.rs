use std::sync::Arc;

use super::{OllamaModel, OllamaOptions, wire};
use crate::http::{Exchange, Failure};
use crate::redact::Redactor;
use crate::{BaseUrl, ChatRequest, Error, ModelId, Provider, Tokens};

/// An Ollama server. Cheap to clone; clones share their connections.
///
/// ```no_run
/// # async fn example() -> Result<(), tusab_llm::Error> {
/// use tusab_llm::{ChatModel, ChatRequest, Message, Ollama, OllamaOptions};
/// let ollama = Ollama::new(OllamaOptions::default())?;
/// for model in ollama.models().await? {
///     println!("{}", model.name);
/// }
/// let model = ollama.model("llama3.2:1b")?;
/// let mut stream = model.stream(ChatRequest::new([Message::user("Olá!")])).await?;
/// while let Some(delta) = stream.next().await {
///     println!("{:?}", delta?);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Ollama {
    exchange: Arc<Exchange>,
    context_length: Tokens,
}

/// A model that an Ollama server has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstalledModel {
    /// Its name with its tag, such as `llama3.2:1b`.
    pub name: String,
    /// Its size on disk in bytes.
    pub size_bytes: Option<u64>,
    /// How many parameters it has, in the server's words, such as `1.2B`.
    pub parameters: Option<String>,
    /// How its weights are stored, in the server's words, such as `Q8_0`.
    pub quantization: Option<String>,
}

impl InstalledModel {
    /// Whether a request for `name` is served by this model: Ollama ignores case, and reads a name without a
    /// tag as the one tagged `latest`.
    #[must_use]
    pub fn answers_to(&self, name: &str) -> bool {
        fn split(name: &str) -> (&str, &str) {
            // A colon before the last slash belongs to the port of a host.
            match name.rsplit_once(':') {
                Some((model, tag)) if !tag.contains('/') => (model, tag),
                _ => (name, "latest"),
            }
        }
        let ((model, tag), (asked, asked_tag)) = (split(&self.name), split(name));
        model.eq_ignore_ascii_case(asked) && tag.eq_ignore_ascii_case(asked_tag)
    }
}

impl Ollama {
    /// A client of the server that `options` describe. Nothing is sent yet.
    ///
    /// # Errors
    /// [`Error::Setup`] if the HTTP client cannot be made: over `https`, when the system's certificates cannot
    /// be read. [`Error::BadRequest`] if the context length is zero.
    pub fn new(options: OllamaOptions) -> Result<Self, Error> {
        let OllamaOptions { base_url, key, timeouts, context_length } = options;
        let context_length = context_length.unwrap_or(OllamaOptions::DEFAULT_CONTEXT_LENGTH);
        if context_length == Tokens::new(0) {
            return Err(Error::BadRequest { reason: "a context of 0 tokens holds nothing" });
        }
        let base_url = match base_url {
            Some(base_url) => base_url,
            None => BaseUrl::parse(Provider::Ollama, "http://127.0.0.1:11434")?,
        };
        let exchange = Exchange::new(Provider::Ollama, base_url, key, timeouts)?;
        Ok(Self { exchange: Arc::new(exchange), context_length })
    }

    /// Where the server is.
    #[must_use]
    pub fn base_url(&self) -> &BaseUrl {
        self.exchange.base()
    }

    /// The model called `name`, such as `llama3.2:1b`. Whether the server has it is not asked here.
    ///
    /// # Errors
    /// [`Error::BadModelId`] if that cannot be a model's name.
    pub fn model(&self, name: &str) -> Result<OllamaModel, Error> {
        Ok(OllamaModel::new(self.clone(), ModelId::new(Provider::Ollama, name)?))
    }

    /// The models that the server has, in its own order (`/api/tags`).
    ///
    /// # Errors
    /// What kept the server from answering.
    pub async fn models(&self) -> Result<Vec<InstalledModel>, Error> {
        let body = self.exchange.lookup("api/tags").await.map_err(|failure| self.failed(failure))?;
        wire::installed(&body)
    }

    /// The version of the server (`/api/version`), the cheapest way to see whether it is there.
    ///
    /// # Errors
    /// What kept the server from answering.
    pub async fn version(&self) -> Result<String, Error> {
        let body = self.exchange.lookup("api/version").await.map_err(|failure| self.failed(failure))?;
        wire::version(&body)
    }

    pub(super) fn exchange(&self) -> &Exchange {
        &self.exchange
    }

    pub(super) fn context_length(&self) -> Tokens {
        self.context_length
    }

    /// The error of a call that asked nothing of anyone's.
    fn failed(&self, failure: Failure) -> Error {
        match failure {
            Failure::Broken(error) => error,
            Failure::Refused(refusal) => match wire::refusal(&refusal.body) {
                None if refusal.status() == 404 => not_there(),
                message => {
                    let redactor = Redactor::new(ChatRequest::default(), self.exchange.key());
                    let message = redactor.clean(message.as_deref().unwrap_or(NO_REASON));
                    refusal.into_error(Provider::Ollama, message)
                }
            },
        }
    }
}

pub(super) const NO_REASON: &str = "it gave no reason";

/// A 404 that is not of Ollama's making.
pub(super) fn not_there() -> Error {
    let reason = "there is no Ollama API at the base URL (status 404)".to_owned();
    Error::Protocol { provider: Provider::Ollama, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_answers_to_its_name_in_any_case_with_or_without_latest() {
        let called = |name: &str| InstalledModel {
            name: name.to_owned(),
            size_bytes: None,
            parameters: None,
            quantization: None,
        };
        for (name, asked, same) in [
            ("llama3.2:1b", "llama3.2:1b", true),
            ("llama3.2:1b", "Llama3.2:1B", true),
            ("llama3.2:latest", "llama3.2", true),
            ("llama3.2:1b", "llama3.2", false),
            ("localhost:5000/a/b:latest", "localhost:5000/a/b", true),
            ("llama3.2:1b", "", false),
        ] {
            assert_eq!(called(name).answers_to(asked), same, "{name} {asked}");
        }
    }

    #[test]
    fn a_client_is_made_for_http_and_for_https() {
        assert!(Ollama::new(OllamaOptions::default()).unwrap().base_url().is_loopback());
        let url = BaseUrl::parse(Provider::Ollama, "https://127.0.0.1:1/ollama").unwrap();
        Ollama::new(OllamaOptions::default().with_base_url(url)).unwrap();
    }

    #[test]
    fn what_debugging_shows_has_no_key() {
        let key = crate::ApiKey::new("sk-verysecret".to_owned()).unwrap();
        let options = OllamaOptions::default().with_api_key(key);
        let shown = format!("{options:?} {:?}", Ollama::new(options.clone()).unwrap());
        assert!(shown.contains("has_key: true") && !shown.contains("verysecret"), "{shown}");
    }
}
