//! Key phrases before the indexing and after it.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use tusab_engine::index::{ChunkStore, Enrichment, Index};
use tusab_engine::rerank::Embedder;
use tusab_engine::{
    Cancel, Engine, EngineBuilder, Event, ImportOptions, KeyPhraseOrder, Part, Project, Source, Stage,
};

use crate::child::{again, folder};
use crate::common::{elsewhere, engine, within_a_minute};
use crate::models::{Letters, broken, keybert, letters};

fn builder(data: &Path, embedder: Arc<dyn Embedder>) -> EngineBuilder {
    Engine::builder().data_dir(data).key_phrases(keybert(embedder))
}

/// A text long enough for key phrases.
fn long(n: usize) -> Source {
    let text = format!("A colheita do umbu número {n} começa em dezembro no sertão. ").repeat(4);
    Source::text(format!("longo {n}"), text)
}

fn short() -> Source {
    Source::text("curto", "Só isto.")
}

/// How many chunks of a closed project there are, how many of them have key phrases, and how many lack them.
fn phrases_in(data: &Path) -> (usize, usize, usize) {
    let index = Index::open(&data.join("indexes/p")).unwrap().index;
    let documents = index.documents().unwrap();
    let chunks: Vec<_> = documents.iter().flat_map(|document| index.chunks(&document.id).unwrap()).collect();
    let with = chunks.iter().filter(|chunk| !chunk.key_phrases().is_empty()).count();
    (chunks.len(), with, index.count_lacking(Enrichment::KeyPhrases).unwrap())
}

async fn take_in(project: &Project, sources: Vec<Source>) -> tusab_engine::IngestReport {
    let report = project.ingest_all(sources, &Cancel::new()).await.unwrap();
    assert_eq!((report.failed(), report.cancelled), (0, false), "{report:?}");
    report
}

#[tokio::test]
async fn by_default_what_is_found_has_its_key_phrases_from_the_first() {
    let data = tempfile::tempdir().unwrap();
    let told: Arc<Mutex<Vec<(Stage, usize, usize)>>> = Arc::default();
    let heard = Arc::clone(&told);
    let engine = builder(data.path(), letters("letters"))
        .on_event(move |event| {
            if let Event::Progress { stage, progress, .. } = event {
                heard.lock().unwrap().push((*stage, progress.done, progress.total));
            }
        })
        .build()
        .unwrap();
    let project = engine.project("P").await.unwrap();
    // More than are given to the model, and made durable, in one go.
    let sources: Vec<Source> = (0..150).map(long).chain([short()]).collect();
    let report = take_in(&project, sources.clone()).await;
    assert_eq!((report.stored(), report.items.len(), report.degraded.len()), (151, 151, 0));
    let told: Vec<_> = std::mem::take(&mut *told.lock().unwrap());
    for stage in [Stage::KeyPhrases, Stage::Reading] {
        assert!(told.contains(&(stage, 151, 151)), "{stage:?}: {told:?}");
    }
    // There is nothing left to be given later, of a text either in which there are none.
    let enriched = project.enrich(&Cancel::new()).await.unwrap();
    assert_eq!((enriched.key_phrases, enriched.left), (0, 0));
    let again = take_in(&project, sources).await;
    assert_eq!(again.stored(), 0);
    drop((project, engine));
    let (chunks, with, lacking) = phrases_in(data.path());
    assert!(chunks == 151 && with >= 150 && lacking == 0, "{with} of {chunks}, {lacking}");
}

#[tokio::test]
async fn by_option_they_follow_after_the_indexing() {
    let data = tempfile::tempdir().unwrap();
    let engine = builder(data.path(), letters("letters"))
        .key_phrase_order(KeyPhraseOrder::AfterIndexing)
        .build()
        .unwrap();
    let project = engine.project("P").await.unwrap();
    take_in(&project, (0..5).map(long).collect()).await;
    assert_eq!(project.search("umbu").await.unwrap().hits.len(), 5);
    assert_eq!(phrases_in(data.path()), (5, 0, 5));
    let enriched = project.enrich(&Cancel::new()).await.unwrap();
    assert_eq!((enriched.key_phrases, enriched.left), (5, 0));
    assert_eq!(phrases_in(data.path()), (5, 5, 0));
}

#[tokio::test]
async fn what_a_synchronisation_or_a_restoration_brings_has_them_when_the_call_returns() {
    for order in [KeyPhraseOrder::BeforeIndexing, KeyPhraseOrder::AfterIndexing] {
        let data = tempfile::tempdir().unwrap();
        let engine = || builder(data.path(), letters("letters")).key_phrase_order(order).build().unwrap();
        let before = usize::from(order == KeyPhraseOrder::BeforeIndexing);
        let project = engine().project("P").await.unwrap();
        take_in(&project, vec![long(0)]).await;
        let doc = project.sources().await.unwrap().remove(0).doc;
        project.enrich(&Cancel::new()).await.unwrap();
        let Source::Text { text, .. } = long(1) else { panic!() };
        std::fs::write(data.path().join("neural/p/texts/nota.txt"), text).unwrap();
        let report = project.sync(&Cancel::new()).await.unwrap();
        assert_eq!((report.changes.len(), report.degraded.len()), (1, 0), "{report:?}");
        drop(project);
        assert_eq!(phrases_in(data.path()), (2, 1 + before, 1 - before));
        let project = engine().project("P").await.unwrap();
        assert!(project.remove(&doc).await.unwrap());
        project.restore(&doc).await.unwrap();
        drop(project);
        assert_eq!(phrases_in(data.path()), (2, 2 * before, 2 - 2 * before));
    }
}

#[tokio::test]
async fn an_import_waits_for_them_when_it_is_told_to() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = folder.path().join("p.tusab");
    let project = engine(data.path()).project("P").await.unwrap();
    take_in(&project, vec![long(0), long(1)]).await;
    project.export(&file).await.unwrap();
    for (order, phrases) in [(None, 0), (Some(KeyPhraseOrder::BeforeIndexing), 2)] {
        let there = tempfile::tempdir().unwrap();
        let mut options = ImportOptions::default();
        options = if let Some(order) = order { options.with_key_phrases(order) } else { options };
        let engine = builder(there.path(), letters("letters")).build().unwrap();
        let imported = engine.import_with(&file, "P", &options, &Cancel::new()).await.unwrap();
        assert!(imported.degraded.is_empty(), "{:?}", imported.degraded);
        drop((imported, engine));
        assert_eq!(phrases_in(there.path()), (2, phrases, 2 - phrases));
    }
    // A model that fails costs neither the project nor a word about it.
    let there = tempfile::tempdir().unwrap();
    let failing = Letters::watched(|_: &str| Err(broken()));
    let engine = builder(there.path(), Arc::new(failing)).build().unwrap();
    let options = ImportOptions::default().with_key_phrases(KeyPhraseOrder::BeforeIndexing);
    let imported = engine.import_with(&file, "P", &options, &Cancel::new()).await.unwrap();
    assert_eq!((imported.documents, imported.degraded[0].part()), (2, Part::KeyPhrases));
}

#[tokio::test]
async fn a_model_that_fails_costs_no_source() {
    let data = tempfile::tempdir().unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let failing = Letters::watched(move |_: &str| {
        counted.fetch_add(1, Ordering::SeqCst);
        Err(broken())
    });
    let engine = builder(data.path(), Arc::new(failing)).build().unwrap();
    let project = engine.project("P").await.unwrap();
    let report = take_in(&project, (0..200).map(long).collect()).await;
    assert_eq!((report.stored(), report.degraded.len()), (200, 1), "{:?}", report.degraded);
    assert_eq!(report.degraded[0].part(), Part::KeyPhrases);
    // Not once for each of hundreds.
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    drop((project, engine));
    assert_eq!(phrases_in(data.path()), (200, 0, 200));
    let project = builder(data.path(), letters("letters")).build().unwrap().project("P").await.unwrap();
    assert_eq!(project.enrich(&Cancel::new()).await.unwrap().key_phrases, 200);
}

#[tokio::test]
async fn a_cancel_takes_effect_between_batches_and_the_next_ingest_goes_on() {
    let data = tempfile::tempdir().unwrap();
    let cancel = Cancel::new();
    let (button, asked) = (cancel.clone(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&asked);
    let watched = Letters::watched(move |passage: &str| {
        // A passage itself, not one of its phrases.
        if passage.len() > 100 && counted.fetch_add(1, Ordering::SeqCst) == 99 {
            button.cancel();
        }
        Ok(())
    });
    let engine = builder(data.path(), Arc::new(watched)).build().unwrap();
    let project = engine.project("P").await.unwrap();
    let sources = || (0..200).map(long).collect::<Vec<_>>();
    let report = project.ingest_all(sources(), &cancel).await.unwrap();
    assert!(report.cancelled);
    let (stored, read) = (report.stored(), asked.load(Ordering::SeqCst));
    assert_eq!(report.items.len(), stored);
    assert!((64..200).contains(&stored) && read <= 116, "{stored} stored, {read} read");
    assert_eq!(project.statistics().await.unwrap().documents, stored);
    let report = take_in(&project, sources()).await;
    assert_eq!(report.stored(), 200 - stored);
    drop((project, engine));
    assert_eq!(phrases_in(data.path()), (200, 200, 0));
}

/// The model is the caller's own code: it may take sources in itself.
#[test]
fn no_lock_is_held_while_the_model_works() {
    let data = tempfile::tempdir().unwrap();
    let slot: Arc<OnceLock<Project>> = Arc::default();
    let (inner, once) = (Arc::clone(&slot), AtomicUsize::new(0));
    let calling = Letters::watched(move |_: &str| {
        if once.fetch_add(1, Ordering::SeqCst) == 0 {
            let project = inner.get().unwrap().clone();
            let stored = elsewhere(async move { project.ingest(short()).await.unwrap().stored() });
            assert_eq!(stored, 1);
        }
        Ok(())
    });
    let engine = builder(data.path(), Arc::new(calling)).build().unwrap();
    let work = async move {
        let project = engine.project("P").await.unwrap();
        slot.set(project.clone()).unwrap();
        let stored = take_in(&project, vec![long(1)]).await.stored();
        (stored, project.statistics().await.unwrap().documents)
    };
    assert_eq!(within_a_minute("the model waits for the ingest, and that for the model", work), (1, 2));
}

#[tokio::test]
async fn a_kill_between_the_stages_loses_nothing() {
    let data = tempfile::tempdir().unwrap();
    let status = again("phrases::child_that_is_killed", data.path(), &[]);
    assert!(!status.success());
    let project = engine(data.path()).project("P").await.unwrap();
    let (before, sources) = (project.statistics().await.unwrap().documents, project.sources().await.unwrap());
    // Whole parts alone: what was being given its phrases is not here, and was not said to be.
    assert_eq!((before, sources.len()), (64, 64));
    drop(project);
    assert_eq!(phrases_in(data.path()), (64, 64, 0));
    let project = builder(data.path(), letters("letters")).build().unwrap().project("P").await.unwrap();
    assert_eq!(take_in(&project, (0..100).map(long).collect()).await.stored(), 36);
    drop(project);
    assert_eq!(phrases_in(data.path()), (100, 100, 0));
}

#[tokio::test]
#[ignore = "run by a_kill_between_the_stages_loses_nothing"]
async fn child_that_is_killed() {
    let Some(data) = folder() else { return };
    let read = AtomicUsize::new(0);
    let deadly = Letters::watched(move |passage: &str| {
        if passage.len() > 100 && read.fetch_add(1, Ordering::SeqCst) == 80 {
            std::process::abort();
        }
        Ok(())
    });
    let engine = builder(&data, Arc::new(deadly)).build().unwrap();
    let project = engine.project("P").await.unwrap();
    let _ = project.ingest_all((0..100).map(long).collect(), &Cancel::new()).await;
}
