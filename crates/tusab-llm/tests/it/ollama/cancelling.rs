//! Dropping what is under way closes the connection at once, and nothing else is harmed.

use tusab_llm::{ChatModel, Delta, Error};

use crate::server::{DONE, Server, ask, both, line};

#[tokio::test]
async fn dropping_the_stream_cancels_the_request() {
    let server = Server::bind().await;
    let model = server.model();
    let client = async {
        let mut stream = model.stream(ask("oi")).await.unwrap();
        assert_eq!(stream.next().await.unwrap().unwrap(), Delta::Text("Olá".to_owned()));
        drop(stream);
        // The client is still there for the next call.
        model.chat(ask("e agora?")).await.unwrap().text
    };
    let script = async {
        let mut first = server.accept().await;
        first.request().await;
        first.begin().await;
        first.chunk(line("Olá")).await;
        first.closed().await;
        let mut second = server.accept().await;
        second.request().await;
        second.begin().await;
        second.chunk(line("Pronto")).await;
        second.chunk(DONE).await;
        second.end().await;
    };
    assert_eq!(both(client, script).await.0, "Pronto");
}

#[tokio::test]
async fn dropping_the_future_before_the_answer_cancels_the_request() {
    let server = Server::bind().await;
    let model = server.model();
    let (arrived, drop_it) = tokio::sync::oneshot::channel();
    let client = async {
        tokio::select! {
            answer = model.chat(ask("oi")) => panic!("{answer:?}"),
            arrived = drop_it => arrived.unwrap(),
        }
    };
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        arrived.send(()).unwrap();
        connection.closed().await;
    };
    both(client, script).await;
}

#[tokio::test]
async fn dropping_a_waiting_next_loses_nothing() {
    let server = Server::bind().await;
    let model = server.model();
    let (gave_up, go_on) = tokio::sync::oneshot::channel();
    let client = async {
        let mut stream = model.stream(ask("oi")).await.unwrap();
        let waited = tokio::time::timeout(std::time::Duration::from_millis(20), stream.next()).await;
        assert!(waited.is_err());
        gave_up.send(()).unwrap();
        stream.collect().await.unwrap().text
    };
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.begin().await;
        let whole = line("inteiro");
        connection.chunk(&whole[..whole.len() / 2]).await;
        go_on.await.unwrap();
        connection.chunk(&whole[whole.len() / 2..]).await;
        connection.chunk(DONE).await;
        connection.end().await;
    };
    assert_eq!(both(client, script).await.0, "inteiro");
}

/// The end of the answer is what its last line says, not the end of the connection.
#[tokio::test]
async fn an_answer_ends_with_its_last_line_though_the_server_holds_on() {
    let server = Server::bind().await;
    let model = server.model();
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.begin().await;
        connection.chunk(line("fim")).await;
        connection.chunk(DONE).await;
        connection.closed().await;
    };
    assert_eq!(both(model.chat(ask("oi")), script).await.0.unwrap().text, "fim");
}

#[test]
fn outside_a_runtime_it_is_an_error_and_no_panic() {
    use std::task::{Context, Poll, Waker};

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let model = runtime.block_on(async { Server::bind().await.model() });
    let mut call = model.stream(ask("oi"));
    let polled = call.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Ready(Err(Error::NoRuntime))));
}
