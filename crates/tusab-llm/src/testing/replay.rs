use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The longest request that is read, in bytes.
const MAX_REQUEST: u64 = 64 * 1024 * 1024;
/// How long a client may stay silent inside a request.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server on 127.0.0.1 that answers what was recorded, in order, and remembers what it was asked.
///
/// It speaks plain HTTP/1.1 and closes each connection after its answer. It runs on threads of its own, needs no
/// runtime, and listens until it is dropped.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tusab_llm::testing::{Recorded, ReplayServer};
/// use tusab_llm::{BaseUrl, ChatModel, ChatRequest, Client, Endpoint, Message, Provider};
///
/// let answer = "data: {\"choices\":[{\"delta\":{\"content\":\"Oi\"}}]}\n\ndata: [DONE]\n\n";
/// let server = ReplayServer::start([Recorded::events(answer)])?;
///
/// let provider = Provider::OpenAiCompatible;
/// let endpoint = Endpoint::at(BaseUrl::parse(provider, &server.url())?);
/// let client = Client::builder().with_endpoint(provider, endpoint).build()?;
/// let model = client.model(&"openai-compatible::any".parse()?)?;
/// assert_eq!(model.chat(ChatRequest::new([Message::user("Olá!")])).await?.text, "Oi");
/// assert_eq!(server.requests()[0].path, "/chat/completions");
/// # Ok(())
/// # }
/// ```
pub struct ReplayServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    answers: Mutex<VecDeque<Recorded>>,
    requests: Mutex<Vec<ReplayedRequest>>,
    stop: AtomicBool,
}

/// An answer as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// The HTTP status.
    pub status: u16,
    /// The headers, without those about the length of the body.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// How many bytes are sent at a time; all at once if zero.
    pub piece: usize,
}

impl Recorded {
    /// An answer of `status` with a JSON `body`.
    #[must_use]
    pub fn json(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), piece: 0 }
            .with_header("content-type", "application/json")
    }

    /// A stream of server-sent events.
    #[must_use]
    pub fn events(body: impl Into<Vec<u8>>) -> Self {
        let answer = Self { status: 200, headers: Vec::new(), body: body.into(), piece: 0 };
        answer.with_header("content-type", "text/event-stream")
    }

    /// One more header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends `bytes` bytes at a time.
    #[must_use]
    pub fn in_pieces_of(mut self, bytes: usize) -> Self {
        self.piece = bytes;
        self
    }
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplayedRequest {
    /// The HTTP method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// The headers, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl ReplayedRequest {
    /// The first header called `name`, which is in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|(header, value)| (header == name).then_some(value.as_str()))
    }
}

impl ReplayServer {
    /// Listens on a free port and answers one request with each of `answers`; those beyond them with status 500.
    ///
    /// # Errors
    /// If no port can be had, or no thread.
    pub fn start(answers: impl IntoIterator<Item = Recorded>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let answers = Mutex::new(answers.into_iter().collect());
        let shared = Arc::new(Shared { answers, ..Shared::default() });
        let served = Arc::clone(&shared);
        let thread =
            thread::Builder::new().name("replay".to_owned()).spawn(move || serve(&listener, &served))?;
        Ok(Self { address, shared, thread: Some(thread) })
    }

    /// Where it listens, such as `http://127.0.0.1:40123`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far, in the order in which they came.
    #[must_use]
    pub fn requests(&self) -> Vec<ReplayedRequest> {
        lock(&self.shared.requests).clone()
    }
}

impl Drop for ReplayServer {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        // Wakes the thread, which waits for a connection.
        let woken = TcpStream::connect(self.address).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| woken) {
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for ReplayServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplayServer").field("address", &self.address).finish_non_exhaustive()
    }
}

fn serve(listener: &TcpListener, shared: &Arc<Shared>) {
    for connection in listener.incoming() {
        if shared.stop.load(Ordering::SeqCst) {
            return;
        }
        if let Ok(connection) = connection {
            let shared = Arc::clone(shared);
            // Clients open connections in reserve, on which nothing is asked: others must not wait for them. A client that
            // goes away, or a thread that cannot be had, is none of the server's business.
            let _ = thread::Builder::new().spawn(move || answer(connection, &shared));
        }
    }
}

fn answer(mut connection: TcpStream, shared: &Shared) -> io::Result<()> {
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_nodelay(true)?;
    // A connection on which nothing is asked, as clients open some in reserve.
    let Some(request) = read_request(&connection)? else { return Ok(()) };
    lock(&shared.requests).push(request);
    let next = lock(&shared.answers).pop_front();
    let Recorded { status, headers, body, piece } =
        next.unwrap_or_else(|| Recorded::json(500, r#"{"error":{"message":"no more recorded answers"}}"#));
    let mut head =
        format!("HTTP/1.1 {status} Recorded\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format_header(&name, &value));
    }
    head.push_str("\r\n");
    connection.write_all(head.as_bytes())?;
    for piece in body.chunks(if piece == 0 { body.len().max(1) } else { piece }) {
        connection.write_all(piece)?;
    }
    connection.flush()
}

fn format_header(name: &str, value: &str) -> String {
    format!("{name}: {value}\r\n")
}

fn read_request(connection: &TcpStream) -> io::Result<Option<ReplayedRequest>> {
    let mut reader = BufReader::new(connection.take(MAX_REQUEST));
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let mut request = ReplayedRequest { method, path, headers, body: Vec::new() };
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    reader.take(length).read_to_end(&mut request.body)?;
    Ok(Some(request))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(server: &ReplayServer, path: &str) -> String {
        let mut connection = TcpStream::connect(server.address).unwrap();
        connection.write_all(format!("GET {path} HTTP/1.1\r\nX-A: b\r\n\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn answers_are_given_in_order_and_requests_kept() {
        let server = ReplayServer::start([
            Recorded::json(429, "{}").with_header("retry-after", "3"),
            Recorded::events("data: 1\n\n").in_pieces_of(2),
        ])
        .unwrap();
        let first = get(&server, "/a?b=c");
        assert!(first.starts_with("HTTP/1.1 429") && first.contains("retry-after: 3\r\n"), "{first}");
        assert!(get(&server, "/b").ends_with("\r\n\r\ndata: 1\n\n"));
        assert!(get(&server, "/c").starts_with("HTTP/1.1 500"));
        let requests = server.requests();
        assert_eq!(requests.len(), 3);
        assert_eq!((requests[0].path.as_str(), requests[0].header("x-a")), ("/a?b=c", Some("b")));
    }

    #[test]
    fn it_ends_when_it_is_dropped() {
        let server = ReplayServer::start([]).unwrap();
        let address = server.address;
        drop(server);
        assert!(TcpStream::connect(address).is_err());
    }
}
