//! The estimate of tokens against two real vocabularies, on Portuguese and English that others wrote.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use tusab_llm::{ModelId, estimate_tokens};

use super::child::{Part, python};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");

/// Prose and speech in files of text.
const FILES: [&str; 6] = [
    "documents/pt.debian-faq.txt",
    "captions/yt-auto.pt.marketmakers-podcast.vtt",
    "captions/fansub.pt.mojibake-font-tags.repaired.srt",
    "captions/yt-auto.en.felix-longform.vtt",
    "captions/yt-manual.en.neville.vtt",
    "meetings/zoom.acdc-2026-02-05_174.transcript.vtt",
];

/// Collections of short texts: regulations, answers of a government, letters of farmers, abstracts, meetings.
const COLLECTIONS: [&str; 6] = [
    "ir/faquad/corpus.jsonl.gz",
    "ir/aia-bde/corpus.jsonl.gz",
    "ir/milkqa/corpus.jsonl.gz",
    "ir/scifact/corpus.jsonl.gz",
    "ir/cranfield/corpus.jsonl.gz",
    "ir/meetings-acd/corpus.jsonl.gz",
];

/// The texts of a collection, one after the other, as far as a test has time for.
fn texts(file: &str) -> String {
    const MOST: usize = 800_000;
    let lines = BufReader::new(GzDecoder::new(fs::File::open(Path::new(DATA).join(file)).unwrap())).lines();
    let mut all = String::new();
    for line in lines.take_while(Result::is_ok).map(Result::unwrap) {
        let document: Value = serde_json::from_str(&line).unwrap();
        all.push_str(document["text"].as_str().unwrap());
        all.push('\n');
        if all.len() > MOST {
            break;
        }
    }
    all
}

/// What is said in a file: without times, tags and what rolling captions repeat.
fn words(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut plain = String::new();
        let mut in_tag = false;
        for c in line.chars() {
            match c {
                '<' => in_tag = true,
                '>' if in_tag => in_tag = false,
                c if !in_tag => plain.push(c),
                _ => {}
            }
        }
        let plain = plain.trim();
        let is_time = line.contains("-->") || plain.parse::<u32>().is_ok() || plain.starts_with("WEBVTT");
        if !plain.is_empty() && !is_time && lines.last().is_none_or(|last| last != plain) {
            lines.push(plain.to_owned());
        }
    }
    lines.join("\n")
}

fn pieces(text: &str, length: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks_exact(length).map(|piece| piece.iter().collect()).collect()
}

#[test]
#[ignore = "needs real vocabularies: run scripts/test.sh"]
fn the_estimate_keeps_its_bars_against_two_real_vocabularies() {
    if !Path::new(DATA).exists() {
        println!("skipped: there is no {DATA}");
        return;
    }
    let mut counter = Part::start(python("count_tokens.py"));
    let files = FILES.map(|file| (file, words(&fs::read_to_string(Path::new(DATA).join(file)).unwrap())));
    let collections = COLLECTIONS.map(|file| (file, texts(file)));
    for (file, text) in files.into_iter().chain(collections) {
        // Of long pieces all, of those as long as a chunk 99 in 100.
        for (length, most_outside) in [(8000, 0.0), (2000, 0.01)] {
            let pieces = pieces(&text, length);
            let (mut outside, mut least, mut most) = (0_u32, f64::MAX, 0.0_f64);
            for ratio in pieces.iter().flat_map(|piece| ratios(&mut counter, piece)) {
                (least, most) = (least.min(ratio), most.max(ratio));
                outside += u32::from(!(0.90..=1.25).contains(&ratio));
            }
            let estimates = u32::try_from(pieces.len() * 2).unwrap();
            println!(
                "{file}: {estimates} of {length} characters, {least:.3} to {most:.3}, {outside} outside"
            );
            assert!(
                f64::from(outside) <= f64::from(estimates) * most_outside,
                "{file}: {outside} of {estimates} are outside, {least:.3} to {most:.3} of the truth"
            );
        }
    }
}

/// The estimate of a text as a part of the truth, by each of the two vocabularies.
fn ratios(counter: &mut Part, text: &str) -> [f64; 2] {
    let truths = counter.ask(&json!(text));
    let ratio = |model: &str, truth: &Value| {
        let model: ModelId = model.parse().unwrap();
        f64::from(estimate_tokens(&model, text).get()) / truth.as_f64().unwrap()
    };
    [ratio("openai::gpt-5.4-mini", &truths[0]), ratio("ollama::llama3.2:1b", &truths[1])]
}
