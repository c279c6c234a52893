//! What of the optional parts is on this machine, and how to get what is missing.
//!
//! `cargo run --release --example doctor -- [--json]`. Nothing here is needed to search and to be answered with quotes.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::env;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use examples::{Failure, chain, finish};
use lexopt::Arg;
use serde_json::{Value, json};
use tusab_engine::llm::{Ollama, OllamaOptions};

const USAGE: &str = "\
Usage: doctor [--json]

Says which optional parts are here and how to get the missing ones.

  --json   print one JSON object and nothing else";

/// Longest wait for a program to tell its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// One part: what was found of it, or how to get it.
struct Check {
    name: &'static str,
    /// What was found, for people; `None` when the part is missing.
    found: Option<String>,
    /// What it is for and how to get it.
    remedy: &'static str,
}

impl Check {
    fn json(&self) -> Value {
        let remedy = if self.found.is_some() { None } else { Some(self.remedy) };
        json!({"name": self.name, "ok": self.found.is_some(), "found": self.found, "remedy": remedy})
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await, USAGE)
}

async fn run() -> Result<(), Failure> {
    let mut as_json = false;
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("json") => as_json = true,
            Arg::Short('h') | Arg::Long("help") => {
                println!("{USAGE}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let mut checks = vec![yt_dlp(), javascript(), onnx_runtime(), models()];
    checks.push(ollama().await);
    checks.push(keys());
    if as_json {
        println!("{}", json!({"checks": checks.iter().map(Check::json).collect::<Vec<_>>()}));
        return Ok(());
    }
    for check in &checks {
        match &check.found {
            Some(found) => println!("[ok]      {:<20} {found}", check.name),
            None => println!("[missing] {:<20} {}", check.name, check.remedy),
        }
    }
    println!("\nAll of these are optional: files are taken in, searched and quoted without them.");
    Ok(())
}

fn yt_dlp() -> Check {
    Check {
        name: "yt-dlp",
        found: version(&env::var("TUSAB_YTDLP").unwrap_or_else(|_| "yt-dlp".to_owned()), "--version"),
        remedy: "fetches captions from YouTube: install it with `pip install yt-dlp`, and see that it is on the PATH or named in TUSAB_YTDLP",
    }
}

/// Since its version 2025.11.12 yt-dlp needs one of these for YouTube.
fn javascript() -> Check {
    let found = ["deno", "node", "bun"]
        .into_iter()
        .find_map(|program| version(program, "--version").map(|version| format!("{program} {version}")));
    Check {
        name: "JavaScript runtime",
        found,
        remedy: "yt-dlp needs one for YouTube: install deno, or a current node or bun",
    }
}

fn onnx_runtime() -> Check {
    let name = match env::consts::OS {
        "windows" => "onnxruntime.dll",
        "macos" => "libonnxruntime.dylib",
        _ => "libonnxruntime.so",
    };
    let named = env::var_os("ORT_DYLIB_PATH").map(PathBuf::from).filter(|path| path.is_file());
    let search = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = env::split_paths(&search).chain(
        [
            "/usr/local/lib",
            "/usr/lib",
            "/usr/lib/x86_64-linux-gnu",
            "/usr/lib/aarch64-linux-gnu",
            "/opt/homebrew/lib",
        ]
        .map(PathBuf::from),
    );
    let found = named.or_else(|| folders.map(|folder| folder.join(name)).find(|path| path.is_file()));
    Check {
        name: "ONNX Runtime",
        found: found.map(|path| path.display().to_string()),
        remedy: "runs the models of Broad Search: install the shared library and name it in ORT_DYLIB_PATH",
    }
}

fn models() -> Check {
    let folder = env::var_os("TUSAB_MODELS").map(PathBuf::from);
    let here = |kind: &str| {
        let path = folder.as_ref()?.join(kind);
        has_model(&path).then(|| format!("{kind} in {}", path.display()))
    };
    let found: Vec<String> = ["cross-encoder", "sentences"].into_iter().filter_map(here).collect();
    Check {
        name: "models",
        found: (!found.is_empty()).then(|| found.join(", ")),
        remedy: "Broad Search reranks with one: put ONNX models into the folders `cross-encoder` and `sentences` of a \
                 folder named in TUSAB_MODELS",
    }
}

fn has_model(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| entry.path().extension().is_some_and(|extension| extension == "onnx"))
}

async fn ollama() -> Check {
    let found = match Ollama::new(OllamaOptions::default()) {
        Ok(ollama) => match ollama.models().await {
            Ok(models) if models.is_empty() => Some("running, without a model".to_owned()),
            Ok(models) => {
                let names: Vec<String> = models.iter().map(|model| model.name.clone()).collect();
                Some(format!("running, with {}", names.join(", ")))
            }
            Err(_) => None,
        },
        Err(error) => {
            eprintln!("error: {}", chain(&error));
            None
        }
    };
    Check {
        name: "Ollama",
        found,
        remedy: "writes answers on this machine: install Ollama, start it, and run `ollama pull llama3.2:1b`",
    }
}

/// Only the names of the variables are read out, never what is in them.
fn keys() -> Check {
    let names = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GROQ_API_KEY"];
    let here: Vec<&str> =
        names.into_iter().filter(|name| env::var_os(name).is_some_and(|key| !key.is_empty())).collect();
    Check {
        name: "provider keys",
        found: (!here.is_empty()).then(|| here.join(", ")),
        remedy: "needed only for hosted models: set the variable of a provider, such as ANTHROPIC_API_KEY",
    }
}

/// The first line that a program says of its version; `None` when it is not here or does not answer in time.
fn version(program: &str, argument: &str) -> Option<String> {
    let mut child = Command::new(program)
        .arg(argument)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut output = child.stdout.take()?;
    let (said, listen) = mpsc::channel();
    thread::spawn(move || {
        let mut text = String::new();
        // What cannot be read is a program that does not answer.
        if output.read_to_string(&mut text).is_ok() {
            let _ = said.send(text);
        }
    });
    let text = listen.recv_timeout(PATIENCE).ok();
    if text.is_none() {
        let _ = child.kill();
    }
    let ended = child.wait().ok()?;
    let line = text?.lines().next()?.trim().to_owned();
    (ended.success() && !line.is_empty()).then_some(line)
}
