//! The store on PostgreSQL, against a real server.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "tests fail by panicking, and say what they measured"
)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/conformance.rs"]
mod conformance;

mod built_in;
mod enriching;
mod faults;
mod moving;
mod parity;
mod ranking;
mod replica;
mod server;
mod sql;
mod store;
mod tenants;
