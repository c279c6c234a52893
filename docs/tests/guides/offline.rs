//! `offline.md`: what the switch does, and what is fetched beforehand.

use std::sync::Arc;

use tusab_engine::llm::testing::{Answer as Scripted, ScriptedModel};
use tusab_engine::rerank::{CrossEncoder, CrossEncoderOptions, KnownModel, ModelStore, RuntimeOptions};
use tusab_engine::{AnswerKind, Cancel, Degradation, Engine, Error, Offline, Search, SearchMode, Source};
use tusab_engine::{YouTubeOptions, ingest::YouTubeUrl};

#[tokio::test]
async fn the_switch_keeps_everything_here() -> Result<(), Box<dyn std::error::Error>> {
    let data = tempfile::tempdir()?;
    let hosted = ScriptedModel::new().with_fallback(|_| Scripted::text("Three to four [1]."));
    let model = Arc::new(hosted.clone());

    let offline = Offline::new(true);
    let engine = Engine::builder().data_dir(data.path()).model(model).offline(offline.clone()).build()?;
    let project = engine.project("Garden").await?;
    project.ingest(Source::text("Herbs", "Mint needs three to four hours of sun.")).await?;

    let answer = project.chat("first").ask("What does mint need?").await?;
    assert!(matches!(answer.degraded[0], Degradation::Offline { .. }));
    assert_eq!(answer.kind, AnswerKind::Extractive);
    assert!(hosted.requests().is_empty());

    let channel: YouTubeUrl = "https://www.youtube.com/@canal".parse()?;
    let refused = project.youtube(&channel, &YouTubeOptions::default(), &Cancel::new()).await;
    assert!(matches!(refused, Err(Error::Offline { .. })));

    // Any clone of the switch turns it, at any time.
    offline.set(false);
    let answer = project.chat("first").ask("What does mint need?").await?;
    assert!(matches!(answer.kind, AnswerKind::Generated { .. }));
    Ok(())
}

#[tokio::test]
async fn a_model_that_is_not_there_is_not_fetched() -> Result<(), Box<dyn std::error::Error>> {
    let (data, folder) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let models = ModelStore::new(folder.path()).with_offline(true);
    let options = CrossEncoderOptions::default().with_runtime(RuntimeOptions::default());
    let reranker = CrossEncoder::new(models.folder(&KnownModel::MS_MARCO_L6), options);
    let engine = Engine::builder().data_dir(data.path()).reranker(Arc::new(reranker)).build()?;
    let project = engine.project("Garden").await?;
    project.ingest(Source::text("Herbs", "Mint needs three to four hours of sun.")).await?;
    let found = project.search(Search::new("mint").with_mode(SearchMode::Broad)).await?;
    assert_eq!(found.hits.len(), 1);
    assert!(matches!(found.degraded[0], Degradation::RerankerFailed { .. }));
    assert!(std::fs::read_dir(folder.path())?.next().is_none());
    Ok(())
}
