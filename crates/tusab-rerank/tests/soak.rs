//! Memory over many calls. A test program of its own: what other tests hold would be counted too.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::missing_panics_doc,
    reason = "tests fail by panicking"
)]
#![cfg(feature = "onnxruntime")]

mod common;

use std::time::Instant;

use common::{model, on};
use tusab_rerank::{Backend, Embedder, SentenceEncoder, SentenceOptions};

fn resident_kilobytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find(|line| line.starts_with("VmRSS:"))?.split_whitespace().nth(1)?.parse().ok()
}

/// The arena and the memory pattern of ONNX Runtime keep the largest size of each shape; a leak of 11 MB a call was
/// reported too (pain point 37).
#[test]
#[ignore = "needs the library of ONNX Runtime and models, and a minute: scripts/test.sh"]
fn memory_does_not_grow_over_calls_of_mixed_lengths() {
    let options = SentenceOptions::default().with_runtime(on(Backend::OnnxRuntime));
    let encoder = SentenceEncoder::new(model("sentences"), options);
    let words: Vec<&str> =
        "the proof of a seed and quantum computers break accounts today".split(' ').collect();
    // Lengths of 1 to 256 tokens, most of them short, in no order.
    let texts: Vec<String> = (0..2000_usize)
        .map(|at| {
            let length = 1 + (at * at * 31 + at * 17) % if at % 10 == 0 { 250 } else { 40 };
            (0..length).map(|word| words[(word * 7 + at) % words.len()]).collect::<Vec<_>>().join(" ")
        })
        .collect();
    let run = |texts: &[String]| {
        for text in texts {
            assert_eq!(encoder.embed_passages(&[text]).unwrap().len(), 1);
        }
    };
    run(&texts[..400]);
    let Some(before) = resident_kilobytes() else {
        println!("skipped: this system does not tell a process's memory");
        return;
    };
    let begun = Instant::now();
    run(&texts);
    let after = resident_kilobytes().unwrap();
    println!("{before} kB before, {after} kB after 2,000 calls in {:?}", begun.elapsed());
    assert!(after * 100 <= before * 105, "{before} kB, then {after} kB");
}
