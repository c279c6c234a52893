//! Windows of text and of time, beside text-splitter at the same sizes.
//!
//! Throughput is in bytes of the text given. Two comparisons: the windows alone (our spans, the rival's slices: the
//! same work), and owned chunks (ours are whole [`Chunk`]s with their hashed identity and offsets, the rival's are
//! copies of its slices).
//!
//! Under glibc, whether the pages of the output are given back after each run and asked for again depends on what was
//! freed before, and is a third of our time: [`warm_heap`] makes both sides begin alike. Sizes cannot be compared with
//! each other here; `cargo run --release -p benches --bin chunk_growth` does that, a process for each.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::print_stderr, reason = "says what it skips")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

use benches::prose::{self, Tongue};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use text_splitter::{ChunkConfig, TextSplitter};
use tusab_chunk::{DocId, SourceKind, TextSpan, TextWindows, TimeWindows};

const MB: usize = 1_000_000;

fn doc() -> DocId {
    DocId::new(SourceKind::File, "a1").expect("a valid id")
}

fn rival() -> TextSplitter<text_splitter::Characters> {
    let config = ChunkConfig::new(TextWindows::SIZE.0).with_overlap(TextWindows::OVERLAP.0).expect("shorter");
    TextSplitter::new(config)
}

/// Megabytes at which the rival is measured too: its time grows with the square of the text.
const BOTH: [usize; 3] = [1, 5, 25];

/// Brings the heap into the state of a program that has run for a while: glibc keeps freed pages up to twice the
/// size of the largest block that it has seen freed, 64 MB at most.
fn warm_heap() {
    drop(black_box(vec![1_u8; 31 << 20]));
}

/// The same text through both.
fn compare(c: &mut Criterion, name: &str, text_of: impl Fn(usize) -> Option<String>) {
    warm_heap();
    let mut group = c.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3));
    for megabytes in [1, 5, 10, 25, 100] {
        let Some(text) = text_of(megabytes * MB) else { continue };
        group.throughput(Throughput::Bytes(text.len() as u64));
        let windows = TextWindows::default();
        group.bench_with_input(BenchmarkId::new("tusab-chunk", megabytes), &text, |b, text| {
            b.iter(|| windows.chunks(&doc(), black_box(text)));
        });
        group.bench_with_input(BenchmarkId::new("tusab-chunk, spans", megabytes), &text, |b, text| {
            b.iter(|| windows.spans(black_box(text)).collect::<Vec<TextSpan>>());
        });
        if BOTH.contains(&megabytes) {
            let splitter = rival();
            group.bench_with_input(BenchmarkId::new("text-splitter, slices", megabytes), &text, |b, text| {
                b.iter(|| splitter.chunks(black_box(text)).collect::<Vec<&str>>());
            });
            group.bench_with_input(BenchmarkId::new("text-splitter", megabytes), &text, |b, text| {
                b.iter(|| splitter.chunks(black_box(text)).map(str::to_owned).collect::<Vec<String>>());
            });
        }
    }
    group.finish();
}

/// Prose written for the benchmarks.
fn prose_windows(c: &mut Criterion) {
    compare(c, "text/pt", |bytes| Some(prose::text(Tongue::Portuguese, bytes)));
    compare(c, "text/en", |bytes| Some(prose::text(Tongue::English, bytes)));
}

/// Real passages of the collections in `../shared/data/scale`, one paragraph each, where they are there.
fn real_windows(c: &mut Criterion) {
    for name in ["pt", "en"] {
        let path =
            format!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/scale/{}.jsonl.zst"), name);
        let Some(text) = passages(Path::new(&path)) else {
            eprintln!("skipped scale/{name}: {path} is not there or cannot be read");
            continue;
        };
        compare(c, &format!("scale/{name}"), |bytes| {
            text.get(..text.floor_char_boundary(bytes)).filter(|_| text.len() >= bytes).map(str::to_owned)
        });
    }
}

fn passages(path: &Path) -> Option<String> {
    let decoder = ruzstd::decoding::StreamingDecoder::new(File::open(path).ok()?).ok()?;
    let mut text = String::new();
    for line in BufReader::new(decoder).lines() {
        let passage: serde_json::Value = serde_json::from_str(&line.ok()?).ok()?;
        text.push_str(passage.get("text")?.as_str()?);
        text.push_str("\n\n");
    }
    Some(text)
}

/// Ten hours of captions: about 20,000 cues.
fn time_windows(c: &mut Criterion) {
    let cues = prose::cues(Tongue::Portuguese, 10);
    let mut group = c.benchmark_group("time");
    group.throughput(Throughput::Elements(cues.len() as u64));
    group.bench_function("ten hours", |b| {
        b.iter(|| TimeWindows::default().chunks(&doc(), black_box(&cues)));
    });
    group.finish();
}

criterion_group!(benches, prose_windows, real_windows, time_windows);
criterion_main!(benches);
