use std::fs;

use tusab_engine::{Cancel, Outcome, PurgeReport, Source};

use crate::common::{found, holding, open};

const MARKER: &str = "zqmarcadorxv";

#[tokio::test]
async fn a_purge_leaves_no_byte_of_what_was_removed() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let project = open(data.path(), "P").await;
    let secret = folder.path().join("segredo.md");
    let filling = "Uma frase comum, para que haja o que gravar. ".repeat(200);
    fs::write(&secret, format!("# Segredo\n\nO código do cofre é {MARKER} desde março.\n\n{filling}"))
        .unwrap();
    let others = (0..30).map(|n| Source::text(format!("t{n}"), format!("texto {n} sobre umbu {filling}")));
    let given: Vec<Source> = std::iter::once(Source::file(&secret)).chain(others).collect();
    let report = project.ingest_all(given, &Cancel::new()).await.unwrap();
    let Outcome::Added { doc, .. } = &report.items[0].outcome else { panic!("{report:?}") };
    let doc = doc.clone();
    let edited = Source::text("editado", format!("antes: {MARKER}"));
    let report = project.ingest(edited).await.unwrap();
    let Outcome::Added { doc: edited, .. } = &report.items[0].outcome else { panic!("{report:?}") };
    project.ingest(Source::text_in_place_of(edited.clone(), "editado", "depois: nada")).await.unwrap();

    let chat = project.chat("conversa");
    chat.ask("Qual é o código do cofre?").await.unwrap();
    chat.ask("umbu").await.unwrap();
    let management = data.path().join("neural/p/management");
    fs::create_dir_all(&management).unwrap();
    fs::write(management.join("resumo.json"), format!(r#"{{"resumo": "fala de {MARKER}", "outro": 1}}"#))
        .unwrap();
    fs::write(management.join("resumo.md"), format!("fala de {MARKER}")).unwrap();
    let summary = format!("summaries/{}-0a0b.json", doc.as_str().replace(':', "-"));
    fs::create_dir_all(management.join("summaries")).unwrap();
    fs::write(management.join(&summary), r#"{"text": "dito por outras palavras"}"#).unwrap();
    fs::write(management.join("perfil.md"), "fala de umbu").unwrap();
    let feedback = format!("{{\"a\": \"{MARKER}\"}}\n{{\"a\": \"umbu\"}}\n");
    fs::write(management.join("feedback.jsonl"), feedback).unwrap();
    fs::write(data.path().join("neural/p/documents/_manifest.damaged-1.json"), MARKER).unwrap();

    assert!(project.remove(&doc).await.unwrap());
    assert!(found(&project, MARKER).await.is_empty());
    assert!(!holding(data.path(), MARKER).is_empty(), "there is to be something to erase");
    let report = project.purge().await.unwrap();
    assert_eq!(holding(data.path(), MARKER), Vec::<std::path::PathBuf>::new());
    assert_eq!((report.sources, report.quotes), (1, 5), "{report:?}");
    assert!(!management.join(summary).exists());
    // What is still here is untouched.
    assert_eq!(project.sources().await.unwrap().len(), 31);
    assert_eq!(found(&project, "umbu").await.len(), 6);
    let turns = chat.history().await.unwrap();
    assert_eq!(turns.iter().map(|turn| turn.question.as_str()).collect::<Vec<_>>(), ["umbu"]);
    assert!(management.join("perfil.md").is_file());
    assert_eq!(fs::read_to_string(management.join("feedback.jsonl")).unwrap(), "{\"a\": \"umbu\"}\n");
    assert!(project.removed().await.unwrap().is_empty());
    // Nor does what is left bring it back.
    drop(project);
    fs::remove_dir_all(data.path().join("indexes")).unwrap();
    let project = open(data.path(), "P").await;
    assert!(found(&project, MARKER).await.is_empty());
    assert_eq!(project.purge().await.unwrap(), PurgeReport::default());
}
