//! `ranking.md`: its numbers, from the program; and its arithmetic, done again beside the program.

use std::sync::Arc;

use tusab_engine::index::{is_stopword, tokens};
use tusab_engine::rerank::{
    CrossEncoder, CrossEncoderOptions, Error, Reranker, RuntimeOptions, SentenceEncoder, SentenceOptions,
};
use tusab_engine::{Cancel, Engine, Found, Project, Search, SearchMode, Source};

use crate::common::page;

const NOTES: [(&str, &str); 5] = [
    ("Mint", "It needs three to four hours of sun a day, and water every day in summer."),
    ("Basil", "Six hours of sun. It bolts when the nights are warm, and mint beside it suffers."),
    ("Tomatoes", "They are tied to a stake before they are knee-high. Six hours of light make them sweet."),
    ("Watering", "Water in the morning. Mint drinks more than rosemary, which needs little."),
    ("Compost", "What smells has too much water: mix in dry leaves."),
];

const QUESTION: &str = "How much sun does mint need?";

async fn garden(engine: Engine) -> Project {
    let project = engine.project("Garden").await.unwrap();
    let notes = NOTES.map(|(title, text)| Source::text(title, text)).to_vec();
    project.ingest_all(notes, &Cancel::new()).await.unwrap();
    project
}

/// The rows of the page's table that begins with this heading, cell by cell.
fn table(heading: &str) -> Vec<Vec<String>> {
    let page = page("ranking.md");
    let lines = page.lines().skip_while(|line| !line.starts_with(&format!("| {heading} |"))).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

fn two(number: f32) -> String {
    format!("{number:.2}")
}

/// A place, as the page has it.
fn place(place: Option<usize>) -> String {
    place.map_or_else(|| "-".to_owned(), |place| place.to_string())
}

#[tokio::test]
async fn the_page_has_the_numbers_of_a_narrow_search() {
    let data = tempfile::tempdir().unwrap();
    let project = garden(crate::common::engine(data.path()).build().unwrap()).await;
    let page = page("ranking.md");
    for (title, text) in NOTES {
        assert!(page.contains(&format!("| {title} | {text} |")), "{title}");
    }
    let found = project.search(QUESTION).await.unwrap();
    let words: Vec<Vec<String>> = found
        .words
        .iter()
        .map(|word| vec![word.token.clone(), word.passages.to_string(), two(word.idf)])
        .collect();
    assert_eq!(words, table("word"), "{words:#?}");
    let hits: Vec<Vec<String>> = found
        .hits
        .iter()
        .map(|hit| {
            let explain = &hit.explain;
            vec![
                hit.document.title.clone(),
                two(explain.text_score),
                two(explain.title_score),
                format!("**{}**", two(hit.score)),
            ]
        })
        .collect();
    assert_eq!(hits, table("passage by words"), "{hits:#?}");
    for hit in &found.hits {
        assert!((hit.score - hit.explain.text_score - hit.explain.title_score).abs() < 1e-5);
    }

    // The formula of the page, for one word.
    let one = project.search("sun").await.unwrap();
    let [word] = one.words.as_slice() else { panic!("{:?}", one.words) };
    let all = NOTES.len() as f32;
    let holding = word.passages as f32;
    let idf = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln();
    assert!((idf - word.idf).abs() < 1e-5);
    let length = |(title, text): &(&str, &str)| (tokens(title).len() + tokens(text).len()) as f32;
    let average = NOTES.iter().map(length).sum::<f32>() / all;
    for hit in &one.hits {
        let note = NOTES.iter().find(|(title, _)| *title == hit.document.title).unwrap();
        let norm = 1.2 * (1.0 - 0.75 + 0.75 * length(note) / average);
        // A form that is the one asked for counts a fifth more.
        let score = 1.2 * idf * 2.2 * (1.0 / (1.0 + norm));
        assert!((score - hit.explain.text_score).abs() < 0.01, "{score} {}", hit.explain.text_score);
    }
    assert!(tokens(QUESTION).iter().filter(|word| is_stopword(word)).count() > 1);
}

/// Gives what the real cross-encoder gave, as the page has it.
struct Recorded;

impl Reranker for Recorded {
    fn model(&self) -> &'static str {
        "recorded"
    }

    fn pieces_per_word(&self, _: &str) -> Option<f32> {
        Some(1.2)
    }

    fn scores(&self, _: &str, passages: &[&str]) -> Result<Vec<f32>, Error> {
        let rows = table("passage");
        let of = |passage: &&str| {
            let row = rows.iter().find(|row| passage.starts_with(&row[0])).unwrap();
            row[4].parse().unwrap()
        };
        Ok(passages.iter().map(of).collect())
    }
}

fn rows(found: &Found) -> Vec<Vec<String>> {
    let logit = |score: Option<f32>| score.map_or_else(|| "-".to_owned(), |score| format!("{score:.1}"));
    let hits = found.hits.iter().zip(&found.ranks);
    hits.map(|(hit, ranks)| {
        let places = [ranks.words, ranks.meaning, ranks.cross_encoder].map(place);
        let [words, meaning, cross_encoder] = places;
        vec![
            hit.document.title.clone(),
            words,
            meaning,
            cross_encoder,
            logit(ranks.cross_encoder_score),
            format!("**{}**", two(hit.score)),
        ]
    })
    .collect()
}

#[tokio::test]
async fn the_votes_of_the_page_add_up() {
    let data = tempfile::tempdir().unwrap();
    let engine = crate::common::engine(data.path()).reranker(Arc::new(Recorded)).build().unwrap();
    let project = garden(engine).await;
    let narrow = project.search(QUESTION).await.unwrap();
    let search = Search::new(QUESTION).with_mode(SearchMode::Broad).without_vectors().without_cut();
    let found = project.search(search).await.unwrap();
    for (hit, ranks) in found.hits.iter().zip(&found.ranks) {
        let by_words = narrow.hits.iter().find(|of| of.chunk.id() == hit.chunk.id()).unwrap();
        let words = by_words.score / narrow.hits[0].score;
        let logit = ranks.cross_encoder_score.unwrap();
        let score = words + 1.2 / (1.0 + (-logit / 4.0).exp());
        assert!((score - hit.score).abs() < 1e-4, "{}: {score} {}", hit.document.title, hit.score);
    }
    // With the place by meaning that the page has, it is the page's number.
    for row in table("passage") {
        let words = narrow.hits.iter().find(|hit| hit.document.title == row[0]);
        let words = words.map_or(0.0, |hit| hit.score / narrow.hits[0].score);
        let meaning = row[2].parse().map_or(0.0, |place: f32| 0.5 * 10.0 / (10.0 + place - 1.0));
        let logit: f32 = row[4].parse().unwrap();
        let score: f32 = row[5].trim_matches('*').parse().unwrap();
        let votes = words + 1.2 / (1.0 + (-logit / 4.0).exp()) + meaning;
        // The page has the logit in tenths.
        assert!((votes - score).abs() < 0.02, "{row:?}: {votes}");
    }
}

#[tokio::test]
#[ignore = "needs the models of scripts/assets.sh, and ONNX Runtime: scripts/test.sh"]
async fn the_page_has_the_numbers_of_the_real_models() {
    let models = std::env::var_os("TUSAB_MODELS").expect("TUSAB_MODELS is not set: run scripts/test.sh");
    let models = std::path::Path::new(&models);
    let runtime = RuntimeOptions::from_env();
    let reranker = CrossEncoder::new(
        models.join("cross-encoder"),
        CrossEncoderOptions::default().with_runtime(runtime.clone()),
    );
    let embedder =
        SentenceEncoder::new(models.join("sentences"), SentenceOptions::default().with_runtime(runtime));
    let data = tempfile::tempdir().unwrap();
    let engine = crate::common::engine(data.path())
        .reranker(Arc::new(reranker))
        .embedder(Arc::new(embedder))
        .build()
        .unwrap();
    let project = garden(engine).await;
    project.enrich(&Cancel::new()).await.unwrap();
    let search = Search::new(QUESTION).with_mode(SearchMode::Broad).without_cut();
    let found = project.search(search).await.unwrap();
    assert!(found.degraded.is_empty(), "{:?}", found.degraded);
    assert!((found.cross_encoder_trust - 1.0).abs() < 1e-6, "{}", found.cross_encoder_trust);
    let (rows, shown) = (rows(&found), table("passage"));
    // A quantised model rounds by the processor's instructions: places are the same, numbers nearly.
    let places = |rows: &[Vec<String>]| rows.iter().map(|row| row[..4].to_vec()).collect::<Vec<_>>();
    assert_eq!(places(&rows), places(&shown), "{rows:#?}");
    for (row, shown) in rows.iter().zip(&shown) {
        let number = |cell: &str| cell.trim_matches('*').parse::<f32>().unwrap();
        assert!((number(&row[4]) - number(&shown[4])).abs() < 0.5, "{row:?} {shown:?}");
        assert!((number(&row[5]) - number(&shown[5])).abs() < 0.05, "{row:?} {shown:?}");
    }
}
