//! The key phrases of some passages, as KeyBERT finds them.
//!
//! `cargo run --release --example keyphrases -- PASSAGES.jsonl [--exact] [--json] [MODELS]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use examples::models::{self, Models};
use examples::{Failure, finish, measure, passages};
use lexopt::Arg;
use serde_json::json;
use tusab_engine::rerank::{
    Embedder, KeyBert, KeyBertOptions, Mode, PhraseFilter, SentenceEncoder, SentenceOptions,
};

const USAGE: &str = "\
Usage: keyphrases PASSAGES.jsonl [--exact] [--tidy] [--cache FILE] [--json] [MODELS]

Finds the key phrases of passages ({\"text\": ...} a line).

  --exact       read every candidate, as KeyBERT does
  --tidy        no phrases that begin or end in a stopword, none twice
  --cache FILE  begin with the vectors of phrases in FILE, if there is one, and leave them there at the end
  --json        print one JSON object and nothing else";

#[derive(Default)]
struct Arguments {
    passages: PathBuf,
    options: KeyBertOptions,
    cache: Option<PathBuf>,
    models: Models,
    json: bool,
}

fn main() -> ExitCode {
    finish(run(), &format!("{USAGE}\n{}", models::USAGE))
}

fn arguments() -> Result<Option<Arguments>, Failure> {
    let mut given = Arguments::default();
    let mut passages = None;
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("json") => given.json = true,
            Arg::Long("exact") => given.options = given.options.with_mode(Mode::Exact),
            Arg::Long("tidy") => given.options = given.options.with_filter(PhraseFilter::PortugueseEnglish),
            Arg::Long("cache") => given.cache = Some(parser.value()?.into()),
            Arg::Short('h') | Arg::Long("help") => {
                println!("{USAGE}\n{}", models::USAGE);
                return Ok(None);
            }
            Arg::Value(file) if passages.is_none() => passages = Some(PathBuf::from(file)),
            Arg::Long(name) => {
                let name = name.to_owned();
                if !given.models.take(&name, || parser.value())? {
                    return Err(Arg::Long(&name).unexpected().into());
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    given.passages = passages.ok_or_else(|| Failure::Usage("name a file of passages".to_owned()))?;
    Ok(Some(given))
}

fn run() -> Result<(), Failure> {
    let Some(Arguments { passages, options, cache, models, json }) = arguments()? else { return Ok(()) };
    let texts = passages::read(&passages)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let options_of_model = SentenceOptions::default().with_runtime(models.runtime());
    let encoder = Arc::new(SentenceEncoder::new(models.sentences()?, options_of_model));
    let backend = encoder.load().map_err(|error| models::failure(&error))?;
    let keybert = KeyBert::new(encoder.clone(), options);
    if let Some(path) = cache.as_ref().filter(|path| path.exists()) {
        let taken = keybert.load_cache(path).map_err(|error| models::failure(&error))?;
        if taken == 0 {
            eprintln!("{}: no phrases of this model; it will be replaced", path.display());
        }
    }
    let begun = Instant::now();
    let found = keybert.keywords_of_each(&texts).map_err(|error| models::failure(&error))?;
    #[allow(clippy::cast_precision_loss, reason = "passages of a file")]
    let ms = begun.elapsed().as_secs_f64() * 1e3 / texts.len().max(1) as f64;
    if json {
        let phrases: Vec<Vec<&str>> = found
            .iter()
            .map(|keywords| keywords.iter().map(|keyword| keyword.phrase.as_str()).collect())
            .collect();
        let object = json!({
            "backend": backend.name(),
            "model": encoder.model(),
            "passages": texts.len(),
            "ms_per_passage": ms,
            "cache_hit_rate": keybert.cache_use().hit_rate(),
            "peak_mb": measure::peak_megabytes(),
            "phrases": phrases,
        });
        println!("{object}");
    } else {
        println!("{} on {backend}: {} passages, {ms:.0} ms each", encoder.model(), texts.len());
        for (text, keywords) in texts.iter().zip(found) {
            let start: String =
                text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(70).collect();
            println!("\n{start}");
            for keyword in keywords {
                println!("  {:6.3}  {}", keyword.similarity, keyword.phrase);
            }
        }
    }
    // Last, so that a file that cannot be written costs no phrases.
    cache.map_or(Ok(()), |path| keybert.save_cache(&path).map_err(|error| models::failure(&error)))
}
