//! How long is waited for what: for a connection, for the answer to begin, and between two pieces of it.

use std::time::Duration;

use tusab_llm::{
    BaseUrl, ChatModel, Delta, EmbedRequest, Error, Ollama, OllamaOptions, Provider, Stage, Timeouts,
};

use crate::server::{DONE, Server, ask, both, line};

const SHORT: Duration = Duration::from_millis(60);
/// For a limit within which a connection has to be made and a request sent, on a machine with much else to do.
const ENOUGH: Duration = Duration::from_secs(1);

#[tokio::test]
async fn silence_before_the_answer_ends_it() {
    let server = Server::bind().await;
    let model = server.model_with(Timeouts::default().with_first_byte(ENOUGH));
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.closed().await;
    };
    let error = both(model.chat(ask("oi")), script).await.0.unwrap_err();
    assert!(matches!(error, Error::Timeout { stage: Stage::FirstByte, limit: ENOUGH, .. }), "{error:?}");
    assert!(error.is_retryable());
}

#[tokio::test]
async fn silence_after_the_head_is_silence_before_the_answer() {
    let server = Server::bind().await;
    let model = server.model_with(Timeouts::default().with_first_byte(ENOUGH).with_idle_gap(SHORT));
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.begin().await;
        connection.closed().await;
    };
    let error = both(model.chat(ask("oi")), script).await.0.unwrap_err();
    assert!(matches!(error, Error::Timeout { stage: Stage::FirstByte, .. }), "{error:?}");
}

#[tokio::test]
async fn the_first_byte_may_take_longer_than_a_gap() {
    let server = Server::bind().await;
    let model = server.model_with(Timeouts::default().with_idle_gap(SHORT * 5));
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.begin().await;
        tokio::time::sleep(SHORT * 8).await;
        connection.chunk(DONE).await;
        connection.end().await;
    };
    both(model.chat(ask("oi")), script).await.0.unwrap();
}

#[tokio::test]
async fn silence_inside_the_answer_ends_it_and_closes_the_connection() {
    let server = Server::bind().await;
    let model = server.model_with(Timeouts::default().with_idle_gap(SHORT));
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.begin().await;
        connection.chunk(line("Olá")).await;
        connection.closed().await;
    };
    let error = both(model.chat(ask("oi")), script).await.0.unwrap_err();
    assert_eq!(error.partial(), Some("Olá"));
    let Error::Interrupted { source, .. } = &error else { panic!("{error:?}") };
    assert!(matches!(**source, Error::Timeout { stage: Stage::IdleGap, limit: SHORT, .. }), "{source:?}");
}

#[tokio::test]
async fn a_slow_reader_is_not_a_silent_server() {
    let server = Server::bind().await;
    let model = server.model_with(Timeouts::default().with_idle_gap(SHORT * 5));
    let (read_on, reading) = tokio::sync::oneshot::channel();
    let client = async {
        let mut stream = model.stream(ask("oi")).await.unwrap();
        assert_eq!(stream.next().await.unwrap().unwrap(), Delta::Text("Olá, ".to_owned()));
        tokio::time::sleep(SHORT * 8).await;
        read_on.send(()).unwrap();
        stream.collect().await
    };
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.begin().await;
        connection.chunk(line("Olá, ")).await;
        reading.await.unwrap();
        connection.chunk(line("mundo")).await;
        connection.chunk(DONE).await;
        connection.end().await;
    };
    assert_eq!(both(client, script).await.0.unwrap().text, "mundo");
}

#[tokio::test]
async fn a_healthy_answer_may_take_longer_than_any_of_the_limits() {
    let server = Server::bind().await;
    let gap = SHORT * 8;
    let limits =
        Timeouts::default().with_connect(gap).with_first_byte(gap).with_idle_gap(gap).with_lookup(gap);
    let model = server.model_with(limits);
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.begin().await;
        for _ in 0..14 {
            tokio::time::sleep(SHORT).await;
            connection.chunk(line("x")).await;
        }
        connection.chunk(DONE).await;
        connection.end().await;
    };
    assert_eq!(both(model.chat(ask("oi")), script).await.0.unwrap().text, "x".repeat(14));
}

#[tokio::test]
async fn limits_may_be_as_long_as_can_be_said() {
    let server = Server::bind().await;
    let most = Duration::MAX;
    let limits =
        Timeouts::default().with_connect(most).with_first_byte(most).with_idle_gap(most).with_lookup(most);
    let model = server.model_with(limits);
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.begin().await;
        connection.chunk(line("Olá")).await;
        connection.chunk(DONE).await;
        connection.end().await;
    };
    assert_eq!(both(model.chat(ask("oi")), script).await.0.unwrap().text, "Olá");
}

#[tokio::test]
async fn a_lookup_has_a_limit_on_the_whole() {
    let server = Server::bind().await;
    let ollama =
        Ollama::new(server.options().with_timeouts(Timeouts::default().with_lookup(ENOUGH))).unwrap();
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        let head = "HTTP/1.1 200 OK\r\nX-Request-Id: req_1\r\nContent-Length: 99\r\n\r\n{\"models\":[";
        connection.send(head).await;
        connection.closed().await;
    };
    let error = both(ollama.models(), script).await.0.unwrap_err();
    assert!(matches!(error, Error::Timeout { stage: Stage::Lookup, limit: ENOUGH, .. }), "{error:?}");
    // The head had come.
    assert_eq!((error.status(), error.request_id()), (Some(200), Some("req_1")));
}

#[tokio::test]
async fn vectors_have_a_limit_of_their_own_by_request() {
    let server = Server::bind().await;
    let ollama = Ollama::new(server.options()).unwrap();
    let script = async {
        let mut connection = server.accept().await;
        connection.request().await;
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"embeddings\":[").await;
        connection.closed().await;
    };
    let request = EmbedRequest::new(["a"]).with_timeout(ENOUGH);
    let error = both(ollama.embed("m", &request), script).await.0.unwrap_err();
    assert!(matches!(error, Error::Timeout { stage: Stage::FirstByte, limit: ENOUGH, .. }), "{error:?}");
    assert_eq!(error.status(), Some(200));
}

/// While Ollama checks what it has fetched, it is silent for longer than an answer ever is.
#[tokio::test]
async fn a_download_may_be_silent_for_longer_than_an_answer() {
    let server = Server::bind().await;
    let limits = Timeouts::default().with_idle_gap(SHORT);
    let patient = Ollama::new(server.options().with_timeouts(limits)).unwrap();
    let hasty = Ollama::new(server.options().with_timeouts(limits.with_pull_gap(SHORT))).unwrap();
    assert!(Timeouts::default().pull_gap >= Duration::from_mins(30));
    let (gave_up, go_on) = tokio::sync::oneshot::channel();
    let client = async {
        // What the hasty one does not wait for, the patient one has waited for, too.
        let slow = async { patient.pull("x").await.unwrap().finish(|_| {}).await };
        let fast = async {
            let error = hasty.pull("x").await.unwrap().finish(|_| {}).await.unwrap_err();
            gave_up.send(()).unwrap();
            error
        };
        tokio::join!(slow, fast)
    };
    let script = async {
        let mut connections = Vec::new();
        for _ in 0..2 {
            let mut connection = server.accept().await;
            connection.request().await;
            connection.begin().await;
            connection.chunk("{\"status\":\"verifying sha256 digest\"}\n").await;
            connections.push(connection);
        }
        go_on.await.unwrap();
        for connection in &mut connections {
            connection.chunk("{\"status\":\"success\"}\n").await;
        }
        connections
    };
    let (done, error) = both(client, script).await.0;
    done.unwrap();
    assert!(matches!(error, Error::Timeout { stage: Stage::IdleGap, limit: SHORT, .. }), "{error:?}");
    assert_eq!(error.status(), Some(200));
}

/// A full queue of connections is how a host that does not answer can be had on one machine.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_host_that_does_not_answer_is_a_connect_timeout() {
    use tokio::net::{TcpSocket, TcpStream};

    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(connected) = tokio::time::timeout(SHORT * 5, TcpStream::connect(address)).await {
        waiting.push(connected.unwrap());
    }
    let url = BaseUrl::parse(Provider::Ollama, &format!("http://{address}")).unwrap();
    let timeouts = Timeouts::default().with_connect(SHORT);
    let options = OllamaOptions::default().with_base_url(url).with_timeouts(timeouts);
    let error = both(Ollama::new(options).unwrap().version(), async {}).await.0.unwrap_err();
    assert!(matches!(error, Error::Timeout { stage: Stage::Connect, limit: SHORT, .. }), "{error:?}");
}
