//! On judged collections: as good as the local index, and nearly the same passages. Prints what it measured.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tusab_index::{Batch, ChunkStore, Control, Index, Query, Retriever};

use crate::common::document;
use crate::server::shared;

/// Queries that are asked of each collection: in a build for tests more would take minutes.
const ASKED: usize = 300;

#[derive(Deserialize)]
struct Line {
    id: String,
    #[serde(default)]
    title: String,
    text: String,
}

fn lines(reader: impl BufRead) -> Vec<Line> {
    reader.lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}

/// The documents of the best ten passages, each once.
fn best(of: &dyn Retriever, query: &str) -> Vec<String> {
    let mut best: Vec<String> = Vec::new();
    let query = Query::new(query).with_limit(30).with_pool(30).with_duplicates();
    for hit in of.retrieve(&query).unwrap().hits {
        let id = hit.document.id.local().to_owned();
        if best.len() < 10 && !best.contains(&id) {
            best.push(id);
        }
    }
    best
}

fn ndcg(best: &[String], judged: &HashMap<String, f64>) -> f64 {
    let gain = |(rank, grade): (usize, f64)| grade / f64::from(u32::try_from(rank).unwrap() + 2).log2();
    let reached: f64 =
        best.iter().enumerate().map(|(rank, id)| gain((rank, judged.get(id).copied().unwrap_or(0.0)))).sum();
    let mut grades: Vec<f64> = judged.values().copied().collect();
    grades.sort_by(|a, b| b.total_cmp(a));
    reached / grades.into_iter().take(10).enumerate().map(gain).sum::<f64>()
}

fn compare(folder: &Path, name: &str) {
    let corpus = lines(BufReader::new(flate2::read::GzDecoder::new(
        File::open(folder.join("corpus.jsonl.gz")).unwrap(),
    )));
    let mut judged: HashMap<String, HashMap<String, f64>> = HashMap::new();
    for line in fs::read_to_string(folder.join("qrels.tsv")).unwrap().lines() {
        let [query, id, grade] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        judged.entry(query.to_owned()).or_default().insert(id.to_owned(), grade.parse().unwrap());
    }
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let store = shared().open().project(name).unwrap();
    for part in corpus.chunks(1000) {
        let mut batch = Batch::new();
        for Line { id, title, text } in part {
            let (record, chunks) = document(&format!("text:{id}"), title, text);
            batch.upsert(record, chunks);
        }
        index.apply(&batch, Control::default()).unwrap();
        store.apply(&batch, Control::default()).unwrap();
    }
    let queries = lines(BufReader::new(File::open(folder.join("queries.jsonl")).unwrap()));
    let (mut asked, mut local, mut ours, mut shared, mut wanted) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for query in queries.iter().filter(|query| judged.contains_key(&query.id)).take(ASKED) {
        let (theirs, found) = (best(&index, &query.text), best(&store, &query.text));
        asked += 1.0;
        local += ndcg(&theirs, &judged[&query.id]);
        ours += ndcg(&found, &judged[&query.id]);
        for id in theirs.iter().take(6) {
            wanted += 1.0;
            shared += f64::from(u8::from(found.iter().take(6).any(|found| found == id)));
        }
    }
    let (local, ours, overlap) = (local / asked, ours / asked, shared / wanted);
    println!(
        "{name}: {asked} queries, nDCG@10 local {local:.4}, PostgreSQL {ours:.4}, top 6 shared {overlap:.4}"
    );
    assert!((local - ours).abs() <= 0.01 && overlap >= 0.85);
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh; takes minutes"]
fn judged_collections_are_searched_as_well_as_locally() {
    let data: PathBuf = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/ir").into();
    if !data.is_dir() {
        println!("skipped: the judged collections are not here");
        return;
    }
    for name in ["scifact", "milkqa"] {
        compare(&data.join(name), name);
    }
}
