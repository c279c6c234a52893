//! What the savings and the runtimes do to a ranking: the top 12 of BM25 on the collection `scifact`, reranked.
//!
//! Thirty of its questions, evenly drawn, show that reranking helps. With `TUSAB_QUESTIONS=60` (300 are all) each saving
//! and both runtimes are measured too, which takes minutes, in release:
//! `TUSAB_QUESTIONS=60 cargo test --release -p tusab-rerank --test scifact -- --ignored --nocapture`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    clippy::missing_panics_doc,
    reason = "tests fail by panicking"
)]
#![cfg(all(feature = "onnxruntime", feature = "rten"))]

mod common;

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use common::{model, number, on};
use serde_json::Value;
use tusab_rerank::{Backend, CrossEncoder, CrossEncoderOptions, EarlyStop, Limits, Reranker, Windows};

const POOL: usize = 12;
const DEPTH: usize = 10;

/// A question, its pool in the order of BM25, and which of the pool were judged right.
struct Asked {
    question: String,
    passages: Vec<String>,
    right: Vec<bool>,
    /// How many were judged right in the whole collection.
    all_right: usize,
}

impl Asked {
    /// nDCG at [`DEPTH`] of the pool in this order.
    fn ndcg(&self, order: &[usize]) -> f64 {
        let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
        let got: f64 = (0..DEPTH).filter(|&place| self.right[order[place]]).map(gain).sum();
        got / (0..self.all_right.min(DEPTH)).map(gain).sum::<f64>()
    }
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let runs = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|run| run.len() > 1);
    // Plurals meet their singulars; more of a stemmer this pool does not need.
    runs.map(|run| run.strip_suffix('s').unwrap_or(run).to_owned()).collect()
}

/// So many of the judged questions with their pools; `None`, and it is said, where the collection is not there.
fn asked(wanted: usize) -> Option<Vec<Asked>> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/ir/scifact"));
    let Ok(corpus) = std::fs::File::open(folder.join("corpus.jsonl.gz")) else {
        println!("skipped: no {}", folder.display());
        return None;
    };
    let (mut names, mut texts) = (Vec::new(), Vec::new());
    let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
    let mut lengths = Vec::new();
    for line in BufReader::new(flate2::read::MultiGzDecoder::new(corpus)).lines() {
        let row: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let text = format!("{}\n{}", row["title"].as_str().unwrap(), row["text"].as_str().unwrap());
        let words = words(&text);
        lengths.push(words.len() as f64);
        let mut counts: HashMap<String, f64> = HashMap::new();
        for word in words {
            *counts.entry(word).or_default() += 1.0;
        }
        for (word, count) in counts {
            postings.entry(word).or_default().push((texts.len(), count));
        }
        names.push(row["id"].as_str().unwrap().to_owned());
        texts.push(text);
    }
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    let mut judged: HashMap<String, Vec<String>> = HashMap::new();
    for line in std::fs::read_to_string(folder.join("qrels.tsv")).unwrap().lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        if fields[fields.len() - 1] != "0" {
            judged.entry(fields[0].to_owned()).or_default().push(fields[1].to_owned());
        }
    }
    let questions = std::fs::read_to_string(folder.join("queries.jsonl")).unwrap();
    let mut all = Vec::new();
    for line in questions.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let Some(right) = judged.get(row["id"].as_str().unwrap()) else { continue };
        let question = row["text"].as_str().unwrap().to_owned();
        let mut scores = vec![0.0; texts.len()];
        for word in words(&question) {
            let Some(postings) = postings.get(&word) else { continue };
            let (n, df) = (texts.len() as f64, postings.len() as f64);
            let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
            for &(at, count) in postings {
                scores[at] += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * lengths[at] / mean));
            }
        }
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        order.truncate(POOL);
        all.push(Asked {
            question,
            passages: order.iter().map(|&at| texts[at].clone()).collect(),
            right: order.iter().map(|&at| right.contains(&names[at])).collect(),
            all_right: right.len(),
        });
    }
    let step = all.len().div_ceil(wanted.max(1)).max(1);
    Some(all.into_iter().step_by(step).collect())
}

fn encoder(backend: Backend, windows: Windows, early: Option<EarlyStop>) -> CrossEncoder {
    let mut options = CrossEncoderOptions::default().with_runtime(on(backend)).with_windows(windows);
    options.early_stop = early;
    CrossEncoder::new(model("cross-encoder"), options)
}

/// Those with a score, the best first, then the others as BM25 had them.
fn order(scores: &[Option<f32>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    let score = |at: usize| scores[at].unwrap_or(f32::NEG_INFINITY);
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
    order
}

/// The mean nDCG of a way to rerank, and how much of the pools it scored.
fn measure(name: &str, asked: &[Asked], encoder: &CrossEncoder) -> f64 {
    let (mut sum, mut read) = (0.0, 0);
    let began = std::time::Instant::now();
    for one in asked {
        let passages: Vec<&str> = one.passages.iter().map(String::as_str).collect();
        let scores = encoder.scores_within(&one.question, &passages, &Limits::default()).unwrap().scores;
        read += scores.iter().flatten().count();
        sum += one.ndcg(&order(&scores));
    }
    let (ndcg, pairs) = (sum / asked.len() as f64, asked.len() * POOL);
    println!("{name}: nDCG@10 {ndcg:.4}, {read} of {pairs} pairs, {:.0} s", began.elapsed().as_secs_f64());
    ndcg
}

#[test]
#[ignore = "needs the library of ONNX Runtime and models: scripts/test.sh"]
fn savings_and_runtimes_keep_the_ranking() {
    let thorough: Option<usize> = std::env::var("TUSAB_QUESTIONS").ok().map(|text| text.parse().unwrap());
    let Some(asked) = asked(thorough.unwrap_or(30)) else { return };
    let first: f64 = asked.iter().map(|one| one.ndcg(&(0..POOL).collect::<Vec<_>>())).sum();
    let before = first / asked.len() as f64;
    println!("{} questions; BM25: nDCG@10 {before:.4}", asked.len());
    let onnx = Backend::OnnxRuntime;
    let chosen = measure("default", &asked, &encoder(onnx, Windows::default(), None));
    assert!(chosen > before, "reranking made it worse: {before} {chosen}");
    if thorough.is_none() {
        return;
    }
    let rten = measure("default, rten", &asked, &encoder(Backend::Rten, Windows::default(), None));
    for (top, misses) in [(3, 3), (5, 3), (5, 5)] {
        let stop = EarlyStop { top: number(top), misses: number(misses) };
        let name = format!("default, early stop after {misses} misses of the top {top}");
        measure(&name, &asked, &encoder(onnx, Windows::default(), Some(stop)));
    }
    let all = measure("all windows", &asked, &encoder(onnx, Windows::All, None));
    assert!(chosen >= all - 0.002, "the default windows cost too much: {all} {chosen}");
    assert!((chosen - rten).abs() <= 0.005, "the runtimes rank differently: {chosen} {rten}");
}
