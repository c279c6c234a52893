//! The whole line: taking files in, and answering a question from them.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]

use std::fs;
use std::path::PathBuf;

use benches::prose::{self, Tongue};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tokio::runtime::{Builder, Runtime};
use tusab_engine::{Cancel, Engine, Project, Source};

const FILES: usize = 100;

fn files(folder: &std::path::Path) -> Vec<PathBuf> {
    (0..FILES)
        .map(|number| {
            let path = folder.join(format!("nota-{number}.md"));
            let text = format!("# Nota {number}\n\n{}", prose::text(Tongue::Portuguese, 5_000));
            fs::write(&path, text).expect("a file");
            path
        })
        .collect()
}

async fn project(data: &std::path::Path) -> Project {
    let engine = Engine::builder().data_dir(data).build().expect("an engine");
    engine.project("Bench").await.expect("a project")
}

fn sources(files: &[PathBuf]) -> Vec<Source> {
    files.iter().map(Source::file).collect()
}

fn line(c: &mut Criterion) {
    let runtime: Runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let files = files(folder.path());
    let mut group = c.benchmark_group("engine");
    group.sample_size(10);
    group.throughput(Throughput::Elements(FILES as u64));
    group.bench_function("ingest of Markdown files of 5 KB", |b| {
        b.iter_batched(
            || tempfile::tempdir().expect("a folder"),
            |data| {
                runtime.block_on(async {
                    let project = project(data.path()).await;
                    project.ingest_all(sources(&files), &Cancel::new()).await.expect("a report");
                });
                data
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();

    let data = tempfile::tempdir().expect("a folder");
    let project = runtime.block_on(async {
        let project = project(data.path()).await;
        project.ingest_all(sources(&files), &Cancel::new()).await.expect("a report");
        project
    });
    c.bench_function("engine/narrow search", |b| {
        b.iter(|| runtime.block_on(project.search("juros compostos com paciência")).expect("hits"));
    });
    c.bench_function("engine/extractive answer, history written", |b| {
        let chat = project.chat("bench");
        b.iter(|| runtime.block_on(chat.ask("Por que a estação estava fechada?")).expect("an answer"));
    });
}

criterion_group!(benches, line);
criterion_main!(benches);
