//! Whether there is context.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tusab_engine::chunk::{Body, Chunker, Document, MediaTime, Segment, TimeSpan, Windows};
use tusab_engine::index::{Batch, ChunkStore, ContentHash, Control, DocumentRecord, Index, Retriever};
use tusab_engine::rerank::{Error as RerankError, Reranker};
use tusab_engine::{Answer, Assessment, Confidence, NoContext, Search, SearchMode, Searcher};

use crate::common_trust::{TEXTS, project};

async fn ask(question: &str) -> (Answer, Value) {
    let data = tempfile::tempdir().unwrap();
    let answer = project(data.path(), &[]).await.chat("s").ask(question).await.unwrap();
    let json = serde_json::to_value(&answer).unwrap();
    (answer, json)
}

#[tokio::test]
async fn what_is_there_is_answered_with_confidence() {
    let (answer, json) = ask("Quantas horas de sol o manjericão quer por dia?").await;
    assert_eq!(answer.no_context, None);
    assert!(answer.confidence > Confidence::new(0.6), "{:?}", answer.confidence);
    assert!(answer.text.contains("seis horas de sol"), "{}", answer.text);
    assert_eq!((&json["no_context"], &json["sem_contexto"]), (&false.into(), &false.into()));
    assert!(
        json["no_context_reason"].is_null() && json.as_object().unwrap().contains_key("no_context_reason")
    );
    let confidence = json["confidence"].as_f64().unwrap();
    assert!((0.5..=1.0).contains(&confidence), "{confidence}");
}

#[tokio::test]
async fn what_shares_only_a_word_with_the_sources_is_no_context_and_shows_no_source() {
    let (answer, json) = ask("Quantas horas dura o voo de Lisboa para Maputo na classe executiva?").await;
    assert_eq!(answer.no_context, Some(NoContext::LowConfidence), "{:?}", answer.confidence);
    assert!(answer.confidence < Confidence::new(0.44) && answer.sources.is_empty());
    assert_eq!((&json["no_context"], &json["sem_contexto"]), (&true.into(), &true.into()));
    assert_eq!(json["no_context_reason"], "low_confidence");
    assert_eq!(json["sources"], Value::Array(Vec::new()));
    assert!(answer.text.contains("Não encontrei"), "{}", answer.text);
}

#[tokio::test]
async fn a_title_and_a_literal_phrase_are_always_context() {
    for question in [
        "regras do prédio",
        "BICICLETAS",
        "três bandejas",
        "\"duas vagas numeradas\" e foguetes espaciais da lua",
    ] {
        let (answer, _) = ask(question).await;
        assert_eq!(answer.no_context, None, "{question}: {:?}", answer.confidence);
        assert!(answer.confidence >= Confidence::new(0.44), "{question}");
        assert!(!answer.sources.is_empty(), "{question}");
    }
}

#[tokio::test]
async fn an_empty_project_and_one_without_the_words_say_so() {
    let data = tempfile::tempdir().unwrap();
    let engine = tusab_engine::Engine::builder().data_dir(data.path()).build().unwrap();
    let answer = engine.project("Vazio").await.unwrap().chat("s").ask("horas de sol").await.unwrap();
    assert_eq!(answer.no_context, Some(NoContext::NothingIndexed));
    assert_eq!(answer.confidence, Some(Confidence::NONE));
    let (answer, _) = ask("blockchain criptomoedas").await;
    assert_eq!((answer.no_context, answer.confidence), (Some(NoContext::NoMatch), Some(Confidence::NONE)));
}

fn searcher(texts: &[(&str, &str)], folder: &std::path::Path) -> Searcher {
    searcher_of(texts, folder, |text| Body::Text(text.to_owned()))
}

fn searcher_of(texts: &[(&str, &str)], folder: &std::path::Path, body: fn(&str) -> Body) -> Searcher {
    let index = Index::open(folder).unwrap().index;
    let mut batch = Batch::new();
    for (number, (title, text)) in texts.iter().enumerate() {
        let document = Document::new(format!("text:{number}").parse().unwrap(), *title, body(text));
        let chunks = Windows::default().chunks(&document);
        batch.upsert(DocumentRecord::new(&document, ContentHash::of(1, text.as_bytes())), chunks);
    }
    index.apply(&batch, Control::default()).unwrap();
    Searcher::new(Arc::new(index) as Arc<dyn Retriever>)
}

#[test]
fn the_evidence_is_shares_of_the_question() {
    let folder = tempfile::tempdir().unwrap();
    let searcher = searcher(&TEXTS, folder.path());
    let of = |question: &str| {
        let found = searcher.search(&Search::new(question)).unwrap();
        Assessment::of(question, &found)
    };
    let all = of("o manjericão quer seis horas de sol por dia").evidence;
    assert!((all.held - 1.0).abs() < 1e-6 && (all.phrases - 1.0).abs() < 1e-6, "{all:?}");
    assert!(all.is_literal && all.held_over_rest > 0.5, "{all:?}");
    let part = of("o manjericão quer seis unicórnios").evidence;
    assert!(part.held > 0.2 && part.held < 0.8 && !part.is_literal, "{part:?}");
    // Other forms of the words are held too.
    let forms = of("quantas bicicletas comportam os bicicletários").evidence;
    assert!(forms.held > 0.99, "{forms:?}");
    for question in ["", "?", "sol", "\u{0} \u{feff}", "a e o que de", &"sol e água ".repeat(400)] {
        let assessment = of(question);
        let evidence = assessment.evidence;
        for share in [evidence.score, evidence.held, evidence.phrases] {
            assert!((0.0..=1.0).contains(&share), "{question:?} {evidence:?}");
        }
        assert!((0.0..=1.0).contains(&assessment.confidence.get()), "{question:?}");
    }
}

#[test]
fn more_of_the_question_gives_more_confidence() {
    let folder = tempfile::tempdir().unwrap();
    let searcher = searcher(&TEXTS, folder.path());
    let confidence = |question: &str| {
        let found = searcher.search(&Search::new(question)).unwrap();
        Assessment::of(question, &found).confidence
    };
    let known = confidence("quantas horas de sol o manjericão quer");
    let half = confidence("quantas horas de sol o abacateiro gigante quer");
    let none = confidence("quantas toneladas de sol o abacateiro gigante transporta");
    assert!(known > half && half > none, "{known:?} {half:?} {none:?}");
}

/// A base of one note: each word that it does not hold stands nowhere.
#[test]
fn how_much_is_asked_of_the_smallest_base() {
    let folder = tempfile::tempdir().unwrap();
    let note = ("Herbs", "Mint needs three to four hours of sun a day. Basil wants six.");
    let searcher = searcher(&[note], folder.path());
    let of = |question: &str| Assessment::of(question, &searcher.search(&Search::new(question)).unwrap());
    let (asked, other) = (of("How much sun does mint need?"), of("How much rain does cactus soil hold?"));
    assert_eq!(asked.no_context, None, "{asked:?}");
    assert!(other.no_context.is_some(), "{other:?}");
}

/// A text as if somebody had said it.
fn said(text: &str) -> Body {
    let span = TimeSpan::between(MediaTime::from_seconds(0), MediaTime::from_seconds(20));
    Body::Speech { segments: vec![Segment::new(span, text)], chapters: Vec::new() }
}

#[test]
fn what_was_said_is_context_with_less() {
    let (written, spoken) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let written = searcher(&TEXTS, written.path());
    let spoken = searcher_of(&TEXTS, spoken.path(), said);
    let of = |searcher: &Searcher, question: &str| {
        Assessment::of(question, &searcher.search(&Search::new(question)).unwrap())
    };
    let vague = "em que dia do mês a primeira reunião trata das plantas e da água do apartamento";
    let (on_paper, in_speech) = (of(&written, vague), of(&spoken, vague));
    assert!(!on_paper.evidence.is_speech && in_speech.evidence.is_speech);
    assert!(
        in_speech.confidence < on_paper.enough && in_speech.confidence >= in_speech.enough,
        "{in_speech:?}"
    );
    assert_eq!((on_paper.no_context, in_speech.no_context), (Some(NoContext::LowConfidence), None));
    // What shares no more than a word with what was said is refused all the same.
    let other = "quantas horas dura o voo de Lisboa para Maputo na classe executiva";
    assert_eq!(of(&spoken, other).no_context, Some(NoContext::LowConfidence), "{:?}", of(&spoken, other));
}

/// Likes short texts that say the words that are looked for; fails from its second call on, where it shall.
struct Reads {
    calls: AtomicUsize,
    fails_again: bool,
}

impl Reranker for Reads {
    fn model(&self) -> &'static str {
        "reads"
    }

    fn pieces_per_word(&self, _: &str) -> Option<f32> {
        Some(1.2)
    }

    fn scores(&self, _: &str, passages: &[&str]) -> Result<Vec<f32>, RerankError> {
        if self.calls.fetch_add(1, Ordering::Relaxed) > 0 && self.fails_again {
            return Err(RerankError::Stopped);
        }
        let score = |text: &&str| {
            if text.contains("seis horas") {
                900.0 / f32::from(u16::try_from(text.len()).unwrap())
            } else {
                -9.0
            }
        };
        Ok(passages.iter().map(score).collect())
    }
}

#[test]
fn the_first_passage_of_a_broad_search_is_read_closely() {
    let filler =
        "A varanda tem grades de ferro e um piso claro, que o dono lavou na semana passada. ".repeat(12);
    let text = format!("{filler}O manjericão quer seis horas de sol por dia. {filler}");
    let folder = tempfile::tempdir().unwrap();
    let question = "quanto sol quer o manjericão";
    let searcher = searcher(&[("Varanda", &text), TEXTS[0]], folder.path());
    let broad = |fails_again| {
        let reranker = Arc::new(Reads { calls: AtomicUsize::new(0), fails_again });
        let searcher = searcher.clone().with_reranker(Arc::clone(&reranker) as Arc<dyn Reranker>);
        let search = Search::new(question).with_mode(SearchMode::Broad).without_vectors();
        let found = searcher.search(&search).unwrap();
        (Assessment::read(question, &found, &*reranker), Assessment::of(question, &found))
    };
    let (read, _) = broad(false);
    let reading = read.evidence.reading.unwrap();
    // Of a stretch of 320 characters, the title aside.
    assert!(reading.closely > 2.0 && reading.first < 0.6, "{reading:?}");
    // One other passage, far below it; four more are missing, and count as usual.
    let lead = ((reading.first + 9.0) + 4.0 * 3.7) / 5.0;
    assert!((reading.over_rest - lead).abs() < 1e-4, "{reading:?}, not {lead}");
    // What fails leaves the words to tell.
    let (read, by_words) = broad(true);
    assert_eq!(read, by_words);
    assert_eq!(read.evidence.reading, None);
}
