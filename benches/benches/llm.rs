//! Reading a long streamed answer from a server on this machine: HTTP, framing and decoding together.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tokio::runtime::Builder;
use tusab_llm::{BaseUrl, ChatModel, ChatRequest, Message, Ollama, OllamaOptions, Provider};

/// About 10 MB of an answer as Ollama's documentation shows it, one piece a line.
fn recording() -> Arc<[u8]> {
    let piece = r#"{"model":"bench","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":" três horas de sol"},"done":false}"#;
    let end = r#"{"model":"bench","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":70000}"#;
    let mut body = format!("{piece}\n").repeat(10_000_000 / (piece.len() + 1));
    body.push_str(end);
    body.push('\n');
    body.into_bytes().into()
}

/// Answers each connection's one request with the recording. Its thread ends with the program.
fn serve(recording: Arc<[u8]>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            // A client that has gone is none of the server's business.
            let _ = answer(connection, &recording);
        }
    });
    address
}

fn answer(mut connection: TcpStream, recording: &[u8]) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    // The bodies of this benchmark end with a brace and hold no other one at the end of a read.
    while !request.ends_with(b"}") {
        let count = connection.read(&mut buffer)?;
        request.extend(buffer.iter().take(count));
        if count == 0 {
            return Ok(());
        }
    }
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        recording.len()
    );
    connection.write_all(head.as_bytes())?;
    connection.write_all(recording)
}

fn stream(c: &mut Criterion) {
    let recording = recording();
    let address = serve(Arc::clone(&recording));
    let base = BaseUrl::parse(Provider::Ollama, &format!("http://{address}")).expect("a loopback address");
    let ollama = Ollama::new(OllamaOptions::default().with_base_url(base)).expect("a client");
    let model = ollama.model("bench").expect("a name");
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut group = c.benchmark_group("llm");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(recording.len() as u64));
    group.bench_function("ollama, 10 MB answer over loopback", |b| {
        b.iter(|| {
            let request = ChatRequest::new([Message::user("Quantas horas?")]);
            runtime.block_on(model.chat(request)).expect("an answer")
        });
    });
    group.finish();
}

criterion_group!(benches, stream);
criterion_main!(benches);
