use std::fmt;
use std::future::Future;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{RequestBuilder, Response};
use tokio::time::{Instant, timeout};
use zeroize::Zeroizing;

use super::body::{Body, Peer};
use super::resolve::Resolver;
use super::{BaseUrl, Limits, Said, Timeouts, Whom, tls};
use crate::key::Secret;
use crate::redact::Redactor;
use crate::{ApiKey, ChatRequest, Error, Provider, ResponseHead, Stage};

/// The longest error page that is read, in bytes.
const MAX_REFUSAL: usize = 64 * 1024;
/// The longest answer to a small question, in bytes.
const MAX_LOOKUP: usize = 8 * 1024 * 1024;
/// The longest answer that is read whole, in bytes: the vectors of one batch.
const MAX_WHOLE: usize = 128 * 1024 * 1024;

/// How a provider wants to be shown the key.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Auth {
    Bearer,
    Header(&'static str),
}

/// What an exchange is made of.
pub(crate) struct Settings {
    pub(crate) provider: Provider,
    pub(crate) base: BaseUrl,
    pub(crate) key: Option<ApiKey>,
    pub(crate) auth: Auth,
    /// Sent with every request.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    pub(crate) timeouts: Timeouts,
    /// The program's own client, if it gave one.
    pub(crate) client: Option<reqwest::Client>,
}

/// A server of one provider, and how to talk to it.
pub(crate) struct Exchange {
    client: reqwest::Client,
    peer: Peer,
    base: BaseUrl,
    key: Option<ApiKey>,
    auth: Auth,
    headers: &'static [(&'static str, &'static str)],
    timeouts: Timeouts,
}

/// What is asked of a server.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// Relative to the base URL.
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    /// JSON to post; `None` to get.
    pub(crate) json: Option<Vec<u8>>,
}

impl Target {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self { path: path.into(), query: None, json: None }
    }

    pub(crate) fn post(path: impl Into<String>, json: Vec<u8>) -> Self {
        Self { path: path.into(), query: None, json: Some(json) }
    }

    pub(crate) fn with_query(mut self, query: impl Into<String>) -> Self {
        self.query = Some(query.into());
        self
    }
}

/// Why a call gave no body to read.
pub(crate) enum Failure {
    /// There was no answer, or it broke.
    Broken(Error),
    /// The answer was not a success.
    Refused(Answer),
}

/// An answer that is read whole.
pub(crate) struct Answer {
    head: ResponseHead,
    /// What came with it. Of an answer that is no success, up to a bound, and empty if it could not be read.
    pub(crate) body: Vec<u8>,
    /// The key that the call was made with.
    secret: Option<Secret>,
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.head.status()
    }

    pub(crate) fn into_head(self) -> ResponseHead {
        self.head
    }

    /// What `read` makes of the body. Its error keeps status and headers.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&[u8]) -> Result<T, Error>) -> Result<T, Error> {
        read(&self.body).map_err(|error| error.within(&self.head))
    }

    /// The error it stands for; `said` is what its body says, in which `request` may be repeated.
    pub(crate) fn into_error(self, whom: Whom<'_>, said: Said, request: ChatRequest) -> Error {
        said.refused(whom, &self.head, &Redactor::new(request, self.secret))
    }
}

impl Exchange {
    pub(crate) fn new(settings: Settings) -> Result<Self, Error> {
        let Settings { provider, base, key, auth, headers, timeouts, client } = settings;
        let client = match client {
            Some(client) => client,
            None => own_client(&base, &timeouts)?,
        };
        let peer = Peer { provider, address: base.to_string() };
        Ok(Self { client, peer, base, key, auth, headers, timeouts })
    }

    pub(crate) fn base(&self) -> &BaseUrl {
        &self.base
    }

    /// The key for one call.
    pub(crate) fn secret(&self) -> Result<Option<Secret>, Error> {
        self.key.as_ref().map(ApiKey::secret).transpose()
    }

    pub(crate) fn timeouts(&self) -> &Timeouts {
        &self.timeouts
    }

    /// Asks `target` and waits for the answer to begin.
    pub(crate) async fn begin(
        &self,
        target: Target,
        secret: Option<&Secret>,
        limits: Limits,
    ) -> Result<Body, Failure> {
        let response = self.send(target, secret, Stage::FirstByte, limits.first_byte).await?;
        let head = head(&response, secret);
        Ok(Body::new(response, head, self.peer.clone(), &limits))
    }

    /// Asks a small question and reads the whole answer.
    pub(crate) async fn lookup(&self, target: Target) -> Result<Answer, Failure> {
        self.fetch(target, Stage::Lookup, self.timeouts.lookup, MAX_LOOKUP).await
    }

    /// Asks for something that takes as long as an answer, and reads it whole within `limit`, else within the time that an
    /// answer has to begin.
    pub(crate) async fn work(&self, target: Target, limit: Option<Duration>) -> Result<Answer, Failure> {
        self.fetch(target, Stage::FirstByte, limit.unwrap_or(self.timeouts.first_byte), MAX_WHOLE).await
    }

    async fn fetch(
        &self,
        target: Target,
        stage: Stage,
        limit: Duration,
        longest: usize,
    ) -> Result<Answer, Failure> {
        let secret = self.secret()?;
        let start = Instant::now();
        let response = self.send(target, secret.as_ref(), stage, limit).await?;
        let head = head(&response, secret.as_ref());
        let error = match timeout(limit.saturating_sub(start.elapsed()), read(response, longest)).await {
            Ok((body, Ending::Whole)) => return Ok(Answer { head, body, secret }),
            Ok((_, Ending::Broken(error))) => self.peer.broken(stage, error),
            Ok((_, Ending::TooLong)) => self.protocol(format!("its answer is longer than {longest} bytes")),
            Err(_) => self.peer.silent(stage, limit),
        };
        Err(Failure::Broken(error.within(&head)))
    }

    fn protocol(&self, reason: String) -> Error {
        Error::Protocol { provider: self.peer.provider, reason, response: None }
    }

    async fn send(
        &self,
        target: Target,
        secret: Option<&Secret>,
        stage: Stage,
        limit: Duration,
    ) -> Result<Response, Failure> {
        let url = self.base.at(&target.path, target.query.as_deref());
        let request = match target.json {
            Some(json) => self.client.post(url.clone()).header(CONTENT_TYPE, "application/json").body(json),
            None => self.client.get(url.clone()),
        };
        let request =
            self.headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let request = self.authorized(request, secret)?;
        let sent = self.within(limit, stage, async { request.send().await }).await?;
        let response = sent.map_err(|error| Failure::Broken(self.unsent(stage, error)))?;
        if *response.url() != url {
            // Only a client that the program gave can do that; ours follows nothing.
            let reason =
                "it redirects, and the HTTP client that was given followed: make it with `Policy::none()`";
            let error = self.protocol(reason.to_owned());
            return Err(Failure::Broken(error.within(&head(&response, secret))));
        }
        if response.status().is_success() {
            return Ok(response);
        }
        let head = head(&response, secret);
        // Whatever can be had of the reason is better than none, so a broken or slow one is no error of its own.
        let body = timeout(self.timeouts.lookup, read(response, MAX_REFUSAL)).await;
        let body = body.map(|(body, _)| body).unwrap_or_default();
        Err(Failure::Refused(Answer { head, body, secret: secret.cloned() }))
    }

    fn authorized(&self, request: RequestBuilder, secret: Option<&Secret>) -> Result<RequestBuilder, Error> {
        let Some(secret) = secret else { return Ok(request) };
        let (name, text) = match self.auth {
            Auth::Bearer => (AUTHORIZATION, Zeroizing::new(format!("Bearer {}", &**secret))),
            Auth::Header(name) => (HeaderName::from_static(name), Zeroizing::new(str::to_owned(secret))),
        };
        let mut value = HeaderValue::from_str(&text)
            .map_err(|_| Error::BadKey { reason: "it cannot be sent in a header" })?;
        value.set_sensitive(true);
        Ok(request.header(name, value))
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

fn own_client(base: &BaseUrl, timeouts: &Timeouts) -> Result<reqwest::Client, Error> {
    let tls = tls::config(base.is_https()).map_err(|source| Error::Setup { source })?;
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(timeouts.connect)
        // A redirect could carry the key and the prompt to another host.
        .redirect(Policy::none())
        // Else the proxies named in the environment would be used, even for this machine.
        .no_proxy()
        .dns_resolver(Resolver)
        // Else small requests wait for the other side to confirm the one before.
        .tcp_nodelay(true)
        .referer(false)
        .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|source| Error::Setup { source: source.into() })
}

fn head(response: &Response, secret: Option<&Secret>) -> ResponseHead {
    let headers = response.headers().iter();
    let headers = headers.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    ResponseHead::new(response.status().as_u16(), headers).without(secret.map(|secret| &**secret))
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
