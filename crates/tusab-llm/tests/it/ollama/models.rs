//! What a model can hold, and how one is fetched.

use serde_json::json;
use tusab_llm::{ApiKey, ChatModel, Error, Ollama, Tokens};

use crate::server::{DONE, MODEL, Server, ask, both};

/// A prompt of about `tokens` tokens.
fn long(tokens: usize) -> String {
    "uma casa azul ".repeat(tokens / 4)
}

async fn context_of(prompt: &str, limit: Option<u32>) -> (Result<String, Error>, Option<u64>) {
    context_asked(prompt, None, limit, 26).await
}

/// What comes of asking for a context of `named` tokens, of a model that holds `limit` and says that it has read `read`;
/// and for which context the server is asked.
async fn context_asked(
    prompt: &str,
    named: Option<u32>,
    limit: Option<u32>,
    read: u32,
) -> (Result<String, Error>, Option<u64>) {
    let server = Server::bind().await;
    let model = server.model();
    let mut request = ask(prompt);
    request.context_length = named.map(Tokens::new);
    let (seen, mut asked) = tokio::sync::mpsc::unbounded_channel();
    let serving = server.serve(move |mut connection, request| {
        let seen = seen.clone();
        async move {
            if request.target == "POST /api/show" {
                assert_eq!(request.body, json!({ "model": MODEL }));
                let info = json!({"general.architecture": "llama", "llama.context_length": limit});
                connection.answer("200 OK", "", &json!({ "model_info": info }).to_string()).await;
            } else {
                seen.send(request.body["options"]["num_ctx"].as_u64().unwrap()).unwrap();
                let done = DONE.replace("\"prompt_eval_count\":26", &format!("\"prompt_eval_count\":{read}"));
                let body = format!("{}{done}", crate::server::line("Olá"));
                connection.answer("200 OK", "X-Request-Id: req_1\r\n", &body).await;
            }
            connection
        }
    });
    let answer = both(model.chat(request), async {}).await.0.map(|reply| reply.text);
    serving.abort();
    (answer, asked.try_recv().ok())
}

#[tokio::test]
async fn a_context_is_asked_for_that_holds_the_prompt_as_far_as_the_model_goes() {
    assert_eq!(context_of("oi", None).await.1, Some(4096));
    assert_eq!(context_of(&long(5000), Some(131_072)).await.1, Some(8192));
    assert_eq!(context_of(&long(7000), Some(7000)).await.1, Some(7000));
    assert_eq!(context_of(&long(100_000), None).await.1, Some(32_768));
    let (answer, sent) = context_of(&long(20_000), Some(8192)).await;
    assert!(
        matches!(answer, Err(Error::ContextLengthExceeded { limit: Some(limit), .. }) if limit == Tokens::new(8192))
    );
    assert_eq!(sent, None);
}

#[tokio::test]
async fn a_context_that_is_named_is_no_longer_than_the_model_and_holds_the_prompt() {
    assert_eq!(context_asked("oi", Some(2048), Some(8192), 26).await.1, Some(2048));
    assert_eq!(context_asked("oi", Some(131_072), Some(8192), 26).await.1, Some(8192));
    assert_eq!(context_asked("oi", Some(131_072), None, 26).await.1, Some(131_072));
    for (tokens, named, limit) in [(20_000, 131_072, Some(8192)), (20_000, 8192, None), (3500, 2048, None)] {
        let (answer, sent) = context_asked(&long(tokens), Some(named), limit, 26).await;
        let least = Tokens::new(limit.unwrap_or(named));
        assert!(
            matches!(&answer, Err(Error::ContextLengthExceeded { limit: Some(l), .. }) if *l == least),
            "{answer:?}"
        );
        assert_eq!(sent, None);
    }
}

#[tokio::test]
async fn a_prompt_of_which_a_part_was_read_is_told() {
    for (tokens, named, limit, read, context) in [
        // Nothing tells how much the model holds, and all messages but the last were dropped.
        (100_000, None, None, 30, 32_768),
        (8500, Some(131_072), Some(8192), 6000, 8192),
    ] {
        let error = context_asked(&long(tokens), named, limit, read).await.0.unwrap_err();
        let Error::Interrupted { partial, source } = &error else { panic!("{error:?}") };
        assert_eq!(partial, "Olá");
        assert!(
            matches!(&**source, Error::PromptTruncated { read: r, context: c, .. }
            if (*r, *c) == (Tokens::new(read), Tokens::new(context))),
            "{source:?}"
        );
        assert!(!source.is_retryable());
        assert_eq!((error.status(), error.request_id()), (Some(200), Some("req_1")));
    }
}

#[tokio::test]
async fn a_model_is_fetched_with_its_progress() {
    let server = Server::bind().await;
    let ollama = Ollama::new(server.options()).unwrap();
    let reports = [
        json!({"status": "pulling manifest"}),
        json!({"status": "pulling 970aa74c0a90", "digest": "sha256:970a", "total": 274_290_656_u64}),
        json!({"status": "pulling 970aa74c0a90", "digest": "sha256:970a", "total": 274_290_656_u64, "completed": 1024}),
        json!({"status": "verifying sha256 digest"}),
        json!({"status": "success"}),
    ];
    let script = async {
        let mut connection = server.accept().await;
        let request = connection.request().await;
        connection.begin().await;
        for report in &reports {
            let line = format!("{report}\n");
            connection.chunk(&line[..line.len() / 2]).await;
            connection.chunk(&line[line.len() / 2..]).await;
        }
        connection.end().await;
        request
    };
    let client = async {
        let mut seen = Vec::new();
        let pull = ollama.pull("nomic-embed-text").await.unwrap();
        pull.finish(|report| seen.push(report.clone())).await.unwrap();
        seen
    };
    let (seen, request) = both(client, script).await;
    assert_eq!(
        (request.target.as_str(), &request.body),
        ("POST /api/pull", &json!({"model": "nomic-embed-text"}))
    );
    assert_eq!(seen.len(), 5);
    assert_eq!((seen[1].total_bytes, seen[2].completed_bytes), (Some(274_290_656), Some(1024)));
    assert_eq!(
        seen.iter().map(|report| report.is_done).collect::<Vec<_>>(),
        [false, false, false, false, true]
    );
}

async fn pulled(lines: &'static str) -> (usize, Option<Error>) {
    let server = Server::bind().await;
    let ollama = Ollama::new(server.options()).unwrap();
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.answer("200 OK", "X-Request-Id: req_1\r\n", lines).await;
    };
    let client = async {
        let (mut pull, mut seen, mut failed) = (ollama.pull("x").await.unwrap(), 0, None);
        while let Some(report) = pull.next().await {
            match report {
                Ok(_) => seen += 1,
                Err(error) => failed = Some(error),
            }
        }
        assert!(pull.next().await.is_none());
        if let Some(error) = &failed {
            assert_eq!((error.status(), error.request_id()), (Some(200), Some("req_1")), "{error:?}");
        }
        (seen, failed)
    };
    both(client, script).await.0
}

#[tokio::test]
async fn a_download_that_fails_or_stops_is_an_error() {
    let (seen, error) = pulled(
        "{\"status\":\"pulling manifest\"}\n{\"error\":\"pull model manifest: file does not exist\"}\n",
    )
    .await;
    assert!(
        matches!(&error, Some(Error::Rejected { message, .. }) if message.contains("does not exist")),
        "{error:?}"
    );
    assert_eq!(seen, 1);
    assert!(matches!(pulled("{\"status\":\"pulling manifest\"}").await, (1, Some(Error::EndedEarly { .. }))));
    assert!(matches!(pulled("").await, (0, Some(Error::EndedEarly { .. }))));
    assert!(matches!(pulled("<html>").await, (0, Some(Error::Protocol { .. }))));
    assert!(matches!(pulled("{\"status\":\"success\"}\n{\"status\":\"more\"}").await, (1, None)));
}

#[tokio::test]
async fn a_download_that_fails_tells_no_key() {
    let server = Server::bind().await;
    let key = ApiKey::new("sk-verysecret".to_owned()).unwrap();
    let ollama = Ollama::new(server.options().with_api_key(key)).unwrap();
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.answer("200 OK", "", "{\"error\":\"not with sk-verysecret here\"}\n").await;
    };
    let client = async { ollama.pull("x").await.unwrap().finish(|_| {}).await.unwrap_err() };
    let error = both(client, script).await.0;
    assert!(
        matches!(&error, Error::Rejected { message, .. } if message == "not with [...] here"),
        "{error:?}"
    );
}

#[tokio::test]
async fn dropping_a_download_cancels_it() {
    let server = Server::bind().await;
    let ollama = Ollama::new(server.options()).unwrap();
    let client = async {
        let mut pull = ollama.pull("x").await.unwrap();
        pull.next().await.unwrap().unwrap();
        drop(pull);
    };
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.begin().await;
        connection.chunk("{\"status\":\"pulling manifest\"}\n").await;
        connection.closed().await;
    };
    both(client, script).await;
}

#[tokio::test]
async fn a_missing_model_is_told_by_every_call_about_it() {
    let server = Server::bind().await;
    let ollama = Ollama::new(server.options()).unwrap();
    let serving = server.serve(async |mut connection, _| {
        connection.answer("404 Not Found", "", r#"{"error":"model 'x' not found"}"#).await;
        connection
    });
    let request = tusab_llm::EmbedRequest::new(["a"]);
    let (shown, embedded) = both(ollama.show("x"), ollama.embed("x", &request)).await;
    serving.abort();
    for error in [shown.unwrap_err(), embedded.unwrap_err()] {
        assert!(
            matches!(&error, Error::ModelNotFound { remedy, .. } if remedy.contains("ollama pull x")),
            "{error:?}"
        );
    }
}
