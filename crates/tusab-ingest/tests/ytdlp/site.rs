//! A small web server on 127.0.0.1 for one test: answers what it was told to, keeps a log, ends when it is dropped. With
//! the plugin beside it, the real yt-dlp takes it for YouTube.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tusab_ingest::{CommandError, CommandLine, CommandRunner, Output, SystemRunner, YtDlpOptions};

/// The real yt-dlp, whose path stands in `TUSAB_YTDLP`, with the plugin.
pub(crate) fn options() -> YtDlpOptions {
    let program = std::env::var_os("TUSAB_YTDLP").expect("TUSAB_YTDLP names yt-dlp: run scripts/test.sh");
    YtDlpOptions::default()
        .with_program(program)
        .with_plugins(concat!(env!("CARGO_MANIFEST_DIR"), "/../tusab-ingest/tests"))
        .with_pause(Duration::ZERO)
        .with_deadlines(Duration::from_mins(1), Duration::from_mins(1))
}

/// Tells the plugin where the site of the test is.
pub(crate) struct WithSite(pub(crate) String);

impl CommandRunner for WithSite {
    fn run(&self, line: &CommandLine, stop: &dyn Fn() -> bool) -> Result<Output, CommandError> {
        // Whatever would leave this machine goes to port 9, where nobody answers.
        let line = line
            .clone()
            .with_variable("TUSAB_TEST_SITE", &self.0)
            .with_variable("HTTPS_PROXY", "http://127.0.0.1:9")
            .with_variable("HTTP_PROXY", "http://127.0.0.1:9")
            .with_variable("NO_PROXY", "127.0.0.1")
            .with_variable("PYTHONDONTWRITEBYTECODE", "1");
        SystemRunner.run(&line, stop)
    }
}

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
    asked: Condvar,
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

    /// Runs yt-dlp so that the plugin finds this site.
    pub(crate) fn runner(&self) -> WithSite {
        WithSite(self.url(""))
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

    /// Waits until a path that starts with `start` has been asked for.
    pub(crate) fn wait_for(&self, start: &str) {
        let mut log = self.shared.log.lock().unwrap();
        while !log.iter().any(|path| path.starts_with(start)) {
            let (guard, wait) = self.shared.asked.wait_timeout(log, Duration::from_mins(1)).unwrap();
            assert!(!wait.timed_out(), "nobody asks for {start}");
            log = guard;
        }
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
        self.asked.notify_all();
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
