//! Searching passages, and writing them: Narrow Search beside tantivy and SQLite's FTS5, both bare.
//!
//! All three are asked for six passages with their texts. Ours does more for it: it analyses words by language, searches
//! by words and literally, looks for titles, puts near-duplicates last and says why each passage was found. The rivals
//! fold case and accents and weigh the title five times, and no more. A sample is a whole set of queries; throughput is in
//! queries, or in passages written.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]

mod bare_fts5;
mod bare_tantivy;
mod finder;
mod ours;

use std::hint::black_box;
use std::time::Duration;

use benches::passages::{Passage, Passages};
use benches::shared;
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tempfile::TempDir;

use bare_fts5::Fts5;
use bare_tantivy::Tantivy;
use finder::{Asked, Finder};
use ours::Ours;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

/// Questions of a set. A sample asks all of them, so that no side is asked the easy ones more often.
const QUESTIONS: usize = 40;

fn built<F: Finder>(passages: &[Passage]) -> (TempDir, F) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut finder = F::open(folder.path());
    finder.write(0, passages);
    finder.settle();
    (folder, finder)
}

/// Asks one finder every set of questions, each once before as warm-up.
fn ask<F: Finder>(c: &mut Criterion, corpus: &str, passages: &[Passage], sets: &[(&str, Vec<Asked>)]) {
    let (_folder, finder) = built::<F>(passages);
    for (name, asked) in sets {
        // Every phrase stands in one of the passages, and every word in many.
        assert!(asked.iter().all(|asked| finder.find(asked) > 0), "{} finds nothing", F::NAME);
        let mut group = c.benchmark_group(format!("{name}, {corpus}, each of {}", asked.len()));
        group.sample_size(10).measurement_time(Duration::from_secs(3));
        group.throughput(Throughput::Elements(asked.len() as u64));
        group.bench_function(BenchmarkId::new(F::NAME, passages.len()), |b| {
            b.iter(|| asked.iter().map(|asked| finder.find(black_box(asked))).sum::<usize>());
        });
        group.finish();
    }
}

fn ask_all(c: &mut Criterion, corpus: &str, passages: &[Passage], sets: &[(&str, Vec<Asked>)]) {
    ask::<Ours>(c, corpus, passages, sets);
    ask::<Tantivy>(c, corpus, passages, sets);
    ask::<Fts5>(c, corpus, passages, sets);
}

/// A phrase of three words of every so many passages.
fn phrases(passages: &[Passage]) -> Vec<Asked> {
    let step = (passages.len() / QUESTIONS / 2).max(1);
    let phrase = |passage: &Passage| {
        // Not what one of the three would take for one word, or for none.
        let is_word = |word: &&str| word.chars().all(char::is_alphanumeric);
        let words: Vec<&str> = passage.text.split_whitespace().skip(5).take(3).filter(is_word).collect();
        (words.len() == 3).then(|| Asked::Phrase(words.join(" ")))
    };
    passages.iter().step_by(step).filter_map(phrase).take(QUESTIONS).collect()
}

/// Nine words of every so many passages, as they stand there.
fn nine_words(passages: &[Passage]) -> Vec<Asked> {
    let step = (passages.len() / QUESTIONS / 2).max(1);
    let words = |passage: &Passage| {
        let words: Vec<&str> = passage.text.split_whitespace().skip(2).take(9).collect();
        (words.len() == 9).then(|| Asked::Words(words.join(" ")))
    };
    passages.iter().step_by(step).filter_map(words).take(QUESTIONS).collect()
}

fn seeded(c: &mut Criterion) {
    for size in SIZES {
        let mut drawn = Passages::new();
        let passages: Vec<Passage> = (0..size).map(|_| drawn.passage()).collect();
        let words = (0..QUESTIONS).map(|_| Asked::Words(drawn.query())).collect();
        let sets = [
            ("bm25, three words", words),
            ("exact, a phrase of three words", phrases(&passages)),
            ("narrow, nine words", (0..QUESTIONS).map(|_| Asked::Words(drawn.words(9))).collect()),
        ];
        ask_all(c, "seeded", &passages, &sets);
    }
}

fn real(c: &mut Criterion) {
    for language in ["pt", "en"] {
        let Some(passages) = shared::passages(language, 10_000) else { continue };
        let sets = [
            ("exact, a phrase of three words", phrases(&passages)),
            ("narrow, nine words", nine_words(&passages)),
        ];
        ask_all(c, &format!("shared data {language}"), &passages, &sets);
    }
}

fn write_with<F: Finder>(c: &mut Criterion) {
    let mut group = c.benchmark_group("write, durable batch of new documents");
    group.sample_size(10);
    for size in [10, 1_000] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut finder = F::open(folder.path());
        let mut drawn = Passages::new();
        let mut from = 0;
        group.throughput(Throughput::Elements(size as u64));
        group.bench_function(BenchmarkId::new(F::NAME, size), |b| {
            b.iter_batched(
                || (0..size).map(|_| drawn.passage()).collect::<Vec<_>>(),
                |passages| {
                    finder.write(from, &passages);
                    from += size;
                    passages
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn write(c: &mut Criterion) {
    write_with::<Ours>(c);
    write_with::<Tantivy>(c);
    write_with::<Fts5>(c);
}

criterion_group!(benches, seeded, real, write);
criterion_main!(benches);
