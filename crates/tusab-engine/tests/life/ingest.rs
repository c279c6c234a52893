use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use tusab_engine::{
    Cancel, Engine, Error, Event, FolderOptions, IngestReport, Outcome, Progress, Source, Stage,
};

use crate::common::{found, open};

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn names(report: &IngestReport, folder: &Path) -> Vec<String> {
    let folder = format!("{}/", folder.display());
    report.items.iter().map(|item| item.name.replace(&folder, "")).collect()
}

#[tokio::test]
async fn a_folder_is_as_many_sources_as_it_has_files() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = folder.path();
    write(&folder.join("a.md"), "umbu");
    write(&folder.join("b/c.TXT"), "cajá");
    write(&folder.join("b/Aula [abcdefghijk].pt.vtt"), "WEBVTT\n\n00:01.000 --> 00:05.000\njenipapo\n");
    write(&folder.join("b/Aula [abcdefghijk].info.json"), r#"{"id": "abcdefghijk", "title": "A aula"}"#);
    write(&folder.join(".git/x.md"), "escondido");
    write(&folder.join("node_modules/y.md"), "dependência");
    write(&folder.join("foto.jpg"), "não é texto");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder, folder.join("b/volta")).unwrap();
    let project = open(data.path(), "P").await;
    let options = FolderOptions::default().with_skipped(["node_modules"]);
    let source = || Source::folder_with(folder, options.clone());
    let report = project.ingest(source()).await.unwrap();
    assert_eq!(names(&report, folder), ["a.md", "b/Aula [abcdefghijk].pt.vtt", "b/c.TXT"]);
    assert_eq!((report.stored(), report.changes().count()), (3, 3), "{report:?}");
    assert_eq!(found(&project, "jenipapo").await, ["A aula"]);

    write(&folder.join("novo.md"), "pitanga");
    write(&folder.join("a.md"), "umbu e seriguela");
    let report = project.ingest(source()).await.unwrap();
    let changed: Vec<&str> = report.changes().map(|item| item.name.rsplit('/').next().unwrap()).collect();
    assert_eq!(changed, ["a.md", "novo.md"]);

    let flat = FolderOptions::default().with_recursive(false).with_extensions(["txt", ".jpg"]);
    let report = project.ingest(Source::folder_with(folder, flat)).await.unwrap();
    assert_eq!(names(&report, folder), ["foto.jpg"]);
    let gone = project.ingest(Source::folder(folder.join("não há"))).await.unwrap();
    assert!(
        matches!(&gone.items[0].outcome, Outcome::Failed(error @ Error::NoSuchFile { .. })
        if error.is_retryable()),
        "{gone:?}"
    );
    assert!(gone.is_worth_another_try());
}

#[tokio::test]
async fn the_data_directory_is_no_source_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("a.md"), "umbu");
    let project = open(&folder.path().join("dados"), "P").await;
    for stored in [1, 0] {
        let report = project.ingest(Source::folder(folder.path())).await.unwrap();
        assert_eq!((report.items.len(), report.stored()), (1, stored), "{report:?}");
    }
}

#[tokio::test]
async fn bytes_of_the_same_name_are_the_same_source() {
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "P").await;
    project.ingest(Source::bytes("Ata.md", "# Ata\n\numbu")).await.unwrap();
    let report = project.ingest(Source::bytes("Ata.md", "# Ata\n\ncajá")).await.unwrap();
    assert!(matches!(report.items[0].outcome, Outcome::Updated { .. }), "{report:?}");
    assert!(found(&project, "umbu").await.is_empty());
    assert_eq!(found(&project, "cajá").await, ["Ata"]);
    // A name is no path.
    let report = project.ingest(Source::bytes("../../x/../y.md", "pitanga")).await.unwrap();
    assert_eq!(report.stored(), 1, "{report:?}");
    let stored = project.sources().await.unwrap();
    let documents = data.path().join("neural/p/documents");
    assert!(stored.iter().all(|source| source.path.parent() == Some(&documents)), "{stored:?}");
}

#[tokio::test]
async fn a_file_that_is_old_enough_is_not_read_again() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = folder.path().join("a.md");
    let past = SystemTime::now() - Duration::from_hours(1);
    let age = || fs::File::options().write(true).open(&path).unwrap().set_modified(past).unwrap();
    write(&path, "umbu");
    age();
    let project = open(data.path(), "P").await;
    project.ingest(Source::file(&path)).await.unwrap();
    // What cannot be seen by size and time is not read: this says that the file was not.
    write(&path, "figo");
    age();
    let report = project.ingest(Source::file(&path)).await.unwrap();
    assert!(matches!(report.items[0].outcome, Outcome::Unchanged { .. }), "{report:?}");
    write(&path, "figo");
    let report = project.ingest(Source::file(&path)).await.unwrap();
    assert!(matches!(report.items[0].outcome, Outcome::Updated { .. }), "{report:?}");
}

#[tokio::test]
async fn the_progress_tells_a_rate_and_an_end() {
    let data = tempfile::tempdir().unwrap();
    let told: Arc<Mutex<Vec<(Stage, Progress)>>> = Arc::default();
    let sink = Arc::clone(&told);
    let handler = move |event: &Event| {
        if let Event::Progress { stage, progress, .. } = event {
            sink.lock().unwrap().push((*stage, *progress));
        }
    };
    let engine = Engine::builder().data_dir(data.path()).on_event(handler).build().unwrap();
    let project = engine.project("P").await.unwrap();
    let sources = (0..30).map(|n| Source::text(format!("t{n}"), format!("texto {n}"))).collect();
    project.ingest_all(sources, &Cancel::new()).await.unwrap();
    let told = told.lock().unwrap();
    for stage in [Stage::Reading, Stage::Indexing] {
        let last = told.iter().rev().find(|(of, _)| *of == stage).unwrap().1;
        assert_eq!((last.done, last.total), (30, 30), "{stage:?}");
        assert_eq!(last.to_end(), Some(Duration::ZERO));
        assert!(last.per_second().unwrap() > 0.0);
    }
}

/// What was read when somebody cancels is made durable first: no more may come together than that takes a moment.
#[tokio::test]
async fn no_more_is_made_durable_at_once_than_a_cancel_can_wait_for() {
    let data = tempfile::tempdir().unwrap();
    let batches: Arc<Mutex<Vec<usize>>> = Arc::default();
    let (heard, cancel) = (Arc::clone(&batches), Cancel::new());
    let button = cancel.clone();
    let engine = Engine::builder()
        .data_dir(data.path())
        .on_event(move |event| match event {
            Event::Indexing { done: 1, total, .. } => heard.lock().unwrap().push(*total),
            Event::SourceRead { done: 1_290, .. } => button.cancel(),
            _ => {}
        })
        .build()
        .unwrap();
    let project = engine.project("P").await.unwrap();
    let texts =
        |from: usize| (from..from + 1_300).map(|n| Source::text(format!("t{n}"), format!("texto {n}")));
    let report = project.ingest_all(texts(0).collect(), &Cancel::new()).await.unwrap();
    assert_eq!(report.stored(), 1_300);
    assert_eq!(std::mem::take(&mut *batches.lock().unwrap()), [500, 500, 300]);
    let large = (0..12).map(|n| Source::text(format!("g{n}"), format!("palavra{n} ").repeat(100_000)));
    project.ingest_all(large.collect(), &Cancel::new()).await.unwrap();
    let sizes = std::mem::take(&mut *batches.lock().unwrap());
    assert!(sizes.len() > 2 && sizes.iter().all(|size| *size <= 5), "{sizes:?}");
    // What the report counts is there, whenever the cancel comes.
    let report = project.ingest_all(texts(2_000).collect(), &cancel).await.unwrap();
    assert!(report.cancelled || report.items.len() == 1_300);
    assert_eq!(project.statistics().await.unwrap().documents, 1_312 + report.stored());
}
