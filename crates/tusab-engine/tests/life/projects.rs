use std::fs;

use tusab_engine::{Engine, Error, NEURAL_DIR, Source};

use crate::common::{engine, files, found, open};

fn names(projects: &tusab_engine::Projects) -> Vec<&str> {
    projects.projects.iter().map(|project| project.name.as_str()).collect()
}

#[tokio::test]
async fn projects_are_listed_by_the_names_their_users_gave() {
    let data = tempfile::tempdir().unwrap();
    let engine = engine(data.path());
    assert!(engine.projects().await.unwrap().projects.is_empty());
    for name in ["Zeca", "Árvore", "  dois  espaços "] {
        engine.project(name).await.unwrap();
    }
    // One that cannot be read hides no other.
    fs::create_dir_all(data.path().join("neural/quebrado")).unwrap();
    fs::write(data.path().join("neural/quebrado/project.json"), "{").unwrap();
    let listed = engine.projects().await.unwrap();
    assert_eq!(names(&listed), ["  dois  espaços ", "Zeca", "Árvore"]);
    assert!(matches!(listed.unreadable.as_slice(), [Error::Damaged { .. }]), "{:?}", listed.unreadable);
    assert!(engine.find_project("Outro").await.unwrap().is_none());
    assert!(engine.find_project("Zeca").await.unwrap().is_some());
    // A name whose accents are composed otherwise is the same name; the first form stays.
    let decomposed = engine.project("A\u{301}rvore").await.unwrap();
    assert_eq!(decomposed.name(), "Árvore");
    assert_eq!(engine.projects().await.unwrap().projects.len(), 3);
}

#[tokio::test]
async fn renaming_moves_nothing() {
    let data = tempfile::tempdir().unwrap();
    let engine = engine(data.path());
    let project = engine.project("Antes").await.unwrap();
    project.ingest(Source::text("t", "umbu")).await.unwrap();
    project.chat("s").ask("umbu").await.unwrap();
    engine.project("Outro").await.unwrap();
    let before = files(data.path());
    engine.rename_project("Antes", "Depois: 🎉").await.unwrap();
    assert_eq!((project.name().as_str(), project.folder().as_str()), ("Depois: 🎉", "antes"));
    let after = files(data.path());
    let description = data.path().join("neural/antes/project.json");
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (path, bytes) in &before {
        // SQLite's shared memory is no content.
        if *path != description && !path.to_string_lossy().ends_with("-shm") {
            assert_eq!(after.get(path), Some(bytes), "{}", path.display());
        }
    }
    assert!(matches!(engine.rename_project("Depois: 🎉", "Outro").await, Err(Error::ProjectExists { .. })));
    assert!(matches!(engine.rename_project("Antes", "x").await, Err(Error::NoSuchProject { .. })));
    for unseen in [" ", "\u{200b}", "\u{feff}\u{2060} \u{ad}", "\u{202e}\u{3164}"] {
        assert!(
            matches!(engine.rename_project("Outro", unseen).await, Err(Error::ProjectName { .. })),
            "{unseen:?}"
        );
    }
    // What a later version wrote into the description survives.
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(&description).unwrap()).unwrap();
    json["colour"] = "blue".into();
    fs::write(&description, json.to_string()).unwrap();
    engine.rename_project("Depois: 🎉", "Fim").await.unwrap();
    assert!(fs::read_to_string(&description).unwrap().contains("blue"));
    let project = open(data.path(), "Fim").await;
    assert_eq!(found(&project, "umbu").await, ["t"]);
    assert_eq!(project.chat("s").history().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_deleted_project_is_gone_at_once_and_comes_back_whole() {
    let data = tempfile::tempdir().unwrap();
    let (here, other) = (engine(data.path()), engine(data.path()));
    let project = here.project("Horta").await.unwrap();
    let elsewhere = other.project("Horta").await.unwrap();
    project.ingest(Source::text("t", "umbu")).await.unwrap();
    project.chat("s").ask("umbu").await.unwrap();
    let trashed = here.delete_project("Horta").await.unwrap();
    for handle in [&project, &elsewhere] {
        assert!(matches!(handle.search("umbu").await, Err(Error::NoSuchProject { .. })));
        let refused = handle.ingest(Source::text("u", "cajá")).await;
        assert!(matches!(refused, Err(Error::NoSuchProject { .. })), "{refused:?}");
    }
    assert!(here.projects().await.unwrap().projects.is_empty());
    assert!(!data.path().join("neural/horta").exists(), "a refused ingest made it again");
    assert_eq!(here.trash().await.unwrap(), std::slice::from_ref(&trashed));

    // Another project of the name, in the same folder, has nothing of it.
    let second = here.project("Horta").await.unwrap();
    assert_eq!((second.folder().as_str(), second.statistics().await.unwrap().documents), ("horta", 0));
    assert!(second.chat("s").history().await.unwrap().is_empty());
    assert!(matches!(elsewhere.search("umbu").await, Err(Error::NoSuchProject { .. })));
    assert_eq!(other.project("Horta").await.unwrap().statistics().await.unwrap().documents, 0);
    let refused = here.restore_project(&trashed.id).await;
    assert!(matches!(refused, Err(Error::ProjectExists { .. })), "{refused:?}");
    here.rename_project("Horta", "Nova").await.unwrap();

    let back = here.restore_project(&trashed.id).await.unwrap();
    assert_eq!((back.name().as_str(), back.folder().as_str()), ("Horta", "horta-2"));
    assert_eq!(found(&back, "umbu").await, ["t"]);
    assert_eq!(back.chat("s").history().await.unwrap().len(), 1);
    assert!(here.trash().await.unwrap().is_empty());
    assert!(matches!(here.restore_project("../neural").await, Err(Error::NotInTrash { .. })));
}

#[tokio::test]
async fn an_emptied_trash_leaves_no_byte() {
    let data = tempfile::tempdir().unwrap();
    let engine = engine(data.path());
    for name in ["A", "B", "C"] {
        let project = engine.project(name).await.unwrap();
        project.ingest(Source::text("t", format!("marcador-{name}-zqx"))).await.unwrap();
        project.chat("s").ask(&format!("marcador-{name}-zqx")).await.unwrap();
    }
    let a = engine.delete_project("A").await.unwrap();
    engine.delete_project("B").await.unwrap();
    engine.erase_from_trash(&a.id).await.unwrap();
    assert!(crate::common::holding(data.path(), "marcador-A-zqx").is_empty());
    assert!(!crate::common::holding(data.path(), "marcador-B-zqx").is_empty());
    assert!(matches!(engine.erase_from_trash(&a.id).await, Err(Error::NotInTrash { .. })));
    assert_eq!(engine.empty_trash().await.unwrap(), 1);
    assert!(crate::common::holding(data.path(), "marcador-B-zqx").is_empty());
    assert_eq!(found(&engine.project("C").await.unwrap(), "marcador-C-zqx").await, ["t"]);
    assert_eq!(engine.empty_trash().await.unwrap(), 0);
}

/// As after a crash between the move of the sources and that of the rest, either way.
#[tokio::test]
async fn a_deletion_cut_short_is_finished() {
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "Horta").await;
    project.ingest(Source::text("t", "umbu")).await.unwrap();
    project.chat("s").ask("umbu").await.unwrap();
    drop(project);
    let trashed = engine(data.path()).delete_project("Horta").await.unwrap();
    let place = data.path().join("trash/projects").join(&trashed.id);
    fs::rename(place.join("sessions"), data.path().join("sessions/horta")).unwrap();
    fs::create_dir_all(data.path().join("trash/projects/000002-dead")).unwrap();
    // The new project does not inherit the conversation, and the old one has it when it comes back.
    let engine = engine(data.path());
    let new = engine.project("Horta").await.unwrap();
    assert!(new.chat("s").history().await.unwrap().is_empty());
    engine.rename_project("Horta", "Nova").await.unwrap();
    let back = engine.restore_project(&trashed.id).await.unwrap();
    assert_eq!(back.chat("s").history().await.unwrap().len(), 1);
    assert_eq!(fs::read_dir(data.path().join("trash/projects")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_new_project_inherits_nothing_that_lies_about() {
    let data = tempfile::tempdir().unwrap();
    open(data.path(), "Horta").await.chat("s").ask("umbu").await.unwrap();
    // Somebody takes the sources away by hand, and not the rest.
    fs::remove_dir_all(data.path().join("neural/horta")).unwrap();
    let project = open(data.path(), "Horta").await;
    assert_eq!(project.folder(), "horta-2");
    assert!(project.chat("s").history().await.unwrap().is_empty());
}

#[tokio::test]
async fn the_folder_of_an_old_installation_is_renamed_once() {
    let data = tempfile::tempdir().unwrap();
    open(data.path(), "Horta").await.ingest(Source::text("t", "umbu")).await.unwrap();
    fs::rename(data.path().join(NEURAL_DIR), data.path().join("cerebro")).unwrap();
    fs::remove_dir_all(data.path().join("indexes")).unwrap();
    for _ in 0..2 {
        let engine = engine(data.path());
        assert_eq!(names(&engine.projects().await.unwrap()), ["Horta"]);
        assert_eq!(found(&engine.project("Horta").await.unwrap(), "umbu").await, ["t"]);
        assert!(!data.path().join("cerebro").exists());
    }
    // Both there: neither is touched.
    fs::create_dir(data.path().join("cerebro")).unwrap();
    fs::write(data.path().join("cerebro/x"), "y").unwrap();
    assert_eq!(names(&engine(data.path()).projects().await.unwrap()), ["Horta"]);
    assert_eq!(fs::read(data.path().join("cerebro/x")).unwrap(), b"y");
}

#[tokio::test]
async fn the_data_directory_says_what_is_safe_to_share() {
    let data = tempfile::tempdir().unwrap();
    open(data.path(), "P").await;
    let read_me = data.path().join("README.txt");
    assert!(fs::read_to_string(&read_me).unwrap().contains("Safe to share"));
    // A user's own words stay.
    fs::write(&read_me, "meu").unwrap();
    open(data.path(), "Q").await;
    assert_eq!(fs::read_to_string(&read_me).unwrap(), "meu");
}

#[tokio::test]
async fn a_data_directory_may_be_moved() {
    let parent = tempfile::tempdir().unwrap();
    let (from, to) = (parent.path().join("aqui"), parent.path().join("lá/fora"));
    let project = open(&from, "P").await;
    project.ingest(Source::text("t", "umbu")).await.unwrap();
    project.chat("s").ask("umbu").await.unwrap();
    drop(project);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::rename(&from, &to).unwrap();
    let project = open(&to, "P").await;
    assert_eq!(found(&project, "umbu").await, ["t"]);
    assert_eq!(project.chat("s").history().await.unwrap().len(), 1);
    assert!(!from.exists());
}

/// Alone in its program's environment: `cargo nextest` runs each test as a process.
#[test]
fn an_engine_of_the_environment_is_somewhere() {
    let engine = Engine::from_env().unwrap();
    match std::env::var_os("TUSAB_DATA_DIR") {
        Some(path) => assert_eq!(engine.data_dir(), path),
        None => assert!(engine.data_dir().ends_with("tusab")),
    }
}
