use std::fmt;

/// Status and headers of an answer, kept for whoever has to find out what happened.
///
/// Names of headers are in lower case. Left out are those that could hold a secret, and values that are not text.
#[derive(Clone, PartialEq, Eq)]
pub struct ResponseHead {
    status: u16,
    headers: Vec<(Box<str>, Box<str>)>,
}

/// Under which names providers give the id of a request, the surest first.
const REQUEST_IDS: [&str; 4] = ["x-request-id", "request-id", "x-goog-request-id", "cf-ray"];

impl ResponseHead {
    pub(crate) fn new<'a>(status: u16, headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let secret = |name: &str| {
            let name = name.to_ascii_lowercase();
            name.contains("cookie") || name.contains("auth")
        };
        let kept = headers.into_iter().filter(|(name, _)| !secret(name));
        Self { status, headers: kept.map(|(name, value)| (name.into(), value.into())).collect() }
    }

    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The first header called `name`, in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers().find_map(|(header, value)| header.eq_ignore_ascii_case(name).then_some(value))
    }

    /// All headers, in the order in which they came.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (&**name, &**value))
    }

    /// What the provider calls the request in its own logs.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        REQUEST_IDS.iter().find_map(|name| self.header(name))
    }
}

impl fmt::Debug for ResponseHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseHead").field("status", &self.status).field("headers", &self.headers).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_id_is_found_and_secrets_are_not_kept() {
        let head = ResponseHead::new(
            429,
            [("Set-Cookie", "a"), ("set-cookie", "b"), ("request-id", "req_1"), ("www-authenticate", "c")],
        );
        assert_eq!((head.status(), head.request_id()), (429, Some("req_1")));
        assert_eq!(head.header("Request-Id"), Some("req_1"));
        assert_eq!(head.headers().count(), 1);
    }
}
