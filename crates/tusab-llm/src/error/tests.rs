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
