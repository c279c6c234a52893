//! What the programs that read one file share.

use std::path::PathBuf;

use lexopt::Arg;
use serde_json::{Value, json};
use tusab_engine::chunk::{DocId, SourceKind};
use tusab_engine::ingest::{CaptionFileName, Options, Source, Warning, parse, parse_video_info};

use crate::{Failure, chain};

/// A file that was read.
#[derive(Debug)]
pub struct File {
    /// Its name, without the folders.
    pub name: String,
    /// What it says.
    pub source: Source,
    /// What was wrong with it, as the programs print it in JSON.
    pub warnings: Vec<Value>,
    /// JSON was asked for.
    pub json: bool,
}

/// Reads the file that the arguments name; `None` when help was asked for and printed.
///
/// # Errors
/// [`Failure::Usage`] for wrong arguments, [`Failure::Failed`] for a file that cannot be read.
#[allow(clippy::print_stdout, reason = "help is printed")]
pub fn read(usage: &str) -> Result<Option<File>, Failure> {
    let (mut json, mut path) = (false, None);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("json") => json = true,
            Arg::Short('h') | Arg::Long("help") => {
                println!("{usage}");
                return Ok(None);
            }
            Arg::Value(file) if path.is_none() => path = Some(PathBuf::from(file)),
            other => return Err(other.unexpected().into()),
        }
    }
    let path = path.ok_or_else(|| Failure::Usage("name a file".to_owned()))?;
    let failed = |error: &(dyn std::error::Error + 'static)| {
        Failure::Failed(format!("{}: {}", path.display(), chain(error)))
    };
    if path.is_dir() {
        return Err(Failure::Failed(format!("{} is a folder: name a file in it", path.display())));
    }
    let bytes = std::fs::read(&path).map_err(|error| failed(&error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let beside = path.with_file_name(CaptionFileName::parse(&name).info_name);
    let video = std::fs::read(beside).ok().and_then(|bytes| Some(parse_video_info(&bytes).ok()?.value));
    let parsed =
        parse(&name, &bytes, &Options::default().with_video(video)).map_err(|error| failed(&error))?;
    let warnings = parsed.warnings.iter().map(warning).collect();
    Ok(Some(File { name, source: parsed.value, warnings, json }))
}

fn warning(warning: &Warning) -> Value {
    json!({"line": warning.line.map(std::num::NonZero::get), "message": warning.problem.to_string()})
}

/// An id for a document that is not kept.
///
/// # Errors
/// Never in practice.
pub fn any_id() -> Result<DocId, Failure> {
    DocId::new(SourceKind::File, "a").map_err(|error| Failure::of(&error))
}

/// Prints warnings for people.
#[allow(clippy::print_stdout, reason = "command-line programs print")]
pub fn print_warnings(warnings: &[Value]) {
    for warning in warnings {
        let line = warning["line"].as_u64().map(|line| format!("line {line}: ")).unwrap_or_default();
        println!("warning: {line}{}", warning["message"].as_str().unwrap_or_default());
    }
}
