use std::fs;

use tusab_engine::{Cancel, MergeReport, Source};

use crate::common::{engine, files, found};

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
