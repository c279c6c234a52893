//! The estimate of tokens against two real vocabularies, on Portuguese and English that others wrote.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::{fmt, fs};

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

/// Manuals full of options and tables, lexicons with Latin names, proverbs, meetings: passages of a kind together.
const MIXED: [&str; 3] = ["scale/pt.jsonl.zst", "scale/en.jsonl.zst", "scale/meet.jsonl.zst"];

/// The passages of a mixed collection by what they are of, which their ids begin with.
fn kinds(file: &str) -> BTreeMap<String, String> {
    const MOST: usize = 300_000;
    let compressed = fs::File::open(Path::new(DATA).join(file)).unwrap();
    let lines = BufReader::new(ruzstd::decoding::StreamingDecoder::new(compressed).unwrap()).lines();
    let mut kinds: BTreeMap<String, String> = BTreeMap::new();
    for line in lines.map(Result::unwrap) {
        let passage: Value = serde_json::from_str(&line).unwrap();
        let (kind, _) = passage["id"].as_str().unwrap().rsplit_once('-').unwrap();
        let text = kinds.entry(kind.to_owned()).or_default();
        if text.len() < MOST {
            text.push_str(passage["text"].as_str().unwrap());
            text.push('\n');
        }
    }
    kinds
}

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
fn the_estimate_keeps_its_bars_on_manuals_and_lexicons() {
    if !Path::new(DATA).exists() {
        println!("skipped: there is no {DATA}");
        return;
    }
    let mut counter = Part::start(python("count_tokens.py"));
    let (mut estimates, mut outside) = (0_u32, 0_u32);
    for (kind, text) in MIXED.into_iter().flat_map(kinds) {
        for length in [8000, 2000] {
            let found = Judged::of(&mut counter, &pieces(&text, length));
            println!("{kind}, {length} characters: {found}");
            estimates += found.estimates;
            outside += found.outside;
            // Lists of Latin names are the most under it, code the most over it.
            assert!(found.least > 0.84 && found.most < 1.3, "{kind}: {found}");
        }
    }
    println!("{outside} of {estimates} outside");
    assert!(f64::from(outside) < f64::from(estimates) * 0.004, "{outside} of {estimates} are outside");
}

/// How estimates compare with the truth.
struct Judged {
    estimates: u32,
    /// How many are under 90 % or over 125 % of the truth.
    outside: u32,
    least: f64,
    most: f64,
}

impl Judged {
    fn of(counter: &mut Part, pieces: &[String]) -> Self {
        let mut found = Self { estimates: 0, outside: 0, least: f64::MAX, most: 0.0 };
        for ratio in pieces.iter().flat_map(|piece| ratios(counter, piece)) {
            found.estimates += 1;
            found.outside += u32::from(!(0.90..=1.25).contains(&ratio));
            found.least = found.least.min(ratio);
            found.most = found.most.max(ratio);
        }
        // Without any, nothing is wrong with them.
        found.least = found.least.min(1.0);
        found.most = found.most.max(1.0);
        found
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { estimates, outside, least, most } = self;
        write!(f, "{estimates} estimates, {least:.3} to {most:.3} of the truth, {outside} outside")
    }
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
        for length in [8000, 2000] {
            let found = Judged::of(&mut counter, &pieces(&text, length));
            println!("{file}, {length} characters: {found}");
            assert_eq!(found.outside, 0, "{file}: {found}");
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
