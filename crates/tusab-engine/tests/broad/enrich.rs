//! Key phrases and vectors after the ingest.

use std::num::NonZeroUsize;
use std::sync::Arc;

use tusab_engine::index::{ChunkStore, Enrichment, Query, Retriever};
use tusab_engine::rerank::{Embedder, Embeddings, Error as RerankError, KeyBert, KeyBertOptions};
use tusab_engine::{Cancel, Engine, Event, Part, Source, Stage};

use super::models::Meanings;
use super::{NOTES, builder};

async fn notes(engine: &Engine) -> tusab_engine::Project {
    let project = engine.project("Notes").await.unwrap();
    let sources = NOTES.map(|(title, text)| Source::text(title, text)).to_vec();
    project.ingest_all(sources, &Cancel::new()).await.unwrap();
    project
}

#[tokio::test]
async fn what_lacks_is_given_once_and_what_failed_is_tried_again() {
    let data = tempfile::tempdir().unwrap();
    let embedder = Arc::new(Meanings::new());
    embedder.break_down();
    let engine = builder(data.path()).embedder(Arc::clone(&embedder) as Arc<_>).build().unwrap();
    let report = notes(&engine).await.enrich(&Cancel::new()).await.unwrap();
    assert_eq!((report.vectors, report.left), (0, NOTES.len()));
    assert_eq!(report.degraded.len(), 1);
    assert_eq!(report.degraded[0].part(), Part::Embedder);

    let keybert = Arc::new(KeyBert::new(Arc::new(Meanings::new()), KeyBertOptions::default()));
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let engine = builder(data.path())
        .embedder(Arc::new(Meanings::new()))
        .key_phrases(keybert)
        .on_event(move |event| {
            if let Event::Progress { stage, progress, .. } = event {
                heard.lock().unwrap().push((*stage, progress.done, progress.total));
            }
        })
        .build()
        .unwrap();
    let project = notes(&engine).await;
    let report = project.enrich(&Cancel::new()).await.unwrap();
    assert_eq!((report.vectors, report.key_phrases, report.left), (NOTES.len(), NOTES.len(), 0));
    let all = NOTES.len();
    let told: Vec<_> = std::mem::take(&mut *told.lock().unwrap());
    assert!(told.contains(&(Stage::KeyPhrases, all, all)) && told.contains(&(Stage::Embedding, all, all)));
    let again = project.enrich(&Cancel::new()).await.unwrap();
    assert_eq!((again.vectors, again.key_phrases, again.left), (0, 0, 0));
    drop((project, engine));

    // It is on the disk, and what is found by it is the text as it was.
    let index = tusab_engine::index::Index::open(&index_of(data.path())).unwrap().index;
    assert_eq!(index.count_lacking(Enrichment::Vectors).unwrap(), 0);
    assert_eq!(index.count_lacking(Enrichment::KeyPhrases).unwrap(), 0);
    let hits = index.retrieve(&Query::new("dough")).unwrap().hits;
    assert_eq!(hits[0].chunk.original_text(), NOTES[2].1);
}

#[tokio::test]
async fn a_stop_keeps_what_is_done_and_vectors_of_another_model_stay() {
    let data = tempfile::tempdir().unwrap();
    let engine = builder(data.path()).embedder(Arc::new(Meanings::new())).build().unwrap();
    let project = notes(&engine).await;
    let stopped = Cancel::new();
    stopped.cancel();
    let report = project.enrich(&stopped).await.unwrap();
    assert!(report.cancelled);
    assert_eq!(report.left, NOTES.len());
    assert_eq!(project.enrich(&Cancel::new()).await.unwrap().vectors, NOTES.len());
    drop((project, engine));

    let engine = builder(data.path()).embedder(Arc::new(Meanings::called("others"))).build().unwrap();
    let project = engine.project("Notes").await.unwrap();
    project.ingest(Source::text("new", "A new car.")).await.unwrap();
    let report = project.enrich(&Cancel::new()).await.unwrap();
    assert_eq!((report.vectors, report.left), (0, 1));
    assert_eq!(report.degraded[0].part(), Part::Vectors);
}

fn index_of(data: &std::path::Path) -> std::path::PathBuf {
    let mut folders = std::fs::read_dir(data.join("indexes")).unwrap().map(|entry| entry.unwrap().path());
    folders.find(|path| path.is_dir()).unwrap()
}

/// Cannot take what says a certain word, whenever it is asked.
struct Picky(Meanings);

impl Embedder for Picky {
    fn model(&self) -> &str {
        self.0.model()
    }

    fn dimension(&self) -> Result<NonZeroUsize, RerankError> {
        self.0.dimension()
    }

    fn embed_passages(&self, passages: &[&str]) -> Result<Embeddings, RerankError> {
        if passages.iter().any(|passage| passage.contains("unspeakable")) {
            return Err(RerankError::Stopped);
        }
        self.0.embed_passages(passages)
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, RerankError> {
        self.0.embed_query(query)
    }
}

#[tokio::test]
async fn what_a_model_cannot_take_keeps_nothing_else_waiting() {
    let data = tempfile::tempdir().unwrap();
    let engine = builder(data.path()).embedder(Arc::new(Picky(Meanings::new()))).build().unwrap();
    let project = engine.project("Notes").await.unwrap();
    let note = |n: usize| {
        let text = if n == 0 { "An unspeakable car.".to_owned() } else { format!("Car number {n}.") };
        Source::text(format!("note {n}"), text)
    };
    project.ingest_all((0..200).map(note).collect(), &Cancel::new()).await.unwrap();
    let report = project.enrich(&Cancel::new()).await.unwrap();
    // The batch of the one that is refused, and no other.
    assert_eq!((report.vectors + report.left, report.degraded.len()), (200, 1));
    assert!((1..=64).contains(&report.left), "{report:?}");
}
