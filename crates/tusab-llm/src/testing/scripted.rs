use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use crate::{
    BoxFuture, ChatModel, ChatRequest, ChatStream, Delta, Error, FinishReason, ModelId, Provider, Tokens,
    Usage,
};

type Fallback = dyn Fn(&ChatRequest) -> Answer + Send + Sync;

/// A model that answers what a test has written, and remembers what it was asked. Nothing is sent anywhere.
///
/// Calls take the queued answers in order; when none is left, the [fallback](Self::with_fallback) is asked,
/// and without one the call fails. Clones share queue and memory.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), tusab_llm::Error> {
/// use tusab_llm::testing::{Answer, ScriptedModel};
/// use tusab_llm::{ChatModel, ChatRequest, Message};
///
/// let model = ScriptedModel::new().then(Answer::text("Olá, mundo"));
/// let reply = model.chat(ChatRequest::new([Message::user("Oi!")])).await?;
/// assert_eq!(reply.text, "Olá, mundo");
/// assert_eq!(model.requests()[0].messages[0].content, "Oi!");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ScriptedModel {
    id: ModelId,
    shared: Arc<Shared>,
    fallback: Option<Arc<Fallback>>,
    context_length: Option<Tokens>,
    is_local: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<VecDeque<Answer>>,
    requests: Mutex<Vec<ChatRequest>>,
    open: AtomicUsize,
}

/// What a [`ScriptedModel`] does with one call.
#[derive(Debug)]
pub struct Answer {
    refusal: Option<Error>,
    deltas: Vec<Delta>,
    end: End,
}

#[derive(Debug)]
enum End {
    /// The deltas hold their own end, or the stream stops without one.
    Stops,
    Finishes(FinishReason),
    Fails(Error),
    Hangs,
}

impl Answer {
    /// Gives `text`, word by word, and finishes.
    #[must_use]
    pub fn text(text: &str) -> Self {
        let words = text.split_inclusive(' ').map(|word| Delta::Text(word.to_owned()));
        Self { refusal: None, deltas: words.collect(), end: End::Finishes(FinishReason::Stop) }
    }

    /// Gives exactly `deltas`, the end included, if one is among them.
    #[must_use]
    pub fn deltas(deltas: impl IntoIterator<Item = Delta>) -> Self {
        Self { refusal: None, deltas: deltas.into_iter().collect(), end: End::Stops }
    }

    /// Fails before there is a stream.
    #[must_use]
    pub fn refuse(error: Error) -> Self {
        Self { refusal: Some(error), deltas: Vec::new(), end: End::Stops }
    }

    /// What the call costs, reported after the text.
    #[must_use]
    pub fn with_usage(mut self, input: Tokens, output: Tokens) -> Self {
        self.deltas.push(Delta::Usage(Usage::new(input, output)));
        self
    }

    /// Finishes for `reason`.
    #[must_use]
    pub fn then_finish(mut self, reason: FinishReason) -> Self {
        self.end = End::Finishes(reason);
        self
    }

    /// Breaks with `error` in place of finishing.
    #[must_use]
    pub fn then_fail(mut self, error: Error) -> Self {
        self.end = End::Fails(error);
        self
    }

    /// Falls silent in place of finishing: the stream stays open until it is dropped.
    #[must_use]
    pub fn then_hang(mut self) -> Self {
        self.end = End::Hangs;
        self
    }
}

impl ScriptedModel {
    /// A model called `openai-compatible::scripted` with nothing to say yet.
    #[must_use]
    pub fn new() -> Self {
        let id = ModelId::known(Provider::OpenAiCompatible, "scripted");
        Self { id, shared: Arc::default(), fallback: None, context_length: None, is_local: false }
    }

    /// Goes by another name, for code that looks at it.
    #[must_use]
    pub fn with_id(mut self, id: ModelId) -> Self {
        self.id = id;
        self
    }

    /// Says that it reads and writes that much at most; nothing holds it to that.
    #[must_use]
    pub fn with_context_length(mut self, length: Tokens) -> Self {
        self.context_length = Some(length);
        self
    }

    /// Says that it runs on this machine, where it else stands for a hosted one.
    #[must_use]
    pub fn on_this_machine(mut self) -> Self {
        self.is_local = true;
        self
    }

    /// What answers the calls for which none is queued; it may look at what is asked.
    #[must_use]
    pub fn with_fallback(mut self, answer: impl Fn(&ChatRequest) -> Answer + Send + Sync + 'static) -> Self {
        self.fallback = Some(Arc::new(answer));
        self
    }

    /// Queues the answer to the next call that has none yet.
    #[must_use]
    pub fn then(self, answer: Answer) -> Self {
        lock(&self.shared.queue).push_back(answer);
        self
    }

    /// Every request so far, in the order in which they came. Those that [`ChatRequest::check`] refuses are
    /// not among them, as they would not have been sent.
    #[must_use]
    pub fn requests(&self) -> Vec<ChatRequest> {
        lock(&self.shared.requests).clone()
    }

    /// How many streams are neither finished nor dropped, to see that cancelling reaches the model.
    #[must_use]
    pub fn open_streams(&self) -> usize {
        self.shared.open.load(Ordering::SeqCst)
    }

    fn answer(&self, request: ChatRequest) -> Result<ChatStream, Error> {
        request.check()?;
        let queued = lock(&self.shared.queue).pop_front();
        // No lock is held here: the fallback is the test's code, and may look at this model.
        let answer = queued.or_else(|| self.fallback.as_ref().map(|fallback| fallback(&request)));
        let calls = {
            let mut requests = lock(&self.shared.requests);
            requests.push(request);
            requests.len()
        };
        let Answer { refusal, deltas, mut end } = answer.ok_or_else(|| Error::Protocol {
            provider: self.id.provider(),
            reason: format!("the script has no answer to call {calls}: queue one, or give a fallback"),
            response: None,
        })?;
        if let Some(error) = refusal {
            return Err(error);
        }
        let open = Open::count(&self.shared);
        let mut deltas = deltas.into_iter();
        Ok(ChatStream::new(self.id.clone(), move |_| {
            // Held by the stream for as long as it is open.
            let _ = &open;
            if let Some(delta) = deltas.next() {
                return Poll::Ready(Some(Ok(delta)));
            }
            match std::mem::replace(&mut end, End::Stops) {
                End::Stops => Poll::Ready(None),
                End::Finishes(finish_reason) => Poll::Ready(Some(Ok(Delta::Done { finish_reason }))),
                End::Fails(error) => Poll::Ready(Some(Err(error))),
                End::Hangs => {
                    end = End::Hangs;
                    Poll::Pending
                }
            }
        }))
    }
}

impl Default for ScriptedModel {
    fn default() -> Self {
        Self::new()
    }
}

impl ChatModel for ScriptedModel {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn stream(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatStream, Error>> {
        Box::pin(async move { self.answer(request) })
    }

    fn context_length(&self) -> BoxFuture<'_, Option<Tokens>> {
        Box::pin(async { self.context_length })
    }

    fn is_local(&self) -> bool {
        self.is_local
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedModel")
            .field("id", &self.id)
            .field("queued", &lock(&self.shared.queue).len())
            .field("open_streams", &self.open_streams())
            .finish_non_exhaustive()
    }
}

/// Counts one stream as open for as long as it lives.
struct Open(Arc<Shared>);

impl Open {
    fn count(shared: &Arc<Shared>) -> Self {
        shared.open.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(shared))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A panic of a test while it held the lock leaves the queue as it was.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Message;
    use crate::testing::conformance;

    fn ask(text: &str) -> ChatRequest {
        ChatRequest::new([Message::user(text)])
    }

    #[tokio::test]
    async fn a_scripted_model_keeps_the_contract() {
        conformance(&ScriptedModel::new().with_fallback(|_| Answer::text("sim, claro"))).await.unwrap();
    }

    #[tokio::test]
    async fn answers_come_in_order_then_from_the_fallback() {
        let model = ScriptedModel::new()
            .with_fallback(|request| Answer::text(&format!("echo {}", request.messages[0].content)))
            .then(Answer::text("um dois").with_usage(Tokens::new(3), Tokens::new(2)))
            .then(Answer::deltas([Delta::Thinking("hm".to_owned())]).then_finish(FinishReason::Length));
        let first = model.chat(ask("a")).await.unwrap();
        assert_eq!(
            (first.text.as_str(), first.usage),
            ("um dois", Usage::new(Tokens::new(3), Tokens::new(2)))
        );
        let second = model.chat(ask("b")).await.unwrap();
        assert_eq!((second.thinking.as_str(), second.finish_reason), ("hm", FinishReason::Length));
        assert_eq!(model.clone().chat(ask("c")).await.unwrap().text, "echo c");
        assert_eq!(model.requests(), [ask("a"), ask("b"), ask("c")]);
    }

    #[tokio::test]
    async fn a_call_beyond_the_script_fails_and_says_which() {
        let model = ScriptedModel::new().then(Answer::text("só uma"));
        model.chat(ask("a")).await.unwrap();
        let message = model.chat(ask("b")).await.unwrap_err().to_string();
        assert!(message.contains("no answer to call 2"), "{message}");
        assert!(matches!(model.chat(ChatRequest::default()).await, Err(Error::BadRequest { .. })));
        assert_eq!(model.requests().len(), 2);
    }

    #[tokio::test]
    async fn failures_come_before_or_inside_the_stream() {
        let overloaded =
            || Error::Overloaded { provider: Provider::Groq, status: 503, retry_after: None, response: None };
        let model = ScriptedModel::new()
            .then(Answer::refuse(overloaded()))
            .then(Answer::text("meia res").then_fail(overloaded()))
            .then(Answer::deltas([Delta::Text("meia".to_owned())]));
        assert!(matches!(model.stream(ask("a")).await, Err(Error::Overloaded { .. })));
        let error = model.chat(ask("b")).await.unwrap_err();
        assert_eq!((error.partial(), error.status()), (Some("meia res"), Some(503)));
        let error = model.chat(ask("c")).await.unwrap_err();
        assert!(
            matches!(&error, Error::Interrupted { source, .. } if matches!(**source, Error::EndedEarly { .. }))
        );
    }

    #[tokio::test]
    async fn a_silent_stream_is_open_until_it_is_dropped() {
        let model = ScriptedModel::new().then(Answer::text("oi").then_hang());
        let mut stream = model.stream(ask("a")).await.unwrap();
        assert_eq!(stream.next().await.unwrap().unwrap(), Delta::Text("oi".to_owned()));
        let waited = tokio::time::timeout(std::time::Duration::from_millis(1), stream.next()).await;
        assert!(waited.is_err());
        assert_eq!(model.open_streams(), 1);
        drop(stream);
        assert_eq!(model.open_streams(), 0);
    }
}
