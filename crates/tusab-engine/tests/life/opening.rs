//! Opening a project that has to be mended: told, stopped, and asked for from within.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use tusab_engine::{Cancel, Engine, Error, Event, Source, Stage};

use crate::common::{elsewhere, engine, found, within_a_minute};

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
#[test]
fn a_handler_may_open_the_project_that_is_being_opened() {
    let data = tempfile::tempdir().unwrap();
    elsewhere({
        let data = data.path().to_owned();
        async move { without_index(&data).await }
    });
    let slot: Arc<OnceLock<Engine>> = Arc::default();
    let (asked, opened) = (Arc::clone(&slot), Arc::new(Mutex::new(Vec::new())));
    let names = Arc::clone(&opened);
    let handler = move |event: &Event| {
        if matches!(event, Event::Progress { .. }) && names.lock().unwrap().is_empty() {
            let engine = asked.get().unwrap().clone();
            let ask = async move { [engine.project("P").await.unwrap(), engine.project("R").await.unwrap()] };
            *names.lock().unwrap() = elsewhere(ask).map(|project| project.name()).to_vec();
        }
    };
    let engine = Engine::builder().data_dir(data.path()).on_event(handler).build().unwrap();
    slot.set(engine.clone()).unwrap();
    let work = async move { found(&engine.project("P").await.unwrap(), "umbu").await.len() };
    assert_eq!(within_a_minute("the handler waits for the opening, and that for the handler", work), 6);
    assert_eq!(*opened.lock().unwrap(), ["P", "R"]);
}
