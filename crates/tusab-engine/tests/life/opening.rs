//! Opening a project that has to be mended: told, stopped, and asked for from within.

use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use tusab_engine::{Cancel, Engine, Error, Event, Source, Stage};

use crate::common::{engine, found};

const DOCUMENTS: usize = 40;

/// A project whose index is gone.
async fn without_index(data: &Path) {
    let texts = (0..DOCUMENTS).map(|n| Source::text(format!("t{n}"), format!("umbu número {n}"))).collect();
    engine(data).project("P").await.unwrap().ingest_all(texts, &Cancel::new()).await.unwrap();
    fs::remove_dir_all(data.join("indexes")).unwrap();
}

/// What is told of how far things are.
type Told = Arc<Mutex<Vec<(Stage, usize, usize)>>>;

fn listening(data: &Path) -> (Engine, Told) {
    let told = Told::default();
    let heard = Arc::clone(&told);
    let engine = Engine::builder().data_dir(data).on_event(move |event| {
        if let Event::Progress { stage, progress, .. } = event {
            heard.lock().unwrap().push((*stage, progress.done, progress.total));
        }
    });
    (engine.build().unwrap(), told)
}

#[tokio::test]
async fn mending_tells_how_far_it_is() {
    let data = tempfile::tempdir().unwrap();
    without_index(data.path()).await;
    let (engine, told) = listening(data.path());
    engine.project("P").await.unwrap();
    let all = std::mem::take(&mut *told.lock().unwrap());
    for stage in [Stage::Reading, Stage::Indexing] {
        assert!(all.contains(&(stage, DOCUMENTS, DOCUMENTS)), "{stage:?}: {all:?}");
    }
    // The same where what is derived from the store alone is made again.
    drop(engine);
    fs::remove_dir_all(data.path().join("indexes/p/bm25")).unwrap();
    let (engine, told) = listening(data.path());
    engine.project("P").await.unwrap();
    let told = told.lock().unwrap();
    assert_eq!(told.last(), Some(&(Stage::Indexing, DOCUMENTS, DOCUMENTS)));
}

#[tokio::test]
async fn a_synchronisation_and_a_merge_tell_how_far_they_are() {
    let data = tempfile::tempdir().unwrap();
    without_index(data.path()).await;
    let (engine, told) = listening(data.path());
    let project = engine.project("P").await.unwrap();
    told.lock().unwrap().clear();
    project.sync(&Cancel::new()).await.unwrap();
    assert_eq!(told.lock().unwrap().last(), Some(&(Stage::Reading, DOCUMENTS, DOCUMENTS)));
    let other = engine.project("Q").await.unwrap();
    told.lock().unwrap().clear();
    other.merge(&project).await.unwrap();
    assert!(told.lock().unwrap().contains(&(Stage::Reading, DOCUMENTS, DOCUMENTS)), "{told:?}");
}

#[tokio::test]
async fn opening_can_be_cancelled_and_goes_on_the_next_time() {
    let data = tempfile::tempdir().unwrap();
    without_index(data.path()).await;
    let engine = engine(data.path());
    let cancel = Cancel::new();
    cancel.cancel();
    let error = engine.project_with("P", &cancel).await.unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error}");
    let project = engine.project_with("P", &Cancel::new()).await.unwrap();
    assert_eq!(project.statistics().await.unwrap().documents, DOCUMENTS);
    // One that is open needs nothing that could be cancelled.
    engine.project_with("P", &cancel).await.unwrap();
}

/// A handler that is told of the mending asks for the project that is being mended, and for another.
#[tokio::test(flavor = "multi_thread")]
async fn a_handler_may_open_the_project_that_is_being_opened() {
    let data = tempfile::tempdir().unwrap();
    without_index(data.path()).await;
    let slot: Arc<OnceLock<Engine>> = Arc::default();
    let asked = Arc::clone(&slot);
    let (answers, answered) = mpsc::channel();
    let answers = Mutex::new(Some(answers));
    let handler = move |event: &Event| {
        if let (Event::Progress { .. }, Some(answers)) = (event, answers.lock().unwrap().take()) {
            let engine = asked.get().unwrap().clone();
            let ask = async move { (engine.project("P").await.unwrap(), engine.project("R").await.unwrap()) };
            // On a thread and a runtime of its own, for which this one waits.
            let thread = std::thread::spawn(|| {
                tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(ask)
            });
            answers.send(thread.join().unwrap().0.name()).unwrap();
        }
    };
    let engine = Engine::builder().data_dir(data.path()).on_event(handler).build().unwrap();
    slot.set(engine.clone()).unwrap();
    let opening = tokio::spawn(async move {
        let project = engine.project("P").await.unwrap();
        found(&project, "umbu").await.len()
    });
    let name = tokio::task::block_in_place(|| answered.recv_timeout(Duration::from_mins(1)));
    assert_eq!(name.expect("the handler waits for the opening, and that for the handler"), "P");
    assert_eq!(opening.await.unwrap(), 6);
}
