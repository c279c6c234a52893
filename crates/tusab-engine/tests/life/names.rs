//! Names of every kind, and projects that must not touch each other.

use std::fs;

use tusab_engine::{Cancel, Source};

use crate::common::{engine, files, found, open};

/// The longest name that file systems take is 255 bytes; with the `.md` these are as long.
fn hard_names() -> Vec<String> {
    let mut names: Vec<String> = [
        "🎉 festa 🎂",
        "שלום עולם",
        "مرحبا \u{202e}txt.exe",
        "e\u{301} e é",
        "CON",
        "aux.md.txt",
        "nome terminado em ponto.",
        "  espaços  ",
        "-rf",
        "--exec=x",
        "a%00b",
        "$(touch x)",
        "'aspas' \"duplas\"",
        "_começa com sublinhado",
        "1a2b3c4d_parece id",
    ]
    .map(str::to_owned)
    .to_vec();
    names.push("ç".repeat(126));
    names.push("x".repeat(252));
    names
}

#[tokio::test]
async fn files_of_any_name_are_taken_in_found_and_synchronised() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let project = open(data.path(), "P").await;
    let names = hard_names();
    for (number, name) in names.iter().enumerate() {
        let path = folder.path().join(format!("{name}.md"));
        fs::write(&path, format!("A palavra é zq{number}q.")).unwrap();
    }
    let report = project.ingest(Source::folder(folder.path())).await.unwrap();
    assert_eq!((report.stored(), report.failed()), (names.len(), 0), "{report:?}");
    for (number, name) in names.iter().enumerate() {
        let titles = found(&project, &format!("zq{number}q")).await;
        assert_eq!(titles, [name.as_str()]);
    }
    // The same names given to pasted texts, and to files that hands put in.
    for (number, name) in names.iter().enumerate() {
        project.ingest(Source::text(name, format!("A palavra é zt{number}t."))).await.unwrap();
        let put_in = data.path().join("neural/p/documents").join(format!("{name}.md"));
        fs::write(put_in, format!("A palavra é zh{number}h.")).unwrap();
    }
    let report = project.sync(&Cancel::new()).await.unwrap();
    // One that begins with `_` is none of the sources, by the rule of the folders.
    assert_eq!(report.changes.len(), names.len() - 1, "{report:?}");
    for (number, name) in names.iter().enumerate() {
        assert_eq!(found(&project, &format!("zt{number}t")).await, [name.as_str()]);
        if !name.starts_with('_') {
            let titles = found(&project, &format!("zh{number}h")).await;
            assert_eq!(titles.len(), 1, "{name}");
        }
    }
    let again = project.sync(&Cancel::new()).await.unwrap();
    assert_eq!((again.changes.len(), again.unchanged), (0, 3 * names.len() - 1), "{again:?}");
}

/// Every operation on one project, with names that lead towards another.
#[tokio::test]
async fn no_operation_touches_another_project() {
    let data = tempfile::tempdir().unwrap();
    let engine = engine(data.path());
    let victim = engine.project("abc").await.unwrap();
    victim.ingest(Source::text("t", "umbu do outro")).await.unwrap();
    let removed = victim.ingest(Source::text("u", "cajá do outro")).await.unwrap();
    let tusab_engine::Outcome::Added { doc, .. } = &removed.items[0].outcome else { panic!("{removed:?}") };
    victim.remove(doc).await.unwrap();
    victim.chat("s").ask("umbu").await.unwrap();
    victim.queue().add(vec![Source::text("espera", "pitanga")]).await.unwrap();
    victim.follow(Source::folder(data.path().join("x")), tusab_engine::Schedule::Daily).await.unwrap();
    let own = ["neural/abc", "sessions/abc", "queue/abc", "trash/sources/abc", "indexes/abc"];
    let state = || {
        let all = own.iter().flat_map(|folder| files(&data.path().join(folder)));
        all.filter(|(path, _)| !path.to_string_lossy().ends_with("-shm")).collect::<Vec<_>>()
    };
    drop(victim);
    let before = state();
    assert!(before.len() > 8);

    // Names of which one begins the other, and one that leads into it.
    for name in ["abcdef", "ab", "../abc", "ABC", "abc/documents", "abc\\..\\abc", "abc."] {
        let project = engine.project(name).await.unwrap();
        project.ingest(Source::text("../../abc/texts/x", "umbu")).await.unwrap();
        let given = project.ingest(Source::bytes("../../abc/documents/y.md", "cajá")).await.unwrap();
        project.chat("../abc/s").ask("umbu").await.unwrap();
        project.queue().add(vec![Source::text("a", "pitanga"), Source::bytes("../../b", "x")]).await.unwrap();
        project.queue().run(&Cancel::new()).await.unwrap();
        project.sync(&Cancel::new()).await.unwrap();
        project.refresh(&Cancel::new()).await.unwrap();
        if let tusab_engine::Outcome::Added { doc, .. } = &given.items[0].outcome {
            project.remove(doc).await.unwrap();
        }
        project.remove(doc).await.unwrap();
        assert!(project.restore(doc).await.is_err());
        project.purge().await.unwrap();
        engine.rename_project(name, &format!("{name}/../abc 2")).await.unwrap();
        // A manifest by which a file of the other would be this one's to read and to erase.
        let manifest = data.path().join("neural").join(project.folder()).join("texts/_manifest.json");
        let text = fs::read_to_string(&manifest).unwrap();
        let stored = text.split("\"stored_name\": \"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        fs::write(&manifest, text.replace(&stored, "../../abc/texts/_manifest.json")).unwrap();
        drop(project);
        let project = engine.project(&format!("{name}/../abc 2")).await.unwrap();
        project.sync(&Cancel::new()).await.unwrap();
        let docs: Vec<_> = project.sources().await.unwrap().into_iter().map(|source| source.doc).collect();
        assert!(!docs.is_empty());
        project.remove_all(&docs).await.unwrap();
        project.purge().await.unwrap();
        let trashed = engine.delete_project(&project.name()).await.unwrap();
        let back = engine.restore_project(&trashed.id).await.unwrap();
        let trashed = engine.delete_project(&back.name()).await.unwrap();
        // A record that says that it was in the other's folder.
        let record = data.path().join("trash/projects").join(&trashed.id).join("trashed.json");
        let text = fs::read_to_string(&record).unwrap();
        let folder = back.folder();
        fs::write(&record, text.replace(&format!("\"{folder}\""), "\"../../neural/abc\"")).unwrap();
        assert!(engine.restore_project(&trashed.id).await.is_err());
        fs::write(&record, text.replace(&format!("\"{folder}\""), "\"abc\"")).unwrap();
        engine.empty_trash().await.unwrap();
        assert_eq!(state().len(), before.len(), "{name}");
        assert!(state() == before, "{name}");
    }
    let victim = engine.project("abc").await.unwrap();
    assert_eq!(found(&victim, "umbu").await, ["t"]);
    assert_eq!(victim.removed().await.unwrap().len(), 1);
}
