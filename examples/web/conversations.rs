//! Projects and their conversations, which the engine keeps.

use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tusab_engine::{SessionInfo, Turn};

use crate::app::App;
use crate::problem::Problem;

/// Which project.
#[derive(Debug, Deserialize)]
pub(crate) struct OfProject {
    project: String,
}

/// Which conversation.
#[derive(Debug, Deserialize)]
pub(crate) struct OfSession {
    project: String,
    session: String,
}

/// The projects that there are, and the one that is opened first.
#[derive(Debug, Serialize)]
pub(crate) struct Projects {
    projects: Vec<String>,
    first: String,
}

/// A project, as the page begins with it.
#[derive(Debug, Serialize)]
pub(crate) struct Overview {
    documents: usize,
    passages: usize,
    /// The one last used first.
    sessions: Vec<SessionInfo>,
}

pub(crate) async fn projects(State(app): State<App>) -> Result<Json<Projects>, Problem> {
    let listed = app.engine.projects().await?;
    let projects = listed.projects.into_iter().map(|info| info.name).collect();
    Ok(Json(Projects { projects, first: app.first.to_string() }))
}

pub(crate) async fn project(
    State(app): State<App>,
    Query(of): Query<OfProject>,
) -> Result<Json<Overview>, Problem> {
    let project = app.project(&of.project).await?;
    let (statistics, sessions) = (project.statistics().await?, project.sessions().await?.sessions);
    Ok(Json(Overview { documents: statistics.documents, passages: statistics.chunks, sessions }))
}

pub(crate) async fn history(
    State(app): State<App>,
    Query(of): Query<OfSession>,
) -> Result<Json<Vec<Turn>>, Problem> {
    Ok(Json(app.project(&of.project).await?.chat(&of.session).history().await?))
}

pub(crate) async fn forget(
    State(app): State<App>,
    Query(of): Query<OfSession>,
) -> Result<StatusCode, Problem> {
    app.project(&of.project).await?.chat(&of.session).delete().await?;
    Ok(StatusCode::NO_CONTENT)
}
