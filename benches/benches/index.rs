//! Narrow Search, whole (BM25, literal search, loading the texts), and writing batches.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]

use std::hint::black_box;
use std::path::Path;

use benches::passages::Passages;
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tusab_chunk::{Body, Chunker, Document, Windows};
use tusab_index::{Batch, ChunkStore, ContentHash, Control, DocumentRecord, Index, Query, Retriever};

fn batch(passages: &mut Passages, from: usize, count: usize) -> Batch {
    let mut batch = Batch::new();
    for number in from..from + count {
        let text = passages.passage(45);
        let id = format!("text:{number}").parse().expect("a valid id");
        let hash = ContentHash::of(1, text.as_bytes());
        let document = Document::new(id, passages.passage(4), Body::Text(text));
        batch.upsert(DocumentRecord::new(&document, hash), Windows::default().chunks(&document));
    }
    batch
}

fn open(folder: &Path) -> Index {
    Index::open(folder).expect("an index").index
}

fn narrow(c: &mut Criterion) {
    let mut group = c.benchmark_group("narrow");
    for size in [1_000, 10_000, 100_000] {
        let folder = tempfile::tempdir().expect("a folder");
        let index = open(folder.path());
        let mut passages = Passages::new();
        index.apply(&batch(&mut passages, 0, size), Control::default()).expect("a batch");
        let queries: Vec<Query> = (0..200).map(|_| Query::new(passages.query())).collect();
        let mut next = queries.iter().cycle();
        group.bench_function(BenchmarkId::new("three words", size), |b| {
            b.iter(|| next.next().map(|query| index.retrieve(black_box(query)).expect("hits")));
        });
    }
    group.finish();
}

fn write(c: &mut Criterion) {
    let mut group = c.benchmark_group("write");
    group.sample_size(10);
    for size in [10, 1_000] {
        let folder = tempfile::tempdir().expect("a folder");
        let index = open(folder.path());
        let mut passages = Passages::new();
        let mut from = 0;
        group.throughput(Throughput::Elements(size as u64));
        group.bench_function(BenchmarkId::new("durable batch of new documents", size), |b| {
            let fresh = || {
                from += size;
                batch(&mut passages, from, size)
            };
            b.iter_batched(
                fresh,
                |batch| index.apply(&batch, Control::default()).expect("a batch"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, narrow, write);
criterion_main!(benches);
