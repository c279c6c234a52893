//! `bring-your-own.md`: a retriever, a model, an embedder and a parser that are not the engine's.

use std::error::Error;
use std::num::NonZeroUsize;
use std::sync::Arc;

use tusab_engine::chunk::{Body, Chunk, Chunker, DocId, Document, MediaTime, SourceKind, Windows};
use tusab_engine::index::{
    self, ContentHash, DocumentRecord, Found, Hit, Query, Retriever, is_stopword, tokens,
};
use tusab_engine::llm::testing::conformance;
use tusab_engine::llm::{
    self, BoxFuture, ChatModel, ChatRequest, ChatStream, Delta, FinishReason, ModelId, Tokens,
};
use tusab_engine::rerank::{self, Embedder, Embeddings, Reranker};
use tusab_engine::{AnswerKind, Cancel, Engine, Search, SearchMode, Searcher, Source};

struct Notes(Vec<(Chunk, Arc<DocumentRecord>)>);

impl Notes {
    fn new(notes: &[(&str, &str)]) -> Result<Self, Box<dyn Error>> {
        let mut all = Vec::new();
        for (number, (title, text)) in notes.iter().enumerate() {
            let id = DocId::new(SourceKind::Text, &number.to_string())?;
            let document = Document::new(id, *title, Body::Text((*text).to_owned()));
            let record = Arc::new(DocumentRecord::new(&document, ContentHash::of(1, text.as_bytes())));
            let chunks = Windows::default().chunks(&document);
            all.extend(chunks.into_iter().map(|chunk| (chunk, Arc::clone(&record))));
        }
        Ok(Self(all))
    }
}

impl Retriever for Notes {
    fn retrieve(&self, query: &Query) -> Result<Found, index::Error> {
        let asked: Vec<String> = tokens(&query.text).into_iter().filter(|word| !is_stopword(word)).collect();
        let mut hits: Vec<Hit> = Vec::new();
        for (chunk, document) in &self.0 {
            let held = tokens(chunk.original_text());
            let shared = asked.iter().filter(|word| held.contains(word)).count();
            if shared > 0 {
                let score = f32::from(u8::try_from(shared).unwrap_or(u8::MAX));
                hits.push(Hit::of(chunk.clone(), Arc::clone(document), score));
            }
        }
        // The contract: best first, equal ones by id, and not more than were asked for.
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.chunk.id().cmp(&b.chunk.id())));
        hits.truncate(if query.whole_pool { query.pool } else { query.limit });
        Ok(Found::new(hits))
    }
}

#[test]
fn a_retriever_of_ones_own_is_searched() -> Result<(), Box<dyn Error>> {
    let notes = Notes::new(&[
        ("Mint", "Mint wants three hours of sun."),
        ("Tomatoes", "Tomatoes want six hours of sun, and a stake."),
    ])?;
    let searcher = Searcher::new(Arc::new(notes));
    let found = searcher.search(&Search::new("how many hours of sun do tomatoes want"))?;
    assert_eq!(found.hits[0].document.title, "Tomatoes");
    assert_eq!(found.hits.len(), 2);
    Ok(())
}

/// Writes what it is given back, as a real one would write an answer.
#[derive(Debug)]
struct Parrot(ModelId);

impl ChatModel for Parrot {
    fn id(&self) -> &ModelId {
        &self.0
    }

    fn stream(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatStream, llm::Error>> {
        Box::pin(async move {
            request.check()?;
            let prompt = request.messages.last().map_or("", |message| message.content.as_str());
            let said = prompt.split("<content>").nth(1).unwrap_or("?").split('.').next().unwrap_or("?");
            let words = vec![
                Ok(Delta::Text(format!("{}. [1]", said.trim()))),
                Ok(Delta::Done { finish_reason: FinishReason::Stop }),
            ];
            Ok(ChatStream::ready(self.0.clone(), words))
        })
    }

    /// The engine cuts its prompts to this.
    fn context_length(&self) -> BoxFuture<'_, Option<Tokens>> {
        Box::pin(async { Some(Tokens::new(4096)) })
    }

    /// It may be asked offline too.
    fn is_local(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_model_of_ones_own_writes_the_answer() -> Result<(), Box<dyn Error>> {
    let data = tempfile::tempdir()?;
    let model = Arc::new(Parrot("openai-compatible::parrot".parse()?));
    conformance(&*model).await?;
    let engine = Engine::builder().data_dir(data.path()).model(model).build()?;
    let project = engine.project("Garden").await?;
    project.ingest(Source::text("Herbs", "Mint needs three to four hours of sun. Basil needs six.")).await?;
    let answer = project.chat("first").ask("What does mint need?").await?;
    assert_eq!(answer.text, "Mint needs three to four hours of sun. [1]");
    assert!(matches!(answer.kind, AnswerKind::Generated { .. }));
    Ok(())
}

/// Knows two subjects, by a few words each: a real one has learnt them.
struct Subjects;

const SUBJECTS: [&[&str]; 2] = [&["smell", "odour", "stinks"], &["sun", "light", "shade"]];

impl Subjects {
    fn of(text: &str) -> [bool; 2] {
        let words = tokens(text);
        SUBJECTS.map(|subject| words.iter().any(|word| subject.contains(&word.as_str())))
    }

    fn vector(text: &str) -> [f32; 2] {
        // Not all zero: such a vector has no direction.
        Self::of(text).map(|is_about| if is_about { 1.0 } else { 0.1 })
    }
}

impl Embedder for Subjects {
    fn model(&self) -> &'static str {
        "subjects"
    }

    /// Says what the vectors depend on: those of another identity are never compared with these.
    fn identity(&self) -> Result<String, rerank::Error> {
        Ok("subjects, version 1".to_owned())
    }

    fn dimension(&self) -> Result<NonZeroUsize, rerank::Error> {
        Ok(NonZeroUsize::MIN.saturating_add(1))
    }

    /// Without this, the engine takes it that the model has to spell, and gives it no say.
    fn pieces_per_word(&self, _: &str) -> Option<f32> {
        Some(1.2)
    }

    fn embed_passages(&self, passages: &[&str]) -> Result<Embeddings, rerank::Error> {
        Embeddings::new(self.dimension()?, passages.iter().flat_map(|text| Self::vector(text)).collect())
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, rerank::Error> {
        Ok(Self::vector(query).to_vec())
    }
}

/// Finds that a passage answers a question when both are about the same subject.
struct SameSubject;

impl Reranker for SameSubject {
    fn model(&self) -> &'static str {
        "same-subject"
    }

    fn pieces_per_word(&self, _: &str) -> Option<f32> {
        Some(1.2)
    }

    fn scores(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, rerank::Error> {
        let asked = Subjects::of(query);
        let same = |passage: &&str| if Subjects::of(passage) == asked { 4.0 } else { -4.0 };
        Ok(passages.iter().map(same).collect())
    }
}

#[tokio::test]
async fn models_of_ones_own_find_what_shares_no_word() -> Result<(), Box<dyn Error>> {
    let data = tempfile::tempdir()?;
    let engine = Engine::builder()
        .data_dir(data.path())
        .embedder(Arc::new(Subjects))
        .reranker(Arc::new(SameSubject))
        .build()?;
    let project = engine.project("Garden").await?;
    project.ingest(Source::text("Compost", "What stinks has too much water: mix in dry leaves.")).await?;
    project.ingest(Source::text("Mint", "Mint likes the morning sun.")).await?;
    // Gives the passages their vectors. What is taken in later needs another call.
    project.enrich(&Cancel::new()).await?;
    let search = Search::new("a bad odour").with_mode(SearchMode::Broad);
    let found = project.search(search).await?;
    assert_eq!(found.hits[0].document.title, "Compost");
    assert!(found.degraded.is_empty());
    Ok(())
}

/// Reads recipes: the name of the dish, a line of `===`, and the steps.
fn recipe(file: &str) -> Option<String> {
    let (name, steps) = file.split_once("\n===\n")?;
    // Front matter gives title, date and tags; the rest is Markdown, and headings become sections.
    Some(format!("---\ntitle: {name}\ntags: [recipe]\n---\n\n## Steps\n\n{steps}"))
}

#[tokio::test]
async fn what_a_parser_of_ones_own_gives_is_taken_in() -> Result<(), Box<dyn Error>> {
    let data = tempfile::tempdir()?;
    let project = Engine::builder().data_dir(data.path()).build()?.project("Kitchen").await?;
    let file = "Mint sauce\n===\nChop the mint. Add vinegar.";
    let text = recipe(file).ok_or("not a recipe")?;
    // The name is the source's identity: the same name again takes its place.
    let report = project.ingest(Source::bytes("mint-sauce.md", text)).await?;
    assert_eq!(report.stored(), 1);
    let found = project.search("vinegar").await?;
    assert_eq!(found.hits[0].document.title, "Mint sauce");
    assert_eq!(found.hits[0].chunk.section(), Some("Steps"));
    assert_eq!(found.hits[0].document.tags, ["recipe"]);
    let speech = "WEBVTT\n\n00:00:07.000 --> 00:00:11.000\nChop the mint first.\n";
    project.ingest(Source::bytes("cooking-class.vtt", speech)).await?;
    let answer = project.chat("s").ask("What is chopped first?").await?;
    assert_eq!(answer.sources[0].start.map(MediaTime::whole_seconds), Some(7));
    Ok(())
}
