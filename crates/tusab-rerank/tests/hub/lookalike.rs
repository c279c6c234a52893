//! The few answers of the Hugging Face hub that a download needs, over HTTP/1.1 on 127.0.0.1.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use serde_json::json;
use sha1::Sha1;
use sha2::{Digest, Sha256};

use crate::common::tiny;

/// How it misbehaves.
#[derive(Clone, Copy)]
pub(crate) struct Behaviour {
    /// Ends the connection after so many bytes of a file.
    pub(crate) cut_after: Option<usize>,
    /// Cuts only the first answer with weights.
    pub(crate) cut_once: bool,
    /// Changes a byte of this file.
    pub(crate) damaged: Option<&'static str>,
    /// Answers 404 to what ends so.
    pub(crate) missing: Option<&'static str>,
    /// Tells this in place of the list of files.
    pub(crate) list: Option<&'static str>,
    /// Honours ranges.
    pub(crate) ranges: bool,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self { cut_after: None, cut_once: false, damaged: None, missing: None, list: None, ranges: true }
    }
}

/// Ends when it is dropped.
pub(crate) struct Hub {
    address: SocketAddr,
    /// All requests so far.
    pub(crate) requests: Arc<AtomicUsize>,
    /// Those for the weights.
    pub(crate) weights: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Hub {
    pub(crate) fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, weights, over) = (Arc::default(), Arc::default(), Arc::new(AtomicBool::new(false)));
        let server = Server {
            behaviour,
            files: files(),
            requests: Arc::clone(&requests),
            weights: Arc::clone(&weights),
        };
        let ends = Arc::clone(&over);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                // A client that goes away is its own affair.
                let _ = server.answer(stream.unwrap());
            }
        });
        Self { address, requests, weights, over, thread: Some(thread) }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

fn files() -> BTreeMap<&'static str, Vec<u8>> {
    let read = |name: &str| std::fs::read(tiny().join(name)).unwrap();
    BTreeMap::from([
        ("config.json", read("config.json")),
        ("onnx/model.onnx", read("model.onnx")),
        ("tokenizer.json", read("tokenizer.json")),
        ("README.md", b"not wanted".to_vec()),
    ])
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

struct Server {
    behaviour: Behaviour,
    files: BTreeMap<&'static str, Vec<u8>>,
    requests: Arc<AtomicUsize>,
    weights: Arc<AtomicUsize>,
}

impl Server {
    /// One request a connection.
    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut lines = BufReader::new(stream.try_clone()?).lines();
        let Some(first) = lines.next().transpose()? else { return Ok(()) };
        let mut from = None;
        for line in lines {
            let line = line?.to_lowercase();
            if let Some(range) = line.strip_prefix("range: bytes=") {
                let (start, end) = range.split_once('-').unwrap();
                from = Some((start.parse::<usize>().unwrap(), end.parse::<usize>().unwrap()));
            }
            if line.is_empty() {
                break;
            }
        }
        self.requests.fetch_add(1, Ordering::SeqCst);
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        if self.behaviour.missing.is_some_and(|missing| path.ends_with(missing)) {
            return write!(
                stream,
                "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
        }
        if path.ends_with("/revision/main") {
            return send(&mut stream, json!({"sha": "abc123"}).to_string().as_bytes());
        }
        if path.contains("/tree/abc123?") {
            let list = self.behaviour.list.map_or_else(|| self.list(), str::to_owned);
            return send(&mut stream, list.as_bytes());
        }
        let Some((_, name)) = path.split_once("/resolve/abc123/") else {
            return write!(
                stream,
                "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
        };
        self.file(&mut stream, name, from.filter(|_| self.behaviour.ranges))
    }

    fn file(&self, stream: &mut TcpStream, name: &str, range: Option<(usize, usize)>) -> std::io::Result<()> {
        let mut bytes = self.files[name].clone();
        if name.ends_with(".onnx") {
            self.weights.fetch_add(1, Ordering::SeqCst);
        }
        if self.behaviour.damaged == Some(name) {
            bytes[7] ^= 1;
        }
        let (start, end) = range.unwrap_or((0, bytes.len() - 1));
        let part = &bytes[start..=end.min(bytes.len() - 1)];
        let status = if range.is_some() { "206 Partial Content" } else { "200 OK" };
        let length = part.len();
        write!(stream, "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n")?;
        let first = name.ends_with(".onnx") && self.weights.load(Ordering::SeqCst) == 1;
        let cut = self.behaviour.cut_after.filter(|_| first || !self.behaviour.cut_once);
        stream.write_all(&part[..length.min(cut.unwrap_or(length))])
    }

    /// Large files with the SHA-256 of their content, small ones with the SHA-1 of their git blob.
    fn list(&self) -> String {
        let entry = |(path, bytes): (&&str, &Vec<u8>)| {
            let blob = hex(Sha1::new()
                .chain_update(format!("blob {}\0", bytes.len()))
                .chain_update(bytes)
                .finalize());
            let mut entry = json!({"type": "file", "path": path, "size": bytes.len(), "oid": blob});
            if path.ends_with(".onnx") {
                entry["lfs"] =
                    json!({"oid": hex(Sha256::digest(bytes)), "size": bytes.len(), "pointerSize": 134});
            }
            entry
        };
        let mut entries: Vec<_> = self.files.iter().map(entry).collect();
        entries.push(json!({"type": "directory", "path": "onnx", "size": 0, "oid": "0"}));
        json!(entries).to_string()
    }
}

fn send(stream: &mut TcpStream, body: &[u8]) -> std::io::Result<()> {
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len())?;
    stream.write_all(body)
}
