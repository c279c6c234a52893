//! The program of `start.md`.
#![allow(clippy::print_stdout, reason = "command-line programs print")]

use tusab_engine::{Engine, Source};

#[tokio::main]
async fn main() -> Result<(), tusab_engine::Error> {
    // All that the engine keeps is in this folder. Another run finds it there.
    let engine = Engine::builder().data_dir("garden-data").build()?;
    let project = engine.project("Garden").await?;

    // Of your own: `Source::file("notes.md")`, or `Source::folder("notes")` for all files in it.
    let note = "Mint needs three to four hours of sun a day. Basil needs six.\n\n\
                Tomatoes are tied to a stake before they are knee-high.";
    let report = project.ingest(Source::text("Herbs", note)).await?;
    println!("{} stored, {} failed", report.stored(), report.failed());

    let answer = project.chat("first").ask("What does mint need?").await?;
    println!("{}", answer.text);
    for (number, source) in (1..).zip(&answer.sources) {
        println!("[{number}] {}", source.title);
    }
    Ok(())
}
