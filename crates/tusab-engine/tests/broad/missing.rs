//! What is missing or fails makes a result less, never an error, and says so.

use std::sync::Arc;
use std::time::Duration;

use tusab_engine::{Degradation, Part, Search, SearchMode};

use super::models::{Meanings, Opinions};
use super::{broad, builder, filled, titles, with_both};

const QUESTION: &str = "car oil";

fn parts(degraded: &[Degradation]) -> Vec<Part> {
    degraded.iter().map(Degradation::part).collect()
}

#[tokio::test]
async fn without_a_cross_encoder_broad_is_narrow_and_vectors_stay_out() {
    let data = tempfile::tempdir().unwrap();
    for engine in [
        builder(data.path()).build().unwrap(),
        builder(data.path()).embedder(Arc::new(Meanings::new())).build().unwrap(),
    ] {
        let project = filled(engine).await;
        let narrow = project.search(QUESTION).await.unwrap();
        let found = broad(&project, QUESTION).await;
        assert_eq!(titles(&found), titles(&narrow));
        assert_eq!(found.degraded, [Degradation::NoReranker]);
        assert!(found.hits.iter().all(|hit| hit.explain.vector_rank.is_none()) && found.ranks.is_empty());
    }
}

#[tokio::test]
async fn a_cross_encoder_that_fails_is_as_one_that_is_not_there() {
    let data = tempfile::tempdir().unwrap();
    let project =
        with_both(data.path(), Opinions { is_broken: true, ..Opinions::new(&[("bread", 9.0)]) }).await;
    let narrow = project.search(QUESTION).await.unwrap();
    let found = broad(&project, QUESTION).await;
    assert_eq!(titles(&found), titles(&narrow));
    assert_eq!(parts(&found.degraded), [Part::Reranker]);
    assert!(found.degraded[0].reason().contains("it has none today"), "{}", found.degraded[0].reason());
    let same = |a: f32, b: f32| a.to_bits() == b.to_bits();
    assert!(found.hits.iter().zip(&narrow.hits).all(|(a, b)| same(a.score, b.score)));
}

#[tokio::test]
async fn without_vectors_broad_is_the_cross_encoder_over_words_and_says_why() {
    let opinions = || Arc::new(Opinions::new(&[("insured", 11.0), ("dealer", -11.0)]));
    let data = tempfile::tempdir().unwrap();
    let engine = builder(data.path()).reranker(opinions()).build().unwrap();
    let project = filled(engine).await;
    let expected = broad(&project, QUESTION).await;
    assert_eq!(expected.degraded, [Degradation::NoEmbedder]);
    assert_eq!(titles(&expected)[0], "law");

    // Who wants none misses nothing.
    let search = Search::new(QUESTION).with_mode(SearchMode::Broad).without_vectors();
    let unasked = project.search(search).await.unwrap();
    assert_eq!((titles(&unasked), unasked.degraded.len()), (titles(&expected), 0));

    // The passages have no vectors yet, the embedder is gone, the vectors are another model's.
    let embedder = Arc::new(Meanings::new());
    let engine = |of: &Arc<Meanings>| {
        builder(data.path()).reranker(opinions()).embedder(Arc::clone(of) as Arc<_>).build().unwrap()
    };
    let project = engine(&embedder).project("Notes").await.unwrap();
    let found = broad(&project, QUESTION).await;
    assert_eq!((titles(&found), parts(&found.degraded)), (titles(&expected), vec![Part::Vectors]));
    let project = filled(engine(&embedder)).await;
    assert_eq!(broad(&project, QUESTION).await.degraded, []);
    embedder.break_down();
    let found = broad(&project, QUESTION).await;
    assert_eq!((titles(&found), parts(&found.degraded)), (titles(&expected), vec![Part::Embedder]));
    assert!(found.degraded[0].reason().contains("the server is gone"));
    let project = engine(&Arc::new(Meanings::called("others"))).project("Notes").await.unwrap();
    let found = broad(&project, QUESTION).await;
    assert_eq!((titles(&found), parts(&found.degraded)), (titles(&expected), vec![Part::Vectors]));
    assert!(found.degraded[0].reason().contains("meanings"), "{}", found.degraded[0].reason());
}

#[tokio::test]
async fn a_search_that_runs_out_of_time_gives_what_it_has_and_is_marked() {
    let data = tempfile::tempdir().unwrap();
    let few = Opinions { reads: Some(1), ..Opinions::new(&[("car", 8.0)]) };
    let project = with_both(data.path(), few).await;
    let found = broad(&project, "automobile garage").await;
    let [Degradation::OutOfTime { read: 1, candidates }] = found.degraded[..] else {
        panic!("{:?}", found.degraded)
    };
    assert!(candidates > 1);
    // What meaning brought and the cross-encoder did not read is nobody's to see.
    assert!(found.ranks.iter().all(|ranks| ranks.words.is_some() || ranks.cross_encoder.is_some()));

    let search = Search::new(QUESTION).with_mode(SearchMode::Broad).with_deadline(Duration::ZERO);
    let found = project.search(search).await.unwrap();
    assert_eq!(parts(&found.degraded), [Part::Time]);
    let narrow = project.search(QUESTION).await.unwrap();
    assert_eq!(titles(&found), titles(&narrow));
}

#[tokio::test]
async fn odd_questions_find_nothing_or_something_and_never_fail() {
    let data = tempfile::tempdir().unwrap();
    let project = with_both(data.path(), Opinions::new(&[])).await;
    let long = "car ".repeat(30_000);
    for question in ["", "   ", "\0", "\"", "AND OR NOT", "🎉", long.as_str()] {
        let found = broad(&project, question).await;
        assert!(found.hits.len() <= 6 && found.hits.iter().all(|hit| hit.score.is_finite()));
    }
    let none = project.search(Search::new("car").with_mode(SearchMode::Broad).with_limit(0)).await.unwrap();
    assert!(none.hits.is_empty());
}
