use std::future::Future;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tusab_llm::{BaseUrl, ChatRequest, Message, Ollama, OllamaModel, OllamaOptions, Provider, Timeouts};

/// Far longer than any test takes, on a machine with much else to do, too: reached only when something hangs.
const HANG: Duration = Duration::from_mins(2);

pub(crate) const MODEL: &str = "llama3.2:1b";

/// Runs both sides of a test, which must end.
pub(crate) async fn both<C: Future, S: Future>(client: C, server: S) -> (C::Output, S::Output) {
    tokio::time::timeout(HANG, async { tokio::join!(client, server) }).await.expect("the test hangs")
}

pub(crate) fn ask(text: &str) -> ChatRequest {
    ChatRequest::new([Message::user(text)])
}

/// What [`ask`] asked.
pub(crate) fn asked(request: &Request) -> String {
    request.body["messages"][0]["content"].as_str().unwrap().to_owned()
}

/// One line of an answer with `content`.
pub(crate) fn line(content: &str) -> String {
    let message = serde_json::json!({"role": "assistant", "content": content});
    let line = serde_json::json!({
        "model": MODEL, "created_at": "2026-01-02T03:04:05.678901234Z", "message": message, "done": false,
    });
    format!("{line}\n")
}

/// The last line of an answer.
pub(crate) const DONE: &str = concat!(
    r#"{"model":"llama3.2:1b","created_at":"2026-01-02T03:04:06.678901234Z","#,
    r#""message":{"role":"assistant","content":""},"done_reason":"stop","done":true,"#,
    r#""total_duration":4883583458,"load_duration":1334875,"prompt_eval_count":26,"#,
    r#""prompt_eval_duration":342546000,"eval_count":7,"eval_duration":4535599000}"#,
    "\n"
);

pub(crate) struct Server {
    listener: TcpListener,
}

impl Server {
    pub(crate) async fn bind() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.unwrap() }
    }

    pub(crate) fn authority(&self) -> String {
        self.listener.local_addr().unwrap().to_string()
    }

    pub(crate) fn options(&self) -> OllamaOptions {
        let url = BaseUrl::parse(Provider::Ollama, &format!("http://{}", self.authority())).unwrap();
        OllamaOptions::default().with_base_url(url)
    }

    pub(crate) fn model(&self) -> OllamaModel {
        Ollama::new(self.options()).unwrap().model(MODEL).unwrap()
    }

    pub(crate) fn model_with(&self, timeouts: Timeouts) -> OllamaModel {
        Ollama::new(self.options().with_timeouts(timeouts)).unwrap().model(MODEL).unwrap()
    }

    pub(crate) async fn accept(&self) -> Connection {
        let (stream, _) = self.listener.accept().await.unwrap();
        // Else each small write would wait until the client has confirmed the one before.
        stream.set_nodelay(true).unwrap();
        Connection { stream, unread: Vec::new() }
    }

    /// Answers every request on any number of connections as `answer` does, until it is aborted.
    ///
    /// For tests that make many calls: a client may open a connection and then use another.
    pub(crate) fn serve<A, F>(self, answer: A) -> JoinHandle<()>
    where
        A: Fn(Connection, Request) -> F + Clone + Send + 'static,
        F: Future<Output = Connection> + Send,
    {
        tokio::spawn(async move {
            loop {
                let (mut connection, answer) = (self.accept().await, answer.clone());
                tokio::spawn(async move {
                    while let Some(request) = connection.next_request().await {
                        connection = answer(connection, request).await;
                    }
                });
            }
        })
    }
}

pub(crate) struct Request {
    /// Method and path.
    pub(crate) target: String,
    /// The header lines, in lower case.
    pub(crate) headers: Vec<String>,
    /// The JSON body; null if there is none.
    pub(crate) body: Value,
}

pub(crate) struct Connection {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl Connection {
    /// Reads one request; `None` if the client closes the connection instead.
    pub(crate) async fn next_request(&mut self) -> Option<Request> {
        let head_end = loop {
            if let Some(end) = self.unread.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            if !self.read_more().await {
                return None;
            }
        };
        let head = String::from_utf8(self.unread.drain(..head_end + 4).collect()).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let target = lines.next().unwrap().rsplit_once(' ').unwrap().0.to_owned();
        let headers: Vec<String> = lines.map(str::to_lowercase).collect();
        let length = headers.iter().find_map(|header| header.strip_prefix("content-length: "));
        let length: usize = length.map_or(0, |length| length.parse().unwrap());
        while self.unread.len() < length {
            assert!(self.read_more().await, "the client went away inside its request");
        }
        let body: Vec<u8> = self.unread.drain(..length).collect();
        let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
        Some(Request { target, headers, body })
    }

    pub(crate) async fn request(&mut self) -> Request {
        self.next_request().await.expect("a request")
    }

    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        // The client may have heard enough and left: whether it should have is for the test to see.
        let _ = self.stream.write_all(bytes.as_ref()).await;
    }

    /// Begins an answer to a chat, as Ollama does.
    pub(crate) async fn begin(&mut self) {
        self.send(concat!(
            "HTTP/1.1 200 OK\r\n",
            "Content-Type: application/x-ndjson\r\n",
            "Transfer-Encoding: chunked\r\n\r\n"
        ))
        .await;
    }

    /// Sends one chunk, which reaches the client as a piece of its own.
    pub(crate) async fn chunk(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        if !bytes.is_empty() {
            let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
            chunk.extend_from_slice(bytes);
            chunk.extend_from_slice(b"\r\n");
            self.send(chunk).await;
        }
    }

    /// The same, and whether the client still takes it.
    pub(crate) async fn send_chunk(&mut self, bytes: &[u8]) -> bool {
        let head = format!("{:x}\r\n", bytes.len());
        for part in [head.as_bytes(), bytes, b"\r\n"] {
            if self.stream.write_all(part).await.is_err() {
                return false;
            }
        }
        true
    }

    pub(crate) async fn end(&mut self) {
        self.send("0\r\n\r\n").await;
    }

    /// A whole answer of known length.
    pub(crate) async fn answer(&mut self, status: &str, more_headers: &str, body: &str) {
        let length = body.len();
        self.send(format!("HTTP/1.1 {status}\r\n{more_headers}Content-Length: {length}\r\n\r\n{body}")).await;
    }

    /// Waits until the client closes the connection.
    pub(crate) async fn closed(mut self) {
        while self.read_more().await {}
    }

    /// Breaks the connection with a reset.
    pub(crate) fn reset(self) {
        self.stream.set_zero_linger().unwrap();
    }

    /// The next bytes as they come, for what is no HTTP.
    pub(crate) async fn raw(&mut self) -> Vec<u8> {
        assert!(self.read_more().await, "the client sent nothing");
        std::mem::take(&mut self.unread)
    }

    async fn read_more(&mut self) -> bool {
        // A reset is a way to close, too.
        self.stream.read_buf(&mut self.unread).await.is_ok_and(|read| read > 0)
    }
}
