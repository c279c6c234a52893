use std::fmt;
use std::sync::Arc;

#[cfg(feature = "ollama")]
use crate::{Ollama, OllamaOptions};

use crate::endpoint::Endpoint;
use crate::fallback::Fallback;
use crate::http::{Auth, Decoder, Exchange, Settings};
use crate::models::ModelInfo;
use crate::redact::Redactor;
use crate::remote::{Remote, Wire};
use crate::retry::{RetryPolicy, Retrying};
use crate::{
    ApiKey, BaseUrl, ChatModel, EmbedReply, EmbedRequest, Error, ModelId, Provider, Purpose, Routes,
};

/// All providers behind one door: finds the model for a [`ModelId`]. Cheap to clone; clones share their connections.
///
/// ```
/// use tusab_llm::{ApiKey, ChatModel, Client, Endpoint, Error, Provider};
/// let key = ApiKey::new("sk-ant-...".to_owned())?;
/// let client = Client::builder().with_endpoint(Provider::Anthropic, Endpoint::new(key)).build()?;
/// let model = client.model(&"anthropic::claude-sonnet-4-6".parse()?)?;
/// assert_eq!(model.id().name(), "claude-sonnet-4-6");
///
/// // Without a key, nothing is sent.
/// let other = client.model(&"openai::gpt-5.4-mini".parse()?);
/// assert!(matches!(other, Err(Error::NoKey { .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    #[cfg(feature = "ollama")]
    ollama: Ollama,
    remotes: Vec<Remote>,
    retry: RetryPolicy,
}

/// Puts a [`Client`] together.
#[derive(Clone, Default)]
#[must_use = "nothing is made before `build`"]
pub struct ClientBuilder {
    endpoints: Vec<(Provider, Endpoint)>,
    #[cfg(feature = "ollama")]
    ollama: OllamaOptions,
    retry: RetryPolicy,
    http: Option<reqwest::Client>,
}

impl ClientBuilder {
    /// Where `provider` is and which key it is shown. Of the same provider, the last one counts. For Ollama, whose other
    /// settings stay as they are, it does what [`with_ollama`](Self::with_ollama) does.
    pub fn with_endpoint(mut self, provider: Provider, endpoint: Endpoint) -> Self {
        #[cfg(feature = "ollama")]
        if provider == Provider::Ollama {
            self.ollama = self.ollama.at(endpoint);
            return self;
        }
        self.endpoints.retain(|(known, _)| *known != provider);
        self.endpoints.push((provider, endpoint));
        self
    }

    /// Where Ollama is. By default on this machine.
    #[cfg(feature = "ollama")]
    pub fn with_ollama(mut self, options: OllamaOptions) -> Self {
        self.ollama = options;
        self
    }

    /// When a failed call is made again. See [`RetryPolicy`] for the default.
    pub fn with_retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Takes the program's own HTTP client for every provider, with its proxies, certificates and pools.
    ///
    /// What this crate else takes care of is then the client's to do: make it with `redirect(Policy::none())`, or a
    /// redirect can carry key and prompt to another host before the call is refused; its connect timeout counts in place of
    /// [`Timeouts::connect`](crate::Timeouts); names are resolved as it does, those that end in `.localhost` too; a total
    /// timeout of its own cuts long answers.
    #[cfg(feature = "reqwest-client")]
    #[cfg_attr(docsrs, doc(cfg(feature = "reqwest-client")))]
    pub fn with_http_client(mut self, client: reqwest::Client) -> Self {
        self.http = Some(client);
        self
    }

    /// Makes the client. Nothing is sent yet.
    ///
    /// # Errors
    /// [`Error::Setup`] if an HTTP client cannot be made; [`Error::BadBaseUrl`] for a compatible server without an address;
    /// [`Error::Unsupported`] for an endpoint of a provider that this build has no client for.
    pub fn build(self) -> Result<Client, Error> {
        let Self { endpoints, retry, http, .. } = &self;
        let mut remotes = Vec::new();
        for (provider, endpoint) in endpoints {
            remotes.push(remote(*provider, endpoint, http.clone())?);
        }
        let inner = Inner {
            #[cfg(feature = "ollama")]
            ollama: {
                let mut options = self.ollama.clone();
                options.client.clone_from(http);
                Ollama::new(options)?
            },
            remotes,
            retry: *retry,
        };
        Ok(Client { inner: Arc::new(inner) })
    }
}

impl Client {
    /// A client of the local Ollama, with default settings; the other providers need a key, and so a
    /// [`builder`](Self::builder). Nothing is sent yet.
    ///
    /// # Errors
    /// [`Error::Setup`] if the HTTP client cannot be made.
    pub fn new() -> Result<Self, Error> {
        Self::builder().build()
    }

    /// A client to be put together.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// A client of every provider whose key stands in the environment, under the name that its own tools use
    /// ([`Provider::key_variable`]; for Gemini, `GOOGLE_API_KEY` too), and of the Ollama that `OLLAMA_HOST` names.
    ///
    /// # Errors
    /// [`Error::BadKey`] or [`Error::BadBaseUrl`] if what a variable holds is none; else as [`ClientBuilder::build`].
    pub fn from_env() -> Result<Self, Error> {
        let mut builder = Self::builder();
        #[cfg(feature = "ollama")]
        {
            builder = builder.with_ollama(OllamaOptions::from_env()?);
        }
        for provider in Provider::ALL.into_iter().filter(|provider| wire(*provider).is_some()) {
            if let Some(key) = key_from_env(provider)? {
                builder = builder.with_endpoint(provider, Endpoint::new(key));
            }
        }
        builder.build()
    }

    /// The Ollama server in use.
    #[cfg(feature = "ollama")]
    #[must_use]
    pub fn ollama(&self) -> &Ollama {
        &self.inner.ollama
    }

    /// The model called `id`, which calls again as the client's [`RetryPolicy`] says. Whether its provider has it is not
    /// asked here.
    ///
    /// # Errors
    /// [`Error::NoKey`] if its provider was given no endpoint; [`Error::Unsupported`] if this build has no client for it.
    pub fn model(&self, id: &ModelId) -> Result<Arc<dyn ChatModel>, Error> {
        let model: Arc<dyn ChatModel> = match id.provider() {
            #[cfg(feature = "ollama")]
            Provider::Ollama => Arc::new(self.inner.ollama.model(id.name())?),
            provider => Arc::new(self.remote(provider)?.model(id.clone())),
        };
        if self.inner.retry == RetryPolicy::never() {
            return Ok(model);
        }
        Ok(Arc::new(Retrying::new(model, self.inner.retry)))
    }

    /// The model that `routes` names for `purpose`, and those after it for when it is down.
    ///
    /// # Errors
    /// As [`model`](Self::model), for any of them.
    pub fn route(&self, routes: &Routes, purpose: Purpose) -> Result<Arc<dyn ChatModel>, Error> {
        let mut models = routes.models(purpose);
        let Some(first) = models.next() else {
            return Err(Error::BadRequest { reason: "a route without models leads nowhere" });
        };
        let first = self.model(first)?;
        let others = models.map(|id| self.model(id)).collect::<Result<Vec<_>, _>>()?;
        Ok(if others.is_empty() { first } else { Arc::new(Fallback::new(first, others)) })
    }

    /// Vectors of texts, made by the model called `id`; many texts are sent in several requests, of
    /// which each that fails is made again as the client's [`RetryPolicy`] says.
    ///
    /// # Errors
    /// [`Error::BadRequest`] before anything is sent; [`Error::Unsupported`] for Anthropic and Groq, which have no
    /// embeddings; else what kept the provider from answering.
    pub async fn embed(&self, id: &ModelId, request: &EmbedRequest) -> Result<EmbedReply, Error> {
        request.check()?;
        match id.provider() {
            #[cfg(feature = "ollama")]
            Provider::Ollama => self.inner.ollama.embed_retrying(id.name(), request, &self.inner.retry).await,
            provider => self.remote(provider)?.embed(id, request, &self.inner.retry).await,
        }
    }

    /// The models that `provider` has, in its own order; of Ollama, those that are installed.
    ///
    /// # Errors
    /// As [`model`](Self::model), and what kept the provider from answering.
    pub async fn list_models(&self, provider: Provider) -> Result<Vec<ModelInfo>, Error> {
        match provider {
            #[cfg(feature = "ollama")]
            Provider::Ollama => {
                let installed = self.inner.retry.run(|| self.inner.ollama.models()).await?;
                let models = installed.into_iter().filter_map(|model| {
                    let id = ModelId::new(Provider::Ollama, &model.name).ok()?;
                    Some(ModelInfo { id, context_length: None, max_output: None })
                });
                Ok(models.collect())
            }
            provider => {
                let remote = self.remote(provider)?;
                self.inner.retry.run(|| remote.list_models()).await
            }
        }
    }

    fn remote(&self, provider: Provider) -> Result<&Remote, Error> {
        if let Some(remote) = self.inner.remotes.iter().find(|remote| remote.provider == provider) {
            return Ok(remote);
        }
        if wire(provider).is_none() {
            return Err(no_client(provider));
        }
        match provider.key_variable() {
            Some(variable) => Err(Error::NoKey { variable: variable.to_owned() }),
            None => Err(no_address(provider)),
        }
    }
}

fn no_client(provider: Provider) -> Error {
    Error::Unsupported {
        provider,
        what: "this build has no client for it: switch on its feature of tusab-llm",
        response: None,
    }
}

fn no_address(provider: Provider) -> Error {
    let reason = "there is none: give the address of the server with `Endpoint::at`";
    Error::BadBaseUrl { provider, reason }
}

fn key_from_env(provider: Provider) -> Result<Option<ApiKey>, Error> {
    let also = (provider == Provider::Gemini).then_some("GOOGLE_API_KEY");
    for variable in provider.key_variable().into_iter().chain(also) {
        match ApiKey::from_env(variable) {
            Ok(key) => return Ok(Some(key)),
            Err(Error::NoKey { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// How a provider is spoken to.
struct Speech {
    wire: &'static dyn Wire,
    auth: Auth,
    headers: &'static [(&'static str, &'static str)],
    base: Option<&'static str>,
}

fn wire(provider: Provider) -> Option<Speech> {
    match provider {
        #[cfg(feature = "openai")]
        Provider::OpenAi => Some(Speech {
            wire: &crate::openai::OPENAI,
            auth: crate::openai::AUTH,
            headers: &[],
            base: Some(crate::openai::OPENAI_BASE),
        }),
        #[cfg(feature = "groq")]
        Provider::Groq => Some(Speech {
            wire: &crate::openai::GROQ,
            auth: crate::openai::AUTH,
            headers: &[],
            base: Some(crate::openai::GROQ_BASE),
        }),
        #[cfg(feature = "openai-compatible")]
        Provider::OpenAiCompatible => Some(Speech {
            wire: &crate::openai::COMPATIBLE,
            auth: crate::openai::AUTH,
            headers: &[],
            base: None,
        }),
        #[cfg(feature = "anthropic")]
        Provider::Anthropic => Some(Speech {
            wire: &crate::anthropic::ANTHROPIC,
            auth: crate::anthropic::AUTH,
            headers: crate::anthropic::HEADERS,
            base: Some(crate::anthropic::BASE),
        }),
        #[cfg(feature = "gemini")]
        Provider::Gemini => Some(Speech {
            wire: &crate::gemini::GEMINI,
            auth: crate::gemini::AUTH,
            headers: &[],
            base: Some(crate::gemini::BASE),
        }),
        // Ollama is spoken to by its own module; and providers without their feature.
        _ => None,
    }
}

/// What reads the answers of a hosted model.
pub(crate) fn decoder(model: &ModelId, redactor: Redactor) -> Result<Box<dyn Decoder>, Error> {
    let Speech { wire, .. } = wire(model.provider()).ok_or_else(|| no_client(model.provider()))?;
    Ok(wire.decoder(model, redactor))
}

fn remote(provider: Provider, endpoint: &Endpoint, client: Option<reqwest::Client>) -> Result<Remote, Error> {
    let Speech { wire, auth, headers, base } = wire(provider).ok_or_else(|| no_client(provider))?;
    let Endpoint { base_url, key, timeouts } = endpoint.clone();
    let base = match (base_url, base) {
        (Some(base_url), _) => base_url,
        (None, Some(base)) => BaseUrl::parse(provider, base)?,
        (None, None) => return Err(no_address(provider)),
    };
    let exchange = Exchange::new(Settings { provider, base, key, auth, headers, timeouts, client })?;
    Ok(Remote { provider, exchange: Arc::new(exchange), wire, limits: Arc::default() })
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("remotes", &self.inner.remotes)
            .field("retry", &self.inner.retry)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("endpoints", &self.endpoints)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}
