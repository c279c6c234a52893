//! A page on this machine that answers from a project's sources: it streams, cites, and keeps the conversation.
//!
//! `cargo run --release --example web` serves the sample sources; see `examples/README.md`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

mod app;
mod arguments;
mod ask;
mod conversations;
mod ending;
mod guard;
mod page;
mod problem;

use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::Arc;

use axum::routing::{delete, get, post};
use axum::{Router, middleware};
use examples::models::Models;
use examples::{Failure, finish, samples};
use tokio::net::TcpListener;
use tusab_engine::{Cancel, Engine, Project, Source};

use app::App;
use arguments::Arguments;
use ending::Ending;
use guard::Here;

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await, arguments::USAGE)
}

async fn run() -> Result<(), Failure> {
    let Some(arguments) = arguments::parse()? else {
        println!("{}", arguments::help());
        return Ok(());
    };
    // Lives to the end of this function, and takes everything in it away then.
    let temporary = tempfile::tempdir().map_err(|error| Failure::of(&error))?;
    let engine = engine(&arguments, temporary.path())?;
    let project = match &arguments.data {
        Some(_) => chosen(&engine, arguments.project.as_deref()).await?,
        None => sampled(&engine, arguments.project.as_deref()).await?,
    };

    // Never another address: whoever can reach the page can read the sources.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port)).await;
    let listener = listener.map_err(|error| {
        let port = arguments.port;
        Failure::Failed(format!(
            "cannot listen on port {port}: {error}; choose another with --port, 0 for any"
        ))
    })?;
    let address = listener.local_addr().map_err(|error| Failure::of(&error))?;
    let ending = Ending::new();
    let app = App::new(engine, project.name(), ending.clone());
    println!("{} is at http://{address}/ (Ctrl-C ends)", project.name());
    let serving = axum::serve(listener, router(app, Here::at(address.port())));
    let served = serving.with_graceful_shutdown(ending.clone().asked());
    tokio::select! {
        served = async { served.await } => served.map_err(|error| Failure::of(&error)),
        // A browser that keeps a connection open does not keep the program.
        () = ending.patience_over() => Ok(()),
    }
}

/// The engine with the models that there are. Those of the search are read when a Broad Search first needs them.
fn engine(arguments: &Arguments, temporary: &std::path::Path) -> Result<Engine, Failure> {
    let data = arguments.data.as_deref().unwrap_or(temporary);
    if !data.is_dir() {
        return Err(Failure::Failed(format!("{} is no folder: name the engine's", data.display())));
    }
    let models = Models::default();
    let mut engine = arguments.chat_models.give(Engine::builder().data_dir(data))?;
    engine = engine.reranker(models.reranker()?);
    if let Some(embedder) = models.embedder()? {
        engine = engine.embedder(embedder);
    }
    Ok(engine.build()?)
}

/// The project of that name, or the first one. None is made.
async fn chosen(engine: &Engine, name: Option<&str>) -> Result<Project, Failure> {
    let listed = engine.projects().await?.projects;
    let name = name.or_else(|| listed.first().map(|info| info.name.as_str())).ok_or_else(|| {
        Failure::Failed(
            "the data directory has no project yet: take sources in with quickstart --data".to_owned(),
        )
    })?;
    engine.find_project(name).await?.ok_or_else(|| {
        let names: Vec<String> = listed.iter().map(|info| format!("{:?}", info.name)).collect();
        Failure::Failed(format!("there is no project {name:?}; there are: {}", names.join(", ")))
    })
}

/// A project that holds the sample sources.
async fn sampled(engine: &Engine, name: Option<&str>) -> Result<Project, Failure> {
    let project = engine.project(name.unwrap_or("Horta")).await?;
    let sources = samples()?.into_iter().map(Source::file).collect();
    project.ingest_all(sources, &Cancel::new()).await?;
    Ok(project)
}

fn router(app: App, here: Here) -> Router {
    page::routes()
        .route("/api/projects", get(conversations::projects))
        .route("/api/project", get(conversations::project))
        .route("/api/history", get(conversations::history))
        .route("/api/session", delete(conversations::forget))
        .route("/api/ask", post(ask::ask))
        .with_state(app)
        .layer(middleware::from_fn_with_state(Arc::new(here), guard::guard))
}
