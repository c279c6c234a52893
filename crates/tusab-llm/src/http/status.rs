use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};

use crate::{Error, Provider};

/// The error that an answer's status stands for; `message` is what the provider says about it.
///
/// What only a provider's own code can tell, such as a model that is missing, is not decided here.
pub(super) fn error(provider: Provider, status: StatusCode, headers: &HeaderMap, message: String) -> Error {
    let code = status.as_u16();
    let retry_after = retry_after(headers);
    match code {
        401 | 403 => Error::Auth { provider, status: code },
        429 => Error::RateLimited { provider, retry_after },
        503 | 529 => Error::Overloaded { provider, status: code, retry_after },
        300..=399 => Error::Protocol {
            provider,
            reason: format!(
                "it redirects (status {code}), which is not followed: set the base URL to where it leads"
            ),
        },
        _ => Error::Rejected { provider, status: code, message },
    }
}

/// `Retry-After` in seconds (RFC 9110, section 10.2.3). Its other form, a date, is not read yet.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    text.parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn of(status: u16, retry: Option<&'static str>) -> Error {
        let headers = retry.into_iter().map(|text| (RETRY_AFTER, HeaderValue::from_static(text))).collect();
        error(Provider::Ollama, StatusCode::from_u16(status).unwrap(), &headers, "why".to_owned())
    }

    #[test]
    fn each_status_has_its_error() {
        assert!(matches!(of(401, None), Error::Auth { status: 401, .. }));
        assert!(matches!(of(403, None), Error::Auth { status: 403, .. }));
        assert!(matches!(of(429, None), Error::RateLimited { retry_after: None, .. }));
        assert!(matches!(of(503, None), Error::Overloaded { status: 503, .. }));
        assert!(matches!(of(529, None), Error::Overloaded { status: 529, .. }));
        assert!(matches!(of(302, None), Error::Protocol { .. }));
        for status in [400, 404, 418, 500, 501] {
            assert!(matches!(of(status, None), Error::Rejected { status: s, .. } if s == status));
        }
    }

    #[test]
    fn only_what_may_pass_by_itself_is_worth_another_try() {
        for (status, again) in [
            (400, false),
            (401, false),
            (404, false),
            (408, true),
            (429, true),
            (500, true),
            (501, false),
            (503, true),
        ] {
            let error = of(status, None);
            assert_eq!(error.is_retryable(), again, "{error}");
            assert_eq!(error.status(), Some(status));
        }
    }

    #[test]
    fn the_wait_is_read_in_seconds_and_nonsense_is_none() {
        assert_eq!(of(429, Some("7")).retry_after(), Some(Duration::from_secs(7)));
        assert_eq!(of(503, Some(" 0 ")).retry_after(), Some(Duration::ZERO));
        for nonsense in ["", "soon", "-1", "1.5", "99999999999999999999", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(of(429, Some(nonsense)).retry_after(), None, "{nonsense}");
        }
        assert!(of(429, Some("7")).to_string().ends_with("try again in 7 s"));
    }
}
