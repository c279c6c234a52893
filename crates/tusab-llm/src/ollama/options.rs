use std::fmt;

use crate::{ApiKey, BaseUrl, Endpoint, Error, Provider, Timeouts, Tokens};

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

    /// The server that the variable `OLLAMA_HOST` names, as Ollama itself reads it: a host, with or without a scheme
    /// and a port. Without the variable, the default.
    ///
    /// # Errors
    /// [`Error::BadBaseUrl`] if what it holds is no such address.
    pub fn from_env() -> Result<Self, Error> {
        match std::env::var("OLLAMA_HOST") {
            Ok(host) if !host.trim().is_empty() => Ok(Self::default().with_base_url(host_url(host.trim())?)),
            _ => Ok(Self::default()),
        }
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

fn host_url(host: &str) -> Result<BaseUrl, Error> {
    // A server that listens everywhere is called at this machine's own address.
    let url = match host.split_once("://") {
        Some(_) => host.to_owned(),
        None => format!("http://{host}"),
    };
    let url = url.replacen("://0.0.0.0", "://127.0.0.1", 1).replacen("://[::]", "://[::1]", 1);
    let after_scheme = url.split_once("://").map(|(_, rest)| rest).unwrap_or_default();
    let authority = after_scheme.split('/').next().unwrap_or_default();
    let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']'));
    let url = if url.starts_with("http://") && !has_port {
        url.replacen(authority, &format!("{authority}:11434"), 1)
    } else {
        url
    };
    BaseUrl::parse(Provider::Ollama, &url)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_read_as_ollama_reads_it() {
        for (host, url) in [
            ("127.0.0.1", "http://127.0.0.1:11434/"),
            ("127.0.0.1:8080", "http://127.0.0.1:8080/"),
            ("0.0.0.0", "http://127.0.0.1:11434/"),
            ("[::]:1234", "http://[::1]:1234/"),
            ("[::1]", "http://[::1]:11434/"),
            ("http://localhost/sub", "http://localhost:11434/sub/"),
            ("https://ollama.example.org", "https://ollama.example.org/"),
        ] {
            assert_eq!(host_url(host).unwrap().to_string(), url, "{host}");
        }
        assert!(host_url("192.168.0.7").is_err());
        assert!(host_url("a b").is_err());
    }
}
