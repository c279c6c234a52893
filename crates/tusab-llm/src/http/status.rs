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
        let message = redactor.clean(self.message.as_deref().unwrap_or("it gave no reason"));
        let retry_after = self.retry_after.or(retry_after);
        let response = None;
        let fault = match (self.fault, by_status(status, &message)) {
            // Some bodies call all that the server is to blame for one thing, where the status knows it better.
            (Some(Fault::Transient), Some(better @ (Fault::RateLimited | Fault::Overloaded))) => Some(better),
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
            (Some(Fault::Blocked(reason)), _) => {
                Error::Blocked { provider, reason: redactor.clean(&reason), response }
            }
            (None, _) if (300..400).contains(&status) => Error::Protocol {
                provider,
                reason: format!(
                    "it redirects (status {status}), which is not followed: set the base URL to where it leads"
                ),
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

/// `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3), and the milliseconds that OpenAI sends beside it.
///
/// A date is measured against the provider's own clock, its `Date`, where it tells: ours may be wrong.
fn retry_after(head: &ResponseHead) -> Option<Duration> {
    if let Some(wait) = head.header("retry-after-ms").and_then(|text| text.trim().parse().ok()) {
        return Some(Duration::from_millis(wait));
    }
    let text = head.header("retry-after")?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let when = httpdate::parse_http_date(text).ok()?;
    let now = head.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
    // A date that has passed means at once.
    Some(when.duration_since(now.unwrap_or_else(SystemTime::now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChatRequest;

    fn of(status: u16, headers: &[(&str, &str)]) -> Error {
        let head = ResponseHead::new(status, headers.iter().copied());
        let said = Said { message: Some("why".to_owned()), ..Said::default() };
        said.refused(Whom::Provider(Provider::Groq), &head, &Redactor::new(ChatRequest::default(), None))
    }

    #[test]
    fn each_status_has_its_error() {
        assert!(matches!(of(401, &[]), Error::Auth { status: 401, .. }));
        assert!(matches!(of(403, &[]), Error::Auth { status: 403, .. }));
        assert!(matches!(of(402, &[]), Error::OutOfCredit { .. }));
        assert!(matches!(of(429, &[]), Error::RateLimited { retry_after: None, .. }));
        assert!(matches!(of(503, &[]), Error::Overloaded { status: 503, .. }));
        assert!(matches!(of(529, &[]), Error::Overloaded { status: 529, .. }));
        assert!(matches!(of(302, &[]), Error::Protocol { .. }));
        for status in [400, 404, 413, 418, 500, 501] {
            assert!(matches!(of(status, &[]), Error::Rejected { status: s, .. } if s == status), "{status}");
        }
    }

    #[test]
    fn a_status_that_says_how_long_to_wait_beats_a_fault_that_may_pass() {
        let of = |fault, status| {
            let said = Said { fault: Some(fault), ..Said::default() };
            let head = ResponseHead::new(status, [("retry-after", "7")]);
            said.refused(Whom::Provider(Provider::Groq), &head, &Redactor::new(ChatRequest::default(), None))
        };
        assert!(matches!(of(Fault::Transient, 429), Error::RateLimited { .. }));
        for status in [503, 529] {
            let error = of(Fault::Transient, status);
            assert!(matches!(error, Error::Overloaded { .. }), "{error:?}");
            assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
        }
        assert!(matches!(of(Fault::Transient, 500), Error::Rejected { transient: true, .. }));
        assert!(matches!(of(Fault::OutOfCredit, 429), Error::OutOfCredit { .. }));
    }

    #[test]
    fn only_what_may_pass_by_itself_is_worth_another_try() {
        for (status, again) in [
            (400, false),
            (401, false),
            (402, false),
            (404, false),
            (408, true),
            (429, true),
            (500, true),
            (501, false),
            (503, true),
        ] {
            let error = of(status, &[]);
            assert_eq!(error.is_retryable(), again, "{error}");
            assert_eq!(error.status(), Some(status));
        }
    }

    #[test]
    fn status_request_id_and_headers_are_kept() {
        let error = of(429, &[("x-request-id", "req_7"), ("x-ratelimit-remaining-requests", "0")]);
        assert_eq!((error.status(), error.request_id()), (Some(429), Some("req_7")));
        assert_eq!(error.response().unwrap().header("X-RateLimit-Remaining-Requests"), Some("0"));
    }

    #[test]
    fn the_wait_is_read_in_both_forms_and_nonsense_is_none() {
        let wait = |headers: &[(&str, &str)]| of(429, headers).retry_after();
        assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(wait(&[("retry-after", " 0 ")]), Some(Duration::ZERO));
        assert_eq!(
            wait(&[("retry-after", "2"), ("retry-after-ms", "1500")]),
            Some(Duration::from_millis(1500))
        );
        let now = ("date", "Wed, 21 Oct 2026 07:27:55 GMT");
        // RFC 9110, section 5.6.7: the form in use, and the two obsolete ones.
        for date in
            ["Wed, 21 Oct 2026 07:28:00 GMT", "Wednesday, 21-Oct-26 07:28:00 GMT", "Wed Oct 21 07:28:00 2026"]
        {
            assert_eq!(wait(&[("retry-after", date), now]), Some(Duration::from_secs(5)), "{date}");
        }
        assert_eq!(wait(&[("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), now]), Some(Duration::ZERO));
        let far = wait(&[("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT")]).unwrap();
        assert!(far > Duration::from_hours(24 * 365 * 7000));
        for nonsense in ["", "soon", "-1", "1.5", "99999999999999999999", "Wed, 32 Oct 2026 07:28:00 GMT"] {
            assert_eq!(wait(&[("retry-after", nonsense)]), None, "{nonsense}");
        }
        assert!(of(429, &[("retry-after", "7")]).to_string().ends_with("try again in 7 s"));
    }

    #[test]
    fn lengths_are_found_in_the_words_of_every_provider() {
        for (message, limit, asked) in [
            (
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
                Some(8192),
                Some(9001),
            ),
            (
                "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens (1000 in the messages, 4000 in the completion).",
                Some(4097),
                Some(5000),
            ),
            ("prompt is too long: 210000 tokens > 200000 maximum", Some(200_000), Some(210_000)),
            (
                "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
                Some(200_000),
                Some(210_000),
            ),
            (
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).",
                Some(1_048_575),
                Some(1_200_000),
            ),
            (
                "Request too large for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, Requested 8000",
                Some(6000),
                Some(8000),
            ),
            ("Please reduce the length of the messages or completion.", None, None),
            // More than any count of tokens, together more than any number.
            ("18446744073709551615 18446744073709551615 > 200", Some(200), None),
        ] {
            let expected =
                Fault::ContextLength { limit: limit.map(Tokens::new), asked: asked.map(Tokens::new) };
            assert_eq!(context_length(message), expected, "{message}");
        }
    }
}
