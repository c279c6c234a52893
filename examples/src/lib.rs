//! What the example programs share: how they read their arguments, show progress and end.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

pub mod calibration;
pub mod chat_models;
pub mod collection;
pub mod conversation;
pub mod draw;
pub mod file;
pub mod measure;
pub mod models;
pub mod passage_index;
pub mod passages;
pub mod plan;
pub mod show;

use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use tusab_engine::{Event, IngestReport, ItemReport, Outcome, SearchMode, Stage};

/// Why a program ends early.
#[derive(Debug)]
pub enum Failure {
    /// The arguments are wrong: exit code 2.
    Usage(String),
    /// The work failed: exit code 1.
    Failed(String),
}

impl Failure {
    /// A failure of the work, told with its causes.
    pub fn of(error: &(dyn Error + 'static)) -> Self {
        Self::Failed(chain(error))
    }
}

impl From<lexopt::Error> for Failure {
    fn from(error: lexopt::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<tusab_engine::Error> for Failure {
    fn from(error: tusab_engine::Error) -> Self {
        Self::of(&error)
    }
}

/// Ends a program: prints what failed, with `usage` after wrong arguments, and chooses the exit code.
#[must_use]
pub fn finish(result: Result<(), Failure>, usage: &str) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Failed(message)) => {
            eprintln!("error: {message}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(message)) => {
            eprintln!("error: {message}\n\n{usage}");
            ExitCode::from(2)
        }
    }
}

/// The value of an option that has to be text.
///
/// # Errors
/// [`Failure::Usage`] for what is not valid Unicode.
pub fn text(value: OsString) -> Result<String, Failure> {
    value.into_string().map_err(|value| Failure::Usage(format!("{} is not valid Unicode", value.display())))
}

/// The value of an option that has to be a number.
///
/// # Errors
/// [`Failure::Usage`] for anything else.
pub fn number<T: std::str::FromStr>(value: OsString) -> Result<T, Failure> {
    let text = text(value)?;
    text.parse().map_err(|_| Failure::Usage(format!("{text:?} is not a number of the right size")))
}

/// The value of `--mode`.
///
/// # Errors
/// [`Failure::Usage`] for what is no mode.
pub fn mode(value: OsString) -> Result<SearchMode, Failure> {
    match text(value)?.as_str() {
        "narrow" => Ok(SearchMode::Narrow),
        "broad" => Ok(SearchMode::Broad),
        other => Err(Failure::Usage(format!("{other:?} is no mode: narrow or broad"))),
    }
}

/// The sample sources, in the order of their names. The information beside a video is read with it.
///
/// # Errors
/// When their folder is gone.
pub fn samples() -> Result<Vec<PathBuf>, Failure> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/samples");
    let entries = std::fs::read_dir(folder).map_err(|error| Failure::of(&error))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension != "json"));
    files.sort();
    Ok(files)
}

/// An error with its causes, on one line.
#[must_use]
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (*error).source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// A progress bar on standard error that follows the engine's events; invisible where that is no terminal.
#[derive(Debug, Clone)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar that shows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        let bar = ProgressBar::new(0);
        // A template that does not parse would only cost the looks.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg:<32!} {wide_bar} {pos}/{len}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// Shows an event.
    pub fn show(&self, event: &Event) {
        let (message, done, total) = match event {
            Event::IngestStarted { total, .. } => ("reading".to_owned(), 0, *total),
            Event::SourceRead { name, done, total, .. } => {
                let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
                (format!("reading {name}"), *done, *total)
            }
            Event::Indexing { done, total, .. } => ("indexing".to_owned(), *done, *total),
            Event::Progress { stage: Stage::Embedding, progress, .. } => {
                ("embedding".to_owned(), progress.done, progress.total)
            }
            Event::Progress { stage: Stage::KeyPhrases, progress, .. } => {
                ("finding key phrases".to_owned(), progress.done, progress.total)
            }
            Event::Repaired { what, .. } => {
                self.0.println(format!("mended: {what}"));
                return;
            }
            _ => return,
        };
        self.0.set_message(message);
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

/// The warnings of an ingest, those of sources that failed among them, as the programs print them in JSON.
#[must_use]
pub fn warnings(report: &IngestReport) -> Vec<Value> {
    report.items.iter().flat_map(item_warnings).collect()
}

fn item_warnings(item: &ItemReport) -> Vec<Value> {
    let mut warnings: Vec<Value> = item
        .warnings
        .iter()
        .map(|warning| {
            let line = warning.line.map(std::num::NonZero::get);
            json!({"source": item.name, "line": line, "message": warning.problem.to_string()})
        })
        .collect();
    if let Outcome::Failed(error) = &item.outcome {
        warnings.push(json!({"source": item.name, "line": null, "message": chain(error)}));
    }
    warnings
}

/// Compiles the program in the README at the root.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
