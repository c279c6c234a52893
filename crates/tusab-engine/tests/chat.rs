//! Conversations: what a model is asked, what a session keeps, what is answered without a search.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking"
)]

#[path = "chat/feedback.rs"]
mod feedback;
#[path = "chat/injection.rs"]
mod injection;
#[path = "chat/models.rs"]
mod models;
#[path = "chat/parts.rs"]
mod parts;
#[path = "chat/prompts.rs"]
mod prompts;
#[path = "chat/routes.rs"]
mod routes;
#[path = "chat/sessions.rs"]
mod sessions;
#[path = "chat/streams.rs"]
mod streams;
#[path = "chat/summaries.rs"]
mod summaries;
