use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::details::details;
use super::{ModelDetails, OllamaModel, OllamaOptions, Pull, wire};
use crate::embed::{Batch, in_batches};
use crate::http::{Answer, Auth, Exchange, Failure, Settings, Target, Whom};
use crate::{BaseUrl, ChatRequest, EmbedReply, EmbedRequest, Error, ModelId, Provider, RetryPolicy, Tokens};

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
    context_length: Option<Tokens>,
    /// How much each model can hold, once it was asked.
    limits: Arc<Mutex<HashMap<String, Option<Tokens>>>>,
}

/// How many texts are sent at once to be embedded.
const MOST_TEXTS: usize = 100;

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
        let OllamaOptions { base_url, key, timeouts, context_length, client } = options;
        if context_length == Some(Tokens::new(0)) {
            return Err(Error::BadRequest { reason: "a context of 0 tokens holds nothing" });
        }
        let base = match base_url {
            Some(base_url) => base_url,
            None => BaseUrl::parse(Provider::Ollama, "http://127.0.0.1:11434")?,
        };
        let exchange = Exchange::new(Settings {
            provider: Provider::Ollama,
            base,
            key,
            auth: Auth::Bearer,
            headers: &[],
            timeouts,
            client,
        })?;
        Ok(Self { exchange: Arc::new(exchange), context_length, limits: Arc::default() })
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
        let answer = self.exchange.lookup(Target::get("api/tags")).await;
        answer.map_err(|failure| failed(failure, None, &[]))?.read(wire::installed)
    }

    /// The version of the server (`/api/version`), the cheapest way to see whether it is there.
    ///
    /// # Errors
    /// What kept the server from answering.
    pub async fn version(&self) -> Result<String, Error> {
        let answer = self.exchange.lookup(Target::get("api/version")).await;
        answer.map_err(|failure| failed(failure, None, &[]))?.read(wire::version)
    }

    /// What the server knows of the model called `name` (`/api/show`).
    ///
    /// # Errors
    /// [`Error::ModelNotFound`] if it is not installed; else what kept the server from answering.
    pub async fn show(&self, name: &str) -> Result<ModelDetails, Error> {
        let id = ModelId::new(Provider::Ollama, name)?;
        let answer = self.exchange.lookup(Target::post("api/show", wire::about(name))).await;
        answer.map_err(|failure| failed(failure, Some(&id), &[]))?.read(details)
    }

    /// Begins to fetch the model called `name` from Ollama's library (`/api/pull`), to be read as it comes. Nothing else
    /// in this crate downloads anything.
    ///
    /// ```no_run
    /// # async fn example(ollama: tusab_llm::Ollama) -> Result<(), tusab_llm::Error> {
    /// let mut pull = ollama.pull("nomic-embed-text").await?;
    /// while let Some(report) = pull.next().await {
    ///     let report = report?;
    ///     println!("{} {:?} of {:?} bytes", report.status, report.completed_bytes, report.total_bytes);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// What kept the server from beginning; see also [`Pull::next`].
    pub async fn pull(&self, name: &str) -> Result<Pull, Error> {
        let id = ModelId::new(Provider::Ollama, name)?;
        let secret = self.exchange.secret()?;
        let target = Target::post("api/pull", wire::about(name));
        match self.exchange.begin(target, secret.as_ref(), self.exchange.timeouts().of_pull()).await {
            Ok(body) => Ok(Pull::new(id, body, secret)),
            Err(failure) => Err(failed(failure, Some(&id), &[])),
        }
    }

    /// Vectors of texts, made by the model called `name` (`/api/embed`). A text that is too long for the model is an
    /// error ([`Error::ContextLengthExceeded`]), not a vector of its beginning.
    ///
    /// # Errors
    /// [`Error::BadRequest`] before anything is sent; [`Error::ModelNotFound`] with the remedy; else what kept the
    /// server from answering.
    pub async fn embed(&self, name: &str, request: &EmbedRequest) -> Result<EmbedReply, Error> {
        request.check()?;
        self.embed_retrying(name, request, &RetryPolicy::never()).await
    }

    /// The same for a request that is checked, with calls that are made again as `retry` says.
    pub(crate) async fn embed_retrying(
        &self,
        name: &str,
        request: &EmbedRequest,
        retry: &RetryPolicy,
    ) -> Result<EmbedReply, Error> {
        let id = ModelId::new(Provider::Ollama, name)?;
        let call = |texts| self.embed_some(&id, request, texts);
        in_batches(&id, self.exchange.base(), request, MOST_TEXTS, retry, call).await
    }

    async fn embed_some(
        &self,
        model: &ModelId,
        request: &EmbedRequest,
        texts: &[String],
    ) -> Result<Batch, Error> {
        let target = Target::post("api/embed", wire::embed_body(model.name(), request, texts)?);
        let answer = self.exchange.work(target, request.timeout).await;
        let answer = answer.map_err(|failure| failed(failure, Some(model), texts))?;
        Batch::read(answer, wire::embedded).map_err(|answer| without_vectors(answer, model, texts))
    }

    pub(super) fn exchange(&self) -> &Exchange {
        &self.exchange
    }

    /// The context to ask for, and an error if the model cannot hold the request.
    pub(super) async fn context_for(&self, model: &ModelId, request: &ChatRequest) -> Result<Tokens, Error> {
        let asked = request.estimated_tokens(model);
        let output = request.max_output.unwrap_or(OUTPUT_ROOM);
        let needed = asked.get().saturating_add(output.get());
        let named = request.context_length.or(self.context_length);
        // What the default holds any model holds, so that none is asked about it.
        let default = OllamaOptions::DEFAULT_CONTEXT_LENGTH;
        let is_short = named.map_or(needed, Tokens::get) <= default.get();
        let limit = if is_short { None } else { self.limit_of(model).await };
        // A server gives no more than its model holds, whatever is named, and does not tell.
        let most = named.map_or(limit, |named| Some(limit.map_or(named, |limit| limit.min(named))));
        // The estimate is over the truth by a quarter at most: only what surely does not fit is refused.
        if most.is_some_and(|most| u64::from(asked.get()) * 4 / 5 > u64::from(most.get())) {
            let (model, asked) = (model.clone(), Some(asked));
            return Err(Error::ContextLengthExceeded { model, limit: most, asked, response: None });
        }
        Ok(match most {
            Some(most) if named.is_some() => most,
            _ if is_short => default,
            most => {
                let longer = needed.checked_next_power_of_two().unwrap_or(u32::MAX);
                Tokens::new(longer).min(most.unwrap_or(UNKNOWN_LIMIT))
            }
        })
    }

    /// How long a context can be asked for: as the options say, and no longer than the model goes.
    pub(super) async fn longest_context(&self, model: &ModelId) -> Option<Tokens> {
        let limit = self.limit_of(model).await;
        self.context_length.map_or(limit, |asked| Some(limit.map_or(asked, |limit| limit.min(asked))))
    }

    async fn limit_of(&self, model: &ModelId) -> Option<Tokens> {
        let known = self.limits.lock().unwrap_or_else(PoisonError::into_inner).get(model.name()).copied();
        if let Some(limit) = known {
            return limit;
        }
        // A model that is missing, or a server that is away, is told by the call itself.
        let limit = self.show(model.name()).await.ok()?.context_length;
        self.limits.lock().unwrap_or_else(PoisonError::into_inner).insert(model.name().to_owned(), limit);
        limit
    }
}

/// The error of a call that is no chat.
fn failed(failure: Failure, about: Option<&ModelId>, texts: &[String]) -> Error {
    let answer = match failure {
        Failure::Broken(error) => return error,
        Failure::Refused(answer) => answer,
    };
    let said = wire::refusal(&answer.body);
    match (answer.status(), about, said) {
        (404, _, None) => not_there(answer),
        (404, Some(model), Some(_)) => {
            let (model, remedy) = (model.clone(), super::model::remedy(model.name(), None));
            let response = Some(Box::new(answer.into_head()));
            Error::ModelNotFound { model, installed: None, remedy, response }
        }
        (_, _, said) => {
            let whom = about.map_or(Whom::Provider(Provider::Ollama), Whom::Model);
            let echoes = ChatRequest { stop: texts.to_vec(), ..ChatRequest::default() };
            answer.into_error(whom, said.unwrap_or_default(), echoes)
        }
    }
}

/// The error of an answer that is a success by its status but holds no vectors: gateways put errors into such.
fn without_vectors(answer: Answer, model: &ModelId, texts: &[String]) -> Error {
    if wire::refusal(&answer.body).is_some() {
        return failed(Failure::Refused(answer), Some(model), texts);
    }
    wire::not_ollama("a list of vectors").within(&answer.into_head())
}

/// Room for an answer whose length is not said.
const OUTPUT_ROOM: Tokens = Tokens::new(1024);
/// The longest context that is asked for where the server does not tell what the model can hold.
const UNKNOWN_LIMIT: Tokens = Tokens::new(32_768);

/// A 404 that is not of Ollama's making.
pub(super) fn not_there(answer: Answer) -> Error {
    let reason = "there is no Ollama API at the base URL (status 404)".to_owned();
    Error::Protocol { provider: Provider::Ollama, reason, response: Some(Box::new(answer.into_head())) }
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
