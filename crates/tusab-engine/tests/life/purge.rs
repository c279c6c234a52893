use std::fs;

use tusab_engine::{Cancel, Outcome, PurgeReport, Source};

use crate::common::{files, found, holding, open};
use crate::models::letters;

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

#[tokio::test]
async fn a_purge_leaves_no_vector_and_nothing_of_processes_that_died() {
    let data = tempfile::tempdir().unwrap();
    let engine =
        tusab_engine::Engine::builder().data_dir(data.path()).embedder(letters("letters")).build().unwrap();
    let project = engine.project("P").await.unwrap();
    let secret = format!("O código do cofre é {MARKER} desde março.");
    let given = (0..20).map(|n| Source::text(format!("t{n}"), format!("texto {n} sobre umbu")));
    let given = given.chain([Source::text("segredo", &secret)]).collect();
    let report = project.ingest_all(given, &Cancel::new()).await.unwrap();
    let Outcome::Added { doc, .. } = &report.items[20].outcome else { panic!("{report:?}") };
    assert_eq!(project.enrich(&Cancel::new()).await.unwrap().vectors, 21);
    // As the index keeps it: normalised or not, its bytes tell what was said as well as the words do.
    let stored = tusab_engine::index::Index::open(&data.path().join("indexes/p")).unwrap().index;
    let vectors = tusab_engine::index::ChunkStore::vectors(&stored, doc).unwrap();
    let bytes: Vec<u8> = vectors[0].1.as_slice().iter().flat_map(|number| number.to_le_bytes()).collect();
    drop(stored);
    let holding_it = || {
        let holds = |bytes_of: &Vec<u8>| bytes_of.windows(bytes.len()).any(|window| window == bytes);
        files(data.path()).into_iter().filter(|(_, of)| holds(of)).map(|(path, _)| path).collect::<Vec<_>>()
    };
    assert!(!holding_it().is_empty(), "there is to be something to erase");

    let scratch = data.path().join("temp/yt-dlp/1/video.pt.vtt");
    let half = data.path().join("temp/carry-1-0/neural/texts/x.txt");
    for left in [&scratch, &half] {
        fs::create_dir_all(left.parent().unwrap()).unwrap();
        fs::write(left, format!("WEBVTT\n\n{MARKER}")).unwrap();
    }
    project.remove(doc).await.unwrap();
    project.purge().await.unwrap();
    assert_eq!(holding(data.path(), MARKER), Vec::<std::path::PathBuf>::new());
    assert_eq!(holding_it(), Vec::<std::path::PathBuf>::new());
    assert_eq!(project.enrich(&Cancel::new()).await.unwrap().left, 0);

    // The same of a project that is deleted as a whole.
    fs::create_dir_all(scratch.parent().unwrap()).unwrap();
    fs::write(&scratch, MARKER).unwrap();
    engine.delete_project("P").await.unwrap();
    engine.empty_trash().await.unwrap();
    assert_eq!(holding(data.path(), MARKER), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn what_a_run_of_yt_dlp_is_using_is_left_to_it() {
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "P").await;
    let in_use = data.path().join("temp/yt-dlp/1/video.pt.vtt");
    fs::create_dir_all(in_use.parent().unwrap()).unwrap();
    fs::create_dir_all(data.path().join("queue")).unwrap();
    fs::write(&in_use, "WEBVTT").unwrap();
    let run = tusab_engine::index::WriterLock::acquire(&data.path().join("queue/queue.lock")).unwrap();
    project.purge().await.unwrap();
    assert!(in_use.exists());
    drop(run);
    project.purge().await.unwrap();
    assert!(!in_use.exists());
}
