//! A project's queries never return another's rows, however they are put.

use tusab_index::{
    Batch, ChunkStore, Control, Dimension, Enrichment, Filter, Nearest, PageMark, Query, Retriever, Vector,
    VectorQuery, VectorSpace,
};

use crate::common::document;
use crate::server::shared;

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn what_is_of_another_project_is_never_found() {
    let postgres = shared().open();
    let (ours, theirs) = (postgres.project("tenant 1").unwrap(), postgres.project("tenant 2").unwrap());
    let space = VectorSpace::new("m", Dimension::new(2).unwrap());
    // The same ids and words in both; the secret in one of them.
    for (store, secret) in [(&ours, "aberto"), (&theirs, "segredo")] {
        let mut batch = Batch::new();
        for n in 0..8 {
            let text = format!("texto comum número {n} {secret}");
            let (mut record, chunks) = document(&format!("text:{n}"), "Título comum", &text);
            record.tags.push(secret.to_owned());
            batch.upsert(record, chunks);
        }
        let (record, chunks) =
            document(&format!("text:{secret}"), "Título comum", &format!("só aqui {secret}"));
        batch.upsert(record, chunks);
        store.apply(&batch, Control::default()).unwrap();
        let of: Vec<_> = (store.documents().unwrap().iter())
            .map(|document| {
                let id = store.chunks(&document.id).unwrap()[0].id();
                (document.id.clone(), vec![(id, Vector::new(vec![1.0, 0.5]).unwrap())])
            })
            .collect();
        store.set_vectors(&space, &of).unwrap();
    }
    let is_ours = |text: &str| !text.contains("segredo");
    let mut filters = vec![Filter::default(), Filter::default(), Filter::default()];
    filters[1].documents = theirs.documents().unwrap().into_iter().map(|document| document.id).collect();
    filters[2].tags = vec!["segredo".to_owned(), "aberto".to_owned()];
    let query = Vector::new(vec![1.0, 0.4]).unwrap();
    let query = VectorQuery::new(&space, &query).unwrap().with_limit(100);
    for filter in &filters {
        for text in
            ["comum", "segredo", "\"segredo\"", "texto comum segredo", "título comum", "\"só aqui segredo\""]
        {
            let asked =
                Query::new(text).with_limit(100).with_whole_pool().with_pool(100).with_filter(filter.clone());
            let found = ours.retrieve(&asked).unwrap();
            assert!(found.hits.iter().all(|hit| is_ours(hit.chunk.original_text())), "{text} {filter:?}");
            assert!(found.words.iter().all(|word| word.token != "segredo" || word.passages == 0));
        }
        let Nearest::Found(hits) = ours.retrieve_nearest(&query, filter).unwrap() else { panic!() };
        assert!(hits.iter().all(|hit| is_ours(hit.chunk.original_text())) && hits.len() <= 9);
    }
    // A pin on what only they have finds nothing.
    let secret = "text:segredo".parse().unwrap();
    assert_eq!(ours.document(&secret).unwrap(), None);
    assert!(ours.chunks(&secret).unwrap().is_empty());
    let mut pinned = Filter::default();
    pinned.documents.push(secret.clone());
    assert!(ours.retrieve(&Query::new("comum aqui").with_filter(pinned)).unwrap().hits.is_empty());
    // Nor does a hit of theirs lead there, nor an id.
    let hit = theirs.retrieve(&Query::new("segredo")).unwrap().hits.remove(0);
    assert!(ours.following(&hit).unwrap().is_none());
    let chunk = theirs.chunks(&secret).unwrap()[0].id();
    assert_eq!(
        ours.set_key_phrases(&[(secret.clone(), vec![(chunk, vec!["x".into()])])]).unwrap().unknown,
        1
    );
    let lacking = ours.lacking(Enrichment::KeyPhrases, PageMark::default(), 100).unwrap();
    assert_eq!(lacking.chunks.len(), 9);
    assert!(lacking.chunks.iter().all(|chunk| is_ours(chunk.original_text())));
    let mut deletion = Batch::new();
    deletion.delete(secret.clone());
    assert_eq!(ours.apply(&deletion, Control::default()).unwrap().deleted, 0);
    assert!(theirs.document(&secret).unwrap().is_some());
    assert_eq!(theirs.statistics().unwrap().chunks, 9);
}
