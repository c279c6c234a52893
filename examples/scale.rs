//! How the search grows: building an index of many passages, asking it, adding to it, opening it again.
//!
//! `cargo run --release --example scale -- CORPUS [--limit N] [--queries N | --queries-file F] [--add 10] [--json]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use examples::collection::{self, Passage};
use examples::draw::Draw;
use examples::measure::{bytes_of, peak_megabytes, percentile};
use examples::passage_index::{PassageIndex, entry};
use examples::{Failure, finish, number, text};
use lexopt::Arg;
use serde_json::json;
use tusab_engine::index::{Batch, ChunkStore, Control, Index, Query, Retriever, tokens};

const USAGE: &str = "\
Usage: scale CORPUS [--limit N] [--queries N | --queries-file F] [--add N] [--json]

Builds an index of the passages of a .jsonl, .jsonl.gz or .jsonl.zst file and times it.

  --limit N          take the first N passages (default: all)
  --queries N        ask N queries of three mid-frequency words of one passage (default: 200)
  --queries-file F   ask the queries of this file, one a line
  --add N            then add N passages, durably (default: 10)
  --json             print one JSON object and nothing else";

struct Arguments {
    corpus: PathBuf,
    limit: usize,
    queries: usize,
    queries_file: Option<PathBuf>,
    add: usize,
    json: bool,
}

fn main() -> ExitCode {
    finish(run(), USAGE)
}

fn run() -> Result<(), Failure> {
    let Some(arguments) = parse()? else {
        println!("{USAGE}");
        return Ok(());
    };
    let folder = tempfile::tempdir().map_err(|error| Failure::of(&error))?;
    let queries = match &arguments.queries_file {
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| Failure::of(&error))?;
            text.lines().map(str::to_owned).collect()
        }
        None => draw_queries(&arguments.corpus, arguments.limit, arguments.queries)?,
    };

    let started = Instant::now();
    let mut passages = PassageIndex::create(folder.path())?;
    collection::passages(&arguments.corpus, arguments.limit, |passage| passages.add(passage))?;
    let (index, names) = passages.finish()?;
    let build_s = started.elapsed().as_secs_f64();

    let milliseconds = ask(&index, &queries)?;
    let add_ms = add(&index, names.len(), arguments.add)?;
    drop(index);
    let open_ms = open(folder.path())?;
    let object = json!({
        "docs": names.len(),
        "queries": queries.len(),
        "build_s": build_s,
        "query_ms_p50": percentile(&milliseconds, 0.5),
        "query_ms_p95": percentile(&milliseconds, 0.95),
        "add_ms": add_ms,
        "open_ms": open_ms,
        "peak_mb": peak_megabytes(),
        "disk_mb": bytes_of(folder.path()) / 1_000_000,
    });
    if arguments.json {
        println!("{object}");
    } else {
        println!("{object:#}");
    }
    Ok(())
}

/// Queries of three words of one passage, each in at least three and at most a fiftieth of the passages.
fn draw_queries(corpus: &Path, limit: usize, count: usize) -> Result<Vec<String>, Failure> {
    let mut frequencies: HashMap<String, usize> = HashMap::new();
    let mut sample: Vec<BTreeSet<String>> = Vec::new();
    let mut total = 0_usize;
    let mut draw = Draw::new(7);
    collection::passages(corpus, limit, |passage| {
        let words: BTreeSet<String> = tokens(&passage.text).into_iter().collect();
        for word in &words {
            *frequencies.entry(word.clone()).or_default() += 1;
        }
        total += 1;
        // Reservoir sampling (Vitter 1985): a bounded number of passages, each with the same chance.
        if sample.len() < count * 4 {
            sample.push(words);
        } else if let Some(slot) = sample.get_mut(draw.below(total)) {
            *slot = words;
        }
    })?;
    let most = (total / 50).max(4);
    let middling = |word: &String| {
        word.len() > 3 && frequencies.get(word).is_some_and(|frequency| (3..=most).contains(frequency))
    };
    let queries = draw.clone().sample(sample, usize::MAX).into_iter().filter_map(|words| {
        let chosen = draw.sample(words.into_iter().filter(middling).collect(), 3);
        (chosen.len() == 3).then(|| chosen.join(" "))
    });
    Ok(queries.take(count).collect())
}

/// Milliseconds of each query, with six passages' texts.
fn ask(index: &Index, queries: &[String]) -> Result<Vec<f64>, Failure> {
    let search = |query: &String| {
        let started = Instant::now();
        let hits = index.retrieve(&Query::new(query.as_str())).map_err(|error| Failure::of(&error))?;
        std::hint::black_box(hits);
        Ok(started.elapsed().as_secs_f64() * 1e3)
    };
    for query in queries.iter().take(5) {
        search(query)?;
    }
    queries.iter().map(search).collect()
}

/// Milliseconds of adding a few passages durably: the median of several times.
fn add(index: &Index, from: usize, count: usize) -> Result<f64, Failure> {
    let mut milliseconds = Vec::new();
    for round in 0..9 {
        let mut batch = Batch::new();
        for number in 0..count {
            let number = from + round * count + number;
            let text =
                format!("Passage number {number} was added later, when the others had long been searchable.");
            let passage = Passage { id: String::new(), title: format!("Added {number}"), text };
            let (record, chunk) = entry(number, &passage)?;
            batch.upsert(record, vec![chunk]);
        }
        let started = Instant::now();
        index.apply(&batch, Control::default()).map_err(|error| Failure::of(&error))?;
        let found = index
            .retrieve(&Query::new("passage long been searchable"))
            .map_err(|error| Failure::of(&error))?;
        if count > 0 && found.hits.is_empty() {
            return Err(Failure::Failed("what was added is not found".to_owned()));
        }
        milliseconds.push(started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(percentile(&milliseconds, 0.5))
}

/// Milliseconds of opening the index and asking it once.
fn open(folder: &Path) -> Result<f64, Failure> {
    let started = Instant::now();
    let index = Index::open(folder).map_err(|error| Failure::of(&error))?.index;
    index.retrieve(&Query::new("passage")).map_err(|error| Failure::of(&error))?;
    Ok(started.elapsed().as_secs_f64() * 1e3)
}

fn parse() -> Result<Option<Arguments>, Failure> {
    let (mut corpus, mut limit, mut queries, mut queries_file, mut add, mut json) =
        (None, usize::MAX, 200, None, 10, false);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("limit") => limit = number(parser.value()?)?,
            Arg::Long("queries") => queries = number(parser.value()?)?,
            Arg::Long("queries-file") => queries_file = Some(PathBuf::from(parser.value()?)),
            Arg::Long("add") => add = number(parser.value()?)?,
            Arg::Long("json") => json = true,
            Arg::Long("store") => {
                return Err(Failure::Usage(format!(
                    "{} is a store on a server, which this version does not have",
                    text(parser.value()?)?
                )));
            }
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Value(file) if corpus.is_none() => corpus = Some(PathBuf::from(file)),
            other => return Err(other.unexpected().into()),
        }
    }
    let corpus = corpus.ok_or_else(|| Failure::Usage("name a corpus".to_owned()))?;
    Ok(Some(Arguments { corpus, limit, queries, queries_file, add, json }))
}
