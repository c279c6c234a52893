//! Reading chats and meetings, whole: decoding, telling what they are, parsing.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]

use std::fs;
use std::hint::black_box;

use benches::conversations::{whatsapp, zoom};
use benches::shared;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tusab_ingest::{Format, Options, parse};

fn seeded(c: &mut Criterion) {
    let mut group = c.benchmark_group("chats, seeded");
    group.sample_size(20);
    for messages in [1_000, 10_000, 100_000] {
        let chat = whatsapp(messages);
        group.throughput(Throughput::Bytes(chat.len() as u64));
        group.bench_with_input(BenchmarkId::new("WhatsApp", messages), chat.as_bytes(), |b, chat| {
            b.iter(|| {
                let read = parse("", black_box(chat), &Options::default()).expect("a chat");
                assert_eq!(read.value.format, Format::WhatsApp);
                read
            });
        });
    }
    for hours in [1, 10] {
        let meeting = zoom(hours);
        group.throughput(Throughput::Bytes(meeting.len() as u64));
        group.bench_with_input(BenchmarkId::new("Zoom", hours * 2_000), meeting.as_bytes(), |b, meeting| {
            b.iter(|| {
                let read = parse("a.vtt", black_box(meeting), &Options::default()).expect("a meeting");
                assert_eq!(read.value.format, Format::Meeting);
                read
            });
        });
    }
    group.finish();
}

/// Chats that others exported, and a meeting as Zoom wrote it down.
fn real(c: &mut Criterion) {
    let mut group = c.benchmark_group("chats, shared data");
    group.sample_size(20);
    for name in [
        "whatsapp/chat-analytics.4A_11M.txt",
        "whatsapp/whatstk.lorem.txt",
        "meetings/zoom.acdc-2026-02-05_174.transcript.vtt",
    ] {
        let Some(bytes) = shared::file(name).and_then(|path| fs::read(path).ok()) else { continue };
        let (_, name) = name.split_once('/').expect("a folder");
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_with_input(name, bytes.as_slice(), |b, bytes| {
            b.iter(|| parse(name, black_box(bytes), &Options::default()).expect("a conversation"));
        });
    }
    group.finish();
}

criterion_group!(benches, seeded, real);
criterion_main!(benches);
