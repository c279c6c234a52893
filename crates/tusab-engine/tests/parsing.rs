//! That parsing pays: ten questions about a chat and a meeting, asked of what the parsers make of them and of the same
//! files as plain text, both through the engine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking"
)]

use std::path::Path;

use tusab_engine::chunk::Position;
use tusab_engine::{Engine, Project, Source};

const CHAT: &str = "Conversa do WhatsApp com Obra do prédio.txt";
const MEETING: &str = "planning.transcript.vtt";

/// A question, and words that stand in no passage but those that answer it.
const QUESTIONS: [(&str, &str); 10] = [
    ("De quanto foi o orçamento do 12?", "860 reais"),
    ("De quanto foi o orçamento do 19?", "1.150 reais"),
    ("De quanto foi o orçamento do 31?", "430 reais"),
    ("De quanto foi o orçamento do 14?", "2.300 reais"),
    ("De quanto foi o orçamento do 26?", "720 reais"),
    ("Who takes number 12?", "open that file"),
    ("Who takes number 31?", "wrote the page"),
    ("Who takes number 19?", "wrote the table"),
    ("Who takes number 44?", "ask him after lunch"),
    ("Who takes number 53?", "small, and everybody"),
];

fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parsing").join(name)
}

/// The files as somebody keeps them who pastes them below a text of their own: no parser knows them there.
fn as_plain_text(name: &str) -> Source {
    let note = "O que segue foi copiado de outro lugar, para não se perder.\n".repeat(25);
    let text = std::fs::read_to_string(fixture(name)).unwrap();
    Source::text(name, format!("{note}\n{text}"))
}

/// A passage as it is read: without the numbers, times and names that stand between two halves of a sentence, so that a
/// passage of plain text is not told wrong for showing them.
fn without_marks(text: &str) -> String {
    let is_mark = |line: &str| line.contains("-->") || line.bytes().all(|byte| byte.is_ascii_digit());
    let lines = text.lines().map(str::trim).filter(|line| !is_mark(line));
    let lines = lines.map(|line| line.split_once(": ").map_or(line, |(_, said)| said));
    lines.collect::<Vec<_>>().join(" ")
}

/// One over the place of the first passage that answers; 0 when none of six does.
async fn reciprocal_rank(project: &Project, question: &str, answer: &str) -> f64 {
    let hits = project.search(question).await.unwrap().hits;
    let answers = |text: &str| without_marks(text).contains(answer);
    let place = (1_u32..).zip(&hits).find(|(_, hit)| answers(hit.chunk.original_text()));
    place.map_or(0.0, |(place, _)| 1.0 / f64::from(place))
}

async fn ranks(project: &Project) -> Vec<f64> {
    let mut ranks = Vec::new();
    for (question, answer) in QUESTIONS {
        ranks.push(reciprocal_rank(project, question, answer).await);
    }
    ranks
}

#[tokio::test]
async fn what_a_parser_has_read_answers_more_than_the_same_files_as_plain_text() {
    let data = tempfile::tempdir().unwrap();
    let engine = Engine::builder().data_dir(data.path()).build().unwrap();
    let (parsed, plain) =
        (engine.project("Lido").await.unwrap(), engine.project("Como texto").await.unwrap());
    for name in [CHAT, MEETING] {
        assert_eq!(parsed.ingest(Source::file(fixture(name))).await.unwrap().stored(), 1);
        assert_eq!(plain.ingest(as_plain_text(name)).await.unwrap().stored(), 1);
    }
    let is_text = |position: Position| matches!(position, Position::Text(_));
    for (project, expected) in [(&parsed, false), (&plain, true)] {
        let hits = project.search("registro seats").await.unwrap().hits;
        assert!(!hits.is_empty() && hits.iter().all(|hit| is_text(hit.chunk.position()) == expected));
    }
    let (with, without) = (ranks(&parsed).await, ranks(&plain).await);
    for (((question, _), with), without) in QUESTIONS.iter().zip(&with).zip(&without) {
        println!("{with:.2} {without:.2}  {question}");
    }
    let mean = |ranks: &[f64]| ranks.iter().sum::<f64>() / 10.0;
    let (with, without) = (mean(&with), mean(&without));
    println!("mean reciprocal rank: {with:.3} parsed, {without:.3} as plain text");
    assert!(with >= 0.7, "{with}");
    assert!(with >= without + 0.15, "{with} {without}");
}
