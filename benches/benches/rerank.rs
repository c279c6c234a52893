//! The models: a pool of passages reranked, a question and phrases embedded, key phrases found.
//!
//! With `TUSAB_MODELS` and `ORT_DYLIB_PATH`, as `scripts/assets.sh` prints them, the real models run on ONNX Runtime and
//! on rten; without, it is said that nothing was measured. The peer is `model_peers.py` beside the project.

#![allow(missing_docs, clippy::print_stderr, reason = "a bench")]

use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tusab_rerank::{
    Backend, CrossEncoder, CrossEncoderOptions, Embedder, KeyBert, KeyBertOptions, Mode, Reranker,
    RuntimeOptions, SentenceEncoder, SentenceOptions, Windows,
};

const BACKENDS: [Backend; 2] = [Backend::OnnxRuntime, Backend::Rten];

/// Twelve passages of about so many characters.
fn pool(characters: usize) -> Vec<String> {
    let words = "interest seed proof rate harbour budget committee quantum account cake flour signature decision release \
                 date memory window passage ranking question answer evidence paper method result treatment cell protein"
        .split_whitespace()
        .collect::<Vec<_>>();
    let passage = |seed: usize| {
        let mut text = String::new();
        let mut at = seed;
        while text.len() < characters {
            at = (at * 1_103 + 12_345) % 65_537;
            text.push_str(words.get(at % words.len()).copied().unwrap_or_default());
            text.push_str(if at.is_multiple_of(11) { ". " } else { " " });
        }
        text
    };
    (1..=12).map(passage).collect()
}

fn models() -> Option<PathBuf> {
    let models = env::var_os("TUSAB_MODELS").map(PathBuf::from);
    if models.is_none() {
        eprintln!("nothing measured: TUSAB_MODELS is not set");
    }
    models
}

fn runtime(backend: Backend) -> RuntimeOptions {
    RuntimeOptions::from_env().with_backend(backend)
}

fn rerank(criterion: &mut Criterion) {
    let Some(models) = models() else { return };
    let mut group = criterion.benchmark_group("rerank 12 passages");
    group.sample_size(10);
    let asked = AtomicUsize::new(0);
    for backend in BACKENDS {
        for characters in [768, 2_000] {
            for (name, windows) in [("best", Windows::default()), ("all", Windows::All)] {
                let options =
                    CrossEncoderOptions::default().with_runtime(runtime(backend)).with_windows(windows);
                let encoder = CrossEncoder::new(models.join("cross-encoder"), options);
                if let Err(error) = encoder.load() {
                    eprintln!("not measured on {backend}: {error}");
                    continue;
                }
                let pool = pool(characters);
                let passages: Vec<&str> = pool.iter().map(String::as_str).collect();
                group.throughput(Throughput::Elements(12));
                group.bench_function(
                    format!("{backend}, {characters} characters, {name} windows"),
                    |bencher| {
                        bencher.iter(|| {
                            // A new question each time: nothing is remembered.
                            let question =
                                format!("what was decided on {}", asked.fetch_add(1, Ordering::Relaxed));
                            encoder.scores(&question, &passages)
                        });
                    },
                );
            }
        }
    }
    group.finish();
}

fn sentences(criterion: &mut Criterion) {
    let Some(models) = models() else { return };
    let mut group = criterion.benchmark_group("sentences");
    group.sample_size(10);
    for backend in BACKENDS {
        let options = SentenceOptions::default().with_runtime(runtime(backend));
        let encoder = Arc::new(SentenceEncoder::new(models.join("sentences"), options));
        if let Err(error) = encoder.load() {
            eprintln!("not measured on {backend}: {error}");
            continue;
        }
        group.throughput(Throughput::Elements(1));
        group.bench_function(format!("{backend}, a question"), |bencher| {
            bencher.iter(|| encoder.embed_query("what was decided about the release date"));
        });
        let pool = pool(1_000);
        let passages: Vec<&str> = pool.iter().map(String::as_str).collect();
        group.throughput(Throughput::Elements(12));
        for (name, mode) in [("exact", Mode::Exact), ("shortlist", KeyBertOptions::default().mode)] {
            let options = KeyBertOptions::default().with_mode(mode);
            group.bench_function(format!("{backend}, key phrases, {name}, empty cache"), |bencher| {
                bencher.iter(|| KeyBert::new(encoder.clone(), options.clone()).keywords_of_each(&passages));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, rerank, sentences);
criterion_main!(benches);
