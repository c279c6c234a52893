//! Windows of text and of time, beside text-splitter at the same sizes.
//!
//! Throughput is in bytes of the text given. Both sides build owned chunks: ours are whole [`Chunk`]s with their
//! hashed identity and offsets, the rival's are copies of its slices.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]

use std::hint::black_box;
use std::time::Duration;

use benches::prose::{self, Tongue};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use text_splitter::{ChunkConfig, TextSplitter};
use tusab_chunk::{DocId, SourceKind, TextWindows, TimeWindows};

const MB: usize = 1_000_000;

fn doc() -> DocId {
    DocId::new(SourceKind::File, "a1").expect("a valid id")
}

fn rival() -> TextSplitter<text_splitter::Characters> {
    let config = ChunkConfig::new(TextWindows::SIZE.0).with_overlap(TextWindows::OVERLAP.0).expect("shorter");
    TextSplitter::new(config)
}

/// The same texts through both, as far as the rival is bearable.
fn text_windows(c: &mut Criterion) {
    for (name, tongue) in [("text/pt", Tongue::Portuguese), ("text/en", Tongue::English)] {
        let mut group = c.benchmark_group(name);
        group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3));
        for megabytes in [1, 5, 25, 10, 100] {
            let text = prose::text(tongue, megabytes * MB);
            group.throughput(Throughput::Bytes(text.len() as u64));
            let windows = TextWindows::default();
            group.bench_with_input(BenchmarkId::new("tusab-chunk", megabytes), &text, |b, text| {
                b.iter(|| windows.chunks(&doc(), black_box(text)));
            });
            if [1, 5, 25].contains(&megabytes) {
                let splitter = rival();
                group.bench_with_input(BenchmarkId::new("text-splitter", megabytes), &text, |b, text| {
                    b.iter(|| splitter.chunks(black_box(text)).map(str::to_owned).collect::<Vec<String>>());
                });
            }
        }
        group.finish();
    }
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

criterion_group!(benches, text_windows, time_windows);
criterion_main!(benches);
