//! Reading chats and meetings, whole: decoding, telling what they are, parsing.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]

use std::hint::black_box;

use benches::conversations::{whatsapp, zoom};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tusab_ingest::{Format, Options, parse};

fn chats(c: &mut Criterion) {
    let mut group = c.benchmark_group("chats");
    group.sample_size(20);
    for messages in [10_000, 100_000] {
        let chat = whatsapp(messages);
        group.throughput(Throughput::Bytes(chat.len() as u64));
        group.bench_with_input(
            BenchmarkId::new("whatsapp, messages", messages),
            chat.as_bytes(),
            |b, chat| {
                b.iter(|| {
                    let read = parse("", black_box(chat), &Options::default()).expect("a chat");
                    assert_eq!(read.value.format, Format::WhatsApp);
                    read
                });
            },
        );
    }
    let meeting = zoom(10);
    group.throughput(Throughput::Bytes(meeting.len() as u64));
    group.bench_with_input(BenchmarkId::new("zoom, hours", 10), meeting.as_bytes(), |b, meeting| {
        b.iter(|| {
            let read = parse("a.vtt", black_box(meeting), &Options::default()).expect("a meeting");
            assert_eq!(read.value.format, Format::Meeting);
            read
        });
    });
    group.finish();
}

criterion_group!(benches, chats);
criterion_main!(benches);
