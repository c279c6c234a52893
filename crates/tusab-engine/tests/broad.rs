//! Broad Search, with every part there, missing and failing. The models here are small functions behind the seams, so that
//! what they say is known; `real.rs` of this folder's programs runs real ones.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

#[path = "broad/enrich.rs"]
mod enrich;
#[path = "broad/expand.rs"]
mod expand;
#[path = "broad/missing.rs"]
mod missing;
#[path = "broad/models.rs"]
mod models;
#[path = "broad/order.rs"]
mod order;
#[path = "broad/provider.rs"]
mod provider;
#[path = "broad/real.rs"]
mod real;
#[path = "broad/traced.rs"]
mod traced;

use std::path::Path;
use std::sync::Arc;

use models::{Meanings, Opinions};
use tusab_engine::{Cancel, Engine, EngineBuilder, Found, Project, Search, SearchMode, Source};

/// Notes on cars and bread. `car` and `automobile` are one meaning.
const NOTES: [(&str, &str); 6] = [
    ("garage", "The automobile stands in the garage behind the house."),
    ("engine", "A car needs oil, and the car dealer sells it."),
    ("bread", "Bread dough rests for an hour before the oven."),
    ("oil", "Olive oil makes the bread soft and keeps it fresh."),
    ("road", "The road to the mill is long and dusty in summer."),
    ("law", "A car must be insured before it is on the road."),
];

fn builder(data: &Path) -> EngineBuilder {
    Engine::builder().data_dir(data)
}

async fn filled(engine: Engine) -> Project {
    let project = engine.project("Notes").await.unwrap();
    let sources = NOTES.map(|(title, text)| Source::text(title, text)).to_vec();
    let report = project.ingest_all(sources, &Cancel::new()).await.unwrap();
    assert_eq!(report.failed(), 0, "{report:?}");
    project.enrich(&Cancel::new()).await.unwrap();
    project
}

/// A project with a cross-encoder of these opinions and an embedder.
async fn with_both(data: &Path, opinions: Opinions) -> Project {
    filled(builder(data).reranker(Arc::new(opinions)).embedder(Arc::new(Meanings::new())).build().unwrap())
        .await
}

async fn broad(project: &Project, text: &str) -> Found {
    project.search(Search::new(text).with_mode(SearchMode::Broad)).await.unwrap()
}

fn titles(found: &Found) -> Vec<&str> {
    found.hits.iter().map(|hit| hit.document.title.as_str()).collect()
}
