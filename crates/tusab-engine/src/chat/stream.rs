use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll};

use serde::Serialize;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::{Answer, Citation, Error, Support};

/// What happens while an answer is made: `Searching`, `Sources`, then `Thinking` and `Text` as they come, `Support` and
/// `Done`.
///
/// What is answered without a search has `Text` and `Done` alone. The pieces of text since the last `Withdrawn` are together
/// the text of `Done`, save marks that lead to no source: these are taken out at the end.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnswerEvent {
    /// The project is being searched.
    Searching,
    /// The passages that the answer will rest on; empty when there are none.
    Sources(Vec<Citation>),
    /// The next piece of what a reasoning model thinks before it answers; no part of the answer.
    Thinking(String),
    /// The next piece of the answer's text.
    Text(String),
    /// The text so far is no part of the answer and is to be taken back: it turned out to be thinking, or the model failed
    /// after it, and quotes follow in its place.
    Withdrawn,
    /// What of the answer stands in its sources, sentence by sentence.
    Support(Support),
    /// The whole answer; always last.
    Done(Box<Answer>),
}

/// An answer as it is made.
///
/// Dropping it stops the work at once. What the model had written by then stays in the session's history, marked as
/// cancelled.
#[derive(Debug)]
#[must_use = "dropping the stream stops the answer"]
pub struct AnswerStream(UnboundedReceiver<Result<AnswerEvent, Error>>);

impl AnswerStream {
    /// Waits for the next event; `None` after the last. An error is the last.
    ///
    /// # Errors
    /// When the project cannot be searched.
    pub async fn next(&mut self) -> Option<Result<AnswerEvent, Error>> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// The same as [`next`](Self::next) for code that polls.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<AnswerEvent, Error>>> {
        self.0.poll_recv(cx)
    }

    /// Stops the work as dropping does; what was told before can still be read.
    pub fn stop(&mut self) {
        self.0.close();
    }
}

/// The writing end of an [`AnswerStream`].
///
/// It never waits for the reader: a session's next question must not hang on one that nobody reads. What is told of one
/// answer is bounded by its length.
#[derive(Debug, Clone)]
pub(super) struct Events(UnboundedSender<Result<AnswerEvent, Error>>);

pub(super) fn events() -> (Events, AnswerStream) {
    let (sender, receiver) = unbounded_channel();
    (Events(sender), AnswerStream(receiver))
}

impl Events {
    /// A reader that has gone is told nothing.
    pub(super) fn tell(&self, event: AnswerEvent) {
        let _ = self.0.send(Ok(event));
    }

    pub(super) fn fail(&self, error: Error) {
        let _ = self.0.send(Err(error));
    }

    /// Does work until the reader goes; `None` when it goes first. The work is dropped then.
    pub(super) async fn unless_gone<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let (mut work, mut gone) = (pin!(work), pin!(self.0.closed()));
        poll_fn(|cx| match work.as_mut().poll(cx) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending => gone.as_mut().poll(cx).map(|()| None),
        })
        .await
    }
}
