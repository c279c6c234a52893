use std::fmt;

use crate::{ApiKey, BaseUrl, Timeouts};

/// Where a hosted provider is and how to talk to it. The default is the provider's own address, without a key.
#[derive(Clone, Default)]
pub struct Endpoint {
    pub(crate) base_url: Option<BaseUrl>,
    pub(crate) key: Option<ApiKey>,
    pub(crate) timeouts: Timeouts,
}

impl Endpoint {
    /// The provider's own address, with `key`.
    #[must_use]
    pub fn new(key: ApiKey) -> Self {
        Self::default().with_api_key(key)
    }

    /// A server at `base_url`, without a key: for one on this machine or in this house.
    #[must_use]
    pub fn at(base_url: BaseUrl) -> Self {
        Self::default().with_base_url(base_url)
    }

    /// The key.
    #[must_use]
    pub fn with_api_key(mut self, key: ApiKey) -> Self {
        self.key = Some(key);
        self
    }

    /// The address, up to where the provider's documentation begins its paths: with `/v1` for OpenAI, Groq and compatible
    /// servers, without it for Anthropic and Gemini.
    #[must_use]
    pub fn with_base_url(mut self, base_url: BaseUrl) -> Self {
        self.base_url = Some(base_url);
        self
    }

    /// How long to wait for what.
    #[must_use]
    pub fn with_timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("base_url", &self.base_url)
            .field("has_key", &self.key.is_some())
            .field("timeouts", &self.timeouts)
            .finish()
    }
}
