//! A data directory that may not be written: searched and answered from; what would change it is refused, and says what to do.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::ExitCode;

use tusab_engine::index::{Batch, ChunkStore, Control, Index};
use tusab_engine::{AnswerKind, Cancel, Degradation, Engine, Error, Part, Rating, Source};

use crate::disk::Mount;
use crate::programs::{again, copy, lines, runtime, say};

fn engine(data: &Path) -> Engine {
    Engine::builder().data_dir(data).build().unwrap()
}

/// A project with three sources, a conversation and something removed.
async fn fill(data: &Path) {
    let project = engine(data).project("P").await.unwrap();
    let texts = ["umbu", "cajá", "pitanga"].map(|fruit| {
        Source::text(fruit, format!("O {fruit} amadurece em dezembro, e a colheita dura três semanas."))
    });
    project.ingest_all(texts.to_vec(), &Cancel::new()).await.unwrap();
    project.chat("antes").ask("Quando amadurece o umbu?").await.unwrap();
    let doc =
        project.sources().await.unwrap().into_iter().find(|source| source.name == "pitanga").unwrap().doc;
    assert!(project.remove(&doc).await.unwrap());
}

/// Reads all that can be read, and tries to write all that can be written.
async fn read_and_try(data: &Path, outside: &Path) {
    let engine = engine(data);
    assert_eq!(engine.projects().await.unwrap().projects.len(), 1);
    assert!(engine.trash().await.unwrap().is_empty());
    engine.config().read().await.unwrap();
    let project = engine.project("P").await.unwrap();
    assert!(engine.find_project("P").await.unwrap().is_some());
    for _ in 0..2 {
        let found = project.search("umbu").await.unwrap();
        assert_eq!((found.hits.len(), found.degraded.as_slice()), (1, [].as_slice()));
    }
    assert!(project.search("pitanga").await.unwrap().hits.is_empty());
    assert_eq!(engine.search(std::slice::from_ref(&project), "cajá").await.unwrap().hits.len(), 1);
    let sources = project.sources().await.unwrap();
    assert_eq!((sources.len(), project.documents().await.unwrap().len()), (2, 2));
    assert_eq!(project.removed().await.unwrap().len(), 1);
    assert!(
        project.queue().items().await.unwrap().is_empty() && project.followed().await.unwrap().is_empty()
    );

    // Answered, and said that it is not kept.
    let answer = project.chat("antes").ask("Quando amadurece o cajá?").await.unwrap();
    assert_eq!(answer.kind, AnswerKind::Extractive);
    assert!(answer.text.contains("dezembro") && answer.turn.is_none(), "{answer:?}");
    let told: Vec<_> = answer.degraded.iter().filter(|it| it.part() == Part::History).collect();
    assert!(matches!(told[..], [Degradation::HistoryNotSaved { .. }]), "{told:?}");
    assert!(told[0].reason().contains("may not be written"), "{}", told[0].reason());
    let history = project.chat("antes").history().await.unwrap();
    assert_eq!((history.len(), project.sessions().await.unwrap().sessions.len()), (1, 1));

    let doc = sources[0].doc.clone();
    let refused: Vec<(&str, Error)> = vec![
        ("make", engine.project("Outro").await.map(drop).unwrap_err()),
        ("rename", engine.rename_project("P", "Q").await.unwrap_err()),
        ("delete", engine.delete_project("P").await.map(drop).unwrap_err()),
        ("config", engine.config().update(serde_json::json!({"a": 1})).await.map(drop).unwrap_err()),
        ("ingest", project.ingest(Source::text("u", "pitanga")).await.map(drop).unwrap_err()),
        ("remove", project.remove(&doc).await.map(drop).unwrap_err()),
        ("restore", project.restore(&doc).await.map(drop).unwrap_err()),
        ("sync", project.sync(&Cancel::new()).await.map(drop).unwrap_err()),
        ("purge", project.purge().await.map(drop).unwrap_err()),
        ("queue", project.queue().add(vec![Source::text("u", "x")]).await.map(drop).unwrap_err()),
        ("rate", project.chat("antes").rate(history[0].id, Some(Rating::Up)).await.unwrap_err()),
        ("session", project.chat("antes").delete().await.unwrap_err()),
    ];
    for (what, error) in refused {
        assert!(error.is_read_only() && !error.is_locked(), "{what}: {error:?}");
        let words = error.to_string();
        assert!(
            words.contains("may not be written") && words.contains("copy the data directory"),
            "{what}: {words}"
        );
    }
    // What cannot be changed can be carried away, whole.
    let file = outside.join("p.tusab");
    let report = project.export(&file).await.unwrap();
    assert_eq!((report.documents, report.left_out.len()), (2, 0), "{report:?}");
    let there = outside.join("there");
    let imported = Engine::builder().data_dir(&there).build().unwrap().import(&file, "Q").await.unwrap();
    assert_eq!((imported.documents, imported.rebuilt), (2, None), "{:?}", imported.notes);
    assert_eq!(imported.project.search("umbu").await.unwrap().hits.len(), 1);
    drop(imported.project);
    fs::remove_dir_all(there).unwrap();
    fs::remove_file(file).unwrap();
    assert_eq!(fs::read_dir(outside).unwrap().count(), 0, "nothing is left beside it");
    let error = project.export(data.join("p.tusab")).await.unwrap_err();
    assert!(!error.is_locked() && !data.join("p.tusab").exists(), "{error}");
}

pub(crate) fn disk() {
    let Some(disk) = Mount::new("32m") else { return };
    let (data, outside) = (disk.path().join("data"), tempfile::tempdir().unwrap());
    runtime().block_on(async {
        fill(&data).await;
        // As the last program has left it, and with the files beside the store gone, as on a copy of it.
        for strip in [false, true] {
            let index = data.join("indexes/p");
            if strip {
                Index::open(&index).unwrap().index.compact().unwrap();
                let left = fs::read_dir(&index).unwrap().map(|entry| entry.unwrap().path());
                let shared = left.filter(|path| path.to_string_lossy().ends_with("-shm"));
                shared.for_each(|path| fs::remove_file(path).unwrap());
            }
            disk.set("ro");
            read_and_try(&data, outside.path()).await;
            disk.set("rw");
        }
        // It goes on by itself once it may be written.
        let project = engine(&data).project("P").await.unwrap();
        project.ingest(Source::text("u", "graviola")).await.unwrap();
        assert_eq!(project.search("graviola").await.unwrap().hits.len(), 1);
        assert_eq!(project.chat("antes").history().await.unwrap().len(), 1);
    });
}

/// In a process of its own, as another user.
pub(crate) fn child(data: &Path) -> ExitCode {
    let outside = tempfile::tempdir().unwrap();
    runtime().block_on(read_and_try(data, outside.path()));
    say("read");
    ExitCode::SUCCESS
}

pub(crate) fn user() {
    /// A user who owns nothing.
    const NOBODY: u32 = 65_534;
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let data = folder.path().join("data");
    runtime().block_on(fill(&data));
    // Some of its files are their user's alone: shared on purpose, they are for all to read.
    share(&data);
    let mut command = again(&["child-read", data.to_str().unwrap()]);
    // Whoever is not root cannot become another, and does without the right to write.
    match command.uid(NOBODY).gid(NOBODY).spawn() {
        Ok(mut child) => {
            assert!(lines(&mut child).any(|line| line == "read"));
            assert!(child.wait().unwrap().success());
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            println!("skipped: this test cannot be started as another user here (it needs root)");
        }
        Err(error) => panic!("{error}"),
    }
}

fn share(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            share(&path);
        } else {
            fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
        }
    }
}

pub(crate) fn behind() {
    let Some(disk) = Mount::new("32m") else { return };
    let data = disk.path().join("data");
    runtime().block_on(async {
        fill(&data).await;
        let project = engine(&data).project("P").await.unwrap();
        let sources = project.sources().await.unwrap();
        let umbu = sources.iter().find(|source| source.name == "umbu").unwrap().doc.clone();
        drop(project);
        // As a crash leaves it between the sources and the index.
        let mut batch = Batch::new();
        batch.delete(umbu);
        Index::open(&data.join("indexes/p")).unwrap().index.apply(&batch, Control::default()).unwrap();
        // Sources alone, as somebody may have been given them.
        let alone = disk.path().join("alone");
        copy(&data.join("neural"), &alone.join("neural"));
        disk.set("ro");
        let error = engine(&alone).project("P").await.unwrap_err();
        assert!(error.is_read_only() && error.to_string().contains("make it again"), "{error:?}");
        let project = engine(&data).project("P").await.unwrap();
        let found = project.search("umbu cajá").await.unwrap();
        assert_eq!((found.hits.len(), found.degraded), (1, vec![Degradation::IndexBehind]));
        disk.set("rw");
        let found = engine(&data).project("P").await.unwrap().search("umbu cajá").await.unwrap();
        assert_eq!((found.hits.len(), found.degraded), (2, Vec::new()));
        assert_eq!(engine(&alone).project("P").await.unwrap().search("cajá").await.unwrap().hits.len(), 1);
    });
}
