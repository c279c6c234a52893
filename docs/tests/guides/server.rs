//! `axum.md`: its server, asked over the network of this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// The server, ended with the test.
struct Server {
    child: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_server"))
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().to_owned();
        Self { child, address, _folder: folder }
    }

    /// What comes back, head and body.
    fn ask(&self, host: &str, origin: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "POST /ask HTTP/1.1\r\nHost: {host}\r\n{origin}Content-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const QUESTION: &str = r#"{"session": "s", "question": "What does mint need?"}"#;

#[test]
fn an_answer_comes_as_events_in_their_order() {
    let server = Server::start();
    let answer = server.ask(&server.address, "", QUESTION);
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.to_lowercase().contains("content-type: text/event-stream"), "{answer}");
    let types: Vec<String> = answer
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| {
            serde_json::from_str::<serde_json::Value>(data).unwrap()["type"].as_str().unwrap().to_owned()
        })
        .collect();
    // In the order of the page's table, in which some may be missing and pieces of text follow each other.
    let page = crate::common::page("axum.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let mut rows = rows.peekable();
    for kind in &types {
        while rows.next_if(|row| row != kind).is_some() {}
        assert!(rows.peek().is_some(), "{kind} is not where the page has it: {types:?}");
    }
    assert_eq!(types.last().map(String::as_str), Some("done"));
    assert!(answer.contains("three to four hours"), "{answer}");
}

#[test]
fn pages_of_other_sites_are_not_answered() {
    let server = Server::start();
    let own = format!("Origin: http://{}\r\n", server.address);
    assert!(server.ask(&server.address, &own, QUESTION).starts_with("HTTP/1.1 200"));
    // A page of another site; and a name of another site that leads to this machine.
    let port = server.address.rsplit(':').next().unwrap();
    for (host, origin) in [
        (server.address.clone(), "Origin: http://example.org\r\n".to_owned()),
        (server.address.clone(), "Origin: null\r\n".to_owned()),
        (format!("example.org:{port}"), String::new()),
        (format!("example.org:{port}"), format!("Origin: http://example.org:{port}\r\n")),
    ] {
        let answer = server.ask(&host, &origin, QUESTION);
        assert!(answer.starts_with("HTTP/1.1 403"), "{host} {origin}: {answer}");
    }
    // What a form of another site can send without asking first is not JSON.
    let mut stream = TcpStream::connect(&server.address).unwrap();
    write!(
        stream,
        "POST /ask HTTP/1.1\r\nHost: {}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{QUESTION}",
        server.address,
        QUESTION.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 415"), "{answer}");
}
