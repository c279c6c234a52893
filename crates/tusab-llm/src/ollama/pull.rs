use std::fmt;
use std::future::poll_fn;
use std::task::{Context, Poll, ready};

use serde::Deserialize;
use serde_json::Value;

use super::wire::said;
use crate::http::Body;
use crate::key::Secret;
use crate::ndjson::Ndjson;
use crate::redact::Redactor;
use crate::{ChatRequest, Error, ModelId};

/// The longest line of a report, in bytes.
const MAX_LINE: usize = 64 * 1024;

/// A model on its way from Ollama's library to the server; made by [`Ollama::pull`](super::Ollama::pull).
///
/// Dropping it cancels the download at once; what the server has of it is kept, and the next pull goes on from there.
#[must_use = "a download goes on only while it is read, and dropping it cancels it"]
pub struct Pull {
    model: ModelId,
    /// `None` once it has ended.
    body: Option<Body>,
    lines: Ndjson,
    redactor: Redactor,
}

/// How far a download has come.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PullProgress {
    /// What is being done, in the server's words, such as `pulling manifest` or `verifying sha256 digest`.
    pub status: String,
    /// Which of the model's files is being fetched.
    pub digest: Option<String>,
    /// How large that file is, in bytes.
    pub total_bytes: Option<u64>,
    /// How much of it is there, in bytes.
    pub completed_bytes: Option<u64>,
    /// The model is there; nothing follows.
    pub is_done: bool,
}

#[derive(Deserialize)]
struct Line {
    status: Option<String>,
    digest: Option<String>,
    total: Option<u64>,
    completed: Option<u64>,
    error: Option<Value>,
}

impl Pull {
    pub(super) fn new(model: ModelId, body: Body, secret: Option<Secret>) -> Self {
        let redactor = Redactor::new(ChatRequest::default(), secret);
        Self { model, body: Some(body), lines: Ndjson::new(MAX_LINE), redactor }
    }

    /// Waits for the next report; `None` after the end, which is a report that says
    /// [`is_done`](PullProgress::is_done), or an error.
    ///
    /// # Errors
    /// What kept the model from coming: [`Error::Rejected`] with the server's words, [`Error::EndedEarly`] if it
    /// stopped without saying so, or a fault of the network.
    pub async fn next(&mut self) -> Option<Result<PullProgress, Error>> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// Reads the reports to their end, showing each to `progress`.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn finish(mut self, mut progress: impl FnMut(&PullProgress)) -> Result<(), Error> {
        while let Some(report) = self.next().await {
            progress(&report?);
        }
        Ok(())
    }

    /// The same as [`next`](Self::next) for code that polls.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<PullProgress, Error>>> {
        let next = ready!(self.poll_report(cx));
        let next = next.map(|next| next.map_err(|error| self.within(error)));
        if !matches!(&next, Some(Ok(report)) if !report.is_done) {
            self.body = None;
        }
        Poll::Ready(next)
    }

    fn poll_report(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<PullProgress, Error>>> {
        loop {
            match self.lines.next_line() {
                Ok(Some(line)) => return Poll::Ready(Some(report(line, &self.model, &self.redactor))),
                Ok(None) => {}
                Err(_) => return Poll::Ready(Some(Err(self.protocol("a line of its report is too long")))),
            }
            let Some(body) = &mut self.body else { return Poll::Ready(None) };
            match ready!(body.poll_bytes(cx, |bytes| self.lines.push(bytes))) {
                Some(Ok(())) => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    let last = self.lines.finish().map(|line| report(line, &self.model, &self.redactor));
                    let early = Error::EndedEarly { provider: self.model.provider(), response: None };
                    return Poll::Ready(Some(last.unwrap_or(Err(early))));
                }
            }
        }
    }

    fn protocol(&self, reason: &str) -> Error {
        Error::Protocol { provider: self.model.provider(), reason: reason.to_owned(), response: None }
    }

    fn within(&self, error: Error) -> Error {
        match &self.body {
            Some(body) => error.within(body.head()),
            None => error,
        }
    }
}

fn report(line: &[u8], model: &ModelId, redactor: &Redactor) -> Result<PullProgress, Error> {
    let provider = model.provider();
    let Ok(line) = serde_json::from_slice::<Line>(line) else {
        let reason = "a line of its report is not JSON of the expected kind".to_owned();
        return Err(Error::Protocol { provider, reason, response: None });
    };
    if let Some(error) = line.error {
        return Err(said(&error).in_stream(model, redactor));
    }
    let status = line.status.unwrap_or_default();
    Ok(PullProgress {
        is_done: status == "success",
        status,
        digest: line.digest,
        total_bytes: line.total,
        completed_bytes: line.completed,
    })
}

impl fmt::Debug for Pull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pull")
            .field("model", &self.model)
            .field("ended", &self.body.is_none())
            .finish_non_exhaustive()
    }
}
