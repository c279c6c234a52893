use std::fs;
use std::path::Path;

use tusab_engine::{Cancel, Outcome, Project, Source, SyncReport};

use crate::common::{found, open};

async fn sync(project: &Project) -> SyncReport {
    project.sync(&Cancel::new()).await.unwrap()
}

fn told(report: &SyncReport) -> Vec<String> {
    let told = report.changes.iter().map(|item| {
        let outcome = match &item.outcome {
            Outcome::Added { .. } => "added",
            Outcome::Updated { .. } => "updated",
            Outcome::Removed { .. } => "removed",
            Outcome::Renamed { .. } => "renamed",
            Outcome::Duplicate { .. } => "duplicate",
            Outcome::Failed(_) => "failed",
            other => panic!("{other:?}"),
        };
        let name = item.name.split_once('_').map_or(item.name.as_str(), |(_, name)| name);
        format!("{outcome} {name}")
    });
    told.collect()
}

fn stored(data: &Path, part: &str) -> std::path::PathBuf {
    let paths = fs::read_dir(data.join("neural/p/documents")).unwrap().map(|entry| entry.unwrap().path());
    paths.into_iter().find(|path| path.to_string_lossy().contains(part)).unwrap()
}

async fn three(data: &Path, folder: &Path) -> Project {
    let project = open(data, "P").await;
    let given = ["umbu", "cajá", "pitanga"].map(|word| {
        let path = folder.join(format!("{}.md", &word[..3]));
        fs::write(&path, format!("Uma nota sobre {word}.")).unwrap();
        Source::file(path)
    });
    project.ingest_all(given.to_vec(), &Cancel::new()).await.unwrap();
    project
}

#[tokio::test]
async fn what_hands_did_to_the_folders_is_noticed() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let project = three(data.path(), folder.path()).await;
    let report = sync(&project).await;
    assert_eq!((told(&report), report.unchanged), (Vec::new(), 3));

    let documents = data.path().join("neural/p/documents");
    fs::write(stored(data.path(), "umb"), "Agora é sobre graviola.").unwrap();
    fs::remove_file(stored(data.path(), "caj")).unwrap();
    fs::rename(stored(data.path(), "pit"), documents.join("outro nome.md")).unwrap();
    fs::write(documents.join("Receita nova 🎉.md"), "Bolo de jenipapo.").unwrap();
    fs::write(documents.join("minha_a.txt"), "Um texto de buriti.").unwrap();
    fs::write(documents.join("minha_b.txt"), "Um texto de bacuri.").unwrap();
    fs::write(documents.join("vazio.txt"), "").unwrap();
    fs::create_dir_all(data.path().join("neural/p/texts")).unwrap();
    fs::write(data.path().join("neural/p/texts/À mão.txt"), "Um texto de mangaba.").unwrap();
    let report = sync(&project).await;
    let mut changes = told(&report);
    changes.sort_unstable();
    // A folder that was not there is taken in whole.
    assert!(report.repaired.iter().any(|what| what.contains("texts")), "{:?}", report.repaired);
    assert_eq!(
        changes,
        [
            "added Receita nova 🎉.md",
            "added a.txt",
            "added b.txt",
            "failed vazio.txt",
            "removed caj.md",
            "renamed outro nome.md",
            "updated umb.md",
        ]
    );
    for (word, titles) in [
        ("graviola", vec!["umb"]),
        ("umbu", vec![]),
        ("cajá", vec![]),
        ("pitanga", vec!["pit"]),
        ("jenipapo", vec!["Receita nova 🎉"]),
        ("buriti", vec!["minha_a"]),
        ("bacuri", vec!["minha_b"]),
        ("mangaba", vec!["À mão"]),
    ] {
        assert_eq!(found(&project, word).await, titles, "{word}");
    }
    let report = sync(&project).await;
    assert_eq!((told(&report), report.unchanged), (vec!["failed vazio.txt".to_owned()], 6));
    // The user's own files are as the user left them.
    assert!(documents.join("Receita nova 🎉.md").is_file() && documents.join("vazio.txt").is_file());
}

#[tokio::test]
async fn an_edit_that_keeps_size_and_time_young_is_noticed() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let project = three(data.path(), folder.path()).await;
    let path = stored(data.path(), "umb");
    // Each edit is as long as the one before it, and may fall into the same tick of the file system's clock.
    for word in ["kiwi", "figo", "lima", "pera", "caju"] {
        fs::write(&path, format!("Uma nota sobre {word}.")).unwrap();
        sync(&project).await;
        assert_eq!(found(&project, word).await, ["umb"], "{word}");
    }
}

#[tokio::test]
async fn a_file_that_is_old_enough_is_read_once() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let project = three(data.path(), folder.path()).await;
    let path = stored(data.path(), "umb");
    let past = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
    let age = |path: &Path| fs::File::options().write(true).open(path).unwrap().set_modified(past).unwrap();
    age(&path);
    sync(&project).await;
    // What cannot be seen by size and time is not read: this says that the file was not read again.
    fs::write(&path, "Uma nota sobre figo.").unwrap();
    age(&path);
    assert_eq!(sync(&project).await.unchanged, 3);
    // And a copy of the folder, with other times, is.
    fs::write(&path, "Uma nota sobre figo.").unwrap();
    assert_eq!(told(&sync(&project).await), ["updated umb.md"]);
}

#[tokio::test]
async fn what_was_just_taken_in_is_not_read_again() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let project = three(data.path(), folder.path()).await;
    // Edits that size and time do not show say which files a synchronisation reads: none, though it is the first.
    let unseen = |path: &Path, word: &str| {
        let time = fs::metadata(path).unwrap().modified().unwrap();
        fs::write(path, format!("Uma nota sobre {word}.")).unwrap();
        fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    };
    for (part, word) in [("umb", "figo"), ("caj", "limas"), ("pit", "abacate")] {
        unseen(&stored(data.path(), part), word);
    }
    let report = sync(&project).await;
    assert_eq!((told(&report), report.unchanged), (Vec::new(), 3));
    // While one that shows is read.
    fs::write(stored(data.path(), "pit"), "Uma nota sobre abacate.").unwrap();
    assert_eq!(told(&sync(&project).await), ["updated pit.md"]);
    assert_eq!((found(&project, "umbu").await.len(), found(&project, "abacate").await.len()), (1, 1));
}

#[tokio::test]
async fn the_same_content_put_in_twice_is_told_and_found_once() {
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "P").await;
    let other = data.path().join("outra.txt");
    fs::write(&other, "outra coisa").unwrap();
    project.ingest(Source::file(other)).await.unwrap();
    let documents = data.path().join("neural/p/documents");
    for name in ["um.txt", "dois.txt"] {
        fs::write(documents.join(name), "Sobre o umbu.").unwrap();
    }
    let report = sync(&project).await;
    assert_eq!(told(&report), ["added dois.txt", "duplicate um.txt"]);
    assert_eq!(found(&project, "umbu").await, ["dois"]);
    // When the first goes, the other is the source.
    fs::remove_file(documents.join("dois.txt")).unwrap();
    assert_eq!(told(&sync(&project).await), ["renamed um.txt"]);
    assert_eq!(found(&project, "umbu").await.len(), 1);
}

#[tokio::test]
async fn a_file_that_a_hand_renamed_is_not_there_twice_after_an_edit() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let project = three(data.path(), folder.path()).await;
    let renamed = data.path().join("neural/p/documents/outro nome.md");
    fs::rename(stored(data.path(), "umb"), &renamed).unwrap();
    assert_eq!(told(&sync(&project).await), ["renamed outro nome.md"]);
    let origin = folder.path().join("umb.md");
    fs::write(&origin, "Agora é sobre graviola.").unwrap();
    project.ingest(Source::file(&origin)).await.unwrap();
    assert!(told(&sync(&project).await).is_empty());
    assert!(found(&project, "umbu").await.is_empty());
    assert_eq!(fs::read_to_string(&renamed).unwrap(), "Agora é sobre graviola.");
    assert_eq!(project.sources().await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_cancelled_synchronisation_forgets_nothing() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let project = three(data.path(), folder.path()).await;
    let cancel = Cancel::new();
    cancel.cancel();
    let report = project.sync(&cancel).await.unwrap();
    assert!(report.cancelled && report.changes.is_empty());
    assert_eq!(project.sources().await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_manifest_of_the_python_app_is_read_and_kept_aside() {
    let data = tempfile::tempdir().unwrap();
    drop(open(data.path(), "P").await);
    let documents = data.path().join("neural/p/documents");
    fs::create_dir_all(&documents).unwrap();
    fs::write(documents.join("1a2b3c4d_Relatorio_Final.txt"), "Sobre o umbu.").unwrap();
    let manifest = r#"[{"id": "1a2b3c4d", "nome_original": "Relatório Final.pdf",
        "nome_txt": "1a2b3c4d_Relatorio_Final.txt", "tipo": "pdf", "tamanho": 13, "data": "01/02/2026", "chars": 13}]"#;
    fs::write(documents.join("_manifest.json"), manifest).unwrap();
    let project = open(data.path(), "P").await;
    assert_eq!(found(&project, "umbu").await, ["Relatório Final"]);
    assert_eq!(project.sources().await.unwrap()[0].doc.as_str(), "file:1a2b3c4d");
    assert_eq!(fs::read_to_string(documents.join("_manifest.damaged-1.json")).unwrap(), manifest);
}
