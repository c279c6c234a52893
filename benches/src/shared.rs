//! The real material beside the project, in `../shared/data`, where it is there.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use ruzstd::decoding::StreamingDecoder;

use crate::passages::Passage;

/// A file of `../shared/data`; where it is not there, that is said and `None` given.
#[must_use]
#[allow(clippy::print_stderr, reason = "says what it skips")]
pub fn file(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data")).join(name);
    if path.is_file() {
        return Some(path);
    }
    eprintln!("skipped {name}: it is not beside the project");
    None
}

/// The first `count` passages of `scale/{language}.jsonl.zst`; `None` where there are fewer.
#[must_use]
pub fn passages(language: &str, count: usize) -> Option<Vec<Passage>> {
    let path = file(&format!("scale/{language}.jsonl.zst"))?;
    let decoder = StreamingDecoder::new(File::open(path).ok()?).ok()?;
    let passage = |line: std::io::Result<String>| {
        let value: serde_json::Value = serde_json::from_str(&line.ok()?).ok()?;
        let text = |key: &str| value.get(key).and_then(serde_json::Value::as_str).map(str::to_owned);
        Some(Passage { title: text("title").unwrap_or_default(), text: text("text")? })
    };
    let passages: Vec<Passage> =
        BufReader::new(decoder).lines().take(count).map(passage).collect::<Option<_>>()?;
    (passages.len() == count).then_some(passages)
}
