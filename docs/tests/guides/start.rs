//! `start.md`: its program, run as a reader runs it, and what it prints.

use std::process::Command;

use tusab_engine::llm::{Client, Routes};
use tusab_engine::{AnswerKind, Cancel, Engine, Source};

use crate::common::{blocks, page};

#[test]
fn the_first_program_prints_what_the_page_shows() {
    let folder = tempfile::tempdir().unwrap();
    let run = || {
        let output = Command::new(env!("CARGO_BIN_EXE_start")).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n")
    };
    let page = page("start.md");
    let shown = blocks(&page).into_iter().find(|block| block.kind == "text").unwrap().code;
    assert_eq!(run(), shown);
    // And the second time, what is said of it there.
    assert_eq!(run(), shown.replace("1 stored", "0 stored"));
}

#[tokio::test]
async fn what_the_page_adds_to_it_works() -> Result<(), Box<dyn std::error::Error>> {
    let (data, files) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let captions = files.path().join("Mint [hv7Qk2LrT0c].en.vtt");
    std::fs::write(&captions, "WEBVTT\n\n00:00:07.000 --> 00:00:11.000\nMint likes the morning sun.\n")?;
    let engine = Engine::builder().data_dir(data.path()).build()?;
    let project = engine.project("Garden").await?;

    let report = project.ingest(Source::file(&captions)).await?;
    assert_eq!(report.stored(), 1);
    for hit in project.search("morning sun").await?.hits {
        println!("{}: {}", hit.document.title, hit.chunk.original_text());
    }
    let answer = project.chat("first").ask("When does mint like the sun?").await?;
    for source in &answer.sources {
        println!("{} {:?}", source.title, source.link);
    }
    assert_eq!(answer.sources[0].link.as_deref(), Some("https://www.youtube.com/watch?v=hv7Qk2LrT0c&t=7s"));

    let client = Client::from_env()?;
    let routes = Routes::one("ollama::llama3.2:1b".parse()?);
    let engine = Engine::builder().data_dir(data.path()).routes(&client, &routes)?.build()?;
    let project = engine.project("Garden").await?;
    let answer = project.chat("first").ask("When does mint like the sun?").await?;
    for degraded in &answer.degraded {
        println!("{}: {}", degraded.reason(), degraded.remedy());
    }
    // Where there is no Ollama, as on most machines that run this, it is told and quotes answer.
    let is_written = matches!(answer.kind, AnswerKind::Generated { .. });
    assert!(is_written || !answer.degraded.is_empty(), "{answer:?}");
    project.ingest_all(vec![Source::folder(files.path())], &Cancel::new()).await?;
    Ok(())
}
