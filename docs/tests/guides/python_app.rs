//! `from-the-python-app.md`: its data, taken over.

use tusab_engine::{Cancel, Engine, LegacyFate};

#[tokio::test]
async fn its_data_is_taken_over_and_left_as_it_was() -> Result<(), Box<dyn std::error::Error>> {
    let (old, new) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let texts = old.path().join("neural/Horta/texts");
    std::fs::create_dir_all(&texts)?;
    let rule = "-".repeat(70);
    let note = format!(
        "\u{feff}TITULO: Hortelã\nFONTE: texto\nDATA: 03/02/2024\n{rule}\n\nA hortelã quer sol da manhã.\n"
    );
    std::fs::write(texts.join("9c8d7e6f_hortela.txt"), &note)?;
    let chats = old.path().join("neural/Horta/texts/_chat_history");
    std::fs::create_dir_all(&chats)?;
    std::fs::write(chats.join("c.txt"), "TEMA: x\nPERGUNTA: y")?;
    let (old, new) = (old.path(), new.path());

    let engine = Engine::builder().data_dir(new).build()?;
    let report = engine.import_tusab(old).await?;
    for made in &report.projects {
        println!("{}: {} videos, {} documents", made.project.name(), made.videos, made.documents);
    }
    for item in report.items.iter().filter(|item| item.fate != LegacyFate::Taken) {
        println!("{:?} {}: {}", item.fate, item.path.display(), item.what);
    }

    assert_eq!(report.projects.len(), 1);
    let project = &report.projects[0].project;
    let found = project.search("sol da manhã").await?;
    assert_eq!(found.hits[0].document.title, "Hortelã");
    assert!(report.items.iter().any(|item| item.path.ends_with("c.txt") && item.fate != LegacyFate::Taken));
    assert_eq!(std::fs::read_to_string(texts.join("9c8d7e6f_hortela.txt"))?, note);
    let stopped = Cancel::new();
    stopped.cancel();
    assert!(engine.import_tusab_with(old, &stopped).await?.cancelled);
    Ok(())
}
