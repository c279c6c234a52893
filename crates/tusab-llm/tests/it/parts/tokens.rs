//! The estimate of tokens against two real vocabularies, on Portuguese and English that others wrote.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::{fmt, fs};

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use tusab_llm::{ModelId, estimate_tokens};

use super::child::{Part, python};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");

/// What people say and write, in files of text: captions, chats, meetings, documents.
const FILES: [&str; 18] = [
    "captions/yt-auto.pt.marketmakers-podcast.vtt",
    "captions/fansub.pt.mojibake-font-tags.repaired.srt",
    "captions/yt-auto.en.felix-longform.vtt",
    "captions/yt-auto.en.short.converted.srt",
    "captions/yt-manual.en.neville.vtt",
    "captions/yt-manual.en.mempool-promo.vtt",
    "captions/yt-manual.pt.mempool-promo.vtt",
    "captions/elephantsdream.descriptions.en.vtt",
    "whatsapp/locket.demo.sarah.txt",
    "whatsapp/whatstk.lorem.txt",
    "whatsapp/whatstk.lorem-merge-part1.txt",
    "meetings/zoom.acdc-2026-02-05_174.transcript.vtt",
    "meetings/zoom.acdc-2026-02-19_175.transcript_corrected.vtt",
    "meetings/zoom.acdc-2026-02-05_174.chat.txt",
    "documents/pt.debian-faq.txt",
    "documents/pt.rag-br-datasets.md",
    "documents/pt.tcu-leiame.md",
    "documents/en.handbook-apt.html",
];

/// Collections of short texts: regulations, answers of a government, letters of farmers, abstracts, meetings.
const COLLECTIONS: [&str; 6] =
    ["ir/faquad", "ir/aia-bde", "ir/milkqa", "ir/scifact", "ir/cranfield", "ir/meetings-acd"];

/// Manuals full of options and tables, lexicons with Latin names, an old Bible, proverbs: passages of a kind together.
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

/// The texts, or the questions, of a collection, one after the other, as far as a test has time for.
fn texts(file: &str) -> String {
    const MOST: usize = 800_000;
    let path = Path::new(DATA).join(file);
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    let file = fs::File::open(path).unwrap();
    let reader: Box<dyn Read> = if is_packed { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
    let mut all = String::new();
    for line in BufReader::new(reader).lines().map(Result::unwrap) {
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
fn the_estimate_keeps_its_bars_on_what_people_say_and_write() {
    if !Path::new(DATA).exists() {
        println!("skipped: there is no {DATA}");
        return;
    }
    let mut counter = Part::start(python("count_tokens.py"));
    let files =
        FILES.map(|file| (file.to_owned(), words(&fs::read_to_string(Path::new(DATA).join(file)).unwrap())));
    let collections = COLLECTIONS.iter().flat_map(|collection| {
        ["corpus.jsonl.gz", "queries.jsonl"].map(|file| {
            let file = format!("{collection}/{file}");
            let text = texts(&file);
            (file, text)
        })
    });
    let mut found = Kinds::default();
    for (file, text) in files.into_iter().chain(collections) {
        let (kind, _) = file.split_once('/').unwrap();
        found.judge(&mut counter, kind, &text);
    }
    println!("{found}");
    let [long, middle, short] = found.whole();
    assert_eq!((long.outside, middle.outside), (0, 0));
    assert!(short.share_outside() < 0.005 && short.least > 0.82 && short.most < 1.35, "{short}");
}

#[test]
#[ignore = "needs real vocabularies: run scripts/test.sh"]
fn the_estimate_keeps_its_bars_on_manuals_and_lexicons() {
    if !Path::new(DATA).exists() {
        println!("skipped: there is no {DATA}");
        return;
    }
    let mut counter = Part::start(python("count_tokens.py"));
    let mut found = Kinds::default();
    for (kind, text) in MIXED.into_iter().flat_map(kinds) {
        found.judge(&mut counter, &kind, &text);
    }
    println!("{found}");
    let [long, middle, short] = found.whole();
    assert_eq!(long.outside, 0);
    // Lists of Latin names are the most under it, code the most over it.
    assert!(middle.share_outside() < 0.002 && middle.least > 0.86 && middle.most < 1.27, "{middle}");
    assert!(short.share_outside() < 0.01, "{short}");
}

/// How long the pieces are into which a text is cut, in characters: a whole prompt, a few passages, one passage.
const LENGTHS: [usize; 3] = [8000, 2000, 500];

/// What was found by kind of text, for each of the lengths.
#[derive(Default)]
struct Kinds(BTreeMap<String, [Judged; LENGTHS.len()]>);

impl Kinds {
    fn judge(&mut self, counter: &mut Part, kind: &str, text: &str) {
        // Of short ones there are so many that a part of them tells enough.
        const MOST: usize = 400;
        let all = self.0.entry(kind.to_owned()).or_default();
        for (length, all) in LENGTHS.into_iter().zip(all) {
            let mut pieces = pieces(text, length);
            pieces.truncate(MOST);
            let found = Judged::of(counter, &pieces);
            all.add(&found);
        }
    }

    /// What was found for all together.
    fn whole(&self) -> [Judged; LENGTHS.len()] {
        let mut whole: [Judged; LENGTHS.len()] = Default::default();
        for by_length in self.0.values() {
            whole.iter_mut().zip(by_length).for_each(|(whole, found)| whole.add(found));
        }
        whole
    }
}

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.whole();
        for (kind, by_length) in
            self.0.iter().map(|(kind, found)| (kind.as_str(), found)).chain([("all", &whole)])
        {
            writeln!(f, "{kind}: {}", by_length.each_ref().map(ToString::to_string).join(" | "))?;
        }
        Ok(())
    }
}

/// How estimates compare with the truth.
struct Judged {
    estimates: u32,
    /// How many are under 90 % or over 125 % of the truth.
    outside: u32,
    least: f64,
    most: f64,
}

impl Default for Judged {
    /// Without any, nothing is wrong with them.
    fn default() -> Self {
        Self { estimates: 0, outside: 0, least: 1.0, most: 1.0 }
    }
}

impl Judged {
    fn of(counter: &mut Part, pieces: &[String]) -> Self {
        let mut found = Self::default();
        for ratio in pieces.iter().flat_map(|piece| ratios(counter, piece)) {
            found.estimates += 1;
            found.outside += u32::from(!(0.90..=1.25).contains(&ratio));
            found.least = found.least.min(ratio);
            found.most = found.most.max(ratio);
        }
        found
    }

    fn add(&mut self, other: &Self) {
        self.estimates += other.estimates;
        self.outside += other.outside;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    fn share_outside(&self) -> f64 {
        f64::from(self.outside) / f64::from(self.estimates)
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { estimates, outside, least, most } = self;
        write!(f, "{estimates} estimates, {least:.3} to {most:.3} of the truth, {outside} outside")
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
