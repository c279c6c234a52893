//! The whole line: taking files in, and answering a question from them.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use benches::prose::{self, Tongue};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tokio::runtime::{Builder, Runtime};
use tusab_engine::index::{Index, Query, Retriever};
use tusab_engine::rerank::{self, Embedder, Embeddings, Reranker};
use tusab_engine::{Cancel, Engine, Project, Search, SearchMode, Source};

const FILES: usize = 100;

const QUESTION: &str = "juros compostos com paciência";

/// A cross-encoder and an embedder that answer at once.
struct Free;

impl Reranker for Free {
    fn model(&self) -> &'static str {
        "free"
    }

    fn scores(&self, _: &str, passages: &[&str]) -> Result<Vec<f32>, rerank::Error> {
        Ok(vec![1.0; passages.len()])
    }
}

impl Embedder for Free {
    fn model(&self) -> &'static str {
        "free"
    }

    fn dimension(&self) -> Result<NonZeroUsize, rerank::Error> {
        Ok(const { NonZeroUsize::new(384).unwrap() })
    }

    fn embed_passages(&self, passages: &[&str]) -> Result<Embeddings, rerank::Error> {
        Embeddings::new(self.dimension()?, vec![1.0; 384 * passages.len()])
    }

    fn embed_query(&self, _: &str) -> Result<Vec<f32>, rerank::Error> {
        Ok(vec![1.0; 384])
    }
}

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
    let engine = Engine::builder().data_dir(data).reranker(Arc::new(Free)).embedder(Arc::new(Free));
    let engine = engine.build().expect("an engine");
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
    let mut group = c.benchmark_group("engine/search");
    // What the engine adds to the index, and what a Broad Search costs beside its models.
    let indexes = fs::read_dir(data.path().join("indexes")).expect("a folder");
    let folder = indexes.flatten().map(|entry| entry.path()).find(|path| path.is_dir()).expect("an index");
    let index = Index::open(&folder).expect("an index").index;
    group.bench_function("index alone", |b| {
        let query = Query::new(QUESTION);
        b.iter(|| index.retrieve(&query).expect("hits"));
    });
    group.bench_function("narrow", |b| {
        b.iter(|| runtime.block_on(project.search(QUESTION)).expect("hits"));
    });
    runtime.block_on(project.enrich(&Cancel::new())).expect("a report");
    group.bench_function("broad, models that cost nothing", |b| {
        let search = Search::new(QUESTION).with_mode(SearchMode::Broad);
        b.iter(|| {
            let found = runtime.block_on(project.search(search.clone())).expect("hits");
            assert!(found.degraded.is_empty());
            found
        });
    });
    group.finish();
    c.bench_function("engine/extractive answer, history written", |b| {
        let chat = project.chat("bench");
        b.iter(|| runtime.block_on(chat.ask("Por que a estação estava fechada?")).expect("an answer"));
    });
}

criterion_group!(benches, line);
criterion_main!(benches);
