//! What a document says, as it will be searched.
//!
//! `cargo run --release --example document -- [--json] FILE`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::process::ExitCode;

use examples::file::{self, File};
use examples::{Failure, finish};
use serde_json::json;
use tusab_engine::ingest::Content;

const USAGE: &str = "\
Usage: document [--json] FILE

Reads a document (text, Markdown, HTML, CSV, DOCX, PPTX, XLSX, PDF) and prints what it says.

  --json   print one JSON object and nothing else";

fn main() -> ExitCode {
    finish(run(), USAGE)
}

fn run() -> Result<(), Failure> {
    let Some(File { name, source, warnings, json }) = file::read(USAGE)? else { return Ok(()) };
    let (Content::Text(text) | Content::Markdown(text)) = &source.content else {
        return Err(Failure::Failed(format!("{name} is {}, not a document", source.format)));
    };
    let pages = source.pages.count();
    if json {
        let object = json!({
            "format": source.format.to_string().to_lowercase(),
            "title": source.title,
            "pages": if pages == 0 { None } else { Some(pages) },
            "text": text,
            "warnings": warnings,
        });
        println!("{object}");
        return Ok(());
    }
    println!("{name}: {}, {}", source.format, source.title.as_deref().unwrap_or("without a title"));
    println!("\n{text}");
    file::print_warnings(&warnings);
    Ok(())
}
