//! The life of a project: made, renamed, filled, kept fresh, deleted, forgotten.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking"
)]

#[path = "life/child.rs"]
mod child;
#[path = "life/common.rs"]
mod common;
#[path = "life/config.rs"]
mod config;
#[path = "life/environment.rs"]
mod environment;
#[path = "life/ingest.rs"]
mod ingest;
#[cfg(all(feature = "keyring", target_os = "linux"))]
#[path = "life/keyring.rs"]
mod keyring;
#[path = "life/logs.rs"]
mod logs;
#[path = "life/merge.rs"]
mod merge;
#[path = "life/models.rs"]
mod models;
#[path = "life/names.rs"]
mod names;
#[path = "life/old_here.rs"]
mod old_here;
#[path = "life/old_names.rs"]
mod old_names;
#[path = "life/opening.rs"]
mod opening;
#[path = "life/phrases.rs"]
mod phrases;
#[path = "life/projects.rs"]
mod projects;
#[path = "life/purge.rs"]
mod purge;
#[path = "life/queue.rs"]
mod queue;
#[path = "life/refresh.rs"]
mod refresh;
#[path = "life/sources.rs"]
mod sources;
#[path = "life/sync.rs"]
mod sync;
