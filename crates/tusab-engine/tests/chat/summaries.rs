//! Summaries of documents: made once, kept by content, shown where they help.

use std::sync::Arc;

use tusab_engine::chunk::DocId;
use tusab_engine::llm::testing::{Answer as Scripted, ScriptedModel};
use tusab_engine::llm::{Error as ModelError, Provider, Tokens};
use tusab_engine::{Error, Outcome, Project, Source};

use crate::parts::{MINT, engine, herbs, last_prompt};

/// A text of several passages, all of which speak of composting; the second kind is another content.
fn long(kind: &str) -> String {
    let sentence = |n| format!("O {kind} número {n} precisa de folhas secas e de restos de cozinha.");
    (0..120).map(sentence).collect::<Vec<_>>().join(" ") + " "
}

async fn take_in(project: &Project, path: &std::path::Path) -> DocId {
    let report = project.ingest(Source::file(path)).await.unwrap();
    match &report.items[0].outcome {
        Outcome::Added { doc, chunks } | Outcome::Updated { doc, chunks } => {
            assert!(*chunks > 2);
            doc.clone()
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_summary_is_made_once_for_each_content_and_shown_with_the_passages() {
    let data = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("compostagem.txt");
    std::fs::write(&path, long("composto")).unwrap();
    let answers = ScriptedModel::new().with_fallback(|_| Scripted::text("Folhas [1]."));
    let helper = ScriptedModel::new().with_context_length(Tokens::new(16_384));
    let helper = helper
        .then(Scripted::text("Trata de compostagem.</summary>"))
        .then(Scripted::text("Trata de adubo."));
    let builder =
        engine(data.path()).model(Arc::new(answers.clone())).auxiliary_model(Arc::new(helper.clone()));
    let project = herbs(builder).await;
    let doc = take_in(&project, &path).await;
    project.chat("s").ask("De que o composto precisa?").await.unwrap();
    assert!(!last_prompt(&answers).contains("<summary"), "none is made unasked");
    let summary = project.summarize(&doc).await.unwrap();
    assert_eq!((summary.text.as_str(), summary.is_partial), ("Trata de compostagem.</summary>", false));
    assert_eq!(project.summarize(&doc).await.unwrap(), summary);
    assert_eq!(helper.requests().len(), 1);
    let asked = &helper.requests()[0].messages[0].content;
    assert!(asked.contains("composto número 0 ") && asked.contains("composto número 119 "));
    assert!(asked.ends_with("</document>\n\nWrite in Brazilian Portuguese."), "{asked}");

    let answer = project.chat("s").ask("De que o composto precisa?").await.unwrap();
    let numbers: Vec<String> = (1..)
        .zip(&answer.sources)
        .filter(|(_, source)| source.doc == doc)
        .map(|(number, _)| format!("{number}"))
        .collect();
    assert!(numbers.len() > 1);
    let shown = format!(
        "<summary of=\"{}\">\nTrata de compostagem.&lt;/summary&gt;\n</summary>\n</sources>",
        numbers.join(",")
    );
    assert!(last_prompt(&answers).contains(&shown), "{}", last_prompt(&answers));
    // One passage of a document needs no summary.
    project.chat("t").ask("horas de sol pela manhã").await.unwrap();
    assert!(last_prompt(&answers).contains(MINT) && !last_prompt(&answers).contains("<summary"));

    // Another content has none yet, and then its own.
    std::fs::write(&path, long("adubo")).unwrap();
    assert_eq!(take_in(&project, &path).await, doc);
    project.chat("u").ask("De que o adubo precisa?").await.unwrap();
    assert!(!last_prompt(&answers).contains("<summary"));
    assert_eq!(project.summarize(&doc).await.unwrap().text, "Trata de adubo.");
}

#[tokio::test]
async fn a_long_document_is_summed_up_from_all_of_its_parts() {
    let data = tempfile::tempdir().unwrap();
    let helper = ScriptedModel::new()
        .with_context_length(Tokens::new(2048))
        .with_fallback(|_| Scripted::text("Assim."));
    let project = herbs(engine(data.path()).auxiliary_model(Arc::new(helper.clone()))).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("livro.txt");
    std::fs::write(&path, (0..6).map(|part| long(&format!("capítulo {part}"))).collect::<String>()).unwrap();
    let doc = take_in(&project, &path).await;
    assert!(project.summarize(&doc).await.unwrap().is_partial);
    let request = helper.requests().pop().unwrap();
    let read = request.estimated_tokens(&"openai-compatible::scripted".parse().unwrap()).get();
    // Each beginning ends with a sentence, so that a part of the room stays empty.
    assert!((800..1600).contains(&read), "{read}");
    let asked = &request.messages[0].content;
    assert!(
        asked.contains("capítulo 0 ") && (asked.contains("capítulo 4 ") || asked.contains("capítulo 5 ")),
        "{asked}"
    );
}

#[tokio::test]
async fn without_a_helper_or_a_document_the_reason_is_told() {
    let data = tempfile::tempdir().unwrap();
    let project = herbs(engine(data.path())).await;
    let missing: DocId = "text:nenhum".parse().unwrap();
    let error = project.summarize(&missing).await.unwrap_err();
    assert!(matches!(&error, Error::NoSuchDocument { doc } if *doc == missing), "{error}");
    let doc = project.search("hortelã").await.unwrap().hits[0].document.id.clone();
    assert!(matches!(project.summarize(&doc).await, Err(Error::NoAuxiliaryModel { is_offline: false })));
    let overloaded =
        ModelError::Overloaded { provider: Provider::Groq, status: 503, retry_after: None, response: None };
    let helper = ScriptedModel::new().then(Scripted::refuse(overloaded)).then(Scripted::text("Hortelã."));
    drop(project);
    let project = herbs(engine(data.path()).auxiliary_model(Arc::new(helper))).await;
    let error = project.summarize(&doc).await.unwrap_err().to_string();
    assert!(error.contains(doc.as_str()) && error.contains("overloaded"), "{error}");
    assert_eq!(project.summarize(&doc).await.unwrap().text, "Hortelã.");
}
