//! A small web server on 127.0.0.1 for one test: answers what it was told to, keeps a log, ends when it is dropped.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};

/// How a path is answered.
#[derive(Clone)]
pub(crate) enum Answer {
    Body(String),
    Status(u16, String),
    /// Takes the request and says nothing until the site ends.
    Hang,
    /// Says that twice as much is coming as comes.
    Cut(String),
}

#[derive(Default)]
struct Shared {
    answers: Mutex<HashMap<String, Answer>>,
    log: Mutex<Vec<String>>,
    over: AtomicBool,
    hanging: Mutex<()>,
    ended: Condvar,
}

pub(crate) struct Site {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

impl Site {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let serving = Arc::clone(&shared);
        let listener = thread::spawn(move || {
            let mut connections = Vec::new();
            for stream in listener.incoming() {
                if serving.over.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let serving = Arc::clone(&serving);
                connections.push(thread::spawn(move || {
                    // A client that goes away in the middle is none of the site's concern.
                    let _ = serving.answer(stream);
                }));
            }
            for connection in connections {
                connection.join().unwrap();
            }
        });
        Self { address, shared, listener: Some(listener) }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sets how a path, without its query, is answered; `{site}` in a body becomes the site's address.
    pub(crate) fn serve(&self, path: &str, answer: Answer) -> &Self {
        let site = self.url("");
        let answer = match answer {
            Answer::Body(body) => Answer::Body(body.replace("{site}", &site)),
            other => other,
        };
        self.shared.answers.lock().unwrap().insert(path.to_owned(), answer);
        self
    }

    pub(crate) fn body(&self, path: &str, body: impl Into<String>) -> &Self {
        self.serve(path, Answer::Body(body.into()))
    }

    /// The paths with queries that were asked for, in order.
    pub(crate) fn log(&self) -> Vec<String> {
        self.shared.log.lock().unwrap().clone()
    }

    /// Those of them that start with `start`, since the last call of this.
    pub(crate) fn take_log(&self, start: &str) -> Vec<String> {
        let log = std::mem::take(&mut *self.shared.log.lock().unwrap());
        log.into_iter().filter(|path| path.starts_with(start)).collect()
    }
}

impl Shared {
    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut first = String::new();
        reader.read_line(&mut first)?;
        let mut header = String::new();
        while reader.read_line(&mut header)? > 2 {
            header.clear();
        }
        let target = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let path = target.split('?').next().unwrap_or_default().to_owned();
        self.log.lock().unwrap().push(target);
        let answer = self.answers.lock().unwrap().get(&path).cloned();
        let (status, length, body) = match answer.unwrap_or(Answer::Status(404, String::new())) {
            Answer::Body(body) => (200, body.len(), body),
            Answer::Status(status, body) => (status, body.len(), body),
            Answer::Cut(body) => (200, body.len() * 2, body),
            Answer::Hang => {
                let mut guard = self.hanging.lock().unwrap();
                while !self.over.load(Ordering::SeqCst) {
                    guard = self.ended.wait(guard).unwrap();
                }
                return Ok(());
            }
        };
        let kind = match path.rsplit('.').next() {
            Some("m3u8") => "application/vnd.apple.mpegurl",
            Some("mpd") => "application/dash+xml",
            Some("vtt") => "text/vtt",
            _ => "application/json",
        };
        write!(
            stream,
            "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )?;
        stream.flush()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        {
            let _guard = self.shared.hanging.lock().unwrap();
            self.shared.over.store(true, Ordering::SeqCst);
            self.shared.ended.notify_all();
        }
        // Wakes the listener up.
        drop(TcpStream::connect(self.address));
        if let Some(listener) = self.listener.take() {
            listener.join().unwrap();
        }
    }
}
