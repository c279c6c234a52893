use std::fmt;

/// Status and headers of an answer, kept for whoever has to find out what happened.
///
/// Names of headers are in lower case. Left out are those that by their name hold a secret, those in which the key of the
/// call stands, and values that are not text.
#[derive(Clone, PartialEq, Eq)]
pub struct ResponseHead {
    status: u16,
    headers: Vec<(Box<str>, Box<str>)>,
}

/// Under which names providers give the id of a request, the surest first.
const REQUEST_IDS: [&str; 4] = ["x-request-id", "request-id", "x-goog-request-id", "cf-ray"];

/// Words in the name of a header that holds a secret. Limits are told in headers called `...-tokens`, which is another word.
const SECRET_WORDS: [&str; 16] = [
    "cookie",
    "cookie2",
    "key",
    "apikey",
    "token",
    "secret",
    "password",
    "credential",
    "credentials",
    "session",
    "sessionid",
    "signature",
    "sig",
    "jwt",
    "csrf",
    "xsrf",
];

/// A key shorter than this cannot be told from an ordinary word.
const SHORTEST_KEY: usize = 4;

impl ResponseHead {
    pub(crate) fn new<'a>(status: u16, headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let kept = headers.into_iter().filter(|(name, _)| !is_secret(name));
        Self { status, headers: kept.map(|(name, value)| (name.into(), value.into())).collect() }
    }

    /// The same without the headers that repeat `key`, as one that says where a redirect leads can.
    pub(crate) fn without(mut self, key: Option<&str>) -> Self {
        if let Some(key) = key.filter(|key| key.len() >= SHORTEST_KEY) {
            self.headers.retain(|(_, value)| !value.contains(key));
        }
        self
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

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("auth") || name.split(['-', '_']).any(|word| SECRET_WORDS.contains(&word))
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
        let secrets = [
            "Set-Cookie",
            "set-cookie",
            "www-authenticate",
            "Authorization",
            "x-api-key",
            "api_key",
            "X-Goog-Api-Key",
            "x-amz-security-token",
            "X-Auth",
            "x-session-id",
            "x-client-secret",
        ];
        let told = [
            ("request-id", "req_1"),
            ("anthropic-ratelimit-tokens-remaining", "7"),
            ("x-ratelimit-limit-tokens", "9"),
            ("x-keyboard", "qwerty"),
        ];
        let head = ResponseHead::new(429, secrets.map(|name| (name, "a")).into_iter().chain(told));
        assert_eq!((head.status(), head.request_id()), (429, Some("req_1")));
        assert_eq!(head.header("Request-Id"), Some("req_1"));
        assert_eq!(head.headers().collect::<Vec<_>>(), told);
    }

    #[test]
    fn no_header_is_kept_in_which_the_key_stands() {
        let headers = [("location", "https://127.0.0.1/?k=sk-verysecret"), ("x-request-id", "req_1")];
        let kept = |key| ResponseHead::new(302, headers).without(key).headers().count();
        assert_eq!(kept(Some("sk-verysecret")), 1);
        assert_eq!((kept(None), kept(Some("k")), kept(Some("sk-another"))), (2, 2, 2));
    }
}
