//! The turns of a meeting's transcript: who said what, and when.
//!
//! `cargo run --release --example meeting -- [--json] FILE`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::process::ExitCode;

use examples::conversation::Line;
use examples::file::{self, File};
use examples::{Failure, finish};
use serde_json::{Value, json};
use tusab_engine::ingest::Content;

const USAGE: &str = "\
Usage: meeting [--json] FILE

Reads the transcript of a meeting (Zoom, Teams, Google Meet, Otter) and prints its turns.

  --json   print one JSON object and nothing else";

fn main() -> ExitCode {
    finish(run(), USAGE)
}

fn run() -> Result<(), Failure> {
    let Some(File { name, source, warnings, json }) = file::read(USAGE)? else { return Ok(()) };
    let Content::Meeting(meeting) = source.content else {
        return Err(Failure::Failed(format!("{name} is {}, not a meeting", source.format)));
    };
    let lines: Vec<Line> = meeting
        .turns
        .iter()
        .map(|turn| Line {
            time: None,
            start_s: turn.span().map(|span| span.start().whole_seconds()),
            sender: turn.speaker.clone(),
            text: turn.text(),
        })
        .collect();
    if json {
        let messages: Vec<Value> = lines.iter().map(Line::json).collect();
        let object = json!({
            "format": meeting.platform,
            "date_order": null,
            "participants": meeting.speakers,
            "messages": messages,
            "warnings": warnings,
        });
        println!("{object}");
        return Ok(());
    }
    println!("{name}: {} turns of {}", lines.len(), meeting.speakers.join(", "));
    for line in &lines {
        println!("{}", line.show());
    }
    file::print_warnings(&warnings);
    Ok(())
}
