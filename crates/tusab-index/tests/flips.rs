//! Bytes of every file of an index are changed, and files cut short: what is derived is mended, the store gives a typed
//! error, nothing panics, and no hit ever shows a text that was not written.
//!
//! `TUSAB_FLIPS` says how often for each file (1 by default), `TUSAB_SEED` repeats a run.

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

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::batch;
use tusab_chunk::ChunkId;
use tusab_index::{
    ChunkStore, Control, Dimension, Error, Index, Query, Repair, Retriever, Vector, VectorOutcome,
    VectorQuery, VectorSearch, VectorSpace,
};

/// A small generator (`SplitMix64`), so that a failure can be run again.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % bound as u64).unwrap()
    }
}

const DOCUMENTS: usize = 24;

fn space() -> VectorSpace {
    VectorSpace::new("m", Dimension::new(16).unwrap())
}

fn vector(number: usize) -> Vector {
    let mut random = Random(number as u64);
    let mut number = || f32::from(u16::try_from(random.below(1 << 16)).unwrap()) - 32_768.0;
    Vector::new((0..16).map(|_| number()).collect()).unwrap()
}

/// The database, its log and what it shares between processes.
fn is_store(name: &Path) -> bool {
    name.to_string_lossy().starts_with("store.sqlite")
}

/// Everything that was written, by id.
type Written = HashMap<ChunkId, String>;

fn make(dir: &Path) -> Written {
    let index = Index::open(dir).unwrap().index;
    let texts: Vec<(String, String)> = (0..DOCUMENTS)
        .map(|n| {
            (
                format!("text:{n}"),
                format!("A palavra zq{n}q de todos. {}", "Enchimento comum. ".repeat(n * 20)),
            )
        })
        .collect();
    // In several batches, so that there are several pieces.
    for group in texts.chunks(5) {
        let group: Vec<(&str, &str, &str)> =
            group.iter().map(|(id, text)| (id.as_str(), "Comum", text.as_str())).collect();
        index.apply(&batch(&group), Control::default()).unwrap();
        // All but the last batches are in the database itself, and those in its log.
        if group.iter().any(|(id, ..)| *id == "text:14") {
            index.compact().unwrap();
        }
    }
    let mut written = Written::new();
    for (n, (id, _)) in texts.iter().enumerate() {
        let doc = id.parse().unwrap();
        let chunks = index.chunks(&doc).unwrap();
        written.extend(chunks.iter().map(|chunk| (chunk.id(), chunk.original_text().to_owned())));
        index.set_vectors(&space(), &[(doc, vec![(chunks[0].id(), vector(n))])]).unwrap();
    }
    written
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &to) } else { fs::copy(&path, &to).map(drop).unwrap() }
    }
}

/// Reads the index in every way. Errors are fine here; what is not an error has to be right.
fn read(index: &Index, written: &Written) -> usize {
    let errors = std::cell::Cell::new(0);
    let count = |error: Error| {
        assert!(!error.to_string().is_empty());
        errors.set(errors.get() + 1);
    };
    let queries = ["comum", "\"palavra zq3q\"", "zq7q todos", "enchimento comum enchimento"];
    for query in
        queries.iter().map(|query| (*query).to_owned()).chain((0..DOCUMENTS).map(|n| format!("zq{n}q")))
    {
        match index.retrieve(&Query::new(&query).with_duplicates()) {
            Ok(found) => {
                for hit in found.hits {
                    assert_eq!(
                        Some(hit.chunk.original_text()),
                        written.get(&hit.chunk.id()).map(String::as_str)
                    );
                }
            }
            Err(error) => count(error),
        }
    }
    for n in 0..DOCUMENTS {
        match index.chunks(&format!("text:{n}").parse().unwrap()) {
            Ok(chunks) => {
                for chunk in chunks {
                    assert_eq!(Some(chunk.original_text()), written.get(&chunk.id()).map(String::as_str));
                }
            }
            Err(error) => count(error),
        }
        let (space, vector) = (space(), vector(n));
        match index.nearest(&VectorQuery::new(&space, &vector).unwrap()) {
            Ok(VectorOutcome::Found(hits)) => {
                assert!(hits.iter().all(|hit| hit.score.is_finite() && hit.score <= 1.001));
            }
            Ok(_) => errors.set(errors.get() + 1),
            Err(error) => count(error),
        }
    }
    index.documents().map_or_else(count, drop);
    index.statistics().map_or_else(count, drop);
    errors.get()
}

/// Every word of what was derived is found again.
fn assert_whole(index: &Index, written: &Written, what: &str) {
    assert_eq!(read(index, written), 0, "{what}");
    for n in 0..DOCUMENTS {
        let hits = index.retrieve(&Query::new(format!("zq{n}q"))).unwrap().hits;
        assert!(hits.len() == 1 && hits[0].explain.bm25_rank.is_some(), "{what}: zq{n}q");
    }
}

#[test]
fn changed_bytes_are_mended_or_a_typed_error() {
    let times = usize::try_from(programs::number_from("TUSAB_FLIPS").unwrap_or(1)).unwrap();
    let seed = programs::number_from("TUSAB_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    println!("TUSAB_FLIPS={times} TUSAB_SEED={seed}");
    let mut random = Random(seed);
    let whole = tempfile::tempdir().unwrap();
    let written = make(whole.path());
    let names: Vec<PathBuf> =
        files(whole.path()).iter().map(|path| path.strip_prefix(whole.path()).unwrap().to_owned()).collect();
    for part in ["store.sqlite", "bm25/meta.json", "vectors/vectors.json"] {
        assert!(names.contains(&PathBuf::from(part)), "{names:?}");
    }
    let (mut mended, mut refused, mut unnoticed) = (0, 0, 0);
    for name in &names {
        // The store is one file among dozens, and the one that nothing else can mend.
        let times = if is_store(name) { times * 16 } else { times };
        for _ in 0..times {
            let broken = tempfile::tempdir().unwrap();
            copy(whole.path(), broken.path());
            let path = broken.path().join(name);
            let mut bytes = fs::read(&path).unwrap();
            if bytes.is_empty() {
                continue;
            }
            let at = random.below(bytes.len());
            let what = if random.below(3) == 0 {
                bytes.truncate(at);
                format!("{} cut at {at}", name.display())
            } else {
                let by = u8::try_from(1 + random.below(255)).unwrap();
                bytes[at] ^= by;
                format!("{} changed at {at} by {by}", name.display())
            };
            fs::write(&path, &bytes).unwrap();
            let (index, mut repairs) = match Index::open(broken.path()) {
                Ok(opened) => (opened.index, opened.repairs),
                Err(error) => {
                    assert!(is_store(name), "{what}: {error}");
                    refused += 1;
                    continue;
                }
            };
            read(&index, &written);
            match index.check() {
                Ok(more) => repairs.extend(more),
                Err(error) => {
                    assert!(is_store(name), "{what}: {error}");
                    refused += 1;
                    continue;
                }
            }
            if repairs.is_empty() {
                unnoticed += 1;
            } else {
                mended += 1;
            }
            read(&index, &written);
            // SQLite reads a log up to the first damaged commit: then the later ones are gone, and that is said.
            let is_behind = repairs.iter().any(|repair| matches!(repair, Repair::StoreBehind { .. }));
            assert!(!is_behind || is_store(name), "{what}: {repairs:?}");
            if name.to_string_lossy() != "store.sqlite" && !is_behind {
                assert_whole(&index, &written, &what);
            }
        }
    }
    println!("{} files: {mended} mended, {refused} refused, {unnoticed} without consequence", names.len());
    assert!(mended > 0 && refused > 0);
}
