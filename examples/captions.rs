//! What is said in a caption file, without its repetitions, and how it is cut into windows.
//!
//! `cargo run --release --example captions -- [--json] FILE`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::process::ExitCode;

use examples::file::{self, File};
use examples::{Failure, finish};
use serde_json::{Value, json};
use tusab_engine::chunk::{Body, Chunk, Chunker, Position, Windows};
use tusab_engine::ingest::{Captions, Content};

const USAGE: &str = "\
Usage: captions [--json] FILE

Reads captions (WebVTT, SRT, YouTube's json3 and XML) and prints what is said and its windows.

  --json   print one JSON object and nothing else";

fn main() -> ExitCode {
    finish(run(), USAGE)
}

fn run() -> Result<(), Failure> {
    let Some(File { name, source, warnings, json }) = file::read(USAGE)? else { return Ok(()) };
    let Content::Captions { captions, .. } = &source.content else {
        return Err(Failure::Failed(format!("{name} is {}, not captions", source.format)));
    };
    let captions = captions.clone();
    let document = source.into_document(file::any_id()?, &name);
    let chunks = Windows::default().chunks(&document);
    if json {
        println!("{}", to_json(&captions, &document.body, &chunks, &warnings));
        return Ok(());
    }
    let language = captions.language.as_ref().map_or("unknown language", |language| language.as_str());
    println!("{name}: {} cues, {language}, {} track", captions.cues.len(), captions.kind.as_str());
    for chunk in &chunks {
        if let Position::Time(span) = chunk.position() {
            println!("\n{span}\n{}", chunk.original_text());
        }
    }
    file::print_warnings(&warnings);
    Ok(())
}

fn to_json(captions: &Captions, body: &Body, chunks: &[Chunk], warnings: &[Value]) -> Value {
    let segments: Vec<Value> = match body {
        Body::Speech { segments, .. } => segments
            .iter()
            .map(|segment| {
                let (start, end) = (segment.span.start().as_millis(), segment.span.end().as_millis());
                json!({"start_ms": start, "end_ms": end, "text": segment.text})
            })
            .collect(),
        _ => Vec::new(),
    };
    let chunks: Vec<Value> = chunks
        .iter()
        .filter_map(|chunk| {
            let Position::Time(span) = chunk.position() else { return None };
            let (start, end) = (span.start().whole_seconds(), span.end().whole_seconds());
            Some(json!({"start_s": start, "end_s": end, "text": chunk.original_text()}))
        })
        .collect();
    json!({
        "language": captions.language,
        "track": captions.kind,
        "rolling": captions.rolling,
        "cues": captions.cues.len(),
        "segments": segments,
        "chunks": chunks,
        "warnings": warnings,
    })
}
