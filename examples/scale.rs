//! How the search grows: building an index of many passages, asking it, adding to it, opening it again.
//!
//! `cargo run --release --example scale -- CORPUS [--limit N] [--queries N | --queries-file F] [--add 10] [--store URL [--connections 8]] [--json]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]
#![allow(clippy::cast_precision_loss, reason = "counts are small")]

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use examples::collection::{self, Passage};
use examples::draw::Draw;
use examples::measure::{bytes_of, peak_megabytes, percentile};
use examples::passage_index::{PassageIndex, ServerProject, Store, entry};
use examples::{Failure, finish, number, text};
use lexopt::Arg;
use serde_json::json;
use tusab_engine::index::{Batch, Control, Query, tokens};

const USAGE: &str = "\
Usage: scale CORPUS [--limit N] [--queries N | --queries-file F] [--add N] [--store URL [--connections N]] [--json]

Builds an index of the passages of a .jsonl, .jsonl.gz or .jsonl.zst file and times it.

  --limit N          take the first N passages (default: all)
  --queries N        ask N queries of three mid-frequency words of one passage (default: 200)
  --queries-file F   ask the queries of this file, one a line
  --add N            then add N passages, durably (default: 10)
  --store URL        in PostgreSQL (postgresql://user@host/database), in a project that is removed at the end
  --connections N    then ask the same by N at once (default: 8 in PostgreSQL, 1 else)
  --json             print one JSON object and nothing else";

struct Arguments {
    corpus: PathBuf,
    limit: usize,
    queries: usize,
    queries_file: Option<PathBuf>,
    add: usize,
    store: Option<String>,
    /// Callers that ask at once; 1 to leave that out.
    connections: usize,
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

    let connections = arguments.connections;
    let server = arguments.store.as_ref().map(|url| ServerProject::create(url, connections, "scale"));
    let server = server.transpose()?;
    let bytes_before = server.as_ref().map_or(Ok(0), ServerProject::bytes)?;
    let store = match &server {
        Some(server) => server.store()?,
        None => Store::open(folder.path())?,
    };

    // The clock stands still while the corpus is read, as that of the peers does. Passage by passage: all of them in
    // memory would be counted as the index's.
    let mut building = Duration::ZERO;
    let mut passages = PassageIndex::within(store);
    collection::passages(&arguments.corpus, arguments.limit, |passage| {
        let started = Instant::now();
        passages.add(passage);
        building += started.elapsed();
    })?;
    let started = Instant::now();
    let (store, names) = passages.finish()?;
    let build_s = (building + started.elapsed()).as_secs_f64();

    let bytes = match &server {
        Some(server) => server.bytes()?.saturating_sub(bytes_before),
        None => bytes_of(folder.path()),
    };
    let milliseconds = ask(&store, &queries)?;
    // Not unless it is asked for: each caller of a local index keeps pages of its own in memory.
    let callers = [1, connections].into_iter().filter(|_| connections > 1);
    let per_second: Vec<f64> =
        callers.map(|callers| together(&store, &queries, callers)).collect::<Result<_, _>>()?;
    let add_ms = add(&store, names.len(), arguments.add)?;
    drop(store);
    let open_ms = open(folder.path(), arguments.store.as_deref(), server.as_ref())?;
    let object = json!({
        "docs": names.len(),
        "queries": queries.len(),
        "build_s": build_s,
        "query_ms_p50": percentile(&milliseconds, 0.5),
        "query_ms_p95": percentile(&milliseconds, 0.95),
        "queries_per_s_1": per_second.first(),
        "queries_per_s_all": per_second.get(1),
        "connections": connections,
        "add_ms": add_ms,
        "open_ms": open_ms,
        "peak_mb": peak_megabytes(),
        "disk_mb": bytes / 1_000_000,
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
fn ask(store: &Store, queries: &[String]) -> Result<Vec<f64>, Failure> {
    let retriever = store.retriever();
    let search = |query: &String| {
        let started = Instant::now();
        let hits = retriever.retrieve(&Query::new(query.as_str())).map_err(|error| Failure::of(&error))?;
        std::hint::black_box(hits);
        Ok(started.elapsed().as_secs_f64() * 1e3)
    };
    for query in queries.iter().take(5) {
        search(query)?;
    }
    queries.iter().map(search).collect()
}

/// Queries answered in a second when so many ask at once, each all of them.
fn together(store: &Store, queries: &[String], callers: usize) -> Result<f64, Failure> {
    let round = || {
        std::thread::scope(|scope| {
            let asked: Vec<_> = (0..callers).map(|_| scope.spawn(|| ask(store, queries))).collect();
            let failed = || Failure::Failed("a caller panicked".to_owned());
            asked.into_iter().try_for_each(|asked| asked.join().map_err(|_| failed())?.map(drop))
        })
    };
    // Connections are opened when they are first needed.
    round()?;
    let started = Instant::now();
    round()?;
    Ok((queries.len() * callers) as f64 / started.elapsed().as_secs_f64())
}

/// Milliseconds of adding a few passages durably: the median of several times.
fn add(store: &Store, from: usize, count: usize) -> Result<f64, Failure> {
    let (chunks, retriever) = (store.chunks(), store.retriever());
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
        chunks.apply(&batch, Control::default()).map_err(|error| Failure::of(&error))?;
        let found = retriever
            .retrieve(&Query::new("passage long been searchable"))
            .map_err(|error| Failure::of(&error))?;
        if count > 0 && found.hits.is_empty() {
            return Err(Failure::Failed("what was added is not found".to_owned()));
        }
        milliseconds.push(started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(percentile(&milliseconds, 0.5))
}

/// Milliseconds of opening the index, or a connection of its own, and asking it once.
fn open(folder: &Path, url: Option<&str>, server: Option<&ServerProject>) -> Result<f64, Failure> {
    let started = Instant::now();
    let store = match (url, server) {
        (Some(url), Some(server)) => server.opened_again(url)?,
        _ => Store::open(folder)?,
    };
    store.retriever().retrieve(&Query::new("passage")).map_err(|error| Failure::of(&error))?;
    Ok(started.elapsed().as_secs_f64() * 1e3)
}

fn parse() -> Result<Option<Arguments>, Failure> {
    let (mut corpus, mut limit, mut queries, mut queries_file, mut add, mut json) =
        (None, usize::MAX, 200, None, 10, false);
    let (mut store, mut connections) = (None, None);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("limit") => limit = number(parser.value()?)?,
            Arg::Long("queries") => queries = number(parser.value()?)?,
            Arg::Long("queries-file") => queries_file = Some(PathBuf::from(parser.value()?)),
            Arg::Long("add") => add = number(parser.value()?)?,
            Arg::Long("json") => json = true,
            Arg::Long("store") => store = Some(text(parser.value()?)?),
            Arg::Long("connections") => connections = Some(number::<usize>(parser.value()?)?.max(1)),
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Value(file) if corpus.is_none() => corpus = Some(PathBuf::from(file)),
            other => return Err(other.unexpected().into()),
        }
    }
    let corpus = corpus.ok_or_else(|| Failure::Usage("name a corpus".to_owned()))?;
    let connections = connections.unwrap_or(if store.is_some() { 8 } else { 1 });
    Ok(Some(Arguments { corpus, limit, queries, queries_file, add, store, connections, json }))
}
