use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::{ChatReply, ChatRequest, ChatStream, Error, ModelId, Tokens};

/// A boxed future, so that the traits of this crate can be used as `dyn`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A model that can hold a conversation. The seam between whoever asks and whoever serves.
///
/// Contract, of which [`testing::conformance`](crate::testing::conformance) checks what can be seen from outside with a
/// model that answers:
/// - Nothing is sent before a future is polled. A request that [`ChatRequest::check`] refuses is never sent.
/// - Calls are independent: any number may run at the same time, each with its own stream, and none keeps a
///   memory of another.
/// - A stream keeps the rules of [`ChatStream`], which that type enforces.
/// - Dropping a future or a stream cancels its call at once and leaves the model usable.
/// - No error message repeats what was asked.
/// - The model of a provider does not retry: it says by [`Error::is_retryable`] whether that could help, and
///   [`Retrying`](crate::Retrying) around it does.
pub trait ChatModel: fmt::Debug + Send + Sync {
    /// Which model answers.
    fn id(&self) -> &ModelId;

    /// Starts an answer, to be read as it arrives. Resolves when the provider has accepted the request.
    ///
    /// # Errors
    /// [`Error::BadRequest`] before anything is sent; else what kept the provider from answering.
    fn stream(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatStream, Error>>;

    /// Waits for the whole answer.
    ///
    /// # Errors
    /// As [`stream`](Self::stream) and [`ChatStream::next`].
    fn chat(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatReply, Error>> {
        Box::pin(async move { self.stream(request).await?.collect().await })
    }

    /// How much the model reads and writes at most, prompt and answer together, where that can be told: a server that
    /// tells it by model is asked once. A budget for the prompt is made from it.
    fn context_length(&self) -> BoxFuture<'_, Option<Tokens>> {
        Box::pin(async { None })
    }

    /// Whether a call never leaves this machine, so that a program which is offline may still make it.
    fn is_local(&self) -> bool {
        false
    }
}
