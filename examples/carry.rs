//! How fast a project is carried: written into one file, and made again of it.
//!
//! `cargo run --release --example carry -- CORPUS [--chunks N] [--json]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use examples::collection;
use examples::measure::peak_megabytes;
use examples::{Failure, finish, number};
use lexopt::Arg;
use serde_json::json;
use tusab_engine::{Cancel, Engine, Project, Source};

const USAGE: &str = "\
Usage: carry CORPUS [--chunks N] [--json]

Makes documents of the passages of a .jsonl, .jsonl.gz or .jsonl.zst file, exports their project and imports it again.

  --chunks N   go on until the project has N chunks, with the passages in other documents (default: 100000)
  --json       print one JSON object and nothing else";

/// Passages of a document: about 25 kB, as an article or half an hour of talk.
const PASSAGES: usize = 60;

struct Arguments {
    corpus: PathBuf,
    chunks: usize,
    json: bool,
}

fn main() -> ExitCode {
    finish(run(), USAGE)
}

fn run() -> Result<(), Failure> {
    let Some(arguments) = parse()? else {
        println!("{USAGE}");
        return Ok(());
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let object = runtime.map_err(|error| Failure::of(&error))?.block_on(measure(&arguments))?;
    if arguments.json {
        println!("{object}");
    } else {
        println!("{object:#}");
    }
    Ok(())
}

async fn measure(arguments: &Arguments) -> Result<serde_json::Value, Failure> {
    let failed = |error: tusab_engine::Error| Failure::of(&error);
    let folder = tempfile::tempdir().map_err(|error| Failure::of(&error))?;
    let file = folder.path().join("base.tusab");
    let engine = Engine::builder().data_dir(folder.path().join("here")).build().map_err(failed)?;
    let project = engine.project("Base").await.map_err(failed)?;
    let mut raw = 0;
    for round in 0.. {
        raw += fill(&project, &arguments.corpus, arguments.chunks, round).await?;
        if project.statistics().await.map_err(failed)?.chunks >= arguments.chunks {
            break;
        }
    }
    let started = Instant::now();
    let exported = project.export(&file).await.map_err(failed)?;
    let export_s = started.elapsed().as_secs_f64();
    // Once more, as any export after the first: nothing is left to be tidied up.
    let started = Instant::now();
    project.export(&file).await.map_err(failed)?;
    let again_s = started.elapsed().as_secs_f64();
    let there = Engine::builder().data_dir(folder.path().join("there")).build().map_err(failed)?;
    let started = Instant::now();
    let imported = there.import(&file, "Base").await.map_err(failed)?;
    let import_s = started.elapsed().as_secs_f64();
    let megabytes = megabytes(raw);
    Ok(json!({
        "documents": exported.documents,
        "chunks": exported.chunks,
        "raw_mb": megabytes,
        "project_mb": exported.bytes / 1_000_000,
        "file_mb": exported.file_bytes / 1_000_000,
        "export_s": export_s,
        "export_again_s": again_s,
        "export_mb_per_s": megabytes / again_s,
        "import_s": import_s,
        "import_mb_per_s": megabytes / import_s,
        "rebuilt": imported.rebuilt,
        "peak_mb": peak_megabytes(),
    }))
}

/// Takes in the corpus, in other documents each round; gives the bytes of their texts.
async fn fill(project: &Project, corpus: &Path, chunks: usize, round: usize) -> Result<usize, Failure> {
    let (mut sources, mut passages) = (Vec::new(), Vec::new());
    let mut end = |passages: &mut Vec<String>| {
        let text = passages.join("\n\n");
        passages.clear();
        sources.push(Source::text(format!("Text {} of round {round}", sources.len()), text));
    };
    collection::passages(corpus, usize::MAX, |passage| {
        passages.push(passage.text);
        if passages.len() == PASSAGES + round {
            end(&mut passages);
        }
    })?;
    if !passages.is_empty() {
        end(&mut passages);
    }
    // A chunk is some 1,800 characters further than the one before.
    let wanted = chunks * 1_800;
    let mut taken = 0;
    sources.retain(|source| {
        let Source::Text { text, .. } = source else { return false };
        let is_wanted = taken < wanted;
        taken += if is_wanted { text.len() } else { 0 };
        is_wanted
    });
    project.ingest_all(sources, &Cancel::new()).await.map_err(|error| Failure::of(&error))?;
    Ok(taken)
}

#[allow(clippy::cast_precision_loss, reason = "a size for people")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn parse() -> Result<Option<Arguments>, Failure> {
    let (mut corpus, mut chunks, mut json) = (None, 100_000, false);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("help") | Arg::Short('h') => return Ok(None),
            Arg::Long("chunks") => chunks = number(parser.value()?)?,
            Arg::Long("json") => json = true,
            Arg::Value(path) if corpus.is_none() => corpus = Some(PathBuf::from(path)),
            other => return Err(other.unexpected().into()),
        }
    }
    let corpus = corpus.ok_or_else(|| Failure::Usage("which corpus?".to_owned()))?;
    Ok(Some(Arguments { corpus, chunks, json }))
}
