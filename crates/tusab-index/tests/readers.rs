//! One writer and eight readers, of which half are other handles, as other processes have them.
//!
//! By default a counted number of batches; `TUSAB_SECONDS` goes on for that long.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking"
)]

#[path = "common/programs.rs"]
mod programs;

mod common;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use common::batch;
use tusab_index::{
    ChunkStore, Control, Dimension, Index, Query, Retriever, Vector, VectorOutcome, VectorQuery,
    VectorSearch, VectorSpace, VectorsOff,
};

const BATCHES: u64 = 20;
const READERS: usize = 8;

fn edition(number: u64) -> [(String, String); 2] {
    let filling = "Enchimento de sempre. ".repeat(20);
    ["a", "b"].map(|side| (format!("text:{side}"), format!("umbu {filling} edição {number} do par")))
}

/// The edition that a text is of.
fn edition_of(text: &str) -> u64 {
    text.rsplit(' ').nth(2).unwrap().parse().unwrap()
}

/// Lets the readers go, however the writer ends.
struct Done<'d>(&'d AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[test]
fn no_reader_sees_half_of_a_batch() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let write = |number: u64| {
        let pair = edition(number);
        let pair: Vec<(&str, &str, &str)> =
            pair.iter().map(|(id, text)| (id.as_str(), "Par", text.as_str())).collect();
        index.apply(&batch(&pair), Control::default()).unwrap();
    };
    let space = VectorSpace::new("m", Dimension::new(8).unwrap());
    let vector = Vector::new(vec![1.0; 8]).unwrap();
    write(1);
    let deadline =
        programs::number_from("TUSAB_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let (done, searches) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut batches = 1;
    std::thread::scope(|scope| {
        for reader in 0..READERS {
            let (index, done, searches, dir, space, vector) =
                (&index, &done, &searches, dir.path(), &space, &vector);
            scope.spawn(move || {
                let other = Index::open(dir).unwrap().index;
                let index = if reader % 2 == 0 { index } else { &other };
                let (mut latest, mut rounds) = (0, 0);
                while !done.load(Ordering::Acquire) || rounds < 10 {
                    let hits = index.retrieve(&Query::new("umbu").with_duplicates()).unwrap().hits;
                    let seen: Vec<u64> =
                        hits.iter().map(|hit| edition_of(hit.chunk.original_text())).collect();
                    assert!(seen.len() == 2 && seen[0] == seen[1], "{seen:?}");
                    assert!(seen[0] >= latest, "edition {} after {latest}", seen[0]);
                    latest = seen[0];
                    let query = VectorQuery::new(space, vector).unwrap();
                    match index.nearest(&query).unwrap() {
                        VectorOutcome::Found(hits) => assert!(hits.len() <= 2),
                        VectorOutcome::Off(reason) => assert_eq!(reason, VectorsOff::Missing),
                        outcome => panic!("{outcome:?}"),
                    }
                    rounds += 1;
                }
                searches.fetch_add(rounds, Ordering::Relaxed);
            });
        }
        let _done = Done(&done);
        while deadline.map_or(batches < BATCHES, |deadline| Instant::now() < deadline) {
            batches += 1;
            write(batches);
            let doc = "text:a".parse().unwrap();
            let chunk = index.chunks(&doc).unwrap()[0].id();
            index.set_vectors(&space, &[(doc.clone(), vec![(chunk, vector.clone())])]).unwrap();
            index.set_key_phrases(&[(doc, vec![(chunk, vec![format!("frase {batches}")])])]).unwrap();
            if batches % 8 == 0 {
                index.compact().unwrap();
            }
        }
    });
    println!("{batches} batches, {} searches", searches.load(Ordering::Relaxed));
    assert_eq!(index.check().unwrap(), []);
    assert_eq!(index.statistics().unwrap().chunks, 2);
}
