//! The order of a Broad Search, and what is left out of it.

use std::num::NonZeroUsize;
use std::sync::Arc;

use tusab_engine::index::{Literal, MatchedBy};
use tusab_engine::{Cancel, Search, SearchMode, Source};

use super::models::{Meanings, Opinions};
use super::{broad, builder, filled, titles, with_both};

#[tokio::test]
async fn meaning_brings_what_shares_no_word_and_only_past_the_cross_encoder() {
    let data = tempfile::tempdir().unwrap();
    let project = with_both(data.path(), Opinions::new(&[("automobile", 9.0), ("car", 2.0)])).await;
    let narrow = project.search("cars").await.unwrap();
    assert!(!titles(&narrow).contains(&"garage"));
    let found = broad(&project, "cars").await;
    assert!(found.degraded.is_empty(), "{:?}", found.degraded);
    let at = titles(&found).iter().position(|title| *title == "garage").unwrap();
    assert_eq!(found.hits[at].matched_by(), [MatchedBy::Vector]);
    let ranks = found.ranks[at];
    assert_eq!((ranks.words, ranks.cross_encoder, ranks.cross_encoder_score), (None, Some(1), Some(9.0)));
    assert!(ranks.meaning.is_some());
    // One that words have found too says both.
    let law = &found.hits[titles(&found).iter().position(|title| *title == "law").unwrap()];
    assert!(law.matched_by().contains(&MatchedBy::Bm25) && law.matched_by().contains(&MatchedBy::Vector));
    let timings = found.timings;
    assert!(timings.total >= timings.words + timings.embedding + timings.meaning + timings.reranking);
}

#[tokio::test]
async fn a_model_that_has_to_spell_the_language_counts_less() {
    let first = async |pieces| {
        let data = tempfile::tempdir().unwrap();
        // Words are for `engine`, which says "car" twice; the model is for `law`.
        let opinions = Opinions { pieces, ..Opinions::new(&[("insured", 3.0), ("dealer", -3.0)]) };
        let project = filled(builder(data.path()).reranker(Arc::new(opinions)).build().unwrap()).await;
        assert_eq!(titles(&project.search("car oil dealer road").await.unwrap())[0], "engine");
        titles(&broad(&project, "car road dealer").await)[0].to_owned()
    };
    assert_eq!(first(Some(1.2)).await, "law");
    assert_eq!(first(Some(2.5)).await, "engine");
    assert_eq!(first(None).await, "engine");
}

#[tokio::test]
async fn an_embedder_that_has_to_spell_brings_nothing() {
    let data = tempfile::tempdir().unwrap();
    let engine = builder(data.path())
        .reranker(Arc::new(Opinions::new(&[("automobile", 9.0)])))
        .embedder(Arc::new(Meanings::spelling()))
        .build()
        .unwrap();
    let project = filled(engine).await;
    let found = broad(&project, "cars").await;
    assert!(found.degraded.is_empty());
    assert!(found.ranks.iter().all(|ranks| ranks.words.is_some()), "{:?}", titles(&found));
}

#[tokio::test]
async fn what_stands_there_word_for_word_is_never_buried() {
    let data = tempfile::tempdir().unwrap();
    let opinions = Opinions::new(&[("whole phrase", -11.0), ("fox", 11.0)]);
    let engine = builder(data.path()).reranker(Arc::new(opinions)).build().unwrap();
    let project = engine.project("Foxes").await.unwrap();
    let mut sources: Vec<Source> = (0..30)
        .map(|n| {
            Source::text(
                format!("note {n}"),
                format!("Brown fox, quick fox, fox {n} of the brown quick kind"),
            )
        })
        .collect();
    let phrase =
        "This whole phrase is dull: the quick brown fox. And much more is said here about other things.";
    sources.push(Source::text("phrase", phrase));
    project.ingest_all(sources, &Cancel::new()).await.unwrap();
    for limit in [1, 3, 6] {
        let search = Search::new("the quick brown fox").with_mode(SearchMode::Broad).with_limit(limit);
        let found = project.search(search.without_vectors()).await.unwrap();
        let at = titles(&found).iter().position(|title| *title == "phrase");
        assert!(at.is_some(), "{limit}: {:?}", titles(&found));
        assert_eq!(found.hits[at.unwrap()].explain.literal, Some(Literal::WholeQuery));
    }
    // Who puts it in quotes wants it first.
    assert_eq!(titles(&broad(&project, "kind \"the quick brown fox\"").await)[0], "phrase");
}

#[tokio::test]
async fn what_all_find_unrelated_is_left_out_and_the_best_is_kept() {
    let data = tempfile::tempdir().unwrap();
    let opinions = Opinions::new(&[("Roses", 6.0), ("tools", -9.0)]);
    let project = builder(data.path()).reranker(Arc::new(opinions)).build().unwrap();
    let project = project.project("Garden").await.unwrap();
    let tools =
        |n| Source::text(format!("tools {n}"), format!("The garden has tools of kind {n} and a shed."));
    let mut sources: Vec<Source> = (0..40).map(tools).collect();
    sources.push(Source::text("roses", "Roses bloom red in the garden when June is warm."));
    project.ingest_all(sources, &Cancel::new()).await.unwrap();
    let search = Search::new("garden roses bloom red june").with_mode(SearchMode::Broad).without_vectors();
    let whole = project.search(search.clone().without_cut().with_duplicates()).await.unwrap();
    let cut = project.search(search.with_duplicates()).await.unwrap();
    assert_eq!((whole.hits.len(), titles(&cut)), (6, vec!["roses"]), "{:?}", titles(&whole));

    let hates_all = Opinions::new(&[("", -11.0)]);
    let other = tempfile::tempdir().unwrap();
    let project = filled(builder(other.path()).reranker(Arc::new(hates_all)).build().unwrap()).await;
    assert!(!broad(&project, "oven").await.hits.is_empty());
}

#[tokio::test]
async fn near_duplicates_come_last_and_a_document_has_its_share() {
    let data = tempfile::tempdir().unwrap();
    let engine = builder(data.path())
        .reranker(Arc::new(Opinions::new(&[("mill", 5.0)])))
        .embedder(Arc::new(Meanings::new()))
        .build()
        .unwrap();
    let project = engine.project("Mills").await.unwrap();
    let chapter =
        |n: usize| format!("## Part {n}\n\nThe mill of part {n} grinds. {}\n\n", "It turns on. ".repeat(120));
    let long: String = (0..8).map(chapter).collect();
    let copy = "A mill by the river with a wheel of oak and a roof of slate, built long ago by the monks of the valley.";
    let sources = vec![
        Source::text("long", long),
        Source::text("copy", copy),
        Source::text("again", format!("{copy} Yes.")),
        Source::text("other", "No mill here, says the miller."),
    ];
    project.ingest_all(sources, &Cancel::new()).await.unwrap();
    let search = Search::new("mill").with_mode(SearchMode::Broad).without_vectors().with_limit(12);
    let found = project.search(search.clone()).await.unwrap();
    assert!(found.near_duplicates > 0, "{:?}", titles(&found));
    let last = titles(&found).len() - 1;
    let places: Vec<usize> =
        (0..=last).filter(|&at| ["copy", "again"].contains(&titles(&found)[at])).collect();
    assert!(places[1] > places[0] + 1 && places[1] + found.near_duplicates > last, "{:?}", titles(&found));

    let most = NonZeroUsize::new(2).unwrap();
    for mode in [SearchMode::Narrow, SearchMode::Broad] {
        let found = project.search(search.clone().with_mode(mode).with_per_document(most)).await.unwrap();
        let of_long = titles(&found).iter().filter(|title| **title == "long").count();
        assert_eq!(of_long, 2, "{mode:?} {:?}", titles(&found));
        assert!(titles(&found).contains(&"other"));
    }
}

#[tokio::test]
async fn several_projects_are_one_search_with_comparable_scores() {
    let data = tempfile::tempdir().unwrap();
    let engine = builder(data.path())
        .reranker(Arc::new(Opinions::new(&[("insured", 6.0)])))
        .embedder(Arc::new(Meanings::new()))
        .build()
        .unwrap();
    let notes = filled(engine.clone()).await;
    let more = engine.project("More").await.unwrap();
    more.ingest(Source::text("tram", "A tram needs no oil and cannot be insured.")).await.unwrap();
    more.enrich(&Cancel::new()).await.unwrap();
    for mode in [SearchMode::Narrow, SearchMode::Broad] {
        let found = engine
            .search(&[notes.clone(), more.clone()], Search::new("insured oil").with_mode(mode))
            .await
            .unwrap();
        assert!(found.degraded.is_empty());
        let tram = found.hits.iter().find(|hit| hit.document.title == "tram").unwrap();
        let law = found.hits.iter().find(|hit| hit.document.title == "law").unwrap();
        assert_eq!((tram.index, law.index), (1, 0), "{mode:?}");
        assert!(tram.score > law.score);
    }
    assert!(engine.search(&[], "oil").await.unwrap().hits.is_empty());
}

#[tokio::test]
async fn the_same_search_gives_the_same_result() {
    let data = tempfile::tempdir().unwrap();
    let project = with_both(data.path(), Opinions::new(&[("car", 1.0)])).await;
    let once = broad(&project, "car oil road").await;
    for _ in 0..5 {
        let again = broad(&project, "car oil road").await;
        assert_eq!((titles(&again), &again.ranks), (titles(&once), &once.ranks));
    }
}

#[tokio::test]
async fn a_split_chapter_goes_on_beside_the_hits() {
    let data = tempfile::tempdir().unwrap();
    let project = builder(data.path()).build().unwrap().project("Chapters").await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let info = serde_json::json!({
        "id": "hv7Qk2LrT0c", "title": "A tale", "duration": 700, "language": "en",
        "chapters": [
            {"start_time": 0, "end_time": 600, "title": "One"},
            {"start_time": 600, "end_time": 700, "title": "Two"},
        ],
    });
    let name = |end: &str| folder.path().join(format!("A tale [hv7Qk2LrT0c].{end}"));
    std::fs::write(name("info.json"), info.to_string()).unwrap();
    // One chapter of ten minutes, much too long for a passage, and a short one.
    let said = |at: usize| match at {
        0 => "The beginning of the story is told here.",
        69 => "And this is the ending.",
        _ => "The story goes on and on in a great many words that say little.",
    };
    let time = |seconds: usize| format!("00:{:02}:{:02}.000", seconds / 60, seconds % 60);
    let cues = (0..70).map(|at| format!("{} --> {}\n{}\n\n", time(at * 10), time(at * 10 + 9), said(at)));
    std::fs::write(name("en.vtt"), format!("WEBVTT\n\n{}", cues.collect::<String>())).unwrap();
    project.ingest(Source::file(name("en.vtt"))).await.unwrap();
    let found = project.search(Search::new("beginning told").with_limit(1)).await.unwrap();
    let [hit] = &found.hits[..] else { panic!("{:?}", titles(&found)) };
    let part = hit.chunk.part().unwrap();
    assert!(part.number < part.of, "the test needs a chapter in parts");
    let [next] = &found.next_parts[..] else { panic!("{:?}", found.next_parts) };
    assert_eq!(next.chunk.ordinal(), hit.chunk.ordinal() + 1);
    assert_eq!(next.chunk.section(), hit.chunk.section());
    // One that is among the hits is not told twice, and a last part has none.
    let all = project.search(Search::new("story told").with_limit(9)).await.unwrap();
    assert!(all.next_parts.iter().all(|next| all.hits.iter().all(|hit| hit.chunk.id() != next.chunk.id())));
    let last = project.search(Search::new("ending").with_limit(1)).await.unwrap();
    assert!(last.next_parts.is_empty());
}
