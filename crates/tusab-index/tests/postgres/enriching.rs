//! Key phrases and vectors, beside the local index in the same steps.

use tusab_chunk::{ChunkId, DocId};
use tusab_index::{
    Batch, ChunkStore, Control, Dimension, Enriched, Enrichment, Error, Filter, Index, Nearest, PageMark,
    Query, Retriever, Vector, VectorOutcome, VectorQuery, VectorSearch, VectorSpace, VectorsOff,
};

use crate::common::{SAMPLE, batch, document, ids};
use crate::server::shared;

fn doc(id: &str) -> DocId {
    id.parse().unwrap()
}

fn first_id(store: &dyn ChunkStore, id: &str) -> ChunkId {
    store.chunks(&doc(id)).unwrap()[0].id()
}

fn counts(enriched: Enriched) -> (usize, usize, usize) {
    (enriched.written, enriched.unchanged, enriched.unknown)
}

fn space(model: &str, dimension: usize) -> VectorSpace {
    VectorSpace::new(model, Dimension::new(dimension).unwrap())
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn key_phrases_are_found_and_stay_with_their_chunk() {
    let store = shared().open().project("phrases").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let both: [&dyn ChunkStore; 2] = [&store, &index];
    for store in both {
        store.apply(&batch(&SAMPLE), Control::default()).unwrap();
        assert_eq!(store.count_lacking(Enrichment::KeyPhrases).unwrap(), 5);
        let id = first_id(store, "file:bolo");
        let phrases = vec!["sobremesa caipira".to_owned()];
        let of = [
            (doc("file:bolo"), vec![(id, phrases.clone())]),
            (doc("file:nunca"), vec![(id, phrases.clone())]),
        ];
        assert_eq!(counts(store.set_key_phrases(&of).unwrap()), (1, 0, 1));
        assert_eq!(counts(store.set_key_phrases(&of[..1]).unwrap()), (0, 1, 0));
        let none = [(doc("file:lei"), vec![(first_id(store, "file:lei"), Vec::new())])];
        assert_eq!(counts(store.set_key_phrases(&none).unwrap()), (1, 0, 0));
        assert_eq!(store.count_lacking(Enrichment::KeyPhrases).unwrap(), 3);
        let lacking = store.lacking(Enrichment::KeyPhrases, PageMark::default(), 2).unwrap();
        let rest = store.lacking(Enrichment::KeyPhrases, lacking.next.unwrap(), 2).unwrap();
        assert_eq!((lacking.chunks.len(), rest.chunks.len(), rest.next), (2, 1, None));
        // Written again with another title, and the same text.
        let (mut record, chunks) = document(SAMPLE[3].0, "Outro bolo", SAMPLE[3].2);
        record.title = "Outro bolo".to_owned();
        let mut again = Batch::new();
        again.upsert(record, chunks);
        store.apply(&again, Control::default()).unwrap();
        assert_eq!(store.chunks(&doc("file:bolo")).unwrap()[0].key_phrases(), phrases);
    }
    let (ours, theirs) =
        (store.retrieve(&Query::new("caipira")).unwrap(), index.retrieve(&Query::new("caipira")).unwrap());
    assert_eq!(ids(&ours.hits), ["file:bolo"]);
    // The local index counts what it has replaced until that is merged away, and so ranks a little otherwise.
    let (ours, theirs) = (ours.hits[0].score, theirs.hits[0].score);
    assert!((ours / theirs - 1.0).abs() < 0.2, "{ours} {theirs}");
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn the_nearest_are_those_of_the_local_index() {
    let store = shared().open().project("vectors").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let space = space("test-model", 8);
    let vector = |seed: u32| {
        let number = |n: u32| f32::from(u16::try_from((seed * 7919 + n * 104_729) % 1000).unwrap()) - 499.5;
        Vector::new((0..8).map(number).collect()).unwrap()
    };
    let asked = vector(17);
    let query = VectorQuery::new(&space, &asked).unwrap().with_limit(7);
    let mut all = Batch::new();
    for n in 0..60 {
        let text = format!("passagem número {n} sobre assuntos diversos");
        let (mut record, chunks) = document(&format!("text:{n}"), "Título", &text);
        record.tags = vec![if n % 3 == 0 { "três".to_owned() } else { "resto".to_owned() }];
        all.upsert(record, chunks);
    }
    for store in [&store as &dyn ChunkStore, &index] {
        store.apply(&all, Control::default()).unwrap();
        assert_eq!(store.vector_space().unwrap(), None);
        let of = |n: u32| {
            let id = format!("text:{n}");
            // Ten of them are equal, so that ids decide.
            (doc(&id), vec![(first_id(store, &id), vector(if n < 10 { 3 } else { n }))])
        };
        let of: Vec<_> = (0..59).map(of).collect();
        assert_eq!(counts(store.set_vectors(&space, &of).unwrap()), (59, 0, 0));
        assert_eq!(counts(store.set_vectors(&space, &of[..2]).unwrap()), (0, 2, 0));
        assert_eq!(store.count_lacking(Enrichment::Vectors).unwrap(), 1);
        assert_eq!(store.lacking(Enrichment::Vectors, PageMark::default(), 9).unwrap().chunks.len(), 1);
        let other = self::space("another", 8);
        assert!(matches!(store.set_vectors(&other, &of[..1]).unwrap_err(), Error::OtherSpace { .. }));
        let short = [(doc("text:1"), vec![(first_id(store, "text:1"), Vector::new(vec![1.0]).unwrap())])];
        assert!(matches!(store.set_vectors(&space, &short).unwrap_err(), Error::Vector { .. }));
    }
    let found = |of: &dyn VectorSearch, query: &VectorQuery<'_>| match of.nearest(query).unwrap() {
        VectorOutcome::Found(hits) => hits.into_iter().map(|hit| hit.chunk).collect::<Vec<_>>(),
        outcome => panic!("{outcome:?}"),
    };
    for asked in [3, 17, 40] {
        let asked = vector(asked);
        for limit in [0, 1, 7, 12, 500] {
            let query = VectorQuery::new(&space, &asked).unwrap().with_limit(limit);
            assert_eq!(found(&store, &query), found(&index, &query), "{limit}");
        }
        let keep = |_: u64, chunk: &ChunkId| chunk.as_bytes()[0].is_multiple_of(2);
        let query = VectorQuery::new(&space, &asked).unwrap().with_keep(&keep);
        assert_eq!(found(&store, &query), found(&index, &query));
    }
    let mut filter = Filter::default();
    filter.tags.push("TRES".to_owned());
    let passages = |of: &dyn Retriever, filter: &Filter| match of.retrieve_nearest(&query, filter).unwrap() {
        Nearest::Found(hits) => hits,
        outcome => panic!("{outcome:?}"),
    };
    let (ours, theirs) = (passages(&store, &filter), passages(&index, &filter));
    assert_eq!(ids(&ours), ids(&theirs));
    assert!(ours.iter().zip(1..).all(|(hit, rank)| hit.explain.vector_rank == Some(rank)));
    let off = |query: &VectorQuery<'_>| match store.nearest(query).unwrap() {
        VectorOutcome::Off(reason) => reason,
        outcome => panic!("{outcome:?}"),
    };
    let other = self::space("another", 8);
    assert!(matches!(off(&VectorQuery::new(&other, &asked).unwrap()), VectorsOff::OtherSpace(_)));
    store.set_vector_space(&other).unwrap();
    assert_eq!(off(&VectorQuery::new(&other, &asked).unwrap()), VectorsOff::Missing);
    assert_eq!(store.count_lacking(Enrichment::Vectors).unwrap(), 60);
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn vectors_stay_with_what_did_not_change_and_go_with_what_did() {
    let store = shared().open().project("staying").unwrap();
    store.apply(&batch(&SAMPLE), Control::default()).unwrap();
    let space = space("test-model", 3);
    let of = |id: &str| (doc(id), vec![(first_id(&store, id), Vector::new(vec![1.0, 0.0, 0.0]).unwrap())]);
    store.set_vectors(&space, &[of("file:bolo"), of("file:lei")]).unwrap();
    let mut again = Batch::new();
    let (record, chunks) = document(SAMPLE[3].0, "Outro título", SAMPLE[3].2);
    again.upsert(record, chunks);
    let (record, chunks) = document(SAMPLE[1].0, SAMPLE[1].1, "A lei mudou de texto.");
    again.upsert(record, chunks);
    store.apply(&again, Control::default()).unwrap();
    assert_eq!(store.count_lacking(Enrichment::Vectors).unwrap(), 4);
    let lacking = store.lacking(Enrichment::Vectors, PageMark::default(), 9).unwrap();
    assert!(lacking.chunks.iter().all(|chunk| chunk.doc().as_str() != "file:bolo"));
}
