//! An answer as a stream of events, which is what a user interface is built on.
//!
//! `cargo run --release --example ask_stream -- [--data DIR --project NAME] [--provider ollama] [QUESTION]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use examples::chat_models::{self, ChatModels};
use examples::{Failure, finish, show, text};
use lexopt::Arg;
use serde_json::{Value, json};
use tusab_engine::{AnswerEvent, Engine, Source};

const USAGE: &str = "\
Usage: ask_stream [--data DIR] [--project NAME] [--json] [QUESTION]
                  [--provider NAME [--model NAME] [--auxiliary NAME] [--url URL]]

Answers one question and shows each event as it comes. Without a data directory it runs on a note of its own.

  --data DIR       the engine's folder
  --project NAME   the project in it (default: ask_stream)
  --json           print one JSON object with all events at the end, and nothing else";

const NOTE: &str = "A hortelã precisa de três a quatro horas de sol por dia. O manjericão precisa de seis.";

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await, USAGE)
}

async fn run() -> Result<(), Failure> {
    let (mut data, mut project, mut question, mut as_json) = (None, "ask_stream".to_owned(), None, false);
    let mut models = ChatModels::default();
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("data") => data = Some(PathBuf::from(parser.value()?)),
            Arg::Long("project") => project = text(parser.value()?)?,
            Arg::Long("json") => as_json = true,
            Arg::Short('h') | Arg::Long("help") => {
                println!("{USAGE}\n{}", chat_models::USAGE);
                return Ok(());
            }
            Arg::Value(value) if question.is_none() => question = Some(text(value)?),
            Arg::Long(option) => {
                let option = option.to_owned();
                if !models.take(&option, || parser.value())? {
                    return Err(Arg::Long(&option).unexpected().into());
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let temporary = tempfile::tempdir().map_err(|error| Failure::of(&error))?;
    let is_own = data.is_none();
    let folder: &Path = data.as_deref().unwrap_or_else(|| temporary.path());
    let engine = models.give(Engine::builder().data_dir(folder))?.build()?;
    let project = engine.project(&project).await?;
    if is_own {
        project.ingest(Source::text("Ervas", NOTE)).await?;
    }
    let question = question.unwrap_or_else(|| "Quantas horas de sol a hortelã precisa?".to_owned());

    let mut events: Vec<Value> = Vec::new();
    let mut stream = project.chat("ask_stream").ask_stream(&question);
    // Dropping the stream, here or anywhere, stops the model at once.
    while let Some(event) = stream.next().await {
        let event = event?;
        if as_json {
            events.push(serde_json::to_value(&event).map_err(|error| Failure::of(&error))?);
        } else {
            show_event(&event);
        }
    }
    if as_json {
        println!("{}", json!({"question": question, "events": events}));
    }
    Ok(())
}

fn show_event(event: &AnswerEvent) {
    match event {
        AnswerEvent::Searching => println!("searching"),
        AnswerEvent::Sources(sources) => println!("sources:\n{}", show::sources(sources)),
        AnswerEvent::Thinking(piece) => println!("thinking: {piece:?}"),
        AnswerEvent::Text(piece) => println!("text: {piece:?}"),
        AnswerEvent::Withdrawn => println!("what was text so far is taken back"),
        AnswerEvent::Done(answer) => println!("done: {}", answer.text),
        // Events that later versions add.
        other => println!("{other:?}"),
    }
}
