//! The whole job in one program: sources in, a cited answer out.
//!
//! `cargo run --release --example quickstart` runs it on the sample sources beside this file;
//! `cargo run --release --example quickstart -- --ask QUESTION FILE...` on yours.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::path::PathBuf;
use std::process::ExitCode;

use examples::models::{self, Models};
use examples::{Failure, Progress, chain, finish, mode, samples, text, warnings};
use lexopt::Arg;
use serde_json::json;
use tusab_engine::{Answer, AnswerKind, Cancel, Engine, IngestReport, Outcome, Project, SearchMode, Source};

const USAGE: &str = "\
Usage: quickstart [--data DIR] [--project NAME] [--mode narrow|broad] [--ask QUESTION] [MODELS] [--json] [FILE...]

Takes in captions, notes and other texts, and answers a question from them with cited sources.
Without files and a data directory it runs on its own samples, in a temporary one.

  --data DIR       keep everything in this folder, and find it there again the next time
  --project NAME   the project in it (default: quickstart)
  --mode MODE      narrow (words, the default) or broad (words and meaning)
  --ask QUESTION   what to answer
  --json           print one JSON object and nothing else";

const SAMPLE_QUESTION: &str = "Quantas horas de sol a hortelã precisa?";

#[derive(Default)]
struct Arguments {
    data: Option<PathBuf>,
    project: Option<String>,
    mode: SearchMode,
    models: Models,
    question: Option<String>,
    json: bool,
    files: Vec<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await, USAGE)
}

async fn run() -> Result<(), Failure> {
    let Some(arguments) = parse()? else {
        println!("{USAGE}\n{}", models::USAGE);
        return Ok(());
    };
    // Lives to the end of this function, and takes everything in it away then.
    let temporary = tempfile::tempdir().map_err(|error| Failure::of(&error))?;
    let data = arguments.data.clone().unwrap_or_else(|| temporary.path().to_owned());

    let progress = Progress::new();
    let bar = progress.clone();
    let mut engine = Engine::builder().data_dir(data).on_event(move |event| bar.show(event));
    if arguments.mode == SearchMode::Broad {
        engine = engine.reranker(arguments.models.reranker()?);
        if let Some(embedder) = arguments.models.embedder()? {
            engine = engine.embedder(embedder);
        }
    }
    let engine = engine.build()?;
    let project = engine.project(arguments.project.as_deref().unwrap_or("quickstart")).await?;
    let sources: Vec<Source> = arguments.files.iter().map(Source::file).collect();
    let report = project.ingest_all(sources, &Cancel::new()).await?;
    // A model that is not there is told with the answer.
    project.enrich(&Cancel::new()).await?;
    progress.clear();
    for item in &report.items {
        if let Outcome::Failed(error) = &item.outcome {
            eprintln!("error: {}", chain(error));
        }
    }
    if !report.items.is_empty() && report.failed() == report.items.len() {
        return Err(Failure::Failed("none of the files could be taken in".to_owned()));
    }

    let answer = match &arguments.question {
        Some(question) => Some(project.chat("quickstart").with_mode(arguments.mode).ask(question).await?),
        None => None,
    };
    if arguments.json {
        print_json(&project, &report, answer.as_ref()).await
    } else {
        print_for_people(&project, &report, arguments.question.as_deref(), answer.as_ref()).await
    }
}

/// The arguments; `None` when help was asked for.
fn parse() -> Result<Option<Arguments>, Failure> {
    let mut arguments = Arguments::default();
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("data") => arguments.data = Some(parser.value()?.into()),
            Arg::Long("project") => arguments.project = Some(text(parser.value()?)?),
            Arg::Long("mode") => arguments.mode = mode(parser.value()?)?,
            Arg::Long("ask") => arguments.question = Some(text(parser.value()?)?),
            Arg::Long("json") => arguments.json = true,
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Value(file) => arguments.files.push(file.into()),
            Arg::Long(name) => {
                let name = name.to_owned();
                if !arguments.models.take(&name, || parser.value())? {
                    return Err(Arg::Long(&name).unexpected().into());
                }
            }
            other @ Arg::Short(_) => return Err(other.unexpected().into()),
        }
    }
    if arguments.files.is_empty() && arguments.data.is_none() {
        arguments.files = samples()?;
        arguments.question.get_or_insert_with(|| SAMPLE_QUESTION.to_owned());
    }
    Ok(Some(arguments))
}

async fn print_json(
    project: &Project,
    report: &IngestReport,
    answer: Option<&Answer>,
) -> Result<(), Failure> {
    let statistics = project.statistics().await?;
    let object = json!({
        "project": project.name(),
        "documents": statistics.documents,
        "chunks": statistics.chunks,
        "answer": answer.map(|answer| &answer.text),
        "extractive": answer.map(|answer| answer.kind == AnswerKind::Extractive),
        "no_context": answer.is_some_and(|answer| answer.no_context.is_some()),
        "no_context_reason": answer.and_then(|answer| answer.no_context),
        "sources": answer.map(|answer| answer.sources.as_slice()).unwrap_or_default(),
        "degraded": answer.map(|answer| answer.degraded.as_slice()).unwrap_or_default(),
        "warnings": warnings(report),
    });
    println!("{object}");
    Ok(())
}

async fn print_for_people(
    project: &Project,
    report: &IngestReport,
    question: Option<&str>,
    answer: Option<&Answer>,
) -> Result<(), Failure> {
    let statistics = project.statistics().await?;
    println!("{}: {} documents, {} chunks", project.name(), statistics.documents, statistics.chunks);
    for item in &report.items {
        for warning in &item.warnings {
            println!("warning: {}: {warning}", item.name);
        }
    }
    let (Some(question), Some(answer)) = (question, answer) else { return Ok(()) };
    println!("\n{question}\n\n{}", answer.text);
    if !answer.sources.is_empty() {
        println!();
    }
    for (number, source) in (1..).zip(&answer.sources) {
        let section = source.section.as_ref().map(|section| format!(" — {section}")).unwrap_or_default();
        let start = source.start.map(|start| format!(", {start}")).unwrap_or_default();
        let link = source.link.as_ref().map(|link| format!("\n    {link}")).unwrap_or_default();
        println!("[{number}] {}{section}{start}{link}", source.title);
    }
    for degradation in &answer.degraded {
        println!("\nnote: {}\n      {}", degradation.reason(), degradation.remedy());
    }
    Ok(())
}
