//! How long it takes to take in many files, to look at them again unchanged, and to synchronise.
//!
//! `cargo run --release --example growth -- [--documents N] [--bytes N] [--data DIR] [--json]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use examples::{Failure, finish};
use lexopt::Arg;
use serde_json::json;
use tusab_engine::{Cancel, Engine, Source};

const USAGE: &str = "\
Usage: growth [--documents N] [--bytes N] [--data DIR] [--json]

Writes N Markdown files (1000 by default) of some bytes each (5000 by default), takes them in without key phrases until
they are durable and searchable, takes the same unchanged files in again, and synchronises the project twice.

  --data DIR  where the project is made; a temporary folder by default
  --json      print one JSON object and nothing else";

fn main() -> ExitCode {
    finish(run(), USAGE)
}

struct Arguments {
    documents: usize,
    bytes: usize,
    data: Option<PathBuf>,
    json: bool,
}

fn arguments() -> Result<Option<Arguments>, Failure> {
    let mut given = Arguments { documents: 1000, bytes: 5000, data: None, json: false };
    let mut parser = lexopt::Parser::from_env();
    let number = |value: std::ffi::OsString| {
        let number = value.to_str().and_then(|value| value.parse().ok());
        number.ok_or_else(|| Failure::Usage(format!("{} is no number", value.display())))
    };
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("documents") => given.documents = number(parser.value()?)?,
            Arg::Long("bytes") => given.bytes = number(parser.value()?)?,
            Arg::Long("data") => given.data = Some(parser.value()?.into()),
            Arg::Long("json") => given.json = true,
            Arg::Short('h') | Arg::Long("help") => {
                println!("{USAGE}");
                return Ok(None);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Some(given))
}

fn run() -> Result<(), Failure> {
    let Some(given) = arguments()? else { return Ok(()) };
    let temporary = tempfile::tempdir().map_err(|error| Failure::of(&error))?;
    let folder = temporary.path().join("files");
    let paths = write_files(&folder, &given).map_err(|error| Failure::of(&error))?;
    // Younger files are read again, since an edit in the same tick of the clock would not show.
    std::thread::sleep(Duration::from_secs(4));
    let data = given.data.clone().unwrap_or_else(|| temporary.path().join("data"));
    let runtime = tokio::runtime::Builder::new_multi_thread().build().map_err(|error| Failure::of(&error))?;
    runtime.block_on(measure(&given, &data, &paths))
}

async fn measure(given: &Arguments, data: &Path, paths: &[PathBuf]) -> Result<(), Failure> {
    let engine = Engine::builder().data_dir(data).build()?;
    let project = engine.project("Growth").await?;
    let sources = || paths.iter().map(Source::file).collect::<Vec<_>>();
    let cancel = Cancel::new();

    let started = Instant::now();
    let report = project.ingest_all(sources(), &cancel).await?;
    let ingest = started.elapsed();
    let last = word(given.documents - 1);
    let found = project.search(last.as_str()).await?.hits.len();
    if report.stored() != given.documents || found != 1 {
        return Err(Failure::Failed(format!("{} stored, the last one found {found} times", report.stored())));
    }

    let started = Instant::now();
    let again = project.ingest_all(sources(), &cancel).await?;
    let unchanged = started.elapsed();
    let mut syncs = Vec::new();
    std::thread::sleep(Duration::from_secs(4));
    let mut seen = 0;
    for _ in 0..3 {
        let started = Instant::now();
        seen = project.sync(&cancel).await?.unchanged;
        syncs.push(started.elapsed());
    }
    if again.stored() != 0 || seen != given.documents {
        return Err(Failure::Failed(format!("{} stored again, {seen} seen unchanged", again.stored())));
    }
    drop(project);
    let started = Instant::now();
    let opened = Engine::builder().data_dir(data).build()?.project("Growth").await?;
    let open = started.elapsed();
    let chunks = opened.statistics().await?.chunks;

    let ms = |time: &Duration| (time.as_secs_f64() * 1e4).round() / 10.0;
    let measured = json!({
        "documents": given.documents,
        "bytes": given.bytes,
        "chunks": chunks,
        "ingest_ms": ms(&ingest),
        "unchanged_ms": ms(&unchanged),
        "sync_ms": syncs.iter().map(ms).collect::<Vec<_>>(),
        "open_ms": ms(&open),
    });
    if given.json {
        println!("{measured}");
    } else {
        println!("{} files of {} bytes, {chunks} chunks", given.documents, given.bytes);
        println!("taken in: {:.1} ms", ms(&ingest));
        println!("the same again: {:.1} ms", ms(&unchanged));
        println!(
            "synchronised, the first time reading all: {:?} ms",
            syncs.iter().map(ms).collect::<Vec<_>>()
        );
        println!("opened: {:.1} ms", ms(&open));
    }
    Ok(())
}

fn word(number: usize) -> String {
    format!("zq{number}q")
}

/// Notes of words drawn from a vocabulary of ordinary size, each with a word of its own.
fn write_files(folder: &Path, given: &Arguments) -> std::io::Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut paths = Vec::new();
    for number in 0..given.documents {
        let mut text = format!("# Nota {number}\n\nA palavra é {}.\n\n", word(number));
        while text.len() < given.bytes {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // Small numbers are drawn more often, as common words are.
            let common = (state % 20_000) * ((state >> 20) % 20_000) / 20_000;
            let end = if state.is_multiple_of(13) { ".\n\n" } else { " " };
            let _ = write!(text, "palavra{common}{end}");
        }
        let path = folder.join(format!("nota-{number}.md"));
        fs::write(&path, text)?;
        paths.push(path);
    }
    Ok(paths)
}
