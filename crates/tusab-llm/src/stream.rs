use std::fmt;
use std::future::poll_fn;
use std::task::{Context, Poll};

use crate::{ChatReply, Delta, Error, FinishReason, ModelId, Usage, Warning};

type PollDelta = dyn FnMut(&mut Context<'_>) -> Poll<Option<Result<Delta, Error>>> + Send;

/// An answer as it arrives.
///
/// Whatever the model behind it does, a stream keeps these rules:
/// - [`Delta::Text`] and [`Delta::Thinking`] are never empty and come in the order in which they were written.
/// - It ends with exactly one [`Delta::Done`] or exactly one error; after that there is only `None`.
/// - An error after the first words is [`Error::Interrupted`], with the text that had arrived; one before
///   them is the bare error, and the call may be made again.
/// - It never ends without saying so: one that stops before its end is [`Error::EndedEarly`].
///
/// Dropping it cancels the request at once. Dropping a future of [`next`](Self::next) loses nothing.
///
/// It is no `Stream` of the futures crates, whose traits are not yet at version 1; to make it one, give
/// [`poll_next`](Self::poll_next) to their `poll_fn`:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), tusab_llm::Error> {
/// # use tusab_llm::testing::{Answer, ScriptedModel};
/// # use tusab_llm::{ChatModel, ChatRequest, Message};
/// # let model = ScriptedModel::new().then(Answer::text("bom dia"));
/// # let request = ChatRequest::new([Message::user("Oi!")]);
/// use futures_util::{StreamExt, stream};
///
/// let mut answer = model.stream(request).await?;
/// let deltas = stream::poll_fn(move |cx| answer.poll_next(cx)).collect::<Vec<_>>().await;
/// assert_eq!(deltas.len(), 3);
/// # Ok(())
/// # }
/// ```
#[must_use = "a stream does nothing until it is read, and dropping it cancels the request"]
pub struct ChatStream {
    model: ModelId,
    /// `None` once the stream has ended: the request is let go without waiting for the reader's drop.
    source: Option<Box<PollDelta>>,
    /// The text given so far, for [`Error::Interrupted`].
    partial: String,
    /// Whether any word was given, of text or of thinking.
    begun: bool,
    warnings: Vec<Warning>,
}

impl ChatStream {
    /// A stream of `model` that polls `source` for what comes next; for implementations of
    /// [`ChatModel`](crate::ChatModel).
    ///
    /// `source` follows the contract of `Stream::poll_next` and gives bare errors; the rules above are kept
    /// by the stream. It is not polled again after a [`Delta::Done`], an error or `None`, but dropped.
    pub fn new<F>(model: ModelId, source: F) -> Self
    where
        F: FnMut(&mut Context<'_>) -> Poll<Option<Result<Delta, Error>>> + Send + 'static,
    {
        let (source, partial) = (Some(Box::new(source) as Box<PollDelta>), String::new());
        Self { model, source, partial, begun: false, warnings: Vec::new() }
    }

    /// A stream of `model` that gives what is already there.
    pub fn ready<I>(model: ModelId, deltas: I) -> Self
    where
        I: IntoIterator<Item = Result<Delta, Error>>,
        I::IntoIter: Send + 'static,
    {
        let mut deltas = deltas.into_iter();
        Self::new(model, move |_| Poll::Ready(deltas.next()))
    }

    /// Says what of the request was not sent.
    pub fn with_warnings(mut self, warnings: Vec<Warning>) -> Self {
        self.warnings = warnings;
        self
    }

    /// Gives `first`, which was read from this stream, once more before what follows.
    pub(crate) fn with_first(self, first: Vec<Delta>) -> Self {
        let Self { model, source, warnings, .. } = self;
        let (mut first, mut source) = (first.into_iter(), source);
        let again = Self::new(model, move |cx| match (first.next(), &mut source) {
            (Some(delta), _) => Poll::Ready(Some(Ok(delta))),
            (None, Some(source)) => source(cx),
            (None, None) => Poll::Ready(None),
        });
        again.with_warnings(warnings)
    }

    /// Which model answers.
    #[must_use]
    pub fn model(&self) -> &ModelId {
        &self.model
    }

    /// What of the request was not sent, since the model does not take it and the answer does without.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Waits for the next delta; `None` after the end.
    ///
    /// # Errors
    /// What broke the stream; [`Error::Interrupted`] once words have been given.
    pub async fn next(&mut self) -> Option<Result<Delta, Error>> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// The same as [`next`](Self::next) for code that polls.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Delta, Error>>> {
        loop {
            let Some(source) = &mut self.source else { return Poll::Ready(None) };
            let next = match source(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(next)) => next,
                Poll::Ready(None) => {
                    Err(Error::EndedEarly { provider: self.model.provider(), response: None })
                }
            };
            match &next {
                Ok(Delta::Text(text) | Delta::Thinking(text)) if text.is_empty() => continue,
                Ok(Delta::Text(text)) => {
                    self.begun = true;
                    self.partial.push_str(text);
                }
                Ok(Delta::Thinking(_)) => self.begun = true,
                Ok(Delta::TextWasThinking) => self.partial.clear(),
                Ok(Delta::Usage(_)) => {}
                Ok(Delta::Done { .. }) | Err(_) => self.source = None,
            }
            return Poll::Ready(Some(next.map_err(|error| self.interrupted(error))));
        }
    }

    /// Reads the stream to its end.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn collect(mut self) -> Result<ChatReply, Error> {
        let (mut text, mut thinking, mut usage) = (String::new(), String::new(), Usage::default());
        let mut finish_reason = FinishReason::Unreported;
        while let Some(delta) = self.next().await {
            match delta? {
                Delta::Text(more) => text.push_str(&more),
                Delta::Thinking(more) => thinking.push_str(&more),
                Delta::TextWasThinking => thinking.push_str(&std::mem::take(&mut text)),
                Delta::Usage(latest) => usage = latest,
                Delta::Done { finish_reason: reason } => finish_reason = reason,
            }
        }
        Ok(ChatReply { text, thinking, usage, finish_reason, warnings: self.warnings })
    }

    fn interrupted(&mut self, error: Error) -> Error {
        if self.begun && !matches!(error, Error::Interrupted { .. }) {
            Error::Interrupted { partial: std::mem::take(&mut self.partial), source: Box::new(error) }
        } else {
            error
        }
    }
}

impl fmt::Debug for ChatStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatStream")
            .field("model", &self.model)
            .field("begun", &self.begun)
            .field("ended", &self.source.is_none())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Provider, Tokens};

    fn model() -> ModelId {
        ModelId::known(Provider::Ollama, "m")
    }

    fn stream(deltas: impl IntoIterator<Item = Result<Delta, Error>>) -> ChatStream {
        ChatStream::ready(model(), deltas.into_iter().collect::<Vec<_>>())
    }

    fn text(words: &str) -> Delta {
        Delta::Text(words.to_owned())
    }

    fn done() -> Delta {
        Delta::Done { finish_reason: FinishReason::Stop }
    }

    fn broken() -> Error {
        Error::EndedEarly { provider: Provider::Ollama, response: None }
    }

    #[tokio::test]
    async fn nothing_follows_the_end() {
        let mut stream = stream([Ok(text("")), Ok(text("a")), Ok(done()), Ok(text("b")), Err(broken())]);
        assert_eq!(stream.next().await.unwrap().unwrap(), text("a"));
        assert_eq!(stream.next().await.unwrap().unwrap(), done());
        assert!(stream.next().await.is_none());
        assert!(stream.next().await.is_none());
    }

    #[tokio::test]
    async fn an_error_before_the_first_word_is_bare() {
        let usage = Delta::Usage(Usage::new(Tokens::new(1), Tokens::new(0)));
        let stream = stream([Ok(text("")), Ok(usage), Err(broken()), Ok(text("b"))]);
        let error = stream.collect().await.unwrap_err();
        assert!(matches!(error, Error::EndedEarly { .. }), "{error:?}");
        assert!(error.is_retryable());
    }

    #[tokio::test]
    async fn an_error_after_the_first_word_keeps_the_text() {
        let thought = Delta::Thinking("hm".to_owned());
        let stream = stream([Ok(thought), Ok(text("olá ")), Ok(text("mundo")), Err(broken())]);
        let error = stream.collect().await.unwrap_err();
        let Error::Interrupted { partial, source } = &error else { panic!("{error:?}") };
        assert_eq!(partial, "olá mundo");
        assert!(matches!(**source, Error::EndedEarly { .. }));
        assert!(!error.is_retryable());
        assert_eq!(error.to_string(), "the answer was interrupted after its first 9 characters");
    }

    #[tokio::test]
    async fn thinking_alone_is_words_given() {
        let thought = Delta::Thinking("hm".to_owned());
        let error = stream([Ok(thought), Err(broken())]).collect().await.unwrap_err();
        assert_eq!((error.partial(), error.is_retryable()), (Some(""), false));
    }

    #[tokio::test]
    async fn text_that_was_thinking_is_taken_back() {
        let deltas = [Ok(text("hm, ")), Ok(text("sim")), Ok(Delta::TextWasThinking), Ok(text("Sim."))];
        let reply = stream(deltas.into_iter().chain([Ok(done())])).collect().await.unwrap();
        assert_eq!((reply.text.as_str(), reply.thinking.as_str()), ("Sim.", "hm, sim"));
        let error = stream([Ok(text("hm")), Ok(Delta::TextWasThinking), Err(broken())]).collect().await;
        assert_eq!(error.unwrap_err().partial(), Some(""));
    }

    #[tokio::test]
    async fn a_stream_that_just_stops_is_an_error() {
        let error = stream([Ok(text("half"))]).collect().await.unwrap_err();
        assert_eq!(error.partial(), Some("half"));
        let mut empty = stream([]);
        assert!(matches!(empty.next().await, Some(Err(Error::EndedEarly { .. }))));
        assert!(empty.next().await.is_none());
    }

    #[tokio::test]
    async fn an_interruption_is_not_wrapped_twice() {
        let inner = Error::Interrupted { partial: "all of it".to_owned(), source: Box::new(broken()) };
        let error = stream([Ok(text("part")), Err(inner)]).collect().await.unwrap_err();
        assert_eq!(error.partial(), Some("all of it"));
    }

    #[tokio::test]
    async fn the_source_is_dropped_at_the_end_not_with_the_stream() {
        let held = Arc::new(());
        let guard = Arc::clone(&held);
        let mut stream = ChatStream::new(model(), move |_| {
            let _ = &guard;
            Poll::Ready(Some(Ok(done())))
        });
        assert_eq!(Arc::strong_count(&held), 2);
        stream.next().await.unwrap().unwrap();
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
