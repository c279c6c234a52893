use std::fmt;

use crate::{ApiKey, BaseUrl, Timeouts, Tokens};

/// Where an Ollama server is and how to talk to it. The default is one on this machine, at
/// `http://127.0.0.1:11434`.
#[derive(Clone, Default)]
pub struct OllamaOptions {
    pub(super) base_url: Option<BaseUrl>,
    pub(super) key: Option<ApiKey>,
    pub(super) timeouts: Timeouts,
    pub(super) context_length: Option<Tokens>,
}

impl OllamaOptions {
    /// How long a context is asked for where a request does not say, and nothing else was set.
    pub const DEFAULT_CONTEXT_LENGTH: Tokens = Tokens::new(4096);

    /// The address of the server.
    #[must_use]
    pub fn with_base_url(mut self, base_url: BaseUrl) -> Self {
        self.base_url = Some(base_url);
        self
    }

    /// The key for a server that stands behind a gate; sent as a bearer token. A local one asks for none.
    #[must_use]
    pub fn with_api_key(mut self, key: ApiKey) -> Self {
        self.key = Some(key);
        self
    }

    /// How long to wait for what.
    #[must_use]
    pub fn with_timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// The context length (`num_ctx`) of requests that name none. Default
    /// [`DEFAULT_CONTEXT_LENGTH`](Self::DEFAULT_CONTEXT_LENGTH). A longer one takes more memory, and another
    /// one than that of the call before makes Ollama load the model again.
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
            .finish()
    }
}
