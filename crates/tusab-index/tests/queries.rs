//! No text makes a search fail: arbitrary Unicode, and the syntax of every engine beneath.
//!
//! `TUSAB_QUERIES` says how many (10,000 by default), `TUSAB_SEED` repeats a run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking"
)]

#[path = "common/programs.rs"]
mod programs;

mod common;

use std::time::{Duration, Instant};

use common::{SAMPLE, document};
use tusab_index::{AdvancedQuery, Batch, ChunkStore, Control, Index, Query, Retriever};

/// A small generator (`SplitMix64`), so that a failure can be run again.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % bound as u64).unwrap()
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn char(&mut self) -> char {
        let ends = [0x80, 0x250, 0x3000, 0xD800, 0x11_0000];
        let end = ends[self.below(ends.len())];
        char::from_u32(u32::try_from(self.below(end)).unwrap()).unwrap_or('\u{FFFD}')
    }

    fn query(&mut self) -> String {
        let pieces = 1 + self.below(12);
        let mut query = String::new();
        for _ in 0..pieces {
            match self.below(5) {
                0 => query.push_str(self.of(&WORDS)),
                1 | 2 => query.push_str(self.of(&SYNTAX)),
                3 => (0..=self.below(6)).for_each(|_| query.push(self.char())),
                _ => query.push(' '),
            }
        }
        // One in a hundred is far longer than anything that a person asks.
        if self.below(100) == 0 { query.repeat(200) } else { query }
    }
}

const WORDS: [&str; 12] = [
    "fubá",
    "juros",
    "a",
    "the",
    "o que é isso",
    "C++",
    "14.688/2023",
    "self-rag",
    "informação",
    "INFORMAÇÃO",
    "erva-doce",
    "compilador confere",
];

/// Operators, quotes and escapes of FTS5, of tantivy, of SQL and of regular expressions; and characters that are none.
const SYNTAX: [&str; 48] = [
    "\"",
    "'",
    "“",
    "”",
    "*",
    "^",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ":",
    "-",
    "+",
    "~",
    "~2",
    "|",
    "||",
    "&&",
    "!",
    " AND ",
    " OR ",
    " NOT ",
    " NEAR ",
    "NEAR(a b, 3)",
    "words:",
    "title:",
    "tag:",
    "-not",
    "{words title}:",
    "- words:",
    "\\",
    "\\\"",
    "\0",
    ";",
    "--",
    "'; DROP TABLE chunks; --",
    "%",
    "_",
    "?1",
    ":a",
    "$x",
    "IN [a b]",
    "[a TO z]",
    ">=",
    "boost^3",
    "\u{202E}",
];

#[test]
fn none_fails() {
    let count = programs::number_from("TUSAB_QUERIES").unwrap_or(10_000);
    let chunks = programs::number_from("TUSAB_CHUNKS").unwrap_or(200);
    let seed = programs::number_from("TUSAB_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    println!("TUSAB_QUERIES={count} TUSAB_CHUNKS={chunks} TUSAB_SEED={seed}");
    let mut random = Random(seed);
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let mut batch = Batch::new();
    for number in 0..chunks {
        let (_, title, text) = SAMPLE[random.below(SAMPLE.len())];
        let more: Vec<String> =
            (0..40).map(|_| format!("{} w{}", random.of(&WORDS), random.below(500))).collect();
        let more = more.join(" ");
        let (record, chunks) = document(&format!("text:{number}"), title, &format!("{text} {more}"));
        batch.upsert(record, chunks);
    }
    index.apply(&batch, Control::default()).unwrap();
    index.compact().unwrap();
    let (mut found, mut advanced, mut slowest) = (0_u64, 0_u64, (Duration::ZERO, String::new()));
    for number in 0..count {
        let text = random.query();
        let query = Query::new(&text);
        let began = Instant::now();
        let result = index.retrieve(&query);
        let took = began.elapsed();
        let hits = result.unwrap_or_else(|error| panic!("query {number} {text:?}: {error}")).hits;
        assert!(hits.len() <= query.limit && hits.iter().all(|hit| hit.score.is_finite()), "{text:?}");
        found += u64::from(!hits.is_empty());
        if took > slowest.0 {
            slowest = (took, text.clone());
        }
        // The advanced syntax may refuse to read it; what it reads never fails.
        if let Ok(parsed) = AdvancedQuery::parse(&text) {
            advanced += 1;
            let result = index.retrieve_advanced(&parsed, &query);
            result.unwrap_or_else(|error| panic!("advanced query {number} {text:?}: {error}"));
        }
    }
    let (took, text) = slowest;
    let text: String = text.chars().take(60).collect();
    println!("{found} found something, {advanced} are advanced queries; the slowest took {took:?}: {text:?}");
    assert!(found > count / 4, "the queries are to reach the index: {found} of {count}");
    assert_eq!(u64::try_from(index.statistics().unwrap().documents).unwrap(), chunks);
}
