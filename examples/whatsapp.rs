//! The messages of an exported chat: who wrote what, and when.
//!
//! `cargo run --release --example whatsapp -- [--json] FILE`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::process::ExitCode;

use examples::conversation::Line;
use examples::file::{self, File};
use examples::{Failure, finish};
use serde_json::{Value, json};
use tusab_engine::ingest::{Content, DateEvidence};

const USAGE: &str = "\
Usage: whatsapp [--json] FILE

Reads a chat exported from WhatsApp and prints its messages.

  --json   print one JSON object and nothing else";

fn main() -> ExitCode {
    finish(run(), USAGE)
}

fn run() -> Result<(), Failure> {
    let Some(File { name, source, warnings, json }) = file::read(USAGE)? else { return Ok(()) };
    let Content::Chat(chat) = source.content else {
        return Err(Failure::Failed(format!("{name} is {}, not a chat", source.format)));
    };
    let lines: Vec<Line> = chat
        .messages
        .iter()
        .map(|message| Line {
            time: message.time.map(|time| time.to_string()),
            start_s: None,
            sender: message.sender.clone(),
            text: message.text.clone(),
        })
        .collect();
    if json {
        let messages: Vec<Value> = lines.iter().map(Line::json).collect();
        let object = json!({
            "format": "whatsapp",
            "date_order": chat.date_order.as_str(),
            "date_evidence": chat.date_evidence,
            "participants": chat.participants,
            "messages": messages,
            "warnings": warnings,
        });
        println!("{object}");
        return Ok(());
    }
    let guessed = if chat.date_evidence == DateEvidence::Assumed { " (a guess)" } else { "" };
    println!("{name}: {} messages, dates are {}{guessed}", lines.len(), chat.date_order.as_str());
    for line in &lines {
        println!("{}", line.show());
    }
    file::print_warnings(&warnings);
    Ok(())
}
