//! The program of `axum.md`.
#![allow(clippy::print_stdout, reason = "command-line programs print")]

use std::error::Error;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use futures_util::stream;
use serde::Deserialize;
use tusab_engine::{Engine, Project, Source};

#[derive(Deserialize)]
struct Ask {
    session: String,
    question: String,
}

async fn ask(State(project): State<Project>, Json(ask): Json<Ask>) -> impl IntoResponse {
    let answer = project.chat(&ask.session).ask_stream(&ask.question);
    // A browser that goes away drops the stream, and with it the work on the answer.
    let events = stream::unfold(answer, |mut answer| async move {
        let event = match answer.next().await? {
            Ok(event) => Event::default().json_data(event),
            Err(error) => Event::default().event("error").json_data(error.to_string()),
        };
        Some((event, answer))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// Whether this is asked for by this machine's own name, and by no page of another site.
fn is_own(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let host = text(header::HOST).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let is_own_page = text(header::ORIGIN).is_none_or(|origin| origin == format!("http://{host}"));
    matches!(name, "127.0.0.1" | "localhost") && is_own_page
}

async fn own_pages_only(request: Request, next: Next) -> Result<Response, StatusCode> {
    if is_own(request.headers()) { Ok(next.run(request).await) } else { Err(StatusCode::FORBIDDEN) }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let engine = Engine::builder().data_dir("garden-data").build()?;
    let project = engine.project("Garden").await?;
    project.ingest(Source::text("Herbs", "Mint needs three to four hours of sun a day.")).await?;

    let app = Router::new().route("/ask", post(ask)).with_state(project).layer(from_fn(own_pages_only));
    // Port 0 lets the system choose one.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, app).await?;
    Ok(())
}
