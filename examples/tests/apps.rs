//! The examples that are apps, run as programs: an assistant's client speaks to `mcp`, a browser opens `web`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

#[path = "apps/common.rs"]
mod common;
#[path = "apps/mcp.rs"]
mod mcp;
#[path = "apps/web.rs"]
mod web;
