//! What of the optional parts is on this machine, and how to get what is missing.
//!
//! `cargo run --release --example doctor -- [--json]`. Nothing here is needed to search and to be answered with quotes.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use examples::{Failure, chain, finish};
use lexopt::Arg;
use serde_json::{Value, json};
use tusab_engine::ingest::{Doctor, SystemRunner, UnixTime};
use tusab_engine::llm::{Ollama, OllamaOptions};
use tusab_engine::rerank::{KnownModel, ModelStore};

const USAGE: &str = "\
Usage: doctor [--json]

Says which optional parts are here and how to get the missing ones.

  --json   print one JSON object and nothing else";

/// One part: what was found of it, and what is to be done.
struct Check {
    name: &'static str,
    /// Whether it can be used.
    ok: bool,
    /// What was found, for people; `None` when nothing was.
    found: Option<String>,
    /// What it is for and how to get or mend it; `None` when nothing is to be done.
    remedy: Option<String>,
}

impl Check {
    /// A part that can be used if anything of it is found.
    fn by_presence(name: &'static str, found: Option<String>, remedy: &str) -> Self {
        let ok = found.is_some();
        Self { name, ok, found, remedy: (!ok).then(|| remedy.to_owned()) }
    }

    fn json(&self) -> Value {
        json!({"name": self.name, "ok": self.ok, "found": self.found, "remedy": self.remedy})
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
    let mut checks = youtube();
    checks.extend([onnx_runtime(), models(), ollama().await, keys().await]);
    if as_json {
        println!("{}", json!({"checks": checks.iter().map(Check::json).collect::<Vec<_>>()}));
        return Ok(());
    }
    for Check { name, ok, found, remedy } in &checks {
        let mark = if *ok { "[ok]     " } else { "[missing]" };
        let found = found.as_deref().unwrap_or_default();
        println!("{mark} {name:<20} {found}");
        if let Some(remedy) = remedy {
            println!("{:31}{remedy}", "");
        }
    }
    println!("\nAll of these are optional: files are taken in, searched and quoted without them.");
    Ok(())
}

fn now() -> UnixTime {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    UnixTime::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// yt-dlp and the JavaScript runtime that it needs.
fn youtube() -> Vec<Check> {
    let program = env::var_os("TUSAB_YTDLP").map_or_else(|| PathBuf::from("yt-dlp"), PathBuf::from);
    let doctor = Doctor::examine(&SystemRunner, &program, now());
    let runtime = doctor.runtimes.iter().find(|(_, probe)| probe.is_ok());
    let found = runtime.or(doctor.runtimes.first()).and_then(|(_, probe)| probe.found());
    vec![
        Check {
            name: "yt-dlp",
            ok: doctor.yt_dlp.is_ok(),
            found: doctor.yt_dlp.found(),
            remedy: doctor.yt_dlp_remedy(),
        },
        Check {
            name: "JavaScript runtime",
            ok: runtime.is_some(),
            found: found.filter(|_| runtime.is_some()),
            remedy: doctor.runtime_remedy(),
        },
    ]
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
    let remedy = "models run without it too, more slowly: for speed, install the shared library (it is in the Python package \
                  onnxruntime) and name it in ORT_DYLIB_PATH";
    Check::by_presence("ONNX Runtime", found.map(|path| path.display().to_string()), remedy)
}

/// As the programs look for them: under `TUSAB_MODELS`, else in the user's store.
fn models() -> Check {
    let folder = env::var_os("TUSAB_MODELS").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let store = ModelStore::from_env();
    let here = |kind: &str, known: &KnownModel| {
        let path = match &folder {
            Some(folder) => Some(folder.join(kind)).filter(|path| has_model(path)),
            None => store.as_ref()?.find(known).ok(),
        };
        path.map(|path| format!("{kind} in {}", path.display()))
    };
    let kinds = [("cross-encoder", KnownModel::MS_MARCO_L6), ("sentences", KnownModel::ALL_MINILM_L6)];
    let found: Vec<String> = kinds.iter().filter_map(|(kind, known)| here(kind, known)).collect();
    Check::by_presence(
        "models",
        (!found.is_empty()).then(|| found.join(", ")),
        "Broad Search reranks with one: the example `models` lists and installs them, or put ONNX models into the \
         folders `cross-encoder` and `sentences` of a folder named in TUSAB_MODELS",
    )
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
    Check::by_presence(
        "Ollama",
        found,
        "writes answers on this machine: install Ollama, start it, and run `ollama pull llama3.2:1b`",
    )
}

/// Only the names of the variables are read out, never what is in them; of the keyring, whether it can be used.
async fn keys() -> Check {
    let names = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GROQ_API_KEY"];
    let here: Vec<&str> =
        names.into_iter().filter(|name| env::var_os(name).is_some_and(|key| !key.is_empty())).collect();
    let remedy = "needed only for hosted models: set the variable of a provider, such as ANTHROPIC_API_KEY";
    let (remedy, trouble) = match keyring().await {
        Some(Ok(found)) => (format!("{remedy}, or keep its key in the keyring ({found})"), None),
        Some(Err(trouble)) => (format!("{remedy}; {trouble}"), Some(trouble)),
        None => (remedy.to_owned(), None),
    };
    let mut check = Check::by_presence("provider keys", (!here.is_empty()).then(|| here.join(", ")), &remedy);
    check.remedy = check.remedy.or(trouble);
    check
}

/// What keeps keys for the system, or why nothing can; none in a build without it.
#[cfg(feature = "keyring")]
async fn keyring() -> Option<Result<String, String>> {
    let engine = tusab_engine::Engine::builder().platform_data_dir().build().ok()?;
    Some(engine.config().examine_keyring().await.map_err(|error| chain(&error)))
}

#[cfg(not(feature = "keyring"))]
#[allow(clippy::unused_async, reason = "as with the feature")]
async fn keyring() -> Option<Result<String, String>> {
    None
}
