//! `tauri.md`: the part of the app that is not Tauri's.

use std::sync::{Arc, Mutex};

use tusab_engine::{AnswerEvent, Engine, Event, Source};

/// Answers a question and shows how; stops when nobody is there to see it.
pub(crate) async fn ask(
    engine: &Engine,
    project: &str,
    question: &str,
    show: impl Fn(AnswerEvent) -> bool,
) -> Result<(), tusab_engine::Error> {
    let project = engine.project(project).await?;
    let mut answer = project.chat("main").ask_stream(question);
    while let Some(event) = answer.next().await {
        if !show(event?) {
            answer.stop();
            break;
        }
    }
    Ok(())
}

/// What the window shows while files are taken in.
pub(crate) fn progress(event: &Event) -> Option<(usize, usize)> {
    match event {
        Event::SourceRead { done, total, .. } | Event::Indexing { done, total, .. } => Some((*done, *total)),
        _ => None,
    }
}

#[tokio::test]
async fn a_window_is_shown_the_answer_and_can_close_amid_it() {
    let data = tempfile::tempdir().unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let shown = Arc::clone(&seen);
    let engine = crate::common::engine(data.path())
        .on_event(move |event| shown.lock().unwrap().extend(progress(event)))
        .build()
        .unwrap();
    let project = engine.project("Garden").await.unwrap();
    project.ingest(Source::text("Herbs", "Mint needs three to four hours of sun.")).await.unwrap();
    assert!(seen.lock().unwrap().iter().all(|(done, total)| done <= total));
    assert!(!seen.lock().unwrap().is_empty());

    let events = Mutex::new(Vec::new());
    let keep = |event: AnswerEvent| {
        events.lock().unwrap().push(event);
        true
    };
    ask(&engine, "Garden", "What does mint need?", keep).await.unwrap();
    assert!(matches!(events.lock().unwrap().last(), Some(AnswerEvent::Done(_))));

    let count = Mutex::new(0);
    let close = |_| {
        *count.lock().unwrap() += 1;
        false
    };
    ask(&engine, "Garden", "What does mint need?", close).await.unwrap();
    assert_eq!(*count.lock().unwrap(), 1);
}
