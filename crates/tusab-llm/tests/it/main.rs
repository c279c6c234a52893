//! The clients against servers of these tests' own, which listen on 127.0.0.1 and send every byte when the test says so,
//! and against real parts from outside, where those are there (`scripts/test.sh`).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(clippy::large_futures, reason = "each is made once")]

mod client;
mod ollama;
mod parts;
mod providers;
mod server;
