//! A project in one file and back.

use std::fs;
use std::sync::{Arc, Mutex};

use tusab_engine::{Cancel, Engine, Error, Event, ExportOptions, ImportOptions, Rating, Source};

use crate::common::{engine, forge, found, sample, tree, unzip};

#[tokio::test]
async fn a_project_is_the_same_on_the_other_side() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = here.path().join("base.tusab");
    let project = sample(&here.path().join("data"), "Minha base").await;
    let report = project.export(&file).await.unwrap();
    assert_eq!((report.documents, report.chunks, report.left_out.len()), (3, 3, 0));
    assert_eq!(report.file_bytes, fs::metadata(&file).unwrap().len());

    let imported = engine(there.path()).import(&file, "Outra: base?").await.unwrap();
    assert_eq!((imported.documents, imported.chunks, &imported.rebuilt), (3, 3, &None));
    assert_eq!((imported.original_name.as_str(), imported.notes.len()), ("Minha base", 0));
    assert_eq!(imported.project.name(), "Outra: base?");
    for (words, title) in [("juros", "Juros compostos"), ("fermento", "Pão"), ("jabuticaba", "Colado 🎬")]
    {
        assert_eq!(found(&imported.project, words).await, found(&project, words).await);
        assert_eq!(found(&imported.project, words).await, [title]);
    }
    // The sources are the same, byte by byte, save for the name of the project.
    let sources = |data: &std::path::Path, slug: &str| {
        let mut files = tree(&data.join("neural").join(slug));
        files.retain(|(path, _)| !path.ends_with("project.json"));
        files
    };
    assert_eq!(sources(&here.path().join("data"), "minha-base"), sources(there.path(), "outra-base"));
    // It goes on like any other.
    let report = imported.project.ingest(Source::text("Nova", "graviola")).await.unwrap();
    assert_eq!(report.stored(), 1);
    assert_eq!(found(&imported.project, "graviola").await, ["Nova"]);
}

#[tokio::test]
async fn conversations_and_what_was_deleted_are_not_in_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("base.tusab");
    let project = sample(dir.path(), "P").await;
    let chat = project.chat("conversa");
    let answer = chat.ask("Qual é a palavra secreta xyzzyplugh dos juros?").await.unwrap();
    // A rating keeps the question it was of.
    chat.rate(answer.turn.unwrap(), Some(Rating::Down)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("n.txt");
    for text in ["antes: quuxfrobnicate", "depois"] {
        fs::write(&note, text).unwrap();
        project.ingest(Source::file(&note)).await.unwrap();
    }
    project.export(&file).await.unwrap();
    for (name, bytes) in unzip(&file) {
        for word in [&b"xyzzyplugh"[..], b"quuxfrobnicate", b"conversa"] {
            assert!(!bytes.windows(word.len()).any(|it| it == word), "{name}");
        }
    }
}

#[tokio::test]
async fn an_index_of_another_format_is_made_again_from_the_sources() {
    let dir = tempfile::tempdir().unwrap();
    let (file, forged) = (dir.path().join("base.tusab"), dir.path().join("forged.tusab"));
    let project = sample(&dir.path().join("here"), "P").await;
    project.export(&file).await.unwrap();
    // SQLite keeps `user_version`, big-endian, at byte 60.
    let change = |format: u8| {
        forge(&file, &forged, |entries, _| {
            let (_, store) = entries.iter_mut().find(|(name, _)| name == "index/store.sqlite").unwrap();
            store[63] = format;
        });
    };
    change(99);
    let imported = engine(&dir.path().join("newer")).import(&forged, "P").await.unwrap();
    assert!(imported.rebuilt.unwrap().contains("format 99"));
    assert_eq!((imported.documents, imported.chunks), (3, 3));
    assert_eq!(found(&imported.project, "juros").await, ["Juros compostos"]);

    forge(&file, &forged, |entries, _| entries.retain(|(name, _)| !name.starts_with("index/bm25/meta")));
    let imported = engine(&dir.path().join("no-bm25")).import(&forged, "P").await.unwrap();
    assert!(imported.rebuilt.is_some());
    assert_eq!(found(&imported.project, "juros").await, ["Juros compostos"]);

    // Whole by its hash, and no database.
    forge(&file, &forged, |entries, _| {
        entries
            .iter_mut()
            .filter(|(name, _)| name.starts_with("index/"))
            .for_each(|(_, bytes)| bytes.fill(7));
    });
    let imported = engine(&dir.path().join("garbage")).import(&forged, "P").await.unwrap();
    assert!(imported.rebuilt.is_some());
    assert_eq!(found(&imported.project, "fermento").await, ["Pão"]);
}

#[tokio::test]
async fn a_file_without_an_index_or_with_one_that_is_not_trusted_is_indexed() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, bare) = (dir.path().join("whole.tusab"), dir.path().join("bare.tusab"));
    let project = sample(&dir.path().join("here"), "P").await;
    project.export(&whole).await.unwrap();
    project.export_with(&bare, &ExportOptions::default().with_index(false), &Cancel::new()).await.unwrap();
    assert!(unzip(&bare).iter().all(|(name, _)| !name.starts_with("index/")));
    let engine = engine(&dir.path().join("there"));
    let imported = engine.import(&bare, "bare").await.unwrap();
    assert!(imported.rebuilt.is_some());
    assert_eq!(found(&imported.project, "jabuticaba").await, ["Colado 🎬"]);
    let options = ImportOptions::default().with_trust_index(false);
    let imported = engine.import_with(&whole, "whole", &options, &Cancel::new()).await.unwrap();
    assert!(imported.rebuilt.is_some());
    assert_eq!(found(&imported.project, "jabuticaba").await, ["Colado 🎬"]);
}

#[tokio::test]
async fn documents_that_are_no_source_s_do_not_come_along() {
    let dir = tempfile::tempdir().unwrap();
    let (file, forged) = (dir.path().join("base.tusab"), dir.path().join("forged.tusab"));
    sample(&dir.path().join("here"), "P").await.export(&file).await.unwrap();
    forge(&file, &forged, |entries, _| entries.retain(|(name, _)| !name.starts_with("neural/texts/")));
    let imported = engine(&dir.path().join("there")).import(&forged, "P").await.unwrap();
    assert!(imported.notes.iter().any(|note| note.contains("without a source")), "{:?}", imported.notes);
    assert_eq!(imported.documents, 2);
    assert!(found(&imported.project, "jabuticaba").await.is_empty());
}

#[tokio::test]
async fn an_empty_project_is_carried_too() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("empty.tusab");
    engine(dir.path()).project("vazio").await.unwrap().export(&file).await.unwrap();
    let imported = engine(dir.path()).import(&file, "vazio, de novo").await.unwrap();
    assert_eq!((imported.documents, imported.rebuilt), (0, None));
}

#[tokio::test]
async fn a_name_that_is_taken_is_refused_and_nothing_changes() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("base.tusab");
    let project = sample(dir.path(), "P").await;
    project.export(&file).await.unwrap();
    let before = tree(&dir.path().join("neural"));
    let engine = engine(dir.path());
    assert!(matches!(engine.import(&file, "P").await, Err(Error::ProjectExists { name }) if name == "P"));
    assert!(matches!(engine.import(&file, " ").await, Err(Error::ProjectName { .. })));
    assert_eq!(tree(&dir.path().join("neural")), before);
}

#[tokio::test]
async fn an_export_takes_the_place_of_the_one_before_or_leaves_it() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("base.tusab");
    let project = sample(&dir.path().join("data"), "P").await;
    fs::write(&file, "antes").unwrap();
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = project.export_with(&file, &ExportOptions::default(), &cancel).await.unwrap_err();
    assert!(stopped.is_cancelled());
    assert_eq!(fs::read(&file).unwrap(), b"antes");
    fs::write(dir.path().join("base.tusab.unfinished"), vec![7; 1 << 20]).unwrap();
    project.export(&file).await.unwrap();
    assert_eq!(engine(&dir.path().join("there")).import(&file, "P").await.unwrap().documents, 3);
    let names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name == "base.tusab.unfinished"));
    assert!(matches!(project.export(dir.path()).await, Err(Error::IsFolder { .. })));
    assert!(matches!(project.export(dir.path().join("no/such/x.tusab")).await, Err(Error::Io { .. })));
    assert!(tree(&dir.path().join("data/temp")).iter().all(|(path, _)| path.ends_with("carry.lock")));
}

#[tokio::test]
async fn files_that_other_systems_cannot_hold_are_left_out_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("base.tusab");
    let project = sample(dir.path(), "p").await;
    let extra = dir.path().join("neural/p/extra");
    fs::create_dir_all(&extra).unwrap();
    fs::write(extra.join("resumo.json"), "{}").unwrap();
    if cfg!(unix) {
        fs::write(extra.join("a:b.json"), "{}").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", extra.join("link")).unwrap();
        assert_eq!(project.export(&file).await.unwrap().left_out.len(), 2);
    } else {
        assert_eq!(project.export(&file).await.unwrap().left_out.len(), 0);
    }
    let imported = engine(dir.path()).import(&file, "q").await.unwrap();
    assert_eq!(imported.documents, 3);
    assert_eq!(fs::read(dir.path().join("neural/q/extra/resumo.json")).unwrap(), b"{}");
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_told_to_a_handler_that_calls_back_and_may_cancel() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("base.tusab");
    let told = Arc::new(Mutex::new(Vec::new()));
    let slot: Arc<Mutex<Option<Engine>>> = Arc::default();
    let (log, back) = (Arc::clone(&told), Arc::clone(&slot));
    let cancel = Cancel::new();
    let button = cancel.clone();
    let handler = move |event: &Event| {
        log.lock().unwrap().push(event.clone());
        if let Event::Importing { done, total, .. } = event
            && done * 2 > *total
        {
            button.cancel();
        }
        let engine = back.lock().unwrap().clone().unwrap();
        let listed =
            tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(engine.projects()));
        assert_eq!(listed.unwrap().projects.len(), 1);
    };
    sample(&dir.path().join("here"), "P").await;
    let engine = Engine::builder().data_dir(dir.path().join("here")).on_event(handler).build().unwrap();
    *slot.lock().unwrap() = Some(engine.clone());
    engine.project("P").await.unwrap().export(&file).await.unwrap();
    let events = std::mem::take(&mut *told.lock().unwrap());
    let exporting: Vec<(u64, u64)> = events
        .iter()
        .filter_map(|event| match event {
            Event::Exporting { done, total, .. } => Some((*done, *total)),
            _ => None,
        })
        .collect();
    assert!(exporting.len() > 2 && exporting.is_sorted());
    assert_eq!(exporting.last().map(|(done, total)| done == total), Some(true));
    // Cancelled on the way: nothing is there.
    let stopped = engine.import_with(&file, "Q", &ImportOptions::default(), &cancel).await.unwrap_err();
    assert!(stopped.is_cancelled());
    assert_eq!(engine.projects().await.unwrap().projects.len(), 1);
    assert!(!dir.path().join("here/neural/q").exists());
    *slot.lock().unwrap() = None;
}

#[tokio::test]
async fn what_a_dead_process_left_is_cleared() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("base.tusab");
    sample(&dir.path().join("here"), "P").await.export(&file).await.unwrap();
    let there = dir.path().join("there");
    let left = there.join("temp/carry-1-0");
    fs::create_dir_all(left.join("neural/project")).unwrap();
    fs::write(left.join("neural/project/x"), "x").unwrap();
    fs::write(there.join("temp/carry-1-0.lock"), "1\n").unwrap();
    fs::create_dir_all(there.join("temp/yt-dlp")).unwrap();
    // A failed import clears it too.
    assert!(engine(&there).import(dir.path().join("nothing"), "P").await.is_err());
    engine(&there).import(&file, "P").await.unwrap();
    assert!(!left.exists());
    assert!(there.join("temp/yt-dlp").exists());
}
