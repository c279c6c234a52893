//! Reading rolling captions, whole: decoding, parsing, collapsing the repetitions.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]

use std::hint::black_box;

use benches::{prose::Tongue, rolling};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tusab_ingest::{Options, parse};

fn captions(c: &mut Criterion) {
    let mut group = c.benchmark_group("captions");
    group.sample_size(20);
    for hours in [1, 10] {
        let vtt = rolling::webvtt(Tongue::Portuguese, hours);
        group.throughput(Throughput::Bytes(vtt.len() as u64));
        group.bench_with_input(BenchmarkId::new("rolling, hours", hours), vtt.as_bytes(), |b, vtt| {
            b.iter(|| parse("a.vtt", black_box(vtt), &Options::default()).expect("captions"));
        });
    }
    group.finish();
}

criterion_group!(benches, captions);
criterion_main!(benches);
