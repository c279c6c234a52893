//! How good the search is, on a collection of passages, questions and judgements.
//!
//! `cargo run --release --example evaluate -- COLLECTION [--mode narrow|broad] [--queries N] [--seed S] [--k K] [--store URL] [--json]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use examples::collection::{self, Grades, Judgements, Question};
use examples::draw::Draw;
use examples::measure::{mean, ndcg, peak_megabytes, percentile, recall, reciprocal_rank};
use examples::models::{self, Models};
use examples::passage_index::{PassageIndex, ServerProject, Store};
use examples::{Failure, Progress, finish, number, text};
use lexopt::Arg;
use serde_json::json;
use tusab_engine::index::ChunkStore;
use tusab_engine::rerank::{KeyBert, KeyBertOptions};
use tusab_engine::{Degradation, Enricher, Event, Search, SearchMode, Searcher};

const USAGE: &str = "\
Usage: evaluate COLLECTION [--mode narrow|broad] [--queries N] [--seed S] [--k K] [--enrich] [--store URL] [MODELS] [--json]

Indexes a collection (corpus.jsonl, .gz or .zst, queries.jsonl, qrels.tsv) and asks its judged questions one by one.

  --mode MODE   narrow (words, the default) or broad (words, meaning, cross-encoder)
  --queries N   draw N of the questions (default: all)
  --seed S      by this seed (default: 1)
  --k K         depth of recall_k (default: 100)
  --store URL   keep the passages in PostgreSQL (postgresql://user@host/database), in a project that is removed at the end
  --enrich      find the key phrases of each passage first
  --json        print one JSON object and nothing else";

struct Arguments {
    collection: PathBuf,
    queries: usize,
    seed: u64,
    depth: usize,
    mode: SearchMode,
    enrich: bool,
    store: Option<String>,
    models: Models,
    json: bool,
}

fn main() -> ExitCode {
    finish(run(), USAGE)
}

fn run() -> Result<(), Failure> {
    let Some(arguments) = parse()? else {
        println!("{USAGE}\n{}", models::USAGE);
        return Ok(());
    };
    let folder = tempfile::tempdir().map_err(|error| Failure::of(&error))?;
    let judgements = collection::judgements(&arguments.collection.join("qrels.tsv"))?;
    let mut questions = collection::questions(&arguments.collection.join("queries.jsonl"))?;
    questions.retain(|question| judgements.contains_key(&question.id));
    let questions = if arguments.queries < questions.len() {
        Draw::new(arguments.seed).sample(questions, arguments.queries)
    } else {
        questions
    };

    let started = Instant::now();
    let server = arguments.store.as_ref().map(|url| ServerProject::create(url, 1, "evaluate")).transpose()?;
    let store = match &server {
        Some(server) => server.store()?,
        None => Store::open(folder.path())?,
    };
    let mut passages = PassageIndex::within(store);
    collection::passages(&collection::corpus(&arguments.collection)?, usize::MAX, |passage| {
        passages.add(passage);
    })?;
    let (store, names) = passages.finish()?;
    enrich(&arguments, store.chunks())?;
    let index_s = started.elapsed().as_secs_f64();

    let mut searcher = Searcher::new(store.retriever()).with_passages(names.len());
    if arguments.mode == SearchMode::Broad {
        searcher = searcher.with_reranker(arguments.models.reranker()?);
        if let Some(embedder) = arguments.models.embedder()? {
            searcher = searcher.with_embedder(embedder);
        }
    }
    let asked = Asked { searcher, arguments: &arguments };
    let Answers { milliseconds, beyond_models, rankings, degraded } = asked.all(&names, &questions)?;
    let average = |measure: &dyn Fn(&[String], &Grades) -> f64| {
        let values: Vec<f64> = questions
            .iter()
            .zip(&rankings)
            .filter_map(|(question, ranking)| Some(measure(ranking, grades(&judgements, question)?)))
            .collect();
        mean(&values)
    };
    let object = json!({
        "collection": arguments.collection.file_name().map(|name| name.to_string_lossy()),
        "mode": arguments.mode,
        "docs": names.len(),
        "queries": questions.len(),
        "ndcg_10": average(&|ranking, grades| ndcg(ranking, grades, 10)),
        "recall_k": average(&|ranking, grades| recall(ranking, grades, arguments.depth)),
        "k": arguments.depth,
        "mrr_10": average(&|ranking, grades| reciprocal_rank(ranking, grades, 10)),
        "success_1": average(&|ranking, grades| reciprocal_rank(ranking, grades, 1)),
        "index_s": index_s,
        "query_ms_p50": percentile(&milliseconds, 0.5),
        "query_ms_p95": percentile(&milliseconds, 0.95),
        "beyond_models_ms_p50": percentile(&beyond_models, 0.5),
        "peak_mb": peak_megabytes(),
        "degraded": degraded,
    });
    if arguments.json {
        println!("{object}");
    } else {
        println!("{object:#}");
    }
    Ok(())
}

fn grades<'j>(judgements: &'j Judgements, question: &Question) -> Option<&'j Grades> {
    judgements.get(&question.id)
}

/// Gives the passages the vectors, and where asked the key phrases, that the search is to find them by.
fn enrich(arguments: &Arguments, store: Arc<dyn ChunkStore>) -> Result<(), Failure> {
    let mut enricher = Enricher::new(store);
    if arguments.enrich {
        let embedder = arguments.models.embedder()?;
        let embedder =
            embedder.ok_or_else(|| Failure::Usage("--enrich needs a sentence encoder".to_owned()))?;
        enricher = enricher.with_key_phrases(Arc::new(KeyBert::new(embedder, KeyBertOptions::default())));
    }
    if arguments.mode == SearchMode::Broad
        && let Some(embedder) = arguments.models.embedder()?
    {
        enricher = enricher.with_embedder(embedder);
    }
    let bar = Progress::new();
    let show = |stage, progress| bar.show(&Event::Progress { project: String::new(), stage, progress });
    let report = enricher.run(&|| false, &show)?;
    bar.clear();
    match report.degraded.first() {
        Some(degraded) => Err(Failure::Failed(format!("{}: {}", degraded.reason(), degraded.remedy()))),
        None => Ok(()),
    }
}

/// The search that is measured.
struct Asked<'a> {
    searcher: Searcher,
    arguments: &'a Arguments,
}

impl Asked<'_> {
    fn search(&self, question: &Question) -> Search {
        let search = Search::new(question.text.as_str()).with_mode(self.arguments.mode);
        match self.arguments.models.embedder() {
            Ok(None) => search.without_vectors(),
            _ => search,
        }
    }

    /// Asks every question twice: as a user would, for six passages, which is timed; and for a full list, in which
    /// near-duplicates keep their places and nothing is cut, since the judges have judged each passage for itself. The
    /// first few are asked once before, since nobody waits for a cache that is always warm.
    fn all(&self, names: &[String], questions: &[Question]) -> Result<Answers, Failure> {
        let mut answers = Answers::default();
        if self.arguments.mode == SearchMode::Narrow {
            for question in questions.iter().take(5) {
                self.searcher.search(&self.search(question))?;
            }
        }
        for question in questions {
            let search = self.search(question);
            let started = Instant::now();
            let timings = self.searcher.search(&search)?.timings;
            let took = started.elapsed();
            answers.milliseconds.push(took.as_secs_f64() * 1e3);
            let models = timings.reranking + timings.embedding;
            answers.beyond_models.push(took.saturating_sub(models).as_secs_f64() * 1e3);

            let search = search.with_limit(self.arguments.depth.max(10)).with_duplicates().without_cut();
            let found = self.searcher.search(&search)?;
            let of = |hit| PassageIndex::name(names, hit).map(str::to_owned);
            answers.rankings.push(found.hits.iter().filter_map(of).collect());
            for degraded in found.degraded {
                if !answers.degraded.contains(&degraded) {
                    answers.degraded.push(degraded);
                }
            }
        }
        Ok(answers)
    }
}

/// What came of the questions.
#[derive(Default)]
struct Answers {
    milliseconds: Vec<f64>,
    /// Of these, what neither the cross-encoder nor embedding the question took.
    beyond_models: Vec<f64>,
    /// The names of the passages found for each question, best first.
    rankings: Vec<Vec<String>>,
    /// What was missing in any search.
    degraded: Vec<Degradation>,
}

fn parse() -> Result<Option<Arguments>, Failure> {
    let (mut collection, mut queries, mut seed, mut depth, mut json) = (None, usize::MAX, 1, 100, false);
    let (mut mode, mut enrich, mut store, mut models) = (SearchMode::Narrow, false, None, Models::default());
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("mode") => mode = examples::mode(parser.value()?)?,
            Arg::Long("enrich") => enrich = true,
            Arg::Long("store") => store = Some(text(parser.value()?)?),
            Arg::Long("queries") => queries = number(parser.value()?)?,
            Arg::Long("seed") => seed = number(parser.value()?)?,
            Arg::Long("k") => depth = number(parser.value()?)?,
            Arg::Long("json") => json = true,
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Value(folder) if collection.is_none() => collection = Some(PathBuf::from(folder)),
            Arg::Long(name) => {
                let name = name.to_owned();
                if !models.take(&name, || parser.value())? {
                    return Err(Arg::Long(&name).unexpected().into());
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let collection = collection.ok_or_else(|| Failure::Usage("name a collection".to_owned()))?;
    Ok(Some(Arguments { collection, queries, seed, depth, mode, enrich, store, models, json }))
}
