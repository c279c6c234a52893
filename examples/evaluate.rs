//! How good the search is, on a collection of passages, questions and judgements.
//!
//! `cargo run --release --example evaluate -- COLLECTION [--mode narrow] [--queries N] [--seed S] [--k K] [--json]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use examples::collection::{self, Grades, Judgements, Question};
use examples::draw::Draw;
use examples::measure::{mean, ndcg, peak_megabytes, percentile, recall, reciprocal_rank};
use examples::passage_index::PassageIndex;
use examples::{Failure, finish, number, text};
use lexopt::Arg;
use serde_json::json;
use tusab_engine::index::{Index, Query, Retriever};

const USAGE: &str = "\
Usage: evaluate COLLECTION [--mode narrow] [--queries N] [--seed S] [--k K] [--json]

Indexes a collection (corpus.jsonl, .gz or .zst, queries.jsonl, qrels.tsv) and asks its judged questions one by one.

  --mode MODE   narrow (words)
  --queries N   draw N of the questions (default: all)
  --seed S      by this seed (default: 1)
  --k K         depth of recall_k (default: 100)
  --json        print one JSON object and nothing else";

struct Arguments {
    collection: PathBuf,
    queries: usize,
    seed: u64,
    depth: usize,
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
    let judgements = collection::judgements(&arguments.collection.join("qrels.tsv"))?;
    let mut questions = collection::questions(&arguments.collection.join("queries.jsonl"))?;
    questions.retain(|question| judgements.contains_key(&question.id));
    let questions = if arguments.queries < questions.len() {
        Draw::new(arguments.seed).sample(questions, arguments.queries)
    } else {
        questions
    };

    let started = Instant::now();
    let mut passages = PassageIndex::create(folder.path())?;
    collection::passages(&collection::corpus(&arguments.collection)?, usize::MAX, |passage| {
        passages.add(passage);
    })?;
    let (index, names) = passages.finish()?;
    let index_s = started.elapsed().as_secs_f64();

    let milliseconds = time(&index, &questions)?;
    let rankings = rank(&index, &names, &questions, arguments.depth.max(10))?;
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
        "mode": "narrow",
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
        "peak_mb": peak_megabytes(),
        "degraded": [],
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

/// Milliseconds of each question as a user would ask it: six passages with their texts. The first few are asked
/// once before, since nobody waits for a cache that is always warm.
fn time(index: &Index, questions: &[Question]) -> Result<Vec<f64>, Failure> {
    let mut milliseconds = Vec::with_capacity(questions.len());
    for (measured, question) in
        questions.iter().take(5).map(|q| (false, q)).chain(questions.iter().map(|q| (true, q)))
    {
        let started = Instant::now();
        let hits =
            index.retrieve(&Query::new(question.text.as_str())).map_err(|error| Failure::of(&error))?;
        std::hint::black_box(hits);
        if measured {
            milliseconds.push(started.elapsed().as_secs_f64() * 1e3);
        }
    }
    Ok(milliseconds)
}

/// The names of the passages found for each question, best first. Near-duplicates keep their places: the judges have
/// judged each passage for itself.
fn rank(
    index: &Index,
    names: &[String],
    questions: &[Question],
    depth: usize,
) -> Result<Vec<Vec<String>>, Failure> {
    questions
        .iter()
        .map(|question| {
            let query =
                Query::new(question.text.as_str()).with_limit(depth).with_pool(depth).with_duplicates();
            let hits = index.retrieve(&query).map_err(|error| Failure::of(&error))?.hits;
            Ok(hits.iter().filter_map(|hit| PassageIndex::name(names, hit)).map(str::to_owned).collect())
        })
        .collect()
}

fn parse() -> Result<Option<Arguments>, Failure> {
    let (mut collection, mut queries, mut seed, mut depth, mut json) = (None, usize::MAX, 1, 100, false);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("mode") => match text(parser.value()?)?.as_str() {
                "narrow" => {}
                other => return Err(Failure::Usage(format!("{other:?} is no mode of this version: narrow"))),
            },
            Arg::Long("queries") => queries = number(parser.value()?)?,
            Arg::Long("seed") => seed = number(parser.value()?)?,
            Arg::Long("k") => depth = number(parser.value()?)?,
            Arg::Long("json") => json = true,
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Value(folder) if collection.is_none() => collection = Some(PathBuf::from(folder)),
            other => return Err(other.unexpected().into()),
        }
    }
    let collection = collection.ok_or_else(|| Failure::Usage("name a collection".to_owned()))?;
    Ok(Some(Arguments { collection, queries, seed, depth, json }))
}
