use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http_body::Body as _;
use reqwest::Response;
use tokio::time::Sleep;
use tracing::Span;

use super::Limits;
use crate::{ChatStream, Delta, Error, ModelId, Provider, ResponseHead, Stage, trace};

/// Whom a call concerns, for its errors.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    pub(super) provider: Provider,
    pub(super) address: String,
}

impl Peer {
    pub(super) fn broken(&self, stage: Stage, error: reqwest::Error) -> Error {
        let (source, address) = (error.without_url().into(), self.address.clone());
        Error::Network { provider: self.provider, address, stage, source, response: None }
    }

    pub(super) fn silent(&self, stage: Stage, limit: Duration) -> Error {
        let address = self.address.clone();
        Error::Timeout { provider: self.provider, address, stage, limit, response: None }
    }
}

/// The bytes of an answer as they arrive. Dropping it closes the connection, unless all has been read.
pub(crate) struct Body {
    inner: reqwest::Body,
    peer: Peer,
    head: ResponseHead,
    /// What is waited for, and for how long.
    stage: Stage,
    limit: Duration,
    idle_gap: Duration,
    /// Runs only while a reader waits: the reader's own pauses are not the server's.
    silence: Option<Pin<Box<Sleep>>>,
}

impl Body {
    pub(super) fn new(response: Response, head: ResponseHead, peer: Peer, limits: &Limits) -> Self {
        let Limits { first_byte, idle_gap } = *limits;
        // What stands between may send the head of an answer long before the model has its first word.
        let (stage, limit) = (Stage::FirstByte, first_byte);
        Self { inner: response.into(), peer, head, stage, limit, idle_gap, silence: None }
    }

    /// Status and headers of the answer.
    pub(crate) fn head(&self) -> &ResponseHead {
        &self.head
    }

    pub(crate) fn poll_bytes<T>(
        &mut self,
        cx: &mut Context<'_>,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Poll<Option<Result<T, Error>>> {
        loop {
            match Pin::new(&mut self.inner).poll_frame(cx) {
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Ready(Some(Ok(frame))) => {
                    self.silence = None;
                    (self.stage, self.limit) = (Stage::IdleGap, self.idle_gap);
                    // Anything else than data would be a trailer, which no provider sends.
                    if let Ok(bytes) = frame.into_data() {
                        return Poll::Ready(Some(Ok(read(&bytes))));
                    }
                }
                Poll::Ready(Some(Err(error))) => {
                    return Poll::Ready(Some(Err(self.peer.broken(self.stage, error))));
                }
                Poll::Pending => {
                    if tokio::runtime::Handle::try_current().is_err() {
                        return Poll::Ready(Some(Err(Error::NoRuntime)));
                    }
                    let limit = self.limit;
                    let silence = self.silence.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
                    ready!(silence.as_mut().poll(cx));
                    return Poll::Ready(Some(Err(self.peer.silent(self.stage, limit))));
                }
            }
        }
    }
}

/// Turns the bytes of one answer into deltas; pure.
pub(crate) trait Decoder: Send + 'static {
    /// Reads `bytes`, cut from the answer anywhere, and appends what they complete to `deltas`. Those
    /// appended before an error are given before it.
    fn push(&mut self, bytes: &[u8], deltas: &mut VecDeque<Delta>) -> Result<(), Error>;

    /// The answer has ended: reads what was held back.
    fn finish(&mut self, deltas: &mut VecDeque<Delta>) -> Result<(), Error>;
}

/// The stream of what `decoder` makes of `body`.
pub(crate) fn decode(
    model: ModelId,
    mut body: Body,
    mut decoder: Box<dyn Decoder>,
    span: Span,
) -> ChatStream {
    let mut deltas = VecDeque::new();
    let mut failed = None;
    let mut ended = false;
    ChatStream::new(model, move |cx| {
        let _in_span = span.enter();
        loop {
            if let Some(delta) = deltas.pop_front() {
                trace::record(&span, &delta);
                return Poll::Ready(Some(Ok(delta)));
            }
            if let Some(error) = failed.take() {
                let error: Error = error;
                trace::failed(&span, &error);
                return Poll::Ready(Some(Err(error.within(body.head()))));
            }
            if ended {
                return Poll::Ready(None);
            }
            failed = match ready!(body.poll_bytes(cx, |bytes| decoder.push(bytes, &mut deltas))) {
                Some(Ok(read)) => read.err(),
                Some(Err(broken)) => Some(broken),
                None => {
                    ended = true;
                    decoder.finish(&mut deltas).err()
                }
            };
        }
    })
}
