use std::fmt;
use std::future::Future;
use std::hash::{BuildHasher, Hasher};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::{BoxFuture, ChatModel, ChatRequest, ChatStream, Delta, Error, ModelId, Provider, Stage, Tokens};

/// When a failed call is made again.
///
/// Again is tried what [`Error::is_retryable`] says could succeed, and only while no word of the answer was given. The
/// wait doubles from try to try, half of it by chance, so that many callers do not come back at once; a provider that says
/// how long to wait (`Retry-After`) is waited for that long. When the next wait would go past the budget, the call fails
/// at once with its last error.
///
/// A local Ollama that is not there is not tried again: it does not start by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// How often a call is made, the first time included. Default 3.
    pub tries: NonZeroU32,
    /// The wait before the second try, at most. Default 500 ms.
    pub first_wait: Duration,
    /// The longest wait that we choose ourselves. Default 8 s.
    pub longest_wait: Duration,
    /// For all tries and waits together, up to the start of the last try. Default 1 min.
    pub budget: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            tries: NonZeroU32::MIN.saturating_add(2),
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(8),
            budget: Duration::from_mins(1),
        }
    }
}

impl RetryPolicy {
    /// Every call is made once.
    #[must_use]
    pub fn never() -> Self {
        Self::default().with_tries(NonZeroU32::MIN)
    }

    /// How often a call is made, the first time included.
    #[must_use]
    pub fn with_tries(mut self, tries: NonZeroU32) -> Self {
        self.tries = tries;
        self
    }

    /// The wait before the second try, at most.
    #[must_use]
    pub fn with_first_wait(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }

    /// The longest wait that we choose ourselves.
    #[must_use]
    pub fn with_longest_wait(mut self, wait: Duration) -> Self {
        self.longest_wait = wait;
        self
    }

    /// For all tries and waits together, up to the start of the last try.
    #[must_use]
    pub fn with_budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Makes a call until it succeeds, or is not to be made again.
    pub(crate) async fn run<T, F: Future<Output = Result<T, Error>>>(
        &self,
        mut call: impl FnMut() -> F,
    ) -> Result<T, Error> {
        if *self == Self::never() || tokio::runtime::Handle::try_current().is_err() {
            return call().await;
        }
        let start = Instant::now();
        for tried in 1_u32.. {
            let error = match call().await {
                Err(error) if tried < self.tries.get() && worth_it(&error) => error,
                done => return done,
            };
            let wait = error.retry_after().unwrap_or_else(|| self.wait(tried, random()));
            if start.elapsed().saturating_add(wait) > self.budget {
                return Err(error);
            }
            tracing::warn!(tried, ?wait, reason = error.kind(), "a call failed and is made again");
            tokio::time::sleep(wait).await;
        }
        call().await
    }

    /// The wait after the `tried`th try; `chance` is any number.
    fn wait(&self, tried: u32, chance: u64) -> Duration {
        let doubled = 2_u32.saturating_pow(tried.saturating_sub(1));
        let most = self.first_wait.saturating_mul(doubled).min(self.longest_wait);
        let part = f64::from(u32::try_from(chance >> 32).unwrap_or(u32::MAX)) / f64::from(u32::MAX);
        most / 2 + (most / 2).mul_f64(part)
    }
}

fn worth_it(error: &Error) -> bool {
    let not_started =
        matches!(error, Error::Network { provider: Provider::Ollama, stage: Stage::Connect, .. });
    error.is_retryable() && !not_started
}

/// A number that differs from call to call; the standard library seeds its hashers so.
fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

/// Makes the calls to another model again when they fail before the first word; see [`RetryPolicy`].
///
/// Its `stream` resolves with the first word, or the end, where that of other models resolves when the provider has
/// accepted the request: an error that comes before the first word can so be tried again, also when it comes inside an
/// answer that had begun well.
#[derive(Clone)]
pub struct Retrying {
    model: Arc<dyn ChatModel>,
    policy: RetryPolicy,
}

impl Retrying {
    /// Calls `model` as `policy` says.
    #[must_use]
    pub fn new(model: Arc<dyn ChatModel>, policy: RetryPolicy) -> Self {
        Self { model, policy }
    }

    async fn start(&self, request: ChatRequest) -> Result<ChatStream, Error> {
        self.policy.run(|| begun(&*self.model, request.clone())).await
    }
}

/// A stream of `model` whose first word, or end, is there.
pub(crate) async fn begun(model: &dyn ChatModel, request: ChatRequest) -> Result<ChatStream, Error> {
    let mut stream = model.stream(request).await?;
    let mut first = Vec::new();
    while let Some(delta) = stream.next().await {
        let delta = delta?;
        let is_word = !matches!(delta, Delta::Usage(_));
        first.push(delta);
        if is_word {
            break;
        }
    }
    Ok(stream.with_first(first))
}

impl ChatModel for Retrying {
    fn id(&self) -> &ModelId {
        self.model.id()
    }

    fn stream(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatStream, Error>> {
        Box::pin(self.start(request))
    }

    fn context_length(&self) -> BoxFuture<'_, Option<Tokens>> {
        self.model.context_length()
    }

    fn is_local(&self) -> bool {
        self.model.is_local()
    }
}

impl fmt::Debug for Retrying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retrying").field("model", &self.model).field("policy", &self.policy).finish()
    }
}

#[cfg(test)]
mod tests;
