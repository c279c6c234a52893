//! What goes wrong around the engine: other processes, foreign hands, failing disks, sources that contradict each other.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use tusab_engine::index::WriterLock;
use tusab_engine::{Cancel, Engine, Error, Event, Outcome, Project, Source};

fn engine(data: &Path) -> Engine {
    Engine::builder().data_dir(data).build().unwrap()
}

async fn open(data: &Path, name: &str) -> Project {
    engine(data).project(name).await.unwrap()
}

async fn found(project: &Project, text: &str) -> Vec<String> {
    let hits = project.search(text).await.unwrap().hits;
    hits.iter().map(|hit| hit.document.title.clone()).collect()
}

fn captions(text: &str) -> String {
    format!("WEBVTT\n\n00:01.000 --> 00:05.000\n{text}\n")
}

#[tokio::test]
async fn a_video_is_kept_in_one_language_and_nothing_else_suffers() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        Source::file(path)
    };
    let sources = vec![
        file("Fala [abcdefghijk].pt.vtt", captions("jabuti")),
        file("Fala [abcdefghijk].en.vtt", captions("tortoise")),
        file("Fala [abcdefghijk].pt-BR.vtt", captions("jabuti e cágado")),
        file("nota.md", "uma nota sobre tamanduás".into()),
    ];
    let project = open(data.path(), "P").await;
    let report = project.ingest_all(sources, &Cancel::new()).await.unwrap();
    let outcomes: Vec<&Outcome> = report.items.iter().map(|item| &item.outcome).collect();
    assert!(matches!(outcomes[0], Outcome::Added { .. }), "{outcomes:?}");
    assert!(matches!(outcomes[1], Outcome::Failed(Error::OtherLanguage { .. })), "{outcomes:?}");
    assert!(matches!(outcomes[2], Outcome::Updated { .. }), "{outcomes:?}");
    assert!(matches!(outcomes[3], Outcome::Added { .. }), "{outcomes:?}");
    assert_eq!(found(&project, "cágado").await, ["Fala"]);
    assert!(found(&project, "tortoise").await.is_empty());
    assert_eq!(found(&project, "tamanduás").await.len(), 1);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn file_names_that_are_no_text_are_told_apart() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let sources: Vec<Source> = [(&b"a\xff.txt"[..], "jaca"), (&b"a\xfe.txt"[..], "graviola")]
        .into_iter()
        .map(|(name, text)| {
            let path = folder.path().join(OsStr::from_bytes(name));
            fs::write(&path, text).unwrap();
            Source::file(path)
        })
        .collect();
    let project = open(data.path(), "P").await;
    let report = project.ingest_all(sources, &Cancel::new()).await.unwrap();
    assert_eq!(report.stored(), 2, "{report:?}");
    assert_eq!(found(&project, "jaca").await.len(), 1);
    assert_eq!(found(&project, "graviola").await.len(), 1);
}

#[tokio::test]
async fn two_files_that_change_places_are_both_right() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (a, b) = (folder.path().join("a.txt"), folder.path().join("b.txt"));
    let project = open(data.path(), "P").await;
    for (in_a, in_b) in
        [("jantar", "almoço"), ("almoço", "almoço"), ("almoço", "jantar"), ("jantar", "almoço")]
    {
        fs::write(&a, in_a).unwrap();
        fs::write(&b, in_b).unwrap();
        let report =
            project.ingest_all(vec![Source::file(&a), Source::file(&b)], &Cancel::new()).await.unwrap();
        assert_eq!(report.failed(), 0, "{report:?}");
        for (file, text) in [("a", in_a), ("b", in_b)] {
            assert!(found(&project, text).await.contains(&file.to_owned()), "{file} {text}");
            let other = if text == "jantar" { "almoço" } else { "jantar" };
            assert!(!found(&project, other).await.contains(&file.to_owned()), "{file} {text}");
        }
    }
}

#[tokio::test]
async fn a_retry_after_a_failed_write_finds_everything() {
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "x").await;
    // Another process holds the index for longer than anybody waits.
    let lock = WriterLock::acquire(&data.path().join("indexes/x/writer.lock")).unwrap();
    let failed = project.ingest(Source::text("t", "pitanga")).await.unwrap_err();
    assert!(failed.is_locked(), "{failed}");
    drop(lock);
    let report = project.ingest(Source::text("t", "pitanga")).await.unwrap();
    assert_eq!(report.failed(), 0, "{report:?}");
    assert_eq!(found(&project, "pitanga").await, ["t"]);
    assert_eq!(project.statistics().await.unwrap().documents, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn projects_made_at_once_are_each_their_own() {
    let data = tempfile::tempdir().unwrap();
    let names = ["Ação", "acao", "AÇÃO", "ação"];
    for round in 0..5 {
        let data = data.path().join(round.to_string());
        let engines = [engine(&data), engine(&data)];
        let tasks: Vec<_> = engines
            .iter()
            .flat_map(|engine| names.map(|name| (engine.clone(), name)))
            .enumerate()
            .map(|(number, (engine, name))| {
                tokio::spawn(async move {
                    let project = engine.project(name).await.unwrap();
                    project
                        .ingest(Source::text(format!("t{number}"), format!("só em {name}")))
                        .await
                        .unwrap();
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        for name in names {
            // One text from each engine, of equal content: the second is a duplicate or an equal text.
            let project = open(&data, name).await;
            let hits = project.search("só").await.unwrap().hits;
            assert!(!hits.is_empty(), "{name}");
            let own = format!("só em {name}");
            assert!(hits.iter().all(|hit| hit.chunk.original_text() == own), "{name}");
        }
        assert_eq!(fs::read_dir(data.join("neural")).unwrap().count(), names.len());
    }
}

#[tokio::test]
async fn a_damaged_description_is_an_error_not_an_empty_project() {
    let data = tempfile::tempdir().unwrap();
    open(data.path(), "x").await.ingest(Source::text("t", "umbu")).await.unwrap();
    fs::write(data.path().join("neural/x/project.json"), "{").unwrap();
    let error = engine(data.path()).project("x").await.unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
    assert_eq!(fs::read_dir(data.path().join("neural")).unwrap().count(), 1);
    // Other projects go on.
    open(data.path(), "y").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_may_open_the_project_that_was_mended() {
    let data = tempfile::tempdir().unwrap();
    open(data.path(), "x").await.ingest(Source::text("t", "umbu")).await.unwrap();
    fs::remove_dir_all(data.path().join("indexes")).unwrap();
    let slot: Arc<Mutex<Option<Engine>>> = Arc::default();
    let told = Arc::new(Mutex::new(0));
    let (inner, count) = (Arc::clone(&slot), Arc::clone(&told));
    let handler = move |event: &Event| {
        if let Event::Repaired { project, .. } = event {
            let engine = inner.lock().unwrap().clone().unwrap();
            let project = tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current().block_on(engine.project(project))
            });
            project.unwrap();
            *count.lock().unwrap() += 1;
        }
    };
    let engine = Engine::builder().data_dir(data.path()).on_event(handler).build().unwrap();
    *slot.lock().unwrap() = Some(engine.clone());
    engine.project("x").await.unwrap();
    assert_eq!(*told.lock().unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn opening_and_reading_disturb_no_ingest() {
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "P").await;
    let path = data.path().to_owned();
    let done = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let stop = Arc::clone(&done);
    let opener = tokio::spawn(async move {
        let mut opened = 0;
        while !stop.load(std::sync::atomic::Ordering::Acquire) {
            let project = open(&path, "P").await;
            project.search("texto").await.unwrap();
            project.ingest_all(Vec::new(), &Cancel::new()).await.unwrap();
            opened += 1;
        }
        opened
    });
    for n in 0..40 {
        let report =
            project.ingest(Source::text(format!("t{n}"), format!("texto número {n}"))).await.unwrap();
        assert_eq!(report.stored(), 1);
    }
    done.store(true, std::sync::atomic::Ordering::Release);
    assert!(opener.await.unwrap() > 0);
    assert_eq!(project.statistics().await.unwrap().documents, 40);
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_at_once_are_all_kept() {
    let data = tempfile::tempdir().unwrap();
    let projects = [open(data.path(), "P").await, open(data.path(), "P").await];
    projects[0].ingest(Source::text("t", "umbu e cajá")).await.unwrap();
    let tasks: Vec<_> = (0..20)
        .map(|n| {
            let chat = projects[n % 2].chat("s");
            tokio::spawn(async move { chat.ask(&format!("umbu {n}?")).await.unwrap().degraded })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), []);
    }
    assert_eq!(projects[0].chat("s").history().await.unwrap().len(), 20);
}

#[tokio::test]
async fn a_history_that_cannot_be_written_is_told_with_the_answer() {
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "P").await;
    project.ingest(Source::text("t", "umbu")).await.unwrap();
    fs::write(data.path().join("sessions"), "a file where a folder should be").unwrap();
    let answer = project.chat("s").ask("umbu").await.unwrap();
    assert_eq!(answer.sources.len(), 1);
    let [degradation] = answer.degraded.as_slice() else { panic!("{:?}", answer.degraded) };
    assert_eq!(degradation.part(), tusab_engine::Part::History);
}

#[tokio::test]
async fn a_manifest_of_a_later_version_is_left_alone() {
    let data = tempfile::tempdir().unwrap();
    open(data.path(), "P").await.ingest(Source::text("Meu título", "umbu")).await.unwrap();
    let manifest = data.path().join("neural/p/texts/_manifest.json");
    let newer = r#"{"version": 99, "entries": {"shape": "unknown"}}"#;
    fs::write(&manifest, newer).unwrap();
    let error = engine(data.path()).project("P").await.unwrap_err();
    assert!(matches!(error, Error::Newer { version: 99, .. }), "{error}");
    assert_eq!(fs::read_to_string(&manifest).unwrap(), newer);
}

#[tokio::test]
async fn a_manifest_made_again_keeps_what_people_called_things() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = folder.path().join("Ata da Reunião.txt");
    fs::write(&file, "cambuci").unwrap();
    let project = open(data.path(), "P").await;
    let sources = vec![Source::text("Meu título à mão", "umbu"), Source::file(&file)];
    project.ingest_all(sources, &Cancel::new()).await.unwrap();
    drop(project);
    for shelf in ["texts", "documents"] {
        fs::remove_file(data.path().join("neural/p").join(shelf).join("_manifest.json")).unwrap();
    }
    let project = open(data.path(), "P").await;
    assert_eq!(found(&project, "umbu").await, ["Meu título à mão"]);
    // Also after the index is made again from the sources.
    drop(project);
    fs::remove_dir_all(data.path().join("indexes")).unwrap();
    let project = open(data.path(), "P").await;
    assert_eq!(found(&project, "umbu").await, ["Meu título à mão"]);
    assert_eq!(found(&project, "cambuci").await, ["Ata da Reunião"]);
}

/// What is indexed is what the stored source says, the description beside captions included.
#[tokio::test]
async fn making_the_index_again_changes_no_document() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let info = r#"{"title": "O Grande Título", "upload_date": "20260102", "tags": ["x"]}"#;
    fs::write(folder.path().join("Aula.pt.vtt"), captions("jenipapo")).unwrap();
    fs::write(folder.path().join("Aula.info.json"), info).unwrap();
    let project = open(data.path(), "P").await;
    project.ingest(Source::file(folder.path().join("Aula.pt.vtt"))).await.unwrap();
    let before = project.search("jenipapo").await.unwrap().hits.remove(0);
    drop(project);
    fs::remove_dir_all(data.path().join("indexes")).unwrap();
    let after = open(data.path(), "P").await.search("jenipapo").await.unwrap().hits.remove(0);
    assert_eq!((&before.document, &before.chunk), (&after.document, &after.chunk));
}

#[tokio::test]
async fn a_stored_file_that_somebody_removed_is_written_again() {
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "P").await;
    project.ingest(Source::text("t", "umbu")).await.unwrap();
    let texts = data.path().join("neural/p/texts");
    let stored = fs::read_dir(&texts)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|e| e == "txt"))
        .unwrap();
    fs::remove_file(&stored).unwrap();
    let report = project.ingest(Source::text("t", "umbu")).await.unwrap();
    assert!(matches!(report.items[0].outcome, Outcome::Updated { .. }), "{report:?}");
    assert_eq!(fs::read_to_string(&stored).unwrap(), "umbu");
}

/// As after a crash between the writing of the manifest and the renaming of the file that it speaks of.
#[tokio::test]
async fn a_staged_file_is_put_in_its_place_or_cleared() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = folder.path().join("nota.txt");
    let project = open(data.path(), "P").await;
    fs::write(&file, "antes: umbu").unwrap();
    project.ingest(Source::file(&file)).await.unwrap();
    fs::write(&file, "depois: cajá").unwrap();
    project.ingest(Source::file(&file)).await.unwrap();
    drop(project);
    let documents = data.path().join("neural/p/documents");
    let stored = fs::read_dir(&documents)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|e| e == "txt"))
        .unwrap();
    let staged = stored.with_extension("txt.unfinished");
    fs::rename(&stored, &staged).unwrap();
    fs::write(&stored, "antes: umbu").unwrap();
    fs::write(documents.join("foreign_nota.txt.unfinished"), "lixo").unwrap();
    fs::remove_dir_all(data.path().join("indexes")).unwrap();
    let project = open(data.path(), "P").await;
    assert_eq!(fs::read_to_string(&stored).unwrap(), "depois: cajá");
    assert_eq!(found(&project, "cajá").await, ["nota"]);
    assert!(found(&project, "umbu").await.is_empty());
    let left = fs::read_dir(&documents)
        .unwrap()
        .filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().ends_with(".unfinished"));
    assert_eq!(left.count(), 0);
}

#[test]
fn without_a_data_directory_there_is_no_engine() {
    assert!(matches!(Engine::builder().build(), Err(Error::NoDataDir)));
    let engine = Engine::builder().platform_data_dir().build().unwrap();
    assert!(engine.data_dir().is_absolute() && engine.data_dir().ends_with("tusab"));
}

#[tokio::test]
async fn a_file_that_is_too_large_is_refused_before_it_is_read() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (large, small) = (folder.path().join("grande.txt"), folder.path().join("nota.txt"));
    // A hole: it takes no room on the disk, and would take 64 GB of memory.
    fs::File::create(&large).unwrap().set_len(64 << 30).unwrap();
    fs::write(&small, "uma nota sobre tamanduás").unwrap();
    let project = open(data.path(), "P").await;
    let report = project.ingest(Source::folder(folder.path())).await.unwrap();
    let [refused, taken] = report.items.as_slice() else { panic!("{report:?}") };
    assert!(matches!(&refused.outcome, Outcome::Failed(Error::TooLarge { bytes, .. }) if *bytes == 64 << 30));
    assert!(matches!(taken.outcome, Outcome::Added { .. }), "{report:?}");
    let bytes = project.ingest(Source::bytes("grande.txt", vec![b'a'; (100 << 20) + 1])).await.unwrap();
    assert!(matches!(bytes.items[0].outcome, Outcome::Failed(Error::TooLarge { .. })), "{bytes:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_in_a_folder_leads_nowhere() {
    let (data, folder, outside) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let secret = outside.path().join("segredo.txt");
    fs::write(&secret, "o segredo é jabuticaba").unwrap();
    fs::write(folder.path().join("nota.txt"), "uma nota sobre tamanduás").unwrap();
    std::os::unix::fs::symlink(&secret, folder.path().join("link.txt")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("pasta")).unwrap();
    let project = open(data.path(), "P").await;
    let report = project.ingest(Source::folder(folder.path())).await.unwrap();
    assert_eq!((report.items.len(), report.stored()), (1, 1), "{report:?}");
    assert!(found(&project, "jabuticaba").await.is_empty());
    // Nor what hands put into the project's own folders.
    let documents = data.path().join("neural").join(project.folder()).join("documents");
    std::os::unix::fs::symlink(&secret, documents.join("link.txt")).unwrap();
    project.sync(&Cancel::new()).await.unwrap();
    assert!(found(&project, "jabuticaba").await.is_empty());
}
