//! How well each of some passages answers a question, by a cross-encoder.
//!
//! `cargo run --release --example rerank -- PASSAGES.jsonl --query TEXT [--json] [MODELS]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use examples::models::{self, Models};
use examples::{Failure, finish, measure, number, passages, text};
use lexopt::Arg;
use serde_json::json;
use tusab_engine::rerank::{CrossEncoder, CrossEncoderOptions, Reranker, Windows};

const USAGE: &str = "\
Usage: rerank PASSAGES.jsonl --query TEXT [--windows all|N] [--rounds N] [--json] [MODELS]

Scores passages ({\"text\": ...} a line) against a question.

  --query TEXT     the question
  --windows WHAT   all: read all of each passage; N: read a window of N tokens (default 256)
  --rounds N       repeat with an empty score cache, and tell the median time (default 1)
  --json           print one JSON object and nothing else";

struct Arguments {
    passages: PathBuf,
    query: String,
    options: CrossEncoderOptions,
    rounds: NonZeroUsize,
    models: Models,
    json: bool,
}

fn main() -> ExitCode {
    finish(run(), &format!("{USAGE}\n{}", models::USAGE))
}

fn arguments() -> Result<Option<Arguments>, Failure> {
    let (mut passages, mut query, mut json, mut models) = (None, None, false, Models::default());
    let mut options = CrossEncoderOptions::default();
    let mut rounds = NonZeroUsize::MIN;
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("json") => json = true,
            Arg::Long("query") => query = Some(text(parser.value()?)?),
            Arg::Long("rounds") => rounds = number(parser.value()?)?,
            Arg::Long("windows") => options = options.with_windows(windows(text(parser.value()?)?)?),
            Arg::Short('h') | Arg::Long("help") => {
                println!("{USAGE}\n{}", models::USAGE);
                return Ok(None);
            }
            Arg::Value(file) if passages.is_none() => passages = Some(PathBuf::from(file)),
            Arg::Long(name) => {
                let name = name.to_owned();
                if !models.take(&name, || parser.value())? {
                    return Err(Arg::Long(&name).unexpected().into());
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let passages = passages.ok_or_else(|| Failure::Usage("name a file of passages".to_owned()))?;
    let query = query.ok_or_else(|| Failure::Usage("name a question with --query".to_owned()))?;
    Ok(Some(Arguments { passages, query, options, rounds, models, json }))
}

fn windows(value: String) -> Result<Windows, Failure> {
    match (value.as_str(), Windows::default()) {
        ("all", _) => Ok(Windows::All),
        (_, Windows::Best { head, count, .. }) => {
            Ok(Windows::Best { tokens: number(value.into())?, head, count })
        }
        (_, other) => Ok(other),
    }
}

fn run() -> Result<(), Failure> {
    let Some(Arguments { passages, query, options, rounds, models, json }) = arguments()? else {
        return Ok(());
    };
    let texts = passages::read(&passages)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let options = options.with_runtime(models.runtime()).with_cached_scores(0);
    let encoder = CrossEncoder::new(models.cross_encoder()?, options);
    let begun = Instant::now();
    let backend = encoder.load().map_err(|error| models::failure(&error))?;
    let load_ms = begun.elapsed().as_secs_f64() * 1e3;
    let (mut times, mut scores) = (Vec::new(), Vec::new());
    for _ in 0..rounds.get() {
        let begun = Instant::now();
        scores = encoder.scores(&query, &texts).map_err(|error| models::failure(&error))?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    let ms = measure::percentile(&times, 0.5);
    if json {
        let object = json!({
            "backend": backend.name(),
            "model": encoder.model(),
            "passages": texts.len(),
            "load_ms": load_ms,
            "ms": ms,
            "first_ms": times.first(),
            "peak_mb": measure::peak_megabytes(),
            "scores": scores,
        });
        println!("{object}");
        return Ok(());
    }
    println!(
        "{} on {backend}: {} passages in {ms:.0} ms, opened in {load_ms:.0} ms\n",
        encoder.model(),
        texts.len()
    );
    let mut order: Vec<(f32, &str)> = scores.into_iter().zip(texts).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (score, text) in order {
        let start: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(90).collect();
        println!("{score:8.3}  {start}");
    }
    Ok(())
}
