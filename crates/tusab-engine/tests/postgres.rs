//! Projects whose passages, conversations and ratings are on a real server.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

#[path = "broad/models.rs"]
#[allow(dead_code, reason = "other programs use the rest of it")]
mod models;
#[path = "postgres/moving.rs"]
mod moving;
#[path = "../../tusab-index/tests/postgres/server.rs"]
#[allow(dead_code, reason = "other programs use the rest of it")]
mod server;
#[path = "postgres/shared.rs"]
mod shared;

use std::path::{Path, PathBuf};

use tusab_engine::{Cancel, Engine, EngineBuilder, Project, Source};

/// An engine over a data directory whose passages are on the server.
fn on_server(data: &Path) -> EngineBuilder {
    Engine::builder().data_dir(data).store(server::shared().open())
}

/// A note of one passage.
fn note(title: &str, text: &str) -> Source {
    Source::text(title, text)
}

async fn take_in(project: &Project, notes: &[(&str, &str)]) {
    let sources = notes.iter().map(|(title, text)| note(title, text)).collect();
    let report = project.ingest_all(sources, &Cancel::new()).await.unwrap();
    assert_eq!((report.stored(), report.failed()), (notes.len(), 0), "{report:?}");
}

/// The titles of what is found, best first.
async fn found(project: &Project, text: &str) -> Vec<String> {
    let hits = project.search(text).await.unwrap().hits;
    hits.iter().map(|hit| hit.document.title.clone()).collect()
}

/// The files of the examples.
fn samples() -> Vec<Source> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/samples");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension != "json"));
    files.sort();
    files.into_iter().map(Source::file).collect()
}
