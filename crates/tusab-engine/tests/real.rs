//! What must hold on a real, hour-long automatic caption file, where it is there.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking"
)]

use std::path::Path;

use tusab_engine::chunk::{Chunk, MediaTime, Position, TimeWindows};
use tusab_engine::index::{ChunkStore, Index};
use tusab_engine::{Engine, Source};

const PODCAST: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/captions/yt-auto.pt.marketmakers-podcast.vtt");

/// The words of the lines that carry word times, which are the lines as they were first spoken: a reading of the file
/// that has nothing in common with the parser's.
fn spoken_words(vtt: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut lines = vtt.lines().peekable();
    let mut single = String::new();
    while let Some(line) = lines.next() {
        if line.contains("<c>") {
            let mut plain = String::new();
            let mut inside = false;
            for c in line.chars() {
                match c {
                    '<' => inside = true,
                    '>' => inside = false,
                    _ if !inside => plain.push(c),
                    _ => {}
                }
            }
            words.extend(plain.split_whitespace().map(str::to_owned));
            single = plain;
        } else if line.contains("-->") {
            // A line of one word has no word times: it is new when it comes below a line already said.
            let (top, bottom) = (lines.next().unwrap_or_default(), lines.peek().copied().unwrap_or_default());
            if top.trim() == single.trim() && !bottom.trim().is_empty() && !bottom.contains("<c>") {
                words.extend(bottom.split_whitespace().map(str::to_owned));
                bottom.clone_into(&mut single);
            } else if top.contains("<c>") {
                panic!("a spoken line on top: {top}");
            }
        }
    }
    words
}

fn cleaned(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let joined = words.into_iter().collect::<Vec<_>>().join(" ");
    let text = joined.replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&").replace("&nbsp;", " ");
    // Notes such as [risadas] and marks of a new speaker are not words.
    let mut kept = String::new();
    let mut depth = 0_u32;
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 && c != '>' => kept.push(c),
            _ => {}
        }
    }
    kept.split_whitespace().map(str::to_owned).collect()
}

#[tokio::test]
async fn an_hour_of_speech_is_chunked_without_loss_or_repetition() {
    if !Path::new(PODCAST).exists() {
        println!("SKIPPED: {PODCAST} is not there");
        return;
    }
    let data = tempfile::tempdir().unwrap();
    let engine = Engine::builder().data_dir(data.path()).build().unwrap();
    let project = engine.project("Podcast").await.unwrap();
    let report = project.ingest(Source::file(PODCAST)).await.unwrap();
    assert_eq!(report.stored(), 1, "{report:?}");
    assert!(report.items[0].warnings.is_empty(), "{:?}", report.items[0].warnings);
    let index = Index::open(&data.path().join("indexes/podcast")).unwrap().index;
    let doc = index.documents().unwrap().remove(0).id;
    let chunks = index.chunks(&doc).unwrap();

    every_chunk_starts_in_its_window(&chunks);
    let expected = cleaned(spoken_words(&std::fs::read_to_string(PODCAST).unwrap()));
    the_words_are_those_of_the_file(&chunks, &expected);

    let question = "por que os investidores têm dificuldade de não extrapolar as notícias ruins?";
    let answer = project.chat("s").ask(question).await.unwrap();
    assert!(
        answer.text.contains("dificuldade enorme de não extrapolar as notícias ruins"),
        "{}",
        answer.text
    );
    let start = answer.sources[0].start.unwrap();
    // It is said at 9:42; the sentence begins some seconds before.
    assert!((MediaTime::from_seconds(560)..=MediaTime::from_seconds(584)).contains(&start), "{start}");
}

fn span(chunk: &Chunk) -> (MediaTime, MediaTime) {
    let Position::Time(span) = chunk.position() else { panic!("{chunk:?}") };
    (span.start(), span.end())
}

/// Speech goes on all the time in this file, so no window is left out: chunk (or first part) number n is of window n.
fn every_chunk_starts_in_its_window(chunks: &[Chunk]) {
    let step = TimeWindows::LENGTH.as_millis() - TimeWindows::OVERLAP.as_millis();
    let mut opens = 0;
    let mut starts = Vec::new();
    for (number, chunk) in chunks.iter().enumerate() {
        let (start, end) = span(chunk);
        let first = chunk.part().is_none_or(|part| part.number.get() == 1);
        opens += if number > 0 && first { step } else { 0 };
        assert!(
            (opens..opens + TimeWindows::LENGTH.as_millis()).contains(&start.as_millis()),
            "{number}: {start}"
        );
        assert!(start <= end);
        starts.push(start);
    }
    assert!(starts.is_sorted());
}

/// Each chunk is a run of the file's words; together they cover all of them.
fn the_words_are_those_of_the_file(chunks: &[Chunk], expected: &[String]) {
    let mut covered: usize = 0;
    for chunk in chunks {
        let words: Vec<&str> = chunk.original_text().split_whitespace().collect();
        // It starts at or before the first word not yet covered, by no more than the overlap.
        let start = (covered.saturating_sub(200)..=covered)
            .rev()
            .find(|start| {
                expected[*start..].iter().map(String::as_str).take(words.len()).eq(words.iter().copied())
            })
            .unwrap_or_else(|| panic!("not the file's words, after {covered}: {}", chunk.original_text()));
        assert!(start + words.len() > covered, "a chunk that adds nothing");
        covered = start + words.len();
    }
    assert_eq!(covered, expected.len());
}
