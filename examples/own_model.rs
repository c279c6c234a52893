//! A language model of one's own behind the engine: here one that copies the sentence with the most words of the question.
//!
//! `cargo run --release --example own_model`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::process::ExitCode;
use std::sync::Arc;

use examples::{Failure, finish, show};
use tusab_engine::llm::testing::conformance;
use tusab_engine::llm::{
    BoxFuture, ChatModel, ChatRequest, ChatStream, Delta, Error, FinishReason, ModelId, Tokens,
};
use tusab_engine::{Engine, Source};

const USAGE: &str = "Usage: own_model";

/// Copies, in place of writing. A real one would run its own weights here, or speak to its own server.
#[derive(Debug)]
struct Copyist {
    id: ModelId,
}

impl Copyist {
    /// The sentence of the sources that shares the most words with the question.
    fn answer(prompt: &str) -> String {
        let (sources, question) = prompt.split_once("<question>").unwrap_or((prompt, ""));
        let question = question.split("</question>").next().unwrap_or_default().to_lowercase();
        let asked: Vec<&str> =
            question.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3).collect();
        let sentences =
            sources.lines().filter(|line| !line.starts_with('<')).flat_map(|line| line.split_inclusive(". "));
        let shared =
            |sentence: &&str| asked.iter().filter(|word| sentence.to_lowercase().contains(**word)).count();
        sentences
            .max_by_key(shared)
            .map_or_else(|| "?".to_owned(), |sentence| format!("{} [1]", sentence.trim()))
    }
}

impl ChatModel for Copyist {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn stream(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatStream, Error>> {
        Box::pin(async move {
            request.check()?;
            let prompt = request.messages.last().map(|message| message.content.as_str()).unwrap_or_default();
            let answer = Self::answer(prompt);
            let mut deltas: Vec<Result<Delta, Error>> =
                answer.split_inclusive(' ').map(|word| Ok(Delta::Text(word.to_owned()))).collect();
            deltas.push(Ok(Delta::Done { finish_reason: FinishReason::Stop }));
            // `ChatStream` keeps the rules of a stream, whatever is behind it.
            Ok(ChatStream::ready(self.id.clone(), deltas))
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

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await, USAGE)
}

async fn run() -> Result<(), Failure> {
    let id = "openai-compatible::copyist".parse().map_err(|error: Error| Failure::of(&error))?;
    let model = Arc::new(Copyist { id });
    // The contract of a model, checked as the engine's own are.
    conformance(&*model).await.map_err(|violation| Failure::of(&violation))?;

    let temporary = tempfile::tempdir().map_err(|error| Failure::of(&error))?;
    let engine = Engine::builder().data_dir(temporary.path()).model(model).build()?;
    let project = engine.project("Ervas").await?;
    let note = "A hortelã precisa de três a quatro horas de sol por dia. O manjericão precisa de seis.";
    project.ingest(Source::text("Ervas", note)).await?;
    let answer = project.chat("first").ask("Quantas horas de sol o manjericão precisa?").await?;
    println!("{}\n\n{}", answer.text, show::sources(&answer.sources));
    Ok(())
}
