//! The code of the guides, run; and what the pages say, compared with what is there.

#![allow(
    clippy::cast_precision_loss,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking, and count little; the code of the guides shows what it finds"
)]

#[path = "guides/common.rs"]
mod common;
#[path = "guides/confidence.rs"]
mod confidence;
#[path = "guides/offline.rs"]
mod offline;
#[path = "guides/own.rs"]
mod own;
#[path = "guides/pages.rs"]
mod pages;
#[path = "guides/privacy.rs"]
mod privacy;
#[path = "guides/python_app.rs"]
mod python_app;
#[path = "guides/ranking.rs"]
mod ranking;
#[cfg(feature = "postgres")]
#[path = "guides/scale.rs"]
mod scale;
#[path = "guides/security.rs"]
mod security;
#[path = "guides/server.rs"]
mod server;
#[path = "guides/start.rs"]
mod start;
#[path = "guides/tauri.rs"]
mod tauri;
#[path = "guides/troubleshooting.rs"]
mod troubleshooting;
