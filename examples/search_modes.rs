//! One question, searched narrowly and broadly, side by side: what each finds, why, and what it costs.
//!
//! `cargo run --release --example search_modes -- [--ask QUESTION] [MODELS] [FILE...]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::path::PathBuf;
use std::process::ExitCode;

use examples::models::{self, Models};
use examples::{Failure, Progress, finish, samples, text};
use lexopt::Arg;
use tusab_engine::{Cancel, Engine, Found, Search, SearchMode, Source};

const USAGE: &str = "\
Usage: search_modes [--ask QUESTION] [MODELS] [FILE...]

Takes files in (its own samples without any) and searches them for a question by words, and by words and meaning.

  --ask QUESTION   what to look for";

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await, USAGE)
}

async fn run() -> Result<(), Failure> {
    let (mut question, mut files, mut models) = (None, Vec::<PathBuf>::new(), Models::default());
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("ask") => question = Some(text(parser.value()?)?),
            Arg::Short('h') | Arg::Long("help") => {
                println!("{USAGE}\n{}", models::USAGE);
                return Ok(());
            }
            Arg::Value(file) => files.push(file.into()),
            Arg::Long(name) => {
                let name = name.to_owned();
                if !models.take(&name, || parser.value())? {
                    return Err(Arg::Long(&name).unexpected().into());
                }
            }
            other @ Arg::Short(_) => return Err(other.unexpected().into()),
        }
    }
    if files.is_empty() {
        files = samples()?;
    }
    let question = question.unwrap_or_else(|| "my compost bin has an unpleasant odour".to_owned());

    let data = tempfile::tempdir().map_err(|error| Failure::of(&error))?;
    let progress = Progress::new();
    let bar = progress.clone();
    let mut engine = Engine::builder()
        .data_dir(data.path())
        .on_event(move |event| bar.show(event))
        .reranker(models.reranker()?);
    if let Some(embedder) = models.embedder()? {
        engine = engine.embedder(embedder);
    }
    let project = engine.build()?.project("modes").await?;
    project.ingest_all(files.iter().map(Source::file).collect(), &Cancel::new()).await?;
    project.enrich(&Cancel::new()).await?;
    progress.clear();
    println!("{question}");
    for mode in [SearchMode::Narrow, SearchMode::Broad] {
        let found = project.search(Search::new(question.as_str()).with_mode(mode).with_limit(3)).await?;
        print(mode, &question, &found);
    }
    Ok(())
}

fn print(mode: SearchMode, question: &str, found: &Found) {
    println!("\n{mode:?} Search, {:.1} ms", found.timings.total.as_secs_f64() * 1e3);
    for (at, hit) in found.hits.iter().enumerate() {
        let by: Vec<String> =
            hit.matched_by().iter().map(|part| format!("{part:?}").to_lowercase()).collect();
        println!("  {:.2} {} ({})", hit.score, hit.document.title, by.join(", "));
        println!(
            "       {}",
            hit.snippet(question, tusab_engine::chunk::Chars(90)).text().replace('\n', " ")
        );
        if let Some(ranks) = found.ranks.get(at) {
            let place = |place: Option<usize>| place.map_or("-".to_owned(), |place| place.to_string());
            println!(
                "       place by words {}, by meaning {}, by the cross-encoder {}",
                place(ranks.words),
                place(ranks.meaning),
                place(ranks.cross_encoder)
            );
        }
    }
    if found.hits.is_empty() {
        println!("  nothing");
    }
    for degraded in &found.degraded {
        println!("  less than it could be: {} ({})", degraded.reason(), degraded.remedy());
    }
}
