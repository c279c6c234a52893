//! Keeps other pages out: a web site in the same browser can send requests here, under a name of its own that leads to this
//! machine if it likes (DNS rebinding).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// What the browser is told with every answer: nothing is loaded from elsewhere, no page frames this one, and a script that
/// turned text into markup would fail.
const HEADERS: [(HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // The site that a source is opened at is not told from where.
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
];

/// The names under which the page may be asked for.
#[derive(Debug)]
pub(crate) struct Here {
    hosts: [String; 2],
    origins: [String; 2],
}

impl Here {
    pub(crate) fn at(port: u16) -> Self {
        // Browsers leave the port of the scheme out.
        let name = |host: &str| if port == 80 { host.to_owned() } else { format!("{host}:{port}") };
        let hosts = [name("127.0.0.1"), name("localhost")];
        let origins = hosts.each_ref().map(|host| format!("http://{host}"));
        Self { hosts, origins }
    }

    /// Why a request is refused, if it is.
    fn refusal(&self, request: &Request) -> Option<&'static str> {
        let headers = request.headers();
        let is_host = |host: &str| self.hosts.iter().any(|here| here.eq_ignore_ascii_case(host));
        let authority = request.uri().authority();
        if !only(headers, &header::HOST).is_some_and(is_host)
            || authority.is_some_and(|it| !is_host(it.as_str()))
        {
            return Some(
                "this address is asked for under another name: open it as the program has printed it",
            );
        }
        let is_origin = |origin: &str| self.origins.iter().any(|here| here == origin);
        if headers.contains_key(header::ORIGIN) && !only(headers, &header::ORIGIN).is_some_and(is_origin) {
            return Some("another page may not ask here");
        }
        // A link that leads to the page is no harm: it changes nothing, and cannot be looked into.
        let is_page = request.method() == Method::GET && request.uri().path() == "/";
        let site = HeaderName::from_static("sec-fetch-site");
        let is_own = !headers.contains_key(&site)
            || only(headers, &site).is_some_and(|from| matches!(from, "same-origin" | "none"));
        if is_own || is_page { None } else { Some("another page may not ask here") }
    }
}

/// The value of a header that is there once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let (first, second) = (values.next(), values.next());
    first.filter(|_| second.is_none())?.to_str().ok()
}

pub(crate) async fn guard(State(here): State<Arc<Here>>, request: Request, next: Next) -> Response {
    let mut response = match here.refusal(&request) {
        Some(why) => (StatusCode::FORBIDDEN, why).into_response(),
        None => next.run(request).await,
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
