//! Reading streamed answers: each provider's decoder alone on 10 MB, the same over HTTP from a server on this machine, how
//! soon a piece reaches the caller after its bytes were sent, and a hundred answers at once.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tokio::runtime::{Builder, Runtime};
use tusab_llm::testing::decode;
use tusab_llm::{
    ApiKey, BaseUrl, ChatModel, ChatRequest, Client, Delta, Endpoint, Message, ModelId, OllamaOptions,
    Provider, RetryPolicy,
};

const LONG: usize = 10_000_000;

/// A provider's answer in the form that its documentation gives: the start, one piece, which is repeated, and the end.
struct Form {
    model: &'static str,
    start: &'static str,
    piece: &'static str,
    end: &'static str,
}

const FORMS: [Form; 4] = [
    Form {
        model: "ollama::bench",
        start: "",
        piece: concat!(
            r#"{"model":"bench","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":" três horas de sol"},"done":false}"#,
            "\n"
        ),
        end: concat!(
            r#"{"model":"bench","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":70000}"#,
            "\n"
        ),
    },
    Form {
        model: "openai::bench",
        start: "",
        piece: concat!(
            r#"data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"bench","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" três horas de sol"},"logprobs":null,"finish_reason":null}],"usage":null}"#,
            "\n\n"
        ),
        end: concat!(
            r#"data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"bench","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
            "\n\ndata: [DONE]\n\n"
        ),
    },
    Form {
        model: "anthropic::bench",
        start: concat!(
            "event: message_start\n",
            r#"data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"bench","usage":{"input_tokens":10,"output_tokens":1}}}"#,
            "\n\n"
        ),
        piece: concat!(
            "event: content_block_delta\n",
            r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" três horas de sol"}}"#,
            "\n\n"
        ),
        end: concat!(
            "event: message_delta\n",
            r#"data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":70000}}"#,
            "\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
        ),
    },
    Form {
        model: "gemini::bench",
        start: "",
        piece: concat!(
            r#"data: {"candidates":[{"content":{"parts":[{"text":" três horas de sol"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":10,"totalTokenCount":10},"modelVersion":"bench","responseId":"r"}"#,
            "\r\n\r\n"
        ),
        end: concat!(
            r#"data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}]}"#,
            "\r\n\r\n"
        ),
    },
];

impl Form {
    fn id(&self) -> ModelId {
        self.model.parse().expect("a model id")
    }

    /// An answer of about `length` bytes.
    fn recording(&self, length: usize) -> Arc<[u8]> {
        let pieces = self.piece.repeat(length / self.piece.len());
        format!("{}{pieces}{}", self.start, self.end).into_bytes().into()
    }

    /// The model at `address`.
    fn at(&self, address: SocketAddr) -> Arc<dyn ChatModel> {
        let id = self.id();
        let url = BaseUrl::parse(id.provider(), &format!("http://{address}")).expect("a loopback address");
        let builder = Client::builder().with_retry(RetryPolicy::never());
        let builder = if id.provider() == Provider::Ollama {
            builder.with_ollama(OllamaOptions::default().with_base_url(url))
        } else {
            let key = ApiKey::new("key".to_owned()).expect("a key");
            builder.with_endpoint(id.provider(), Endpoint::new(key).with_base_url(url))
        };
        builder.build().expect("a client").model(&id).expect("a model")
    }
}

/// Answers each connection's one request as `answer` does. Its threads end with the program.
fn serve(answer: impl Fn(TcpStream) + Clone + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let answer = answer.clone();
            thread::spawn(move || {
                // A client that has gone is none of the server's business.
                if read_request(&mut connection).is_ok_and(|there| there) {
                    answer(connection);
                }
            });
        }
    });
    address
}

/// Reads to the end of a request; whether there was one.
fn read_request(connection: &mut TcpStream) -> std::io::Result<bool> {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    // The bodies of this benchmark end with a brace and hold no other one at the end of a read.
    while !request.ends_with(b"}") {
        let count = connection.read(&mut buffer)?;
        request.extend(buffer.iter().take(count));
        if count == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

const HEAD: &str = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";

fn serve_recording(recording: Arc<[u8]>) -> SocketAddr {
    serve(move |mut connection| {
        let _ = connection.write_all(HEAD.as_bytes()).and_then(|()| connection.write_all(&recording));
    })
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn ask() -> ChatRequest {
    ChatRequest::new([Message::user("Quantas horas?")])
}

/// The decoder alone, given pieces as they come from a socket.
fn decoders(c: &mut Criterion) {
    let mut group = c.benchmark_group("llm/decode 10 MB");
    group.sample_size(20);
    for form in &FORMS {
        let (id, recording) = (form.id(), form.recording(LONG));
        group.throughput(Throughput::Bytes(recording.len() as u64));
        group.bench_function(id.provider().as_str(), |b| {
            b.iter(|| {
                let (deltas, error) = decode(&id, recording.chunks(16 * 1024));
                assert!(error.is_none());
                deltas.len()
            });
        });
    }
    group.finish();
}

/// HTTP, framing and decoding together.
fn answers(c: &mut Criterion) {
    let runtime = runtime();
    let mut group = c.benchmark_group("llm/10 MB over loopback");
    group.sample_size(20);
    for form in &FORMS {
        let recording = form.recording(LONG);
        let model = form.at(serve_recording(Arc::clone(&recording)));
        group.throughput(Throughput::Bytes(recording.len() as u64));
        group.bench_function(form.id().provider().as_str(), |b| {
            b.iter(|| runtime.block_on(model.chat(ask())).expect("an answer"));
        });
    }
    group.finish();
}

/// From the moment before the bytes of a piece are written to the moment in which the caller has its delta.
fn first_delta(c: &mut Criterion) {
    let runtime = runtime();
    let mut group = c.benchmark_group("llm/bytes to delta");
    group.sample_size(50);
    for form in &FORMS {
        let (sent, times): (Sender<Instant>, Receiver<Instant>) = channel();
        let first: Arc<[u8]> = format!("{}{}", form.start, form.piece).into_bytes().into();
        let model = form.at(serve(move |mut connection| {
            connection.set_nodelay(true).expect("a socket");
            let _ = connection.write_all(HEAD.as_bytes());
            // The client has read the head by then, and waits.
            thread::sleep(Duration::from_millis(2));
            sent.send(Instant::now()).expect("the benchmark listens");
            let _ = connection.write_all(&first);
            // Until the client leaves.
            let _ = connection.read(&mut [0]);
        }));
        group.bench_function(form.id().provider().as_str(), |b| {
            b.iter_custom(|rounds| {
                let one = || {
                    runtime.block_on(async {
                        let mut stream = model.stream(ask()).await.expect("a stream");
                        loop {
                            if let Delta::Text(_) = stream.next().await.expect("a delta").expect("no error") {
                                return times.recv().expect("it was sent").elapsed();
                            }
                        }
                    })
                };
                (0..rounds).map(|_| one()).sum()
            });
        });
    }
    group.finish();
}

/// A hundred answers of 100 kB each, read on one thread.
fn at_once(c: &mut Criterion) {
    let runtime = runtime();
    let mut group = c.benchmark_group("llm/100 streams at once");
    group.sample_size(20);
    for form in &FORMS {
        let recording = form.recording(100_000);
        let model = form.at(serve_recording(Arc::clone(&recording)));
        group.throughput(Throughput::Bytes(100 * recording.len() as u64));
        group.bench_function(form.id().provider().as_str(), |b| {
            b.iter(|| {
                runtime.block_on(async {
                    let calls: Vec<_> = (0..100)
                        .map(|_| {
                            let model = Arc::clone(&model);
                            tokio::spawn(async move { model.chat(ask()).await.map(|reply| reply.text.len()) })
                        })
                        .collect();
                    for call in calls {
                        call.await.expect("no panic").expect("an answer");
                    }
                });
            });
        });
    }
    group.finish();
}

criterion_group!(benches, decoders, answers, first_delta, at_once);
criterion_main!(benches);
