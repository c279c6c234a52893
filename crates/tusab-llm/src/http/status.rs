use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::redact::Redactor;
use crate::{Error, ModelId, Provider, ResponseHead, Tokens};

/// What a provider says is wrong, beyond the status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    Auth,
    OutOfCredit,
    RateLimited,
    Overloaded,
    ContextLength {
        limit: Option<Tokens>,
        asked: Option<Tokens>,
    },
    ModelMissing,
    /// The provider has the model, but the account may not use it yet.
    ModelClosed,
    /// The caller's country is not served.
    Region,
    Blocked(String),
    /// A fault of the provider's own that may pass.
    Transient,
}

/// An option that a provider refuses by name, and what can be done in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Concession {
    Drop(crate::ChatOption),
    /// The limit of the answer goes by its other name.
    OtherLimitName,
}

/// What the body of an error says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) message: Option<String>,
    /// The status that the body itself gives: gateways answer 200 and tell it there.
    pub(crate) status: Option<u16>,
    pub(crate) fault: Option<Fault>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) concession: Option<Concession>,
}

/// Whom an error concerns.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Whom<'a> {
    Model(&'a ModelId),
    Provider(Provider),
}

impl Whom<'_> {
    fn provider(self) -> Provider {
        match self {
            Self::Model(model) => model.provider(),
            Self::Provider(provider) => provider,
        }
    }
}

impl Said {
    /// The error that stands inside an answer whose status was a success.
    pub(crate) fn in_stream(self, model: &ModelId, redactor: &Redactor) -> Error {
        self.error(Whom::Model(model), 200, None, redactor)
    }

    /// The error of an answer that is not a success.
    pub(crate) fn refused(self, whom: Whom<'_>, head: &ResponseHead, redactor: &Redactor) -> Error {
        let retry_after = self.retry_after.or_else(|| retry_after(head));
        self.error(whom, head.status(), retry_after, redactor).within(head)
    }

    fn error(self, whom: Whom<'_>, status: u16, retry_after: Option<Duration>, redactor: &Redactor) -> Error {
        let provider = whom.provider();
        let words = self.message.as_deref().unwrap_or("it gave no reason");
        let message = redactor.clean(words);
        let retry_after = self.retry_after.or(retry_after);
        let response = None;
        let told = if (200..300).contains(&status) { self.status.unwrap_or(status) } else { status };
        let fault = match (self.fault, by_status(told, words)) {
            // Some bodies call all that the server is to blame for one thing, where the status knows it better.
            (Some(Fault::Transient), Some(better @ (Fault::RateLimited | Fault::Overloaded))) => Some(better),
            // Of Ollama, it is asked what is installed.
            (None, None) if told == 404 && provider != Provider::Ollama && names_a_missing_model(words) => {
                Some(Fault::ModelMissing)
            }
            (said, by_status) => said.or(by_status),
        };
        match (fault, whom) {
            (Some(Fault::Auth), _) => Error::Auth { provider, status, response },
            (Some(Fault::OutOfCredit), _) => Error::OutOfCredit { provider, response },
            (Some(Fault::RateLimited), _) => Error::RateLimited { provider, retry_after, response },
            (Some(Fault::Overloaded), _) => Error::Overloaded { provider, status, retry_after, response },
            (Some(Fault::ContextLength { limit, asked }), Whom::Model(model)) => {
                Error::ContextLengthExceeded { model: model.clone(), limit, asked, response }
            }
            (Some(Fault::ModelMissing), Whom::Model(model)) => Error::ModelNotFound {
                model: model.clone(),
                installed: None,
                remedy: "ask which it has with `Client::list_models`".to_owned(),
                response,
            },
            (Some(Fault::ModelClosed), Whom::Model(model)) => Error::ModelNotFound {
                model: model.clone(),
                installed: None,
                remedy: format!("not for this account yet: {message}"),
                response,
            },
            (Some(Fault::Region), _) => Error::UnsupportedRegion { provider, status, response },
            (Some(Fault::Blocked(reason)), _) => {
                Error::Blocked { provider, reason: redactor.clean(&reason), response }
            }
            (None, _) if (300..400).contains(&status) => Error::Protocol {
                provider,
                reason: format!(
                    "it redirects (status {status}), which is not followed: set the base URL to where it leads"
                ),
                response,
            },
            (fault, _) => {
                let transient = fault == Some(Fault::Transient);
                Error::Rejected { provider, status, message, transient, response }
            }
        }
    }
}

fn by_status(status: u16, message: &str) -> Option<Fault> {
    match status {
        401 | 403 => Some(Fault::Auth),
        402 => Some(Fault::OutOfCredit),
        // Some count what is too large for a minute's allowance as too large; waiting does not help there.
        413 => Some(context_length(message)),
        429 => Some(Fault::RateLimited),
        503 | 529 => Some(Fault::Overloaded),
        408 | 500 | 502 | 504 => Some(Fault::Transient),
        _ => None,
    }
}

/// Whether it is a model that was not found, and not a path: vLLM, llama.cpp, LM Studio and others have no code for it.
fn names_a_missing_model(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let mut words = message.split(|c: char| !c.is_alphanumeric());
    words.any(|word| word == "model")
        && ["not found", "not exist", "not available", "no such", "unknown"]
            .iter()
            .any(|words| message.contains(words))
}

/// The status that an error names as its code, as a number or in digits.
pub(crate) fn named_status(code: Option<&Value>) -> Option<u16> {
    let code = code?;
    let number = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
    u16::try_from(number).ok().filter(|status| (400..600).contains(status))
}

/// Limit and length, as far as they stand in the words of an error.
pub(crate) fn context_length(message: &str) -> Fault {
    let tokens = |count: u64| u32::try_from(count).ok().map(Tokens::new);
    // "190000 + 20000 > 200000"
    if let Some((left, right)) = message.split_once('>')
        && let (asked @ 1.., Some(limit)) =
            (numbers(left).fold(0, u64::saturating_add), numbers(right).next())
    {
        return Fault::ContextLength { limit: tokens(limit), asked: tokens(asked) };
    }
    let mut numbers = numbers(message);
    match (numbers.next(), numbers.next()) {
        // Whatever their order: what was too long is the longer one.
        (Some(one), Some(two)) => {
            Fault::ContextLength { limit: tokens(one.min(two)), asked: tokens(one.max(two)) }
        }
        (one, _) => Fault::ContextLength { limit: one.and_then(tokens), asked: None },
    }
}

/// Limit and length of an `exceed_context_size_error`, which llama.cpp and what is built on it tell by name, else in
/// its words.
pub(crate) fn context_size(error: &Value, message: &str) -> Fault {
    let tokens = |name: &str| {
        let count = error.get(name).and_then(Value::as_u64)?;
        u32::try_from(count).ok().map(Tokens::new)
    };
    match (tokens("n_ctx"), tokens("n_prompt_tokens")) {
        (None, None) => context_length(message),
        (limit, asked) => Fault::ContextLength { limit, asked },
    }
}

/// The numbers of a text that could be a length: parts of names and versions are shorter.
fn numbers(text: &str) -> impl Iterator<Item = u64> {
    const SHORTEST: u64 = 100;
    text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ':' | ';'))
        .map(|word| word.trim_end_matches(['.', ',']).replace(',', ""))
        .filter_map(|word| word.parse().ok())
        .filter(|number| *number >= SHORTEST)
}

/// `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3), and the milliseconds that OpenAI sends beside it. The
/// standard knows whole seconds only; some gateways send parts of them, too.
///
/// A date is measured against the provider's own clock, its `Date`, where it tells: ours may be wrong.
fn retry_after(head: &ResponseHead) -> Option<Duration> {
    if let Some(wait) = head.header("retry-after-ms").and_then(seconds) {
        return Some(wait / 1000);
    }
    let text = head.header("retry-after")?.trim();
    if let Some(wait) = seconds(text) {
        return Some(wait);
    }
    let when = httpdate::parse_http_date(text).ok()?;
    let now = head.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
    // A date that has passed means at once.
    Some(when.duration_since(now.unwrap_or_else(SystemTime::now)).unwrap_or_default())
}

/// A count of seconds in digits, with a point among them or not. One that is beyond all counting is the longest wait.
fn seconds(text: &str) -> Option<Duration> {
    let text = text.trim();
    let in_digits = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !in_digits || text.starts_with('.') {
        return None;
    }
    Some(Duration::try_from_secs_f64(text.parse().ok()?).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests;
