//! What every store and every retriever must hold, run on each implementation.

use std::num::NonZeroU32;

use tusab_chunk::{Body, ByteOffset, Chunk, Document, MediaTime, Part, Position, TimeSpan};
use tusab_index::{
    Applied, Batch, ChunkStore, ContentHash, Control, DocumentRecord, MatchedBy, Query, Retriever,
};

use crate::common::{SAMPLE, batch, chunk, document, ids};

pub(crate) trait Both: ChunkStore + Retriever {}
impl<T: ChunkStore + Retriever> Both for T {}

/// Runs the whole suite; `open` opens the same store again on each call.
pub(crate) fn conformance(open: impl Fn() -> Box<dyn Both>) {
    a_batch_is_found_and_survives_reopening(&open);
    an_unchanged_document_costs_nothing(&open);
    a_changed_document_is_replaced_as_a_whole(&open);
    a_stopped_batch_leaves_nothing(&open);
    hits_are_ordered_bounded_and_finite(&open);
    nothing_asked_gives_nothing(&open);
    what_is_deleted_is_gone(&open);
    a_chunk_comes_back_with_all_it_carries(&open);
}

fn written(applied: Applied) -> (usize, usize, usize) {
    (applied.written, applied.unchanged, applied.deleted)
}

fn search(store: &dyn Both, text: &str) -> Vec<tusab_index::Hit> {
    store.retrieve(&Query::new(text)).unwrap().hits
}

fn a_batch_is_found_and_survives_reopening(open: &impl Fn() -> Box<dyn Both>) {
    let store = open();
    let applied = store.apply(&batch(&SAMPLE), Control::default()).unwrap();
    assert_eq!(written(applied), (5, 0, 0));
    assert_eq!(ids(&search(&*store, "fubá")), ["file:bolo"]);
    drop(store);
    let store = open();
    assert_eq!(ids(&search(&*store, "fubá")), ["file:bolo"]);
    let statistics = store.statistics().unwrap();
    assert_eq!((statistics.documents, statistics.chunks), (5, 5));
    let (record, chunks) = document(SAMPLE[1].0, SAMPLE[1].1, SAMPLE[1].2);
    assert_eq!(store.document(&record.id).unwrap(), Some(record.clone()));
    assert_eq!(store.chunks(&record.id).unwrap(), chunks);
    let stored: Vec<String> = store.documents().unwrap().iter().map(|d| d.id.to_string()).collect();
    assert_eq!(stored, ["file:bolo", "file:cpp", "file:juros", "file:lei", "file:rag"]);
}

fn an_unchanged_document_costs_nothing(open: &impl Fn() -> Box<dyn Both>) {
    let store = open();
    let before = store.chunks(&"file:lei".parse().unwrap()).unwrap();
    let applied = store.apply(&batch(&SAMPLE), Control::default()).unwrap();
    assert_eq!(written(applied), (0, 5, 0));
    assert_eq!(applied.chunks, 0);
    assert_eq!(store.chunks(&"file:lei".parse().unwrap()).unwrap(), before);
}

fn a_changed_document_is_replaced_as_a_whole(open: &impl Fn() -> Box<dyn Both>) {
    let store = open();
    let long = "Frase de enchimento sobre mandioca. ".repeat(200);
    store.apply(&batch(&[("file:novo", "Rascunho", &long)]), Control::default()).unwrap();
    assert!(store.chunks(&"file:novo".parse().unwrap()).unwrap().len() > 1);
    let short = [("file:novo", "Versão final", "Agora só se fala de tapioca.")];
    assert_eq!(written(store.apply(&batch(&short), Control::default()).unwrap()), (1, 0, 0));
    assert!(search(&*store, "mandioca").is_empty());
    assert!(search(&*store, "rascunho").is_empty());
    assert_eq!(ids(&search(&*store, "tapioca")), ["file:novo"]);
    assert_eq!(store.chunks(&"file:novo".parse().unwrap()).unwrap().len(), 1);
}

fn a_stopped_batch_leaves_nothing(open: &impl Fn() -> Box<dyn Both>) {
    let store = open();
    let before = store.statistics().unwrap();
    let asked = std::cell::Cell::new(0);
    let stop = || asked.replace(asked.get() + 1) == 1;
    let two = batch(&[("file:s1", "Um", "jabuticaba"), ("file:s2", "Dois", "jabuticaba")]);
    let error = store.apply(&two, Control { stop: &stop, ..Control::default() }).unwrap_err();
    assert!(error.is_stopped());
    assert_eq!(store.statistics().unwrap(), before);
    assert!(search(&*store, "jabuticaba").is_empty());
    // Nor does a later batch bring it back.
    store.apply(&batch(&[("file:s3", "Três", "pitanga")]), Control::default()).unwrap();
    assert!(search(&*store, "jabuticaba").is_empty());
    assert_eq!(ids(&search(&*store, "pitanga")), ["file:s3"]);
}

fn hits_are_ordered_bounded_and_finite(open: &impl Fn() -> Box<dyn Both>) {
    let store = open();
    let mut many = Batch::new();
    for n in 0..30 {
        let (id, text) = (format!("text:{n}"), format!("caju {} fim", "caju ".repeat(n % 4)));
        let (record, _) = document(&id, "Frutas", &text);
        many.upsert(record, vec![chunk(&id, &text)]);
    }
    store.apply(&many, Control::default()).unwrap();
    for limit in [1, 6, 20, 100] {
        let query = Query::new("caju").with_limit(limit).with_duplicates();
        let hits = store.retrieve(&query).unwrap().hits;
        assert_eq!(hits.len(), limit.min(30));
        assert!(hits.iter().all(|hit| hit.score.is_finite() && hit.score > 0.0));
        let order: Vec<_> = hits.iter().map(|hit| (-hit.score, hit.chunk.id())).collect();
        assert!(order.is_sorted_by(|a, b| a < b), "{order:?}");
        assert!(hits.iter().all(|hit| hit.matched_by().contains(&MatchedBy::Bm25)));
        let again = store.retrieve(&query).unwrap().hits;
        assert!(again.iter().map(|hit| hit.chunk.id()).eq(hits.iter().map(|hit| hit.chunk.id())));
    }
}

fn nothing_asked_gives_nothing(open: &impl Fn() -> Box<dyn Both>) {
    let store = open();
    assert!(store.retrieve(&Query::new("caju").with_limit(0)).unwrap().hits.is_empty());
    for text in ["", "   ", "?!", "🎉", "palavraquenaoexiste"] {
        assert!(search(&*store, text).is_empty(), "{text:?}");
    }
}

fn what_is_deleted_is_gone(open: &impl Fn() -> Box<dyn Both>) {
    let store = open();
    let mut deletion = Batch::new();
    deletion.delete("file:bolo".parse().unwrap());
    deletion.delete("file:nunca".parse().unwrap());
    assert_eq!(written(store.apply(&deletion, Control::default()).unwrap()), (0, 0, 1));
    for _ in 0..2 {
        let store = open();
        assert!(search(&*store, "fubá").is_empty());
        assert!(search(&*store, "\"erva-doce\"").is_empty());
        assert_eq!(store.document(&"file:bolo".parse().unwrap()).unwrap(), None);
        assert!(store.chunks(&"file:bolo".parse().unwrap()).unwrap().is_empty());
    }
}

fn a_chunk_comes_back_with_all_it_carries(open: &impl Fn() -> Box<dyn Both>) {
    let (record, _) = document("youtube:abc", "Vídeo", "x");
    let record = DocumentRecord::new(
        &Document::new(record.id.clone(), "Vídeo", Body::Text(String::new()))
            .with_language(Some("pt-BR".parse().unwrap()))
            .with_date(Some("2026-02-28".parse().unwrap()))
            .with_link(Some("https://example.org/a".into()))
            .with_tags(vec!["horta".into(), "sol".into()]),
        ContentHash::of(1, b"x"),
    );
    let span = TimeSpan::between(MediaTime::from_millis(1_500), MediaTime::from_millis(9_250));
    let part = Part { number: NonZeroU32::MIN, of: NonZeroU32::new(2).unwrap() };
    let chunks: Vec<Chunk> = vec![
        Chunk::new(record.id.clone(), 0, "água de coco", Position::Time(span))
            .with_section(Some("Capítulo 1".into()))
            .with_part(Some(part))
            .with_speakers(vec!["Ana".into(), "Zé".into()])
            .with_marks(vec![(ByteOffset(0), MediaTime::from_millis(1_500)).into()])
            .with_key_phrases(vec!["bebida".into()]),
        Chunk::new(record.id.clone(), 1, "outra fala", Position::Time(span)).with_page(NonZeroU32::new(7)),
    ];
    let mut batch = Batch::new();
    batch.upsert(record.clone(), chunks.clone());
    let store = open();
    store.apply(&batch, Control::default()).unwrap();
    assert_eq!(store.document(&record.id).unwrap(), Some(record.clone()));
    assert_eq!(store.chunks(&record.id).unwrap(), chunks);
    let hits = search(&*store, "coco");
    assert_eq!((&hits[0].chunk, &*hits[0].document), (&chunks[0], &record));
}
