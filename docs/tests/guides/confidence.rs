//! `confidence.md`: what an answer says of its context.

use tusab_engine::{NoContext, Source};

#[tokio::test]
async fn an_answer_says_how_likely_it_has_context() -> Result<(), Box<dyn std::error::Error>> {
    let data = tempfile::tempdir()?;
    let project = crate::common::engine(data.path()).build()?.project("Horta").await?;
    project.ingest(Source::text("Ervas", "A hortelã precisa de três a quatro horas de sol por dia.")).await?;
    let answer = project.chat("s").ask("Quantas horas de sol a hortelã precisa?").await?;
    match answer.no_context {
        None => println!("{} ({:?})", answer.text, answer.confidence),
        Some(NoContext::NothingIndexed) => println!("index something first"),
        Some(reason) => println!("{} ({reason:?})", answer.text), // no sources are shown
    }
    assert!(answer.no_context.is_none() && answer.confidence.is_some());
    Ok(())
}
