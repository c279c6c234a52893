//! Many conversations at once over one project, with a model that answers at once: what the engine itself costs.
//!
//! `cargo run --release --example load -- [--sessions N] [--seconds S] [--notes N] [--json]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use examples::draw::Draw;
use examples::measure::{peak_megabytes, percentile};
use examples::{Failure, chain, finish, number};
use lexopt::Arg;
use serde_json::json;
use tusab_engine::llm::ChatModel;
use tusab_engine::llm::testing::{Answer, ScriptedModel};
use tusab_engine::{Cancel, Engine, Project, Source};

const USAGE: &str = "\
Usage: load [--sessions N] [--seconds S] [--notes N] [--json]

Lets several conversations ask over one project, each as fast as it is answered, by a model that answers at once.

  --sessions N   conversations (default: 16)
  --seconds S    how long (default: 10)
  --notes N      notes in the project (default: 2000)
  --json         print one JSON object and nothing else";

/// Words that notes and questions are made of: few enough that questions find something, many enough that they differ.
const WORDS: [&str; 40] = [
    "horta",
    "varanda",
    "sol",
    "sombra",
    "vaso",
    "terra",
    "areia",
    "rega",
    "chuva",
    "adubo",
    "semente",
    "muda",
    "poda",
    "colheita",
    "tomate",
    "hortelã",
    "alface",
    "cebolinha",
    "manjericão",
    "alecrim",
    "pulgão",
    "folha",
    "raiz",
    "flor",
    "fruto",
    "manhã",
    "tarde",
    "semana",
    "inverno",
    "verão",
    "mercado",
    "vizinho",
    "balde",
    "tesoura",
    "luva",
    "prato",
    "furo",
    "cascalho",
    "composto",
    "minhoca",
];

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await, USAGE)
}

async fn run() -> Result<(), Failure> {
    let (mut sessions, mut seconds, mut count, mut as_json) = (16_usize, 10_u64, 2_000_usize, false);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("sessions") => sessions = number(parser.value()?)?,
            Arg::Long("seconds") => seconds = number(parser.value()?)?,
            Arg::Long("notes") => count = number(parser.value()?)?,
            Arg::Long("json") => as_json = true,
            Arg::Short('h') | Arg::Long("help") => {
                println!("{USAGE}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let data = tempfile::tempdir().map_err(|error| Failure::of(&error))?;
    let model = ScriptedModel::new().with_fallback(|_| Answer::text("Três ou quatro horas pela manhã [1]."));
    let engine =
        Engine::builder().data_dir(data.path()).model(Arc::new(model) as Arc<dyn ChatModel>).build()?;
    let project = engine.project("load").await?;
    let mut draw = Draw::new(7);
    let notes: Arc<Vec<String>> = Arc::new((0..count).map(|_| sentence(&mut draw, 60)).collect());
    let sources = notes.iter().enumerate().map(|(n, text)| Source::text(format!("nota {n}"), text.as_str()));
    let report = project.ingest_all(sources.collect(), &Cancel::new()).await?;
    if report.failed() > 0 {
        return Err(Failure::Failed("some notes could not be taken in".to_owned()));
    }

    let until = Instant::now() + Duration::from_secs(seconds);
    let running: Vec<_> = (0..sessions)
        .map(|number| tokio::spawn(converse(project.clone(), Arc::clone(&notes), number, until)))
        .collect();
    let mut all = Conversation::default();
    for one in running {
        all.add(one.await.map_err(|error| Failure::of(&error))?);
    }
    let object = json!({
        "sessions": sessions,
        "seconds": seconds,
        "answers": all.searches.len(),
        "errors": all.errors.len(),
        "first_error": all.errors.first(),
        "search_ms_p50": percentile(&all.searches, 0.5),
        "search_ms_p99": percentile(&all.searches, 0.99),
        "answer_ms_p50": percentile(&all.answers, 0.5),
        "answer_ms_p99": percentile(&all.answers, 0.99),
        "peak_mb": peak_megabytes(),
    });
    println!("{}", if as_json { object.to_string() } else { format!("{object:#}") });
    if all.errors.is_empty() { Ok(()) } else { Err(Failure::Failed("some answers failed".to_owned())) }
}

/// What one conversation saw.
#[derive(Default)]
struct Conversation {
    /// Milliseconds of each search.
    searches: Vec<f64>,
    /// Milliseconds of each answer, history on the disk included.
    answers: Vec<f64>,
    errors: Vec<String>,
}

impl Conversation {
    fn add(&mut self, mut other: Self) {
        self.searches.append(&mut other.searches);
        self.answers.append(&mut other.answers);
        self.errors.append(&mut other.errors);
    }
}

async fn converse(project: Project, notes: Arc<Vec<String>>, number: usize, until: Instant) -> Conversation {
    let session = project.chat(&format!("conversa {number}"));
    let mut draw = Draw::new(1_000 + number as u64);
    let mut seen = Conversation::default();
    while Instant::now() < until {
        let question = words_of(&notes, &mut draw);
        let started = Instant::now();
        match session.ask(&question).await {
            Ok(answer) if answer.no_context.is_none() && answer.degraded.is_empty() => {
                seen.answers.push(started.elapsed().as_secs_f64() * 1e3);
                seen.searches.push(answer.timings.search.as_secs_f64() * 1e3);
            }
            Ok(answer) => {
                seen.errors.push(format!(
                    "{question}: {:?} {:?} {:?}",
                    answer.no_context, answer.degraded, answer.searched
                ));
            }
            Err(error) => seen.errors.push(chain(&error)),
        }
    }
    seen
}

/// Five words as they follow each other in one of the notes: what stands there literally is always answered.
fn words_of(notes: &[String], draw: &mut Draw) -> String {
    let words: Vec<&str> = notes.get(draw.below(notes.len())).map_or("", String::as_str).split(' ').collect();
    let from = draw.below(words.len().saturating_sub(5));
    words.into_iter().skip(from).take(5).collect::<Vec<_>>().join(" ")
}

fn sentence(draw: &mut Draw, words: usize) -> String {
    let words: Vec<&str> = (0..words).filter_map(|_| WORDS.get(draw.below(WORDS.len())).copied()).collect();
    words.join(" ")
}
