use std::fmt;
use std::future::Future;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{RequestBuilder, Response, StatusCode};
use tokio::time::timeout;
use zeroize::Zeroizing;

use super::body::{Body, Peer};
use super::{BaseUrl, Timeouts, status, tls};
use crate::{ApiKey, Error, Provider, Stage};

/// The longest error page that is read, in bytes.
const MAX_REFUSAL: usize = 64 * 1024;
/// The longest answer to a small question, in bytes.
const MAX_LOOKUP: usize = 8 * 1024 * 1024;

/// A server of one provider, and how to talk to it.
pub(crate) struct Exchange {
    client: reqwest::Client,
    peer: Peer,
    base: BaseUrl,
    key: Option<ApiKey>,
    timeouts: Timeouts,
}

/// Why a call gave no body to read.
pub(crate) enum Failure {
    /// There was no answer, or it broke.
    Broken(Error),
    /// The answer was not a success.
    Refused(Refusal),
}

/// An answer that is not a success.
pub(crate) struct Refusal {
    status: StatusCode,
    headers: HeaderMap,
    /// What came with it, up to a bound; empty if it could not be read.
    pub(crate) body: Vec<u8>,
}

impl Refusal {
    pub(crate) fn status(&self) -> u16 {
        self.status.as_u16()
    }

    /// The error it stands for; `message` is what the provider says about it.
    pub(crate) fn into_error(self, provider: Provider, message: String) -> Error {
        status::error(provider, self.status, &self.headers, message)
    }
}

impl Exchange {
    pub(crate) fn new(
        provider: Provider,
        base: BaseUrl,
        key: Option<ApiKey>,
        timeouts: Timeouts,
    ) -> Result<Self, Error> {
        let tls = tls::config(base.is_https()).map_err(|source| Error::Setup { source })?;
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .connect_timeout(timeouts.connect)
            // A redirect could carry the key and the prompt to another host.
            .redirect(Policy::none())
            // Else the proxies named in the environment would be used, even for this machine.
            .no_proxy()
            .referer(false)
            .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|source| Error::Setup { source: source.into() })?;
        let peer = Peer { provider, address: base.to_string() };
        Ok(Self { client, peer, base, key, timeouts })
    }

    pub(crate) fn base(&self) -> &BaseUrl {
        &self.base
    }

    pub(crate) fn key(&self) -> Option<&ApiKey> {
        self.key.as_ref()
    }

    /// Sends `json` to `path` and waits for the answer to begin.
    pub(crate) async fn post(&self, path: &str, json: Vec<u8>) -> Result<Body, Failure> {
        let request =
            self.client.post(self.base.at(path)).header(CONTENT_TYPE, "application/json").body(json);
        let response = self.send(request, Stage::FirstByte, self.timeouts.first_byte).await?;
        Ok(Body::new(response, self.peer.clone(), &self.timeouts))
    }

    /// Asks `path` and reads the whole answer.
    pub(crate) async fn lookup(&self, path: &str) -> Result<Vec<u8>, Failure> {
        let limit = self.timeouts.lookup;
        let whole = async {
            let response = self.send(self.client.get(self.base.at(path)), Stage::Lookup, limit).await?;
            match read(response, MAX_LOOKUP).await {
                (body, Ending::Whole) => Ok(body),
                (_, Ending::Broken(error)) => Err(Failure::Broken(self.peer.broken(Stage::Lookup, error))),
                (_, Ending::TooLong) => Err(Failure::Broken(Error::Protocol {
                    provider: self.peer.provider,
                    reason: format!("its answer to a small question is longer than {MAX_LOOKUP} bytes"),
                })),
            }
        };
        self.within(limit, Stage::Lookup, whole).await?
    }

    async fn send(
        &self,
        request: RequestBuilder,
        stage: Stage,
        limit: Duration,
    ) -> Result<Response, Failure> {
        let request = match &self.key {
            Some(key) => request.header(AUTHORIZATION, bearer(key)?),
            None => request,
        };
        let sent = self.within(limit, stage, async { request.send().await }).await?;
        let response = sent.map_err(|error| Failure::Broken(self.unsent(stage, error)))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, headers) = (response.status(), response.headers().clone());
        // Whatever can be had of the reason is better than none, so a broken or slow one is no error of its own.
        let body = timeout(self.timeouts.lookup, read(response, MAX_REFUSAL)).await;
        let body = body.map(|(body, _)| body).unwrap_or_default();
        Err(Failure::Refused(Refusal { status, headers, body }))
    }

    async fn within<T>(
        &self,
        limit: Duration,
        stage: Stage,
        work: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(Failure::Broken(Error::NoRuntime));
        }
        timeout(limit, work).await.map_err(|_| Failure::Broken(self.peer.silent(stage, limit)))
    }

    fn unsent(&self, stage: Stage, error: reqwest::Error) -> Error {
        match (error.is_connect(), error.is_timeout()) {
            (true, true) => self.peer.silent(Stage::Connect, self.timeouts.connect),
            (true, false) => self.peer.broken(Stage::Connect, error),
            (false, _) => self.peer.broken(stage, error),
        }
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("base", &self.base)
            .field("has_key", &self.key.is_some())
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Broken(error)
    }
}

fn bearer(key: &ApiKey) -> Result<HeaderValue, Error> {
    let text = Zeroizing::new(format!("Bearer {}", key.secret()));
    let mut value = HeaderValue::from_str(&text)
        .map_err(|_| Error::BadKey { reason: "it cannot be sent in a header" })?;
    value.set_sensitive(true);
    Ok(value)
}

enum Ending {
    Whole,
    TooLong,
    Broken(reqwest::Error),
}

/// Reads at most `limit` bytes, and says how that ended.
async fn read(mut response: Response, limit: usize) -> (Vec<u8>, Ending) {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(bytes)) if body.len() + bytes.len() > limit => return (body, Ending::TooLong),
            Ok(Some(bytes)) => body.extend_from_slice(&bytes),
            Ok(None) => return (body, Ending::Whole),
            Err(error) => return (body, Ending::Broken(error)),
        }
    }
}
