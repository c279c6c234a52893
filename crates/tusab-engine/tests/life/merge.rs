use std::fs;
use std::path::Path;
use std::sync::Arc;

use tusab_engine::llm::testing::{Answer as Scripted, ScriptedModel};
use tusab_engine::{Cancel, Engine, KeyPhraseOrder, MergeReport, Rating, Source};

use crate::common::{engine, files, found};
use crate::models::{keybert, letters};

#[tokio::test]
async fn a_merge_brings_everything_and_leaves_the_other_as_it_was() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = engine(data.path());
    let (a, b) = (engine.project("A").await.unwrap(), engine.project("B").await.unwrap());
    let (shared, own) = (folder.path().join("ambos.md"), folder.path().join("só b.md"));
    fs::write(&shared, "umbu").unwrap();
    fs::write(&own, "cajá").unwrap();
    a.ingest(Source::file(&shared)).await.unwrap();
    fs::write(&shared, "umbu e seriguela").unwrap();
    let of_b = vec![Source::file(&shared), Source::file(&own), Source::text("t", "pitanga")];
    // Later by the clock, which counts in seconds.
    let stored = a.sources().await.unwrap()[0].ingested_at.clone();
    b.ingest_all(of_b, &Cancel::new()).await.unwrap();
    let manifest = data.path().join("neural/b/documents/_manifest.json");
    fs::write(data.path().join("neural/b/documents/à mão.md"), "jenipapo").unwrap();
    b.sync(&Cancel::new()).await.unwrap();
    let later = fs::read_to_string(&manifest).unwrap().replace(&stored, "2999-01-01T00:00:00Z");
    fs::write(&manifest, later).unwrap();
    for (project, question) in [(&a, "umbu"), (&b, "cajá")] {
        project.chat("conversa").ask(question).await.unwrap();
    }
    b.chat("só de b").ask("pitanga").await.unwrap();
    let before = files(&data.path().join("neural/b"));

    let report = a.merge(&b).await.unwrap();
    assert_eq!((report.added, report.sessions, report.failed.len()), (3, 2, 0), "{report:?}");
    assert_eq!(report.added + report.updated + report.already_here, 4);
    for word in ["umbu", "cajá", "pitanga", "jenipapo"] {
        assert_eq!(found(&a, word).await.len(), 1, "{word}");
    }
    assert_eq!(files(&data.path().join("neural/b")), before);
    assert_eq!(a.chat("conversa").history().await.unwrap()[0].question, "umbu");
    assert_eq!(a.chat("conversa (B)").history().await.unwrap()[0].question, "cajá");
    assert_eq!(a.chat("só de b").history().await.unwrap().len(), 1);
    // The same again brings nothing, and a project is not merged with itself.
    let report = a.merge(&b).await.unwrap();
    assert_eq!((report.added, report.updated, report.sessions), (0, 0, 0), "{report:?}");
    assert_eq!(a.merge(&a).await.unwrap(), MergeReport::default());
    // What was brought needs no help of the other.
    engine.delete_project("B").await.unwrap();
    engine.empty_trash().await.unwrap();
    assert_eq!(a.sync(&Cancel::new()).await.unwrap().changes.len(), 0);
    assert_eq!(found(&a, "jenipapo").await, ["à mão"]);
}

/// Answers every question in the same words.
fn answering() -> Arc<ScriptedModel> {
    let answers = (0..8).map(|_| Scripted::text("O umbu amadurece em dezembro."));
    Arc::new(answers.fold(ScriptedModel::new(), ScriptedModel::then))
}

fn with_models(data: &Path, embedder: &'static str) -> Engine {
    Engine::builder()
        .data_dir(data)
        .embedder(letters(embedder))
        .key_phrases(keybert(letters("phrases")))
        .key_phrase_order(KeyPhraseOrder::AfterIndexing)
        .auxiliary_model(answering())
        .build()
        .unwrap()
}

fn texts(names: std::ops::Range<usize>) -> Vec<Source> {
    let text = |n| format!("A colheita do umbu número {n} começa em dezembro no sertão. ").repeat(4);
    names.map(|n| Source::text(format!("t{n}"), text(n))).collect()
}

#[tokio::test]
async fn a_merge_brings_what_the_models_and_people_gave() {
    let data = tempfile::tempdir().unwrap();
    let engine = with_models(data.path(), "letters");
    let (a, b) = (engine.project("A").await.unwrap(), engine.project("B").await.unwrap());
    // Some are in both, with nothing here and something there.
    a.ingest_all(texts(0..3), &Cancel::new()).await.unwrap();
    b.ingest_all(texts(1..6), &Cancel::new()).await.unwrap();
    b.enrich(&Cancel::new()).await.unwrap();
    let doc = b.sources().await.unwrap()[0].doc.clone();
    b.summarize(&doc).await.unwrap();
    for (project, rating) in [(&a, Rating::Up), (&b, Rating::Down)] {
        let chat = project.chat("conversa");
        let turn = chat.ask(&format!("Quando amadurece o umbu de {}?", project.name())).await.unwrap().turn;
        chat.rate(turn.unwrap(), Some(rating)).await.unwrap();
    }

    let report = a.merge(&b).await.unwrap();
    assert_eq!((report.added, report.already_here), (3, 2), "{report:?}");
    assert_eq!((report.key_phrases, report.vectors), (5, 5), "{report:?}");
    assert_eq!((report.ratings, report.summaries, report.sessions), (1, 1, 1), "{report:?}");
    assert!(report.left.is_empty() && report.failed.is_empty() && !report.cancelled, "{report:?}");
    let ratings = a.ratings().await.unwrap();
    assert_eq!((ratings.up, ratings.down), (1, 1));
    // The rating stands beside the turn that it is of.
    let turn = a.chat("conversa (B)").history().await.unwrap()[0].id;
    a.chat("conversa (B)").rate(turn, None).await.unwrap();
    assert_eq!(a.ratings().await.unwrap().down, 0);
    // Only what neither had is left to be given.
    let enriched = a.enrich(&Cancel::new()).await.unwrap();
    assert_eq!((enriched.key_phrases, enriched.vectors, enriched.left), (1, 1, 0));
    // Kept, so that no model is asked.
    let without = Engine::builder().data_dir(data.path()).build().unwrap();
    without.project("A").await.unwrap().summarize(&doc).await.unwrap();
    let again = a.merge(&b).await.unwrap();
    assert_eq!((again.added, again.key_phrases, again.vectors, again.summaries), (0, 0, 0, 0), "{again:?}");
}

#[tokio::test]
async fn vectors_of_another_model_stay_behind_and_are_told() {
    let data = tempfile::tempdir().unwrap();
    let old = with_models(data.path(), "others");
    let b = old.project("B").await.unwrap();
    b.ingest_all(texts(0..3), &Cancel::new()).await.unwrap();
    b.enrich(&Cancel::new()).await.unwrap();
    drop((b, old));
    let engine = with_models(data.path(), "letters");
    let (a, b) = (engine.project("A").await.unwrap(), engine.project("B").await.unwrap());
    let report = a.merge(&b).await.unwrap();
    assert_eq!((report.added, report.key_phrases, report.vectors, report.left.len()), (3, 3, 0, 1));
    assert!(report.left[0].contains("others"), "{report:?}");
    // They do not keep those of the model that is used here from being made.
    assert_eq!(a.enrich(&Cancel::new()).await.unwrap().vectors, 3);
}

#[tokio::test]
async fn a_merge_that_is_cancelled_goes_on_with_the_next() {
    let data = tempfile::tempdir().unwrap();
    let engine = with_models(data.path(), "letters");
    let (a, b) = (engine.project("A").await.unwrap(), engine.project("B").await.unwrap());
    b.ingest_all(texts(0..3), &Cancel::new()).await.unwrap();
    b.enrich(&Cancel::new()).await.unwrap();
    let cancel = Cancel::new();
    cancel.cancel();
    let report = a.merge_with(&b, &cancel).await.unwrap();
    assert!(report.cancelled && report.added == 0 && report.sessions == 0, "{report:?}");
    assert_eq!(a.merge_with(&b, &Cancel::new()).await.unwrap().added, 3);
}
