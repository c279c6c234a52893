//! The models that Broad Search can use, which of them are here, and installing one.
//!
//! `cargo run --release --example models -- [--install NAME] [--size NAME]`. Nothing is downloaded but by `--install`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use examples::{Failure, chain, finish, text};
use indicatif::{ProgressBar, ProgressStyle};
use lexopt::Arg;
use serde_json::json;
use tusab_engine::ProviderEmbedder;
use tusab_engine::llm::{Ollama, OllamaOptions};
use tusab_engine::rerank::{KnownModel, ModelKind, ModelStore};

const USAGE: &str = "\
Usage: models [--install NAME | --size NAME] [--json]

Says which models for Broad Search are here. `nomic-embed-text` is one of the user's Ollama.

  --size NAME      ask the hub how many bytes installing this one would download
  --install NAME   download it into the user's store; Ctrl-C stops, and the next time goes on from there
  --json           print one JSON object and nothing else";

enum What {
    List,
    Size(String),
    Install(String),
}

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await, USAGE)
}

async fn run() -> Result<(), Failure> {
    let (mut what, mut as_json) = (What::List, false);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("install") => what = What::Install(text(parser.value()?)?),
            Arg::Long("size") => what = What::Size(text(parser.value()?)?),
            Arg::Long("json") => as_json = true,
            Arg::Short('h') | Arg::Long("help") => {
                println!("{USAGE}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let store = ModelStore::from_env()
        .ok_or_else(|| Failure::Failed("there is no cache folder: set HOME or XDG_CACHE_HOME".to_owned()))?;
    match what {
        What::List => list(&store, as_json),
        What::Size(name) => size(&store, known(&name)?, as_json)?,
        What::Install(name) if name == ProviderEmbedder::NOMIC => pull(&name, as_json).await?,
        What::Install(name) => install(store, known(&name)?, as_json).await?,
    }
    Ok(())
}

/// The model of that name, with its owner or without.
fn known(name: &str) -> Result<KnownModel, Failure> {
    let short = |model: &KnownModel| short(model.repository).eq_ignore_ascii_case(name);
    let found = KnownModel::ALL.into_iter().find(|model| model.repository == name || short(model));
    found.ok_or_else(|| {
        let names: Vec<&str> = KnownModel::ALL.iter().map(|model| self::short(model.repository)).collect();
        let nomic = ProviderEmbedder::NOMIC;
        Failure::Usage(format!("{name:?} is none of the known models: {}, {nomic}", names.join(", ")))
    })
}

fn short(repository: &str) -> &str {
    repository.rsplit('/').next().unwrap_or(repository)
}

fn kind(model: &KnownModel) -> &'static str {
    match model.kind {
        ModelKind::CrossEncoder => "cross-encoder",
        ModelKind::SentenceEncoder => "sentences",
        _ => "other",
    }
}

fn list(store: &ModelStore, as_json: bool) {
    let models: Vec<_> = KnownModel::ALL.iter().map(|model| (model, store.find(model).ok())).collect();
    if as_json {
        let models: Vec<_> = models
            .iter()
            .map(|(model, path)| json!({"name": model.repository, "kind": kind(model), "path": path}))
            .collect();
        println!("{}", json!({"models": models}));
        return;
    }
    for (model, path) in &models {
        let place = path.as_deref().map_or_else(|| "-".to_owned(), |path| path.display().to_string());
        println!("{:<14} {:<40} {place}", kind(model), short(model.repository));
    }
    println!("\nThe first of each kind is the default; the multilingual ones know Portuguese.");
    println!("To get one: cargo run --release --example models -- --install NAME");
}

fn size(store: &ModelStore, model: KnownModel, as_json: bool) -> Result<(), Failure> {
    let bytes = store.download_size(&model).map_err(|error| Failure::Failed(chain(&error)))?;
    if as_json {
        println!("{}", json!({"name": model.repository, "download_bytes": bytes}));
    } else {
        println!("{} MB to download", bytes.div_ceil(1_000_000));
    }
    Ok(())
}

/// Downloads in the background, so that Ctrl-C is heard.
async fn install(store: ModelStore, model: KnownModel, as_json: bool) -> Result<(), Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let bar = bar();
    let download = tokio::task::spawn_blocking({
        let (stop, bar) = (Arc::clone(&stop), bar.clone());
        move || {
            store.install(
                &model,
                &|progress| {
                    bar.set_length(progress.total);
                    bar.set_position(progress.bytes);
                    bar.set_message(progress.file.to_owned());
                },
                &|| stop.load(Ordering::Relaxed),
            )
        }
    });
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.store(true, Ordering::Relaxed);
        }
    });
    let done = download.await.map_err(|error| Failure::of(&error))?;
    bar.finish_and_clear();
    told(model.repository, Some(&done.map_err(|error| Failure::Failed(chain(&error)))?), as_json);
    Ok(())
}

/// Asks Ollama to download one; dropped by Ctrl-C, it stops, and goes on the next time.
async fn pull(name: &str, as_json: bool) -> Result<(), Failure> {
    let failed = |error: tusab_engine::llm::Error| Failure::Failed(chain(&error));
    let ollama = Ollama::new(OllamaOptions::default()).map_err(failed)?;
    let bar = bar();
    let read = async {
        let mut pull = ollama.pull(name).await?;
        while let Some(progress) = pull.next().await {
            let progress = progress?;
            bar.set_length(progress.total_bytes.unwrap_or_default());
            bar.set_position(progress.completed_bytes.unwrap_or_default());
            bar.set_message(progress.status);
        }
        Ok(())
    };
    tokio::select! {
        done = read => done.map_err(failed)?,
        _ = tokio::signal::ctrl_c() => return Err(Failure::Failed("stopped".to_owned())),
    }
    bar.finish_and_clear();
    told(name, None, as_json);
    Ok(())
}

fn told(name: &str, path: Option<&Path>, as_json: bool) {
    if as_json {
        println!("{}", json!({"name": name, "path": path}));
    } else {
        let place = path.map_or_else(|| "in Ollama".to_owned(), |path| path.display().to_string());
        println!("{name} is here: {place}");
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    // A template that does not parse would only cost the looks.
    if let Ok(style) = ProgressStyle::with_template("{msg:<36!} {wide_bar} {bytes}/{total_bytes} {eta}") {
        bar.set_style(style);
    }
    bar
}
