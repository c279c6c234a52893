//! On judged collections: as good as the local index, and nearly the same passages. Prints what it measured.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tusab_index::{Batch, ChunkStore, Control, Index, Postgres, Query, Retriever};

use crate::common::document;
use crate::server::{plain, shared};

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

fn corpus(folder: &Path) -> Vec<Line> {
    lines(BufReader::new(flate2::read::GzDecoder::new(File::open(folder.join("corpus.jsonl.gz")).unwrap())))
}

fn queries(folder: &Path) -> Vec<Line> {
    lines(BufReader::new(File::open(folder.join("queries.jsonl")).unwrap()))
}

fn judgements(folder: &Path) -> HashMap<String, HashMap<String, f64>> {
    let mut judged: HashMap<String, HashMap<String, f64>> = HashMap::new();
    for line in fs::read_to_string(folder.join("qrels.tsv")).unwrap().lines() {
        let [query, id, grade] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        judged.entry(query.to_owned()).or_default().insert(id.to_owned(), grade.parse().unwrap());
    }
    judged
}

fn batch(part: &[Line]) -> Batch {
    let mut batch = Batch::new();
    for Line { id, title, text } in part {
        let (record, chunks) = document(&format!("text:{id}"), title, text);
        batch.upsert(record, chunks);
    }
    batch
}

fn compare(folder: &Path, name: &str) {
    let judged = judgements(folder);
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let store = shared().open().project(name).unwrap();
    // The server's own search takes many times as long over long letters.
    let plain = (name == "scifact").then(|| {
        let postgres = Postgres::open(plain().options("postgres").with_built_in_search()).unwrap();
        postgres.project(name).unwrap()
    });
    for part in corpus(folder).chunks(1000) {
        let batch = batch(part);
        index.apply(&batch, Control::default()).unwrap();
        store.apply(&batch, Control::default()).unwrap();
        if let Some(plain) = &plain {
            plain.apply(&batch, Control::default()).unwrap();
        }
    }
    let (mut asked, mut local, mut ours, mut shared, mut wanted) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let mut built_in = 0.0;
    for query in queries(folder).iter().filter(|query| judged.contains_key(&query.id)).take(ASKED) {
        let (theirs, found) = (best(&index, &query.text), best(&store, &query.text));
        asked += 1.0;
        local += ndcg(&theirs, &judged[&query.id]);
        ours += ndcg(&found, &judged[&query.id]);
        if let Some(plain) = &plain {
            built_in += ndcg(&best(plain, &query.text), &judged[&query.id]);
        }
        for id in theirs.iter().take(6) {
            wanted += 1.0;
            shared += f64::from(u8::from(found.iter().take(6).any(|found| found == id)));
        }
    }
    let (local, ours, overlap) = (local / asked, ours / asked, shared / wanted);
    println!(
        "{name}: {asked} queries, nDCG@10 local {local:.4}, PostgreSQL {ours:.4}, top 6 shared {overlap:.4}"
    );
    if plain.is_some() {
        let built_in = built_in / asked;
        println!("{name}: without the extensions {built_in:.4}");
        assert!((local - built_in).abs() <= 0.02);
    }
    assert!((local - ours).abs() <= 0.01 && overlap >= 0.85);
}

/// What it would cost to count words over all projects of a table: two collections of one language, each ranked by its own
/// counts and by those of both.
fn compare_statistics(data: &Path, names: [&str; 2]) {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let indexes = [0, 1].map(|n| {
        let index = Index::open(dirs[n].path()).unwrap().index;
        for part in corpus(&data.join(names[n])).chunks(1000) {
            index.apply(&batch(part), Control::default()).unwrap();
        }
        index
    });
    for n in [0, 1] {
        let (judged, queries) = (judgements(&data.join(names[n])), queries(&data.join(names[n])));
        let (mut asked, mut own, mut shared, mut kept) = (0.0, 0.0, 0.0, 0.0);
        for query in queries.iter().filter(|query| judged.contains_key(&query.id)).take(ASKED / 3) {
            let whole = Query::new(&*query.text).with_limit(60).with_pool(60).with_duplicates();
            let of = |found: tusab_index::Found, number: usize| {
                let hits = found.hits.iter().filter(|hit| hit.index == number);
                hits.map(|hit| hit.document.id.local().to_owned()).take(10).collect::<Vec<_>>()
            };
            let alone = of(indexes[n].retrieve(&whole).unwrap(), 0);
            let both = of(Index::retrieve_all(&[&indexes[0], &indexes[1]], &whole).unwrap(), n);
            asked += 1.0;
            own += ndcg(&alone, &judged[&query.id]);
            shared += ndcg(&both, &judged[&query.id]);
            kept += f64::from(u8::from(alone.iter().take(6).eq(both.iter().take(6))));
        }
        println!(
            "{}: nDCG@10 by its own counts {:.4}, by those of {} too {:.4}; the same six best for {:.2} of the questions",
            names[n],
            own / asked,
            names[1 - n],
            shared / asked,
            kept / asked
        );
        // That is why each project is counted for itself.
        assert!(kept < asked);
    }
}

#[test]
#[ignore = "takes minutes"]
fn counting_over_several_projects_changes_the_ranking() {
    let data: PathBuf = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/ir").into();
    if !data.is_dir() {
        println!("skipped: the judged collections are not here");
        return;
    }
    compare_statistics(&data, ["scifact", "cranfield"]);
    compare_statistics(&data, ["milkqa", "aia-bde"]);
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
