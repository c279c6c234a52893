//! Reading documents, whole. The throughput is that of the file as it is on disk.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]

use std::hint::black_box;

use benches::files;
use benches::prose::{Tongue, text};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tusab_ingest::{Format, Options, parse};

const PROSE: usize = 1 << 20;

fn documents(c: &mut Criterion) {
    let markdown = text(Tongue::Portuguese, PROSE).into_bytes();
    let docx = files::docx(PROSE).expect("an archive in memory");
    let pdf = files::pdf(PROSE).expect("a file in memory");
    let inputs = [
        (Format::Markdown, "a.md", markdown),
        (Format::Html, "a.html", files::html(PROSE).into_bytes()),
        (Format::Csv, "a.csv", files::csv(PROSE).into_bytes()),
        (Format::Docx, "a.docx", docx),
        (Format::Pdf, "a.pdf", pdf),
    ];
    let mut group = c.benchmark_group("documents");
    group.sample_size(20);
    for (format, name, bytes) in &inputs {
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_with_input(BenchmarkId::new("1 MiB of prose", format), bytes, |b, bytes| {
            b.iter(|| {
                let read = parse(name, black_box(bytes), &Options::default()).expect("a document");
                assert_eq!(read.value.format, *format);
                read
            });
        });
    }
    group.finish();
}

criterion_group!(benches, documents);
criterion_main!(benches);
