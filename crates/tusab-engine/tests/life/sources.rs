use std::fs;

use tusab_engine::chunk::{DocId, SourceKind};
use tusab_engine::{Cancel, Error, Outcome, Source};

use crate::common::{found, open};

fn doc_of(outcome: &Outcome) -> DocId {
    match outcome {
        Outcome::Added { doc, .. } | Outcome::Updated { doc, .. } => doc.clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn sources_are_listed_as_their_manifests_tell() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = folder.path().join("Ata da reunião.md");
    fs::write(&file, "# Ata\n\nUmbu e cajá.").unwrap();
    let captions = folder.path().join("Aula [abcdefghijk].pt.vtt");
    fs::write(&captions, "WEBVTT\n\n00:01.000 --> 00:05.000\njenipapo\n").unwrap();
    let project = open(data.path(), "P").await;
    let given = vec![Source::text("Nota", "pitanga"), Source::file(&file), Source::file(&captions)];
    assert_eq!(project.ingest_all(given, &Cancel::new()).await.unwrap().stored(), 3);
    let listed = project.sources().await.unwrap();
    let kinds: Vec<SourceKind> = listed.iter().map(|source| source.kind).collect();
    assert_eq!(kinds, [SourceKind::File, SourceKind::Text, SourceKind::Youtube]);
    assert_eq!(listed[0].name, "Ata da reunião.md");
    assert_eq!((listed[0].bytes, listed[0].characters), (20, 14));
    assert_eq!(listed[2].url.as_deref(), Some("https://www.youtube.com/watch?v=abcdefghijk"));
    assert_eq!(fs::read(&listed[1].path).unwrap(), b"pitanga");
    assert_eq!(project.documents().await.unwrap().len(), 3);
    let manifest = fs::read_to_string(data.path().join("neural/p/documents/_manifest.json")).unwrap();
    for key in ["\"kind\": \"file\"", "\"original_name\"", "\"stored_name\"", "\"size\"", "\"content_hash\""]
    {
        assert!(manifest.contains(key), "{key} in {manifest}");
    }
}

#[tokio::test]
async fn a_removed_source_is_found_no_more_and_can_be_had_back() {
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "P").await;
    let given = vec![Source::text("a", "umbu"), Source::text("b", "cajá")];
    let report = project.ingest_all(given, &Cancel::new()).await.unwrap();
    let doc = doc_of(&report.items[0].outcome);
    assert!(project.remove(&doc).await.unwrap());
    assert!(!project.remove(&doc).await.unwrap());
    for _ in 0..2 {
        let project = open(data.path(), "P").await;
        assert!(found(&project, "umbu").await.is_empty());
        assert_eq!(found(&project, "cajá").await, ["b"]);
        assert_eq!(project.sources().await.unwrap().len(), 1);
        let removed = project.removed().await.unwrap();
        assert_eq!((removed.len(), removed[0].name.as_str(), &removed[0].doc), (1, "a", &doc));
        // A synchronisation does not take it for something new.
        assert!(project.sync(&Cancel::new()).await.unwrap().changes.is_empty());
    }
    assert!(matches!(project.restore(&doc).await.unwrap(), Outcome::Added { .. }));
    assert_eq!(found(&project, "umbu").await, ["a"]);
    assert!(project.removed().await.unwrap().is_empty());
    assert!(matches!(project.restore(&doc).await, Err(Error::NotInTrash { .. })));
}

/// As after a crash between the two ends of a return.
#[tokio::test]
async fn a_return_cut_short_is_finished() {
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "P").await;
    let report = project.ingest(Source::text("a", "umbu")).await.unwrap();
    let doc = doc_of(&report.items[0].outcome);
    project.chat("s").ask("umbu").await.unwrap();
    project.remove(&doc).await.unwrap();
    let trash = data.path().join("trash/sources/p");
    let kept: Vec<_> = fs::read_dir(&trash).unwrap().map(|entry| entry.unwrap().path()).collect();
    let kept: Vec<_> = kept.into_iter().map(|path| (fs::read(&path).unwrap(), path)).collect();
    assert_eq!(kept.len(), 2);
    project.restore(&doc).await.unwrap();
    for (bytes, path) in kept {
        fs::write(path, bytes).unwrap();
    }
    assert!(project.removed().await.unwrap().is_empty(), "it is here");
    // What quotes it is left alone, since it is here.
    project.purge().await.unwrap();
    assert_eq!(project.chat("s").history().await.unwrap().len(), 1);
    assert_eq!(found(&project, "umbu").await, ["a"]);
}

/// As after a crash at each step of a removal.
#[tokio::test]
async fn a_removal_cut_short_is_finished_or_never_was() {
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "P").await;
    let report = project.ingest(Source::text("a", "umbu")).await.unwrap();
    let doc = doc_of(&report.items[0].outcome);
    let stored = project.sources().await.unwrap()[0].path.clone();
    let texts = data.path().join("neural/p/texts/_manifest.json");
    let manifest = fs::read(&texts).unwrap();
    project.remove(&doc).await.unwrap();
    drop(project);
    let trash = data.path().join("trash/sources/p");
    let source = fs::read_dir(&trash)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "source"))
        .unwrap();
    let record = source.with_extension("json");
    let written = fs::read(&record).unwrap();
    // The record was written, the file not yet moved: nothing was removed.
    fs::copy(&source, &stored).unwrap();
    fs::rename(&source, trash.join("away")).unwrap();
    fs::write(&texts, &manifest).unwrap();
    let project = open(data.path(), "P").await;
    assert_eq!(found(&project, "umbu").await, ["a"]);
    assert!(project.removed().await.unwrap().is_empty());
    assert!(!record.exists(), "a purge would forget what quotes a source that is here");
    drop(project);
    // The file was moved, the manifest not yet written: it is removed, from the index too.
    fs::write(&record, written).unwrap();
    fs::remove_file(&stored).unwrap();
    fs::rename(trash.join("away"), &source).unwrap();
    let project = open(data.path(), "P").await;
    assert!(found(&project, "umbu").await.is_empty());
    assert!(project.sources().await.unwrap().is_empty());
    assert_eq!(project.removed().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_pasted_text_takes_the_place_of_the_one_that_is_named() {
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "P").await;
    let report = project.ingest(Source::text("Lista", "umbu")).await.unwrap();
    let doc = doc_of(&report.items[0].outcome);
    let replace =
        |title: &str, text: &str| project.ingest(Source::text_in_place_of(doc.clone(), title, text));
    let report = replace("Lista", "cajá").await.unwrap();
    assert_eq!(doc_of(&report.items[0].outcome), doc);
    assert!(found(&project, "umbu").await.is_empty());
    // Another title alone is a change too.
    let report = replace("Compras", "cajá").await.unwrap();
    assert_eq!(doc_of(&report.items[0].outcome), doc);
    assert_eq!(found(&project, "cajá").await, ["Compras"]);
    let report = replace("Compras", "cajá").await.unwrap();
    assert!(matches!(report.items[0].outcome, Outcome::Unchanged { .. }), "{report:?}");
    assert_eq!(project.sources().await.unwrap().len(), 1);
    assert_eq!(fs::read_dir(data.path().join("neural/p/texts")).unwrap().count(), 2);
    let unknown = Source::text_in_place_of("text:0000".parse().unwrap(), "x", "y");
    let report = project.ingest(unknown).await.unwrap();
    assert!(matches!(report.items[0].outcome, Outcome::Failed(Error::NoSuchSource { .. })), "{report:?}");
}
