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
fn a_model_that_is_missing_is_told_from_a_path_that_is() {
    let model = ModelId::known(Provider::OpenAiCompatible, "x");
    let of = |status, named, words: &str| {
        let said = Said { message: Some(words.to_owned()), status: named, ..Said::default() };
        let head = ResponseHead::new(status, []);
        let error = said.refused(Whom::Model(&model), &head, &Redactor::new(ChatRequest::default(), None));
        matches!(error, Error::ModelNotFound { .. })
    };
    for words in [
        "The model `x` does not exist.",
        "model 'x' not found",
        "Model \"x\" not found. Please load it first.",
        "Unknown model: x",
        "No such model",
    ] {
        assert!(of(404, None, words), "{words}");
        assert!(of(200, Some(404), words), "{words}");
        assert!(!of(400, None, words) && !of(400, Some(404), words), "{words}");
    }
    for words in ["Not Found", "File Not Found", "no route for /v1/models/x: not found", "it gave no reason"]
    {
        assert!(!of(404, None, words), "{words}");
    }
}

#[test]
fn the_status_that_a_body_names_counts_where_the_head_says_that_all_is_well() {
    let of = |status, named| {
        let said = Said { status: Some(named), ..Said::default() };
        let head = ResponseHead::new(status, [("retry-after", "7")]);
        said.refused(Whom::Provider(Provider::Groq), &head, &Redactor::new(ChatRequest::default(), None))
    };
    assert!(matches!(of(200, 401), Error::Auth { status: 200, .. }));
    assert!(matches!(of(200, 429), Error::RateLimited { retry_after: Some(_), .. }));
    assert!(matches!(of(200, 503), Error::Overloaded { status: 200, .. }));
    assert!(matches!(of(200, 502), Error::Rejected { status: 200, transient: true, .. }));
    assert!(matches!(of(200, 400), Error::Rejected { status: 200, transient: false, .. }));
    assert!(matches!(of(400, 429), Error::Rejected { status: 400, .. }));
}

#[test]
fn a_code_is_a_status_as_a_number_or_in_digits() {
    let of = |code: Value| named_status(Some(&code));
    assert_eq!((of(429.into()), of("503".into())), (Some(429), Some(503)));
    for none in [Value::Null, 200.into(), 1_000_429.into(), (-429).into(), "rate_limited".into()] {
        assert_eq!(of(none.clone()), None, "{none}");
    }
    assert_eq!(named_status(None), None);
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
    assert_eq!(wait(&[("retry-after", "2"), ("retry-after-ms", "1500")]), Some(Duration::from_millis(1500)));
    assert_eq!(wait(&[("retry-after", "2"), ("retry-after-ms", "soon")]), Some(Duration::from_secs(2)));
    assert_eq!(wait(&[("retry-after", "1.5")]), Some(Duration::from_millis(1500)));
    // No budget holds it: the call fails at once.
    assert_eq!(wait(&[("retry-after", "99999999999999999999")]), Some(Duration::MAX));
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
    for nonsense in [
        "",
        "soon",
        "-1",
        "+1",
        ".",
        ".5",
        "1.5.2",
        "1e3",
        "inf",
        "NaN",
        "7s",
        "Wed, 32 Oct 2026 07:28:00 GMT",
    ] {
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
        let expected = Fault::ContextLength { limit: limit.map(Tokens::new), asked: asked.map(Tokens::new) };
        assert_eq!(context_length(message), expected, "{message}");
    }
}
