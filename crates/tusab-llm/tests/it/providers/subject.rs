//! How a provider speaks, and what is asked of every one.

use std::time::Duration;

use serde_json::Value;
use tusab_llm::testing::{conformance, decode};
use tusab_llm::{
    ApiKey, BaseUrl, ChatModel, ChatRequest, Client, Delta, Endpoint, Error, FinishReason, Message, ModelId,
    OllamaOptions, Provider, RetryPolicy, Timeouts, Usage,
};

use crate::server::{Connection, Request, Server, both};

pub(crate) const SECRET: &str = "sk-verysecret";
/// What is asked in every test of this suite; no error may repeat it.
pub(crate) const PROMPT: &str = "meu segredo é 12345";

/// One provider, in the form that its documentation gives.
pub(crate) struct Subject {
    pub(crate) model: &'static str,
    /// The request line of a chat.
    pub(crate) target: &'static str,
    /// How the key is shown, in lower case.
    pub(crate) auth: &'static str,
    pub(crate) content_type: &'static str,
    /// A recorded answer.
    pub(crate) stream: String,
    pub(crate) thinking: &'static str,
    pub(crate) text: &'static str,
    pub(crate) usage: Usage,
    /// The start of a stream that holds one word, `Ol`.
    pub(crate) first_word: String,
    /// A stream of an error inside an answer, and the name of the error it is.
    pub(crate) error_inside: (String, &'static str),
    /// Status, headers and body of refusals, and the names of the errors that they are.
    pub(crate) refusals: Vec<(&'static str, &'static str, &'static str, &'static str)>,
}

pub(crate) fn ask() -> ChatRequest {
    ChatRequest::new([Message::user(PROMPT)])
}

/// The name of an error's variant.
pub(crate) fn name(error: &Error) -> String {
    format!("{error:?}").chars().take_while(char::is_ascii_alphanumeric).collect()
}

/// `events` in the form of server-sent events.
pub(crate) fn events(events: &[Value]) -> String {
    events.iter().fold(String::new(), |stream, event| format!("{stream}data: {event}\n\n"))
}

impl Subject {
    pub(crate) fn id(&self) -> ModelId {
        self.model.parse().unwrap()
    }

    pub(crate) fn provider(&self) -> Provider {
        self.id().provider()
    }

    /// A client of `server` alone, which does not call twice.
    pub(crate) fn client(&self, server: &Server, timeouts: Timeouts) -> Client {
        let key = || ApiKey::new(SECRET.to_owned()).unwrap();
        let url = BaseUrl::parse(self.provider(), &format!("http://{}", server.authority())).unwrap();
        let builder = Client::builder().with_retry(RetryPolicy::never());
        let builder = if self.provider() == Provider::Ollama {
            let options = OllamaOptions::default().with_base_url(url).with_api_key(key());
            builder.with_ollama(options.with_timeouts(timeouts))
        } else {
            let endpoint = Endpoint::new(key()).with_base_url(url).with_timeouts(timeouts);
            builder.with_endpoint(self.provider(), endpoint)
        };
        builder.build().unwrap()
    }

    pub(crate) fn chat_model(&self, server: &Server) -> std::sync::Arc<dyn ChatModel> {
        self.client(server, Timeouts::default()).model(&self.id()).unwrap()
    }

    pub(crate) async fn begin(&self, connection: &mut Connection) {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nX-Request-Id: req_1\r\nTransfer-Encoding: chunked\r\n\r\n",
            self.content_type
        );
        connection.send(head).await;
    }

    /// What the pure decoder makes of `pieces`.
    fn decoded<'a>(
        &self,
        pieces: impl IntoIterator<Item = &'a [u8]>,
    ) -> (String, String, Usage, Option<String>) {
        let (deltas, error) = decode(&self.id(), pieces);
        let (mut text, mut thinking, mut usage) = (String::new(), String::new(), Usage::default());
        for delta in &deltas {
            match delta {
                Delta::Text(more) => text.push_str(more),
                Delta::Thinking(more) => thinking.push_str(more),
                Delta::TextWasThinking => thinking.push_str(&std::mem::take(&mut text)),
                Delta::Usage(latest) => usage = *latest,
                Delta::Done { finish_reason } => assert_eq!(*finish_reason, FinishReason::Stop),
                other => panic!("{other:?}"),
            }
        }
        assert!(error.is_some() || matches!(deltas.last(), Some(Delta::Done { .. })), "{deltas:?}");
        (thinking, text, usage, error.map(|error| name(&error)))
    }

    fn whole(&self) -> (String, String, Usage, Option<String>) {
        (self.thinking.to_owned(), self.text.to_owned(), self.usage, None)
    }

    pub(crate) async fn keeps_the_contract(&self) {
        let server = Server::bind().await;
        let model = self.chat_model(&server);
        let (stream, content_type) = (self.stream.clone(), self.content_type);
        let serving = server.serve(move |mut connection, _| {
            let stream = stream.clone();
            async move {
                connection.answer("200 OK", &format!("Content-Type: {content_type}\r\n"), &stream).await;
                connection
            }
        });
        both(conformance(&*model), async {}).await.0.unwrap();
        serving.abort();
    }

    /// The request of one chat, and its whole answer.
    pub(crate) async fn chats(&self, request: ChatRequest) -> Request {
        let server = Server::bind().await;
        let model = self.chat_model(&server);
        let script = async {
            let mut connection = server.accept().await;
            let request = connection.request().await;
            self.begin(&mut connection).await;
            connection.chunk(&self.stream).await;
            connection.end().await;
            request
        };
        let (reply, request) = both(model.chat(request), script).await;
        let reply = reply.unwrap();
        assert_eq!((reply.thinking.as_str(), reply.text.as_str()), (self.thinking, self.text));
        assert_eq!((reply.usage, reply.finish_reason), (self.usage, FinishReason::Stop));
        assert_eq!(request.target, self.target);
        assert!(request.headers.contains(&self.auth.to_owned()), "{:?}", request.headers);
        assert!(request.headers.contains(&"content-type: application/json".to_owned()));
        request
    }

    /// The recorded answer is read the same cut at every byte, and at every pair of bytes a step apart.
    pub(crate) fn is_read_wherever_it_is_cut(&self) {
        let bytes = self.stream.as_bytes();
        assert_eq!(self.decoded([bytes]), self.whole());
        assert_eq!(self.decoded(bytes.chunks(1)), self.whole());
        for first in 0..bytes.len() {
            for second in (first..bytes.len()).step_by(211) {
                let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                assert_eq!(self.decoded(pieces), self.whole(), "cut at {first} and {second}");
            }
        }
        if self.content_type == "text/event-stream" {
            let crlf = self.stream.replace('\n', "\r\n");
            assert_eq!(self.decoded(crlf.as_bytes().chunks(1)), self.whole());
            let comments = self.stream.replace("data: ", ": ping\r\n\r\nevent: ping\nretry: 9\nid: 1\ndata:");
            assert_eq!(self.decoded(comments.as_bytes().chunks(3)), self.whole());
        }
        assert_eq!(
            self.decoded([self.stream.trim_end().as_bytes()]),
            self.whole(),
            "without the last line end"
        );
    }

    /// An answer that ends too soon is never taken for a whole one.
    pub(crate) fn is_not_whole_when_it_stops_short(&self, end: &str) {
        let bytes = self.stream.as_bytes();
        let end = self.stream.find(end).expect("the end is there");
        for length in 0..end {
            let (_, text, _, error) = self.decoded([&bytes[..length]]);
            assert_eq!(error.as_deref(), Some("EndedEarly"), "at {length}");
            assert!(self.text.starts_with(&text), "{text:?} at {length}");
        }
    }

    /// The same over HTTP, in two pieces that are cut at every byte.
    pub(crate) async fn is_read_however_the_network_cuts_it(&self) {
        let server = Server::bind().await;
        let client = self.client(&server, Timeouts::default());
        let model = client.model(&self.id()).unwrap();
        let (stream, head) = (self.stream.clone(), self.content_type);
        let place = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let serving = server.serve(move |mut connection, _| {
            let (stream, place) = (stream.clone(), place.fetch_add(1, std::sync::atomic::Ordering::SeqCst));
            async move {
                let head =
                    format!("HTTP/1.1 200 OK\r\nContent-Type: {head}\r\nTransfer-Encoding: chunked\r\n\r\n");
                connection.send(head).await;
                connection.chunk(&stream.as_bytes()[..place]).await;
                connection.chunk(&stream.as_bytes()[place..]).await;
                connection.end().await;
                connection
            }
        });
        let client = async {
            for place in 0..self.stream.len() {
                let reply = model.chat(ask()).await.unwrap();
                assert_eq!(
                    (reply.thinking.as_str(), reply.text.as_str()),
                    (self.thinking, self.text),
                    "cut at {place}"
                );
            }
        };
        both(client, async {}).await;
        serving.abort();
    }

    /// The error of a chat that is answered with `status`.
    pub(crate) async fn refused(&self, status: &str, headers: &str, body: &str) -> Error {
        let server = Server::bind().await;
        let model = self.chat_model(&server);
        let (status, headers, body) = (status.to_owned(), headers.to_owned(), body.to_owned());
        let serving = server.serve(move |mut connection, _| {
            let (status, headers, body) = (status.clone(), headers.clone(), body.clone());
            async move {
                connection.answer(&status, &format!("{headers}X-Request-Id: req_1\r\n"), &body).await;
                connection
            }
        });
        let error = both(model.chat(ask()), async {}).await.0.unwrap_err();
        serving.abort();
        error
    }

    /// Each refusal is the error that it should be, keeps status and request id, and tells no secret.
    pub(crate) async fn names_its_errors(&self) {
        for (status, headers, body, expected) in &self.refusals {
            let error = self.refused(status, headers, body).await;
            assert_eq!(&name(&error), expected, "{status} {body}");
            let code: u16 = status[..3].parse().unwrap();
            assert_eq!((error.status(), error.request_id()), (Some(code), Some("req_1")), "{error:?}");
            tells_no_secret(&error);
        }
    }

    /// An error inside an answer is bare before the first word, and keeps the text after it.
    pub(crate) async fn fails_inside_an_answer(&self) {
        let (stream, expected) = &self.error_inside;
        let error = self.streamed(stream).await;
        assert_eq!(&name(&error), expected, "{error:?}");
        assert_eq!((error.status(), error.request_id()), (Some(200), Some("req_1")), "{error:?}");
        tells_no_secret(&error);

        let error = self.streamed(&format!("{}{stream}", self.first_word)).await;
        let Error::Interrupted { partial, source } = &error else { panic!("{error:?}") };
        assert_eq!((partial.as_str(), &name(source)), ("Ol", &(*expected).to_owned()));
        assert!(!error.is_retryable());
        tells_no_secret(&error);
    }

    /// The error of a chat whose answer is `body`.
    pub(crate) async fn streamed(&self, body: &str) -> Error {
        let server = Server::bind().await;
        let model = self.chat_model(&server);
        let script = async {
            let mut connection = server.accept().await;
            connection.request().await;
            self.begin(&mut connection).await;
            connection.chunk(body).await;
            connection.end().await;
        };
        both(model.chat(ask()), script).await.0.unwrap_err()
    }

    pub(crate) async fn passes(&self, end: &str) {
        self.is_read_wherever_it_is_cut();
        self.is_not_whole_when_it_stops_short(end);
        self.keeps_the_contract().await;
        self.names_its_errors().await;
        self.fails_inside_an_answer().await;
    }
}

pub(crate) fn tells_no_secret(error: &Error) {
    let mut shown = format!("{error} {error:?}");
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        shown.push_str(&error.to_string());
        source = error.source();
    }
    assert!(!shown.contains("12345") && !shown.contains("verysecret"), "{shown}");
}

/// How long something may take that is given up.
pub(crate) const SHORT: Duration = Duration::from_millis(150);
/// The same for a limit within which a connection has to be made and a request sent, on a machine with much else to do.
pub(crate) const ENOUGH: Duration = Duration::from_secs(1);
