use super::*;

const OLLAMA: Provider = Provider::Ollama;

fn network(provider: Provider, stage: Stage) -> Error {
    let source = std::io::Error::other("os words").into();
    Error::Network { provider, address: "http://127.0.0.1:1/".to_owned(), stage, source, response: None }
}

#[test]
fn errors_cross_threads() {
    fn crosses<T: Send + Sync + 'static>() {}
    crosses::<Error>();
}

#[test]
fn messages_say_what_where_and_what_to_do() {
    let timeout = |stage| Error::Timeout {
        provider: OLLAMA,
        address: "http://127.0.0.1:1/".to_owned(),
        stage,
        limit: Duration::from_secs(5),
        response: None,
    };
    for (error, message) in [
        (
            network(OLLAMA, Stage::Connect),
            "ollama at http://127.0.0.1:1/: no connection: is it running (`ollama serve`), and is this its address?",
        ),
        (
            network(Provider::Groq, Stage::Connect),
            "groq at http://127.0.0.1:1/: no connection: is the network up, and is this its address?",
        ),
        (
            network(OLLAMA, Stage::IdleGap),
            "ollama at http://127.0.0.1:1/: the connection broke inside the answer",
        ),
        (timeout(Stage::FirstByte), "ollama at http://127.0.0.1:1/: the answer did not begin within 5s"),
        (timeout(Stage::IdleGap), "ollama at http://127.0.0.1:1/: the answer did not go on within 5s"),
        (
            Error::Overloaded {
                provider: OLLAMA,
                status: 503,
                retry_after: Some(Duration::from_millis(1200)),
                response: None,
            },
            "ollama is overloaded (status 503): try again in 2 s",
        ),
        (
            Error::RateLimited { provider: OLLAMA, retry_after: None, response: None },
            "ollama allows no more requests for now",
        ),
        (
            "llama3.2".parse::<ModelId>().unwrap_err(),
            "\"llama3.2\" is not a model id: expected `provider::model`, such as `ollama::llama3.2:1b`",
        ),
    ] {
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn a_source_is_linked_and_not_repeated() {
    let error =
        Error::Interrupted { partial: "é".to_owned(), source: Box::new(network(OLLAMA, Stage::IdleGap)) };
    let network = error.source().unwrap();
    let os = network.source().unwrap();
    assert_eq!(os.to_string(), "os words");
    assert!(!network.to_string().contains("os words"));
    assert_eq!(error.to_string(), "the answer was interrupted after its first 1 characters");
}

/// One error of each variant that a call can end with, without an answer, and what is to be known of it: its word in logs,
/// whether the same call could succeed later, whether another model could answer, and the status that it implies.
fn each_error() -> Vec<(Error, &'static str, bool, bool, Option<u16>)> {
    let provider = Provider::Groq;
    let model = || ModelId::known(Provider::Groq, "m");
    let outside = || Box::new(std::io::Error::other("os words"));
    let rejected = |status, transient| {
        let message = "m".to_owned();
        Error::Rejected { provider, status, message, transient, response: None }
    };
    let tokens = Tokens::new(9);
    vec![
        (network(provider, Stage::IdleGap), "network", true, true, None),
        (
            Error::Timeout {
                provider,
                address: "a".to_owned(),
                stage: Stage::Lookup,
                limit: Duration::from_secs(1),
                response: None,
            },
            "timeout",
            true,
            true,
            None,
        ),
        (Error::Auth { provider, status: 403, response: None }, "auth", false, true, Some(403)),
        (Error::NoKey { variable: "V".to_owned() }, "auth", false, true, None),
        (Error::BadKey { reason: "it is empty" }, "auth", false, false, None),
        (Error::KeyCallback { source: outside() }, "auth", false, true, None),
        (
            Error::UnsupportedRegion { provider, status: 403, response: None },
            "unsupported_region",
            false,
            true,
            Some(403),
        ),
        (
            Error::ModelNotFound { model: model(), installed: None, remedy: "r".to_owned(), response: None },
            "model_not_found",
            false,
            true,
            Some(404),
        ),
        (
            Error::RateLimited { provider, retry_after: None, response: None },
            "rate_limited",
            true,
            true,
            Some(429),
        ),
        (Error::OutOfCredit { provider, response: None }, "out_of_credit", false, true, None),
        (
            Error::Overloaded { provider, status: 529, retry_after: None, response: None },
            "overloaded",
            true,
            true,
            Some(529),
        ),
        (
            Error::ContextLengthExceeded { model: model(), limit: None, asked: None, response: None },
            "context_length_exceeded",
            false,
            false,
            None,
        ),
        (
            Error::PromptTruncated {
                model: model(),
                estimated: tokens,
                read: tokens,
                context: tokens,
                response: None,
            },
            "prompt_truncated",
            false,
            false,
            None,
        ),
        (
            Error::Blocked { provider, reason: "SAFETY".to_owned(), response: None },
            "blocked",
            false,
            false,
            None,
        ),
        (Error::Unsupported { provider, what: "w", response: None }, "unsupported", false, false, None),
        (rejected(500, true), "_OTHER", true, true, Some(500)),
        (rejected(400, false), "_OTHER", false, false, Some(400)),
        (Error::Protocol { provider, reason: "r".to_owned(), response: None }, "protocol", false, true, None),
        (Error::EndedEarly { provider, response: None }, "ended_early", true, true, None),
        (Error::Setup { source: outside() }, "_OTHER", false, true, None),
        (Error::NoRuntime, "_OTHER", false, false, None),
        (Error::InsideRuntime, "_OTHER", false, false, None),
        (Error::BadRequest { reason: "r" }, "_OTHER", false, false, None),
    ]
}

#[test]
fn what_a_program_does_about_an_error_is_told_by_its_kind() {
    for (error, kind, again, another, status) in each_error() {
        assert_eq!(
            (error.kind(), error.is_retryable(), error.is_unavailable(), error.status()),
            (kind, again, another, status),
            "{error:?}"
        );
        assert_eq!((error.response(), error.partial()), (None, None), "{error:?}");
        // Once words were given, it is another matter, but it is still known what happened.
        let broken = Error::Interrupted { partial: "Ol".to_owned(), source: Box::new(error) };
        assert_eq!(
            (broken.kind(), broken.is_retryable(), broken.is_unavailable(), broken.status()),
            (kind, false, false, status)
        );
        assert_eq!(broken.partial(), Some("Ol"));
    }
}

#[test]
fn an_error_keeps_the_first_answer_that_it_was_found_in() {
    let head = |status| ResponseHead::new(status, [("x-request-id", "req_1")]);
    // These are known before anything is answered.
    let bare = ["auth", "_OTHER"];
    let mut kept = 0;
    for (error, kind, .., status) in each_error() {
        let error = error.within(&head(200)).within(&head(500));
        let Some(response) = error.response() else {
            assert!(bare.contains(&kind), "{error:?}");
            continue;
        };
        kept += 1;
        assert_eq!((response.status(), error.request_id()), (200, Some("req_1")), "{error:?}");
        // What names its status itself keeps to it: it stands inside the answer.
        let own = matches!(kind, "auth" | "unsupported_region" | "overloaded" | "_OTHER");
        assert_eq!(error.status(), if own { status } else { Some(200) }, "{error:?}");
        let broken = Error::Interrupted { partial: String::new(), source: Box::new(error) };
        assert_eq!(broken.response().map(ResponseHead::status), Some(200));
    }
    assert_eq!(kept, 16);
}

#[test]
fn how_long_to_wait_is_known_of_the_shortest_wait() {
    let wait = |seconds| Some(Duration::from_secs(seconds));
    let limited =
        |seconds| Error::RateLimited { provider: OLLAMA, retry_after: wait(seconds), response: None };
    let busy = |seconds| Error::Overloaded {
        provider: OLLAMA,
        status: 503,
        retry_after: wait(seconds),
        response: None,
    };
    assert_eq!((limited(7).retry_after(), busy(9).retry_after()), (wait(7), wait(9)));
    let broken = Error::Interrupted { partial: String::new(), source: Box::new(limited(7)) };
    assert_eq!(broken.retry_after(), wait(7));
    let id = || ModelId::known(OLLAMA, "m");
    let errors = vec![(id(), limited(7)), (id(), Error::NoRuntime), (id(), busy(3))];
    let none = Error::NoneAnswered { errors };
    assert_eq!((none.retry_after(), none.is_retryable()), (wait(3), true));
    let none = Error::NoneAnswered { errors: vec![(id(), Error::NoRuntime)] };
    assert_eq!((none.retry_after(), none.is_retryable(), none.is_unavailable()), (None, false, false));
    assert_eq!(Error::NoRuntime.retry_after(), None);
}

#[test]
fn lengths_are_told_as_far_as_they_are_known() {
    let says = |limit: Option<u32>, asked: Option<u32>| {
        let (limit, asked) = (limit.map(Tokens::new), asked.map(Tokens::new));
        let model = ModelId::known(OLLAMA, "m");
        Error::ContextLengthExceeded { model, limit, asked, response: None }.to_string()
    };
    for (limit, asked, found) in [
        (Some(8), Some(9), "ollama::m (9 of at most 8 tokens): send"),
        (Some(8), None, "ollama::m (at most 8 tokens): send"),
        (None, Some(9), "ollama::m (9 tokens): send"),
        (None, None, "ollama::m: send"),
    ] {
        assert!(says(limit, asked).contains(found), "{}", says(limit, asked));
    }
}
