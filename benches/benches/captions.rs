//! Reading captions, whole: decoding, parsing, collapsing the repetitions.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]

use std::fs;
use std::hint::black_box;

use benches::{prose::Tongue, rolling, shared};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tusab_ingest::{Options, parse};

fn seeded(c: &mut Criterion) {
    let mut group = c.benchmark_group("captions, seeded");
    group.sample_size(20);
    for cues in [1_000, 10_000, 100_000] {
        let vtt = rolling::webvtt(Tongue::Portuguese, cues);
        group.throughput(Throughput::Bytes(vtt.len() as u64));
        group.bench_with_input(BenchmarkId::new("rolling WebVTT", cues), vtt.as_bytes(), |b, vtt| {
            b.iter(|| parse("a.vtt", black_box(vtt), &Options::default()).expect("captions"));
        });
    }
    group.finish();
}

/// Captions as they came from YouTube.
fn real(c: &mut Criterion) {
    let mut group = c.benchmark_group("captions, shared data");
    group.sample_size(20);
    for name in [
        "yt-auto.pt.marketmakers-podcast.vtt",
        "yt-auto.en.felix-longform.vtt",
        "yt-auto.en.design-dashboards.json3",
        "yt-manual.en.neville.vtt",
    ] {
        let Some(bytes) = shared::file(&format!("captions/{name}")).and_then(|path| fs::read(path).ok())
        else {
            continue;
        };
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_with_input(name, bytes.as_slice(), |b, bytes| {
            b.iter(|| parse(name, black_box(bytes), &Options::default()).expect("captions"));
        });
    }
    group.finish();
}

criterion_group!(benches, seeded, real);
criterion_main!(benches);
