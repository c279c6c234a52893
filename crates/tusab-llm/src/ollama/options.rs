use std::fmt;

use super::host;
use crate::{ApiKey, BaseUrl, Endpoint, Error, Timeouts, Tokens};

/// Where an Ollama server is and how to talk to it. The default is one on this machine, at
/// `http://127.0.0.1:11434`.
#[derive(Clone, Default)]
pub struct OllamaOptions {
    pub(super) base_url: Option<BaseUrl>,
    pub(super) key: Option<ApiKey>,
    pub(super) timeouts: Timeouts,
    pub(super) context_length: Option<Tokens>,
    pub(crate) client: Option<reqwest::Client>,
}

impl OllamaOptions {
    /// How long a context is asked for at least, where neither the request nor these options say.
    pub const DEFAULT_CONTEXT_LENGTH: Tokens = Tokens::new(4096);

    /// The address of the server.
    #[must_use]
    pub fn with_base_url(mut self, base_url: BaseUrl) -> Self {
        self.base_url = Some(base_url);
        self
    }

    /// The server that the variable `OLLAMA_HOST` names, as Ollama itself reads it: a host, with or without scheme, port and
    /// path. The port is 11434, and with a scheme the scheme's own; `0.0.0.0`, where a server listens everywhere, is called at
    /// this machine. Without the variable, the default. To call another machine without encryption, use
    /// [`with_base_url`](Self::with_base_url) and [`BaseUrl::parse_allowing_plain_http`].
    ///
    /// # Errors
    /// [`Error::BadBaseUrl`] if what it holds is no such address, or one of another machine over plain `http`.
    pub fn from_env() -> Result<Self, Error> {
        let base_url = std::env::var_os("OLLAMA_HOST").map(host::base_url).transpose()?.flatten();
        Ok(Self { base_url, ..Self::default() })
    }

    /// The key for a server that stands behind a gate; sent as a bearer token. A local one asks for none.
    #[must_use]
    pub fn with_api_key(mut self, key: ApiKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Takes over address, key and limits of `endpoint`.
    pub(crate) fn at(mut self, endpoint: Endpoint) -> Self {
        let Endpoint { base_url, key, timeouts } = endpoint;
        (self.base_url, self.key, self.timeouts) = (base_url, key, timeouts);
        self
    }

    /// How long to wait for what.
    #[must_use]
    pub fn with_timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// The context length (`num_ctx`) of requests that name none. No longer one is asked for than the model goes, and a
    /// prompt that surely does not fit into it is not sent ([`Error::ContextLengthExceeded`]).
    ///
    /// Without it, [`DEFAULT_CONTEXT_LENGTH`](Self::DEFAULT_CONTEXT_LENGTH) is asked for, and for a prompt that is too long
    /// for it the next power of two that holds prompt and answer, as far as the model goes (`/api/show`). A longer
    /// context takes more memory, and another one than that of the call before makes Ollama load the model again.
    #[must_use]
    pub fn with_context_length(mut self, length: Tokens) -> Self {
        self.context_length = Some(length);
        self
    }
}

impl fmt::Debug for OllamaOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OllamaOptions")
            .field("base_url", &self.base_url)
            .field("has_key", &self.key.is_some())
            .field("timeouts", &self.timeouts)
            .field("context_length", &self.context_length)
            .finish_non_exhaustive()
    }
}
