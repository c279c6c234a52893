//! The Ollama client against a server of these tests' own, which listens on 127.0.0.1 and sends every byte
//! when the test says so.

mod answers;
mod cancelling;
mod faults;
mod isolation;
mod server;
