//! An answer as a stream of the engine's events.

use axum::Json;
use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::stream::{Stream, StreamExt, poll_fn};
use serde::Deserialize;
use serde_json::json;
use tusab_engine::{AnswerEvent, Error, SearchMode};

use crate::app::App;
use crate::problem::Problem;

/// A question, and where it belongs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    project: String,
    session: String,
    question: String,
    mode: SearchMode,
}

/// Answers a question. A reader that goes away drops the stream, which stops the model.
pub(crate) async fn ask(
    State(app): State<App>,
    Json(asked): Json<Asked>,
) -> Result<Sse<impl Stream<Item = Result<Event, axum::Error>>>, Problem> {
    let project = app.project(&asked.project).await?;
    if asked.mode == SearchMode::Broad {
        app.enrich(&project);
    }
    let mut answer = project.chat(&asked.session).with_mode(asked.mode).ask_stream(&asked.question);
    let events = poll_fn(move |cx| answer.poll_next(cx)).map(event).take_until(app.ending.asked());
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

fn event(told: Result<AnswerEvent, Error>) -> Result<Event, axum::Error> {
    match told {
        Ok(event) => Event::default().json_data(event),
        Err(error) => Event::default().json_data(json!({"type": "failed", "data": examples::chain(&error)})),
    }
}
