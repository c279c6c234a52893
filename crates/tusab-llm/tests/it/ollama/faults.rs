//! What a sick server answers, or does not.

use std::error::Error as _;
use std::time::Duration;

use serde_json::json;
use tusab_llm::{ChatModel, Delta, Error, Stage, Tokens};

use crate::server::{DONE, MODEL, Server, ask, both, line};

/// The error of a call that is answered with `status` and `body`.
async fn refused(status: &str, headers: &str, body: &str) -> Error {
    let server = Server::bind().await;
    let model = server.model();
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.answer(status, headers, body).await;
    };
    both(model.chat(ask("meu segredo é 12345")), script).await.0.unwrap_err()
}

/// The error of a call whose answer is `body`, after which the server closes the connection.
async fn streamed(body: &str) -> Error {
    let server = Server::bind().await;
    let model = server.model();
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n").await;
        connection.send(body).await;
    };
    both(model.chat(ask("meu segredo é 12345")), script).await.0.unwrap_err()
}

/// The error of a call to a missing model, where the server answers with `status` and `tags` when it is asked
/// what it has.
async fn missing(status: &'static str, tags: &'static str) -> Error {
    let server = Server::bind().await;
    let model = server.model();
    let serving = server.serve(async move |mut connection, request| {
        match request.target.as_str() {
            "POST /api/chat" => {
                connection.answer("404 Not Found", "", r#"{"error":"model 'llama3.2:1b' not found"}"#).await;
            }
            "GET /api/tags" => connection.answer(status, "", tags).await,
            _ => connection.answer("400 Bad Request", "", "").await,
        }
        connection
    });
    let error = both(model.chat(ask("oi")), async {}).await.0.unwrap_err();
    serving.abort();
    error
}

#[tokio::test]
async fn a_missing_model_is_named_with_those_that_are_there() {
    let error = missing("200 OK", r#"{"models":[{"name":"qwen3:0.6b"},{"name":"llama3.2:3b"}]}"#).await;
    let Error::ModelNotFound { model, installed, .. } = &error else { panic!("{error:?}") };
    assert_eq!(model.name(), MODEL);
    assert_eq!(installed.as_deref(), Some(&["qwen3:0.6b".to_owned(), "llama3.2:3b".to_owned()][..]));
    assert_eq!((error.status(), error.is_retryable()), (Some(404), false));
    let message = error.to_string();
    assert!(message.contains("ollama pull llama3.2:1b") && message.contains("qwen3:0.6b"), "{message}");
}

#[tokio::test]
async fn a_missing_model_stays_one_when_the_list_cannot_be_had() {
    let error = missing("500 Internal Server Error", "").await;
    assert!(matches!(error, Error::ModelNotFound { installed: None, .. }), "{error:?}");
}

#[tokio::test]
async fn a_model_that_is_there_is_not_called_missing() {
    let error = missing("200 OK", r#"{"models":[{"name":"LLama3.2:1B"}]}"#).await;
    assert!(matches!(error, Error::Rejected { status: 404, .. }), "{error:?}");
}

#[tokio::test]
async fn a_404_of_another_server_says_that_it_is_another() {
    let error = refused("404 Not Found", "", "404 page not found").await;
    assert!(matches!(error, Error::Protocol { .. }), "{error:?}");
    assert!(error.to_string().contains("no Ollama API at the base URL"), "{error}");
}

#[tokio::test]
async fn an_error_keeps_the_reason_but_not_the_prompt() {
    let body = r#"{"error":"model requires more system memory than is available for 'meu segredo é 12345'"}"#;
    let error = refused("500 Internal Server Error", "", body).await;
    assert_eq!(
        error.to_string(),
        "ollama answered with an error (status 500): \
         model requires more system memory than is available for '[...]'"
    );
    assert!(!format!("{error:?}").contains("12345"));
}

#[tokio::test]
async fn an_error_page_of_any_kind_and_length_is_an_error() {
    let page = "<html>Bad Gateway</html>".repeat(20_000);
    for body in ["", "[]", "{}", page.as_str()] {
        let error = refused("502 Bad Gateway", "", body).await;
        assert!(
            matches!(&error, Error::Rejected { status: 502, message, .. } if message == "it gave no reason")
        );
    }
}

#[tokio::test]
async fn a_chat_that_is_too_long_is_told_with_its_length() {
    let lengths = |error: &Error| match error {
        Error::ContextLengthExceeded { limit, asked, .. } => (limit.map(Tokens::get), asked.map(Tokens::get)),
        other => panic!("{other:?}"),
    };
    let words = "request (42947 tokens) exceeds the available context size (8192 tokens), try increasing it";
    for error in [
        json!({"code": 400, "message": words, "type": "exceed_context_size_error"}),
        json!({"code": 400, "message": "too long", "type": "exceed_context_size_error",
            "n_prompt_tokens": 42947, "n_ctx": 8192}),
        json!(words),
    ] {
        let body = json!({ "error": error }).to_string();
        let error = refused("400 Bad Request", "", &body).await;
        assert_eq!(lengths(&error), (Some(8192), Some(42947)), "{body}");
        assert_eq!((error.status(), error.is_retryable()), (Some(400), false));
        assert_eq!(lengths(&streamed(&format!("{body}\n")).await), (Some(8192), Some(42947)), "{body}");
    }
    let error = refused("400 Bad Request", "", r#"{"error":"invalid format: 42947 > 8192"}"#).await;
    assert!(matches!(error, Error::Rejected { status: 400, .. }), "{error:?}");
}

#[tokio::test]
async fn too_much_to_do_says_when_to_come_back() {
    let body = r#"{"error":"server busy, please try again. maximum pending requests exceeded"}"#;
    let error = refused("503 Service Unavailable", "Retry-After: 3\r\n", body).await;
    assert!(matches!(error, Error::Overloaded { status: 503, .. }), "{error:?}");
    assert_eq!((error.retry_after(), error.is_retryable()), (Some(Duration::from_secs(3)), true));
}

#[tokio::test]
async fn an_error_after_a_200_is_bare_before_the_first_word_and_keeps_the_text_after_it() {
    let failure = r#"{"error":"an error was encountered while running the model: CUDA error"}"#;
    let error = streamed(failure).await;
    assert!(matches!(&error, Error::Rejected { status: 200, .. }), "{error:?}");
    assert!(error.to_string().contains("CUDA error"), "{error}");

    let error = streamed(&format!("{}{}{failure}\n", line("Olá, "), line("mun"))).await;
    assert_eq!(error.partial(), Some("Olá, mun"));
    let source = error.source().unwrap().to_string();
    assert!(source.contains("CUDA error") && !error.to_string().contains("CUDA"), "{source}");
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn an_answer_that_stops_short_is_not_taken_for_whole() {
    for body in [String::new(), line("Olá"), format!("{}{}", line("Olá"), &DONE[..40])] {
        let error = streamed(&body).await;
        let partial = if body.is_empty() { None } else { Some("Olá") };
        assert_eq!(error.partial(), partial);
        assert!(format!("{error:?}").contains("EndedEarly"), "{error:?}");
    }
}

#[tokio::test]
async fn what_is_no_answer_is_a_protocol_error() {
    for body in ["<html>welcome</html>\n", "data: {\"a\":1}\n\n", "{\"response\":\"x\"}\n", "\u{0}\n"] {
        let error = streamed(body).await;
        assert!(matches!(error, Error::Protocol { .. }), "{body:?}: {error:?}");
    }
}

#[tokio::test]
async fn a_line_without_end_is_let_go() {
    let server = Server::bind().await;
    let model = server.model();
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.begin().await;
        connection.chunk(line("Olá")).await;
        for _ in 0..17 {
            connection.chunk(vec![b'x'; 64 * 1024]).await;
        }
        connection.closed().await;
    };
    let error = both(model.chat(ask("oi")), script).await.0.unwrap_err();
    assert_eq!(error.partial(), Some("Olá"));
    assert!(error.source().unwrap().to_string().contains("longer than 1048576 bytes"));
}

#[tokio::test]
async fn a_reset_keeps_the_text_and_says_where() {
    let server = Server::bind().await;
    let model = server.model();
    let (seen, go_on) = tokio::sync::oneshot::channel();
    let client = async {
        let mut stream = model.stream(ask("oi")).await.unwrap();
        assert_eq!(stream.next().await.unwrap().unwrap(), Delta::Text("Olá".to_owned()));
        seen.send(()).unwrap();
        let error = stream.next().await.unwrap().unwrap_err();
        assert!(stream.next().await.is_none());
        error
    };
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.begin().await;
        connection.chunk(line("Olá")).await;
        // A reset overtakes what is still on its way, so it waits until that was read.
        go_on.await.unwrap();
        connection.reset();
    };
    let error = both(client, script).await.0;
    assert_eq!(error.partial(), Some("Olá"));
    let Error::Interrupted { source, .. } = &error else { panic!("{error:?}") };
    assert!(matches!(&**source, Error::Network { stage: Stage::IdleGap, .. }), "{source:?}");
    assert!(source.to_string().contains(&server.authority()) && source.is_retryable(), "{source}");
}

#[tokio::test]
async fn a_server_that_takes_the_request_and_leaves_is_a_network_error() {
    let server = Server::bind().await;
    let model = server.model();
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
    };
    let error = both(model.chat(ask("oi")), script).await.0.unwrap_err();
    assert!(matches!(error, Error::Network { stage: Stage::FirstByte, .. }), "{error:?}");
    assert!(error.is_retryable() && error.source().is_some());
}

#[tokio::test]
async fn no_server_is_a_network_error_with_its_remedy() {
    let server = Server::bind().await;
    let (model, authority) = (server.model(), server.authority());
    drop(server);
    let error = both(model.chat(ask("oi")), async {}).await.0.unwrap_err();
    assert!(matches!(error, Error::Network { stage: Stage::Connect, .. }), "{error:?}");
    let message = error.to_string();
    assert!(message.contains(&authority) && message.contains("ollama serve"), "{message}");
}
