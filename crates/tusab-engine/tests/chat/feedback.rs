//! Thumbs up and down: kept, never a source.

use tusab_engine::{Error, Project, Rating, Source};

use crate::parts::{engine, herbs};

async fn first(project: &Project, session: &str, question: &str) -> (String, tusab_engine::TurnId) {
    let answer = project.chat(session).ask(question).await.unwrap();
    (answer.sources[0].title.clone(), answer.turn.unwrap())
}

#[tokio::test]
async fn a_thumb_up_raises_its_sources_for_the_same_question_only() {
    let data = tempfile::tempdir().unwrap();
    let project = herbs(engine(data.path())).await;
    let question = "horas de sol";
    let before = project.chat("s").ask(question).await.unwrap();
    let titles: Vec<String> = before.sources.iter().map(|source| source.title.clone()).collect();
    assert_eq!(titles.len(), 2);
    // An answer that rests on the other one alone.
    let other = titles[1].clone();
    let (_, turn) =
        first(&project, "t", if other == "Hortelã" { "quatro horas de sol" } else { "seis horas de sol" })
            .await;
    project.chat("t").rate(turn, Some(Rating::Up)).await.unwrap();
    assert_eq!(first(&project, "u", question).await.0, titles[0], "another question is as before");
    assert_eq!((project.ratings().await.unwrap().up, project.ratings().await.unwrap().down), (1, 0));
    // Nothing of it became a source.
    let statistics = project.statistics().await.unwrap();
    assert_eq!((statistics.documents, project.search(other.as_str()).await.unwrap().hits.len()), (2, 1));
    // It survives, can be changed and taken back.
    drop(project);
    let project = engine(data.path()).build().unwrap().project("Ervas").await.unwrap();
    project.chat("t").rate(turn, Some(Rating::Down)).await.unwrap();
    assert_eq!((project.ratings().await.unwrap().up, project.ratings().await.unwrap().down), (0, 1));
    project.chat("t").rate(turn, None).await.unwrap();
    assert_eq!((project.ratings().await.unwrap().up, project.ratings().await.unwrap().down), (0, 0));
}

#[tokio::test]
async fn the_raised_source_comes_first() {
    let data = tempfile::tempdir().unwrap();
    let project = herbs(engine(data.path())).await;
    project
        .ingest(Source::text("Salsa", "A salsa precisa de sol, sol e mais sol, horas de sol."))
        .await
        .unwrap();
    let question = "horas de sol";
    let other = "sol por horas";
    let (before, _) = first(&project, "t", other).await;
    let (best, turn) = first(&project, "s", question).await;
    // A narrower answer to the same words, from one document alone, is what is rated.
    let file = data.path().join("sessions/ervas");
    let path = std::fs::read_dir(&file)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|e| e == "json"))
        .unwrap();
    let mut kept: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let sources = kept["turns"][0]["sources"].as_array().unwrap().clone();
    kept["turns"][0]["sources"] = sources[sources.len() - 1..].into();
    let raised = sources.last().unwrap()["title"].as_str().unwrap().to_owned();
    assert_ne!(raised, best);
    std::fs::write(&path, kept.to_string()).unwrap();
    project.chat("s").rate(turn, Some(Rating::Up)).await.unwrap();
    assert_eq!(first(&project, "s", "Horas de SOL?").await.0, raised);
    assert_eq!(first(&project, "s", other).await.0, before);
}

#[tokio::test]
async fn only_a_turn_that_is_there_can_be_rated() {
    let data = tempfile::tempdir().unwrap();
    let project = herbs(engine(data.path())).await;
    let (_, turn) = first(&project, "s", "horas de sol").await;
    let error = project.chat("outra").rate(turn, Some(Rating::Up)).await.unwrap_err();
    assert!(matches!(error, Error::NoSuchTurn { .. }), "{error}");
    assert_eq!(project.ratings().await.unwrap(), tusab_engine::RatingCounts::default());
}
