mod predicates;
mod words;

use std::error::Error as StdError;
use std::time::Duration;

pub use words::Stage;
use words::{after, each, limits, remedy};

use crate::{ModelId, Provider, ResponseHead, Tokens};

/// What can go wrong between a question and its answer.
///
/// No message holds the prompt or a key: what a provider says is searched for runs of them before it is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not a provider's name.
    #[error(
        "{text:?} is not a provider: expected `ollama`, `openai`, `anthropic`, `gemini`, `groq` or `openai-compatible`"
    )]
    BadProvider {
        /// The refused text.
        text: String,
    },
    /// The text is not a model id.
    #[error("{text:?} is not a model id: expected `provider::model`, such as `ollama::llama3.2:1b`")]
    BadModelId {
        /// The refused text.
        text: String,
    },
    /// The number is not a temperature.
    #[error("{value} is not a temperature: expected a number from 0 to 2")]
    BadTemperature {
        /// The refused number.
        value: f32,
    },
    /// No provider could serve the request; nothing was sent.
    #[error("the request cannot be sent: {reason}")]
    BadRequest {
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// The base URL is refused; nothing was sent.
    #[error("the base URL of {provider} is refused: {reason}")]
    BadBaseUrl {
        /// Whose base URL.
        provider: Provider,
        /// Which rule it breaks, and what to write instead.
        reason: &'static str,
    },
    /// The text is not a key.
    #[error("the API key is refused: {reason}")]
    BadKey {
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// There is no key where one is needed; nothing was sent.
    #[error("no API key: set the environment variable {variable:?}, or give the key to the client")]
    NoKey {
        /// The variable in which it is looked for.
        variable: String,
    },
    /// The program's own function could not give the key; nothing was sent.
    #[error("the API key could not be had from where the program keeps it")]
    KeyCallback {
        /// What that function says.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The HTTP client of this process cannot be set up.
    #[error("the HTTP client cannot be set up: are the system's TLS certificates installed?")]
    Setup {
        /// What the HTTP or TLS library says.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The call was made outside a tokio runtime; nothing was sent.
    #[error("there is no tokio runtime here: make the call inside `Runtime::block_on` or an async main")]
    NoRuntime,
    /// What is asked cannot be done with this provider: this version or the model knows no way. Nothing was sent, save where
    /// the server alone knows what its model can do, or its answer shows it.
    #[error("{provider}: {what}")]
    Unsupported {
        /// Whose limit it is.
        provider: Provider,
        /// What cannot be done, and what to do instead.
        what: &'static str,
        /// The answer it came with; `None` if nothing was sent.
        response: Option<Box<ResponseHead>>,
    },
    /// The provider cannot be reached, or the connection broke.
    #[error("{provider} at {address}: {}{}", stage.broke(), remedy(*provider, *stage))]
    Network {
        /// Whom it concerns.
        provider: Provider,
        /// The base URL.
        address: String,
        /// How far the call had come.
        stage: Stage,
        /// What the HTTP library says.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
        /// Status and headers of the answer; `None` if none had begun.
        response: Option<Box<ResponseHead>>,
    },
    /// The provider stayed silent for too long.
    #[error("{provider} at {address}: {} within {limit:?}{}", stage.silent(), remedy(*provider, *stage))]
    Timeout {
        /// Whom it concerns.
        provider: Provider,
        /// The base URL.
        address: String,
        /// What was waited for.
        stage: Stage,
        /// For how long.
        limit: Duration,
        /// Status and headers of the answer; `None` if none had begun.
        response: Option<Box<ResponseHead>>,
    },
    /// The provider wants a key, or refuses the one it was given.
    #[error("{provider} refuses the API key, or asks for one (status {status})")]
    Auth {
        /// Who refused.
        provider: Provider,
        /// HTTP status, most often 401 or 403.
        status: u16,
        /// The answer it came with.
        response: Option<Box<ResponseHead>>,
    },
    /// The provider does not serve the country or region that the call comes from, whatever the key.
    #[error("{provider} does not serve the country or region that the call comes from (status {status})")]
    UnsupportedRegion {
        /// Who refused.
        provider: Provider,
        /// HTTP status: 403 at OpenAI, 400 at Gemini.
        status: u16,
        /// The answer it came with.
        response: Option<Box<ResponseHead>>,
    },
    /// The provider does not have the model, or not for this account.
    #[error("{} has no model {:?}: {remedy}", model.provider(), model.name())]
    ModelNotFound {
        /// The asked model.
        model: ModelId,
        /// What the provider does have, by name; `None` if it did not tell.
        installed: Option<Vec<String>>,
        /// What to do.
        remedy: String,
        /// The answer it came with.
        response: Option<Box<ResponseHead>>,
    },
    /// Too many requests, or too many tokens, in too short a time.
    #[error("{provider} allows no more requests for now{}", after(*retry_after))]
    RateLimited {
        /// Who refused.
        provider: Provider,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
        /// The answer it came with.
        response: Option<Box<ResponseHead>>,
    },
    /// The account has no credit left, or has used up its quota; waiting does not help.
    #[error("the account at {provider} has no credit or quota left: see its billing page")]
    OutOfCredit {
        /// Who refused.
        provider: Provider,
        /// The answer it came with.
        response: Option<Box<ResponseHead>>,
    },
    /// The provider has too much to do.
    #[error("{provider} is overloaded (status {status}){}", after(*retry_after))]
    Overloaded {
        /// Who refused.
        provider: Provider,
        /// HTTP status: 503 or 529; 200 if the error came inside the answer.
        status: u16,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
        /// The answer it came with.
        response: Option<Box<ResponseHead>>,
    },
    /// Prompt and answer do not fit into what the model can hold.
    #[error("the prompt is too long for {}{}: send less, or ask for a shorter answer", model, limits(*limit, *asked))]
    ContextLengthExceeded {
        /// The asked model.
        model: ModelId,
        /// How much it holds, if that is known.
        limit: Option<Tokens>,
        /// How much was asked for, as the provider counts it or, before anything was sent, as we estimate it.
        asked: Option<Tokens>,
        /// The answer it came with; `None` if nothing was sent.
        response: Option<Box<ResponseHead>>,
    },
    /// The model read less than it was sent: the rest was dropped without a word, and the answer rests on a part.
    #[error(
        "{model} read only {read} of a prompt of about {estimated}: the rest did not fit into its context of {context}; \
         ask for a longer one with `ChatRequest::with_context_length`, or send less"
    )]
    PromptTruncated {
        /// The asked model.
        model: ModelId,
        /// Our estimate of the prompt.
        estimated: Tokens,
        /// What the model read.
        read: Tokens,
        /// The context that was asked for.
        context: Tokens,
        /// The answer it came with.
        response: Option<Box<ResponseHead>>,
    },
    /// The provider's filter let through neither the question nor any of the answer.
    #[error("{provider} blocked the question or its answer: {reason}")]
    Blocked {
        /// Who blocked it.
        provider: Provider,
        /// Why, in the provider's own word, such as `SAFETY`.
        reason: String,
        /// The answer it came with.
        response: Option<Box<ResponseHead>>,
    },
    /// The provider answered with an error of its own.
    #[error("{provider} answered with an error (status {status}): {message}")]
    Rejected {
        /// Who answered.
        provider: Provider,
        /// HTTP status; 200 if the error came inside the answer.
        status: u16,
        /// The provider's words, shortened, and without what it repeats of the request.
        message: String,
        /// Whether it is a fault of the provider that may pass, not one of the request.
        transient: bool,
        /// The answer it came with.
        response: Option<Box<ResponseHead>>,
    },
    /// None of the models of a [`Fallback`](crate::Fallback) could be had.
    #[error("none of {} models answered{}", errors.len(), each(errors))]
    NoneAnswered {
        /// What each of them said, in the order in which they were asked.
        errors: Vec<(ModelId, Error)>,
    },
    /// A blocking call was made on a thread of an async runtime, which it would stop.
    #[error(
        "this is a thread of an async runtime: call `ChatModel` itself here, or the blocking one elsewhere"
    )]
    InsideRuntime,
    /// What the provider sent is not what its protocol says.
    #[error("{provider} sent what is not its protocol: {reason}")]
    Protocol {
        /// Who sent it.
        provider: Provider,
        /// What is wrong.
        reason: String,
        /// The answer it came with; `None` if none had begun.
        response: Option<Box<ResponseHead>>,
    },
    /// The answer stopped before its end, without an error.
    #[error("{provider} ended the answer before it was complete")]
    EndedEarly {
        /// Who answered.
        provider: Provider,
        /// Status and headers of the answer, where they are known.
        response: Option<Box<ResponseHead>>,
    },
    /// The answer broke after its first words; the source says why.
    #[error("the answer was interrupted after its first {} characters", partial.chars().count())]
    Interrupted {
        /// The text that had arrived; empty if only thinking had.
        partial: String,
        /// What interrupted it.
        #[source]
        source: Box<Error>,
    },
}

#[cfg(test)]
mod tests;
