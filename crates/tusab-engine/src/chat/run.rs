//! From a question to an answer.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::Sender;
use tusab_index::ChunkStore;
use tusab_llm::{ChatModel, Delta, Usage};

use super::{AnswerEvent, ChatSession, Turn};
use crate::answer::{Sentence, Timings, Voice, checked, extract, rank, request};
use crate::clock::timestamp;
use crate::error::chain;
use crate::runtime::blocking;
use crate::{Answer, AnswerKind, Citation, Degradation, Error, Found, NoContext, Search};

type Events = Sender<Result<AnswerEvent, Error>>;

/// What a model wrote.
struct Written {
    text: String,
    usage: Usage,
}

/// Answers a question and tells `events` on the way.
pub(super) async fn answer(session: &ChatSession, question: &str, events: &Events) -> Result<(), Error> {
    let asked_at = timestamp(&*session.project.clock);
    tell(events, AnswerEvent::Searching).await;
    let Searched { found, sentences, mut sources, no_context } = search(session, question).await?;
    tell(events, AnswerEvent::Sources(sources.clone())).await;

    let started = Instant::now();
    let voice = Voice::of(question);
    let mut degraded = found.degraded;
    let mut usage = None;
    let (text, kind) = if let Some(reason) = no_context {
        (without_context(reason, voice).to_owned(), AnswerKind::Extractive)
    } else {
        let written = generate(session, question, &sources, voice, events, &mut degraded).await;
        if let Some((reply, model)) = written {
            usage = Some(reply.usage).filter(|usage| !usage.is_empty());
            (reply.text, AnswerKind::Generated { model })
        } else {
            let quotes = extract(&sentences, voice).unwrap_or_else(|| voice.no_match().to_owned());
            (quotes, AnswerKind::Extractive)
        }
    };
    if kind == AnswerKind::Extractive {
        tell(events, AnswerEvent::Text(text.clone())).await;
    }
    let (text, support, sources) = blocking("checking an answer", move || {
        let (text, support) = checked(&text, &mut sources, None);
        Ok((text, support, sources))
    })
    .await?;
    tell(events, AnswerEvent::Support(support.clone())).await;
    let timings = Timings { search: found.timings.total, answer: started.elapsed() };
    let turn = Turn::new(asked_at, question, text.as_str());
    let history = Arc::clone(&session.history);
    if let Err(error) = blocking("writing a history", move || history.add(turn)).await {
        degraded.push(Degradation::HistoryNotSaved { reason: chain(&error) });
    }
    let answer = Answer { text, kind, sources, no_context, support, degraded, usage, timings };
    tell(events, AnswerEvent::Done(Box::new(answer))).await;
    Ok(())
}

/// A reader that has gone aborts this task soon; until then its events go nowhere.
async fn tell(events: &Events, event: AnswerEvent) {
    let _ = events.send(Ok(event)).await;
}

/// What a search found, and what of it speaks of the question.
struct Searched {
    found: Found,
    /// Best first.
    sentences: Vec<Sentence>,
    /// In the order of the hits.
    sources: Vec<Citation>,
    /// Why there is nothing, where there is nothing.
    no_context: Option<NoContext>,
}

async fn search(session: &ChatSession, question: &str) -> Result<Searched, Error> {
    let search = Search::new(question).with_mode(session.mode);
    let question = question.to_owned();
    let index = Arc::clone(&session.project.index);
    let found = Arc::clone(&session.project).search(search, Vec::new()).await?;
    blocking("reading what was found", move || {
        let no_context = if !found.hits.is_empty() {
            None
        } else if index.statistics()?.chunks == 0 {
            Some(NoContext::NothingIndexed)
        } else {
            Some(NoContext::NoMatch)
        };
        let sentences = rank(&question, &found.hits);
        let best = |hit: usize| sentences.iter().find(|sentence| sentence.hit == hit && sentence.score > 0.0);
        let sources = found
            .hits
            .iter()
            .enumerate()
            .map(|(number, hit)| Citation::of(hit, best(number).and_then(|sentence| sentence.span(hit))))
            .collect();
        Ok(Searched { found, sentences, sources, no_context })
    })
    .await
}

fn without_context(reason: NoContext, voice: Voice) -> &'static str {
    match reason {
        NoContext::NothingIndexed => voice.nothing_indexed(),
        NoContext::NoMatch | NoContext::LowConfidence => voice.no_match(),
    }
}

/// The model's answer and its name; `None`, with the reason in `degraded`, when there is a model and it failed.
async fn generate(
    session: &ChatSession,
    question: &str,
    sources: &[Citation],
    voice: Voice,
    events: &Events,
    degraded: &mut Vec<Degradation>,
) -> Option<(Written, String)> {
    let model = session.project.model.as_ref()?;
    let failed = |reason: String| Degradation::ModelFailed { model: model.id().to_string(), reason };
    // A history that cannot be read is told when it cannot be written; the question is answered all the same.
    let history = session.history().await.unwrap_or_default();
    match stream(&**model, request(question, sources, &history, voice), events).await {
        Ok(reply) if reply.text.trim().is_empty() => {
            degraded.push(failed("it wrote nothing".to_owned()));
            None
        }
        Ok(reply) => Some((reply, model.id().to_string())),
        Err(error) => {
            degraded.push(failed(chain(&error)));
            None
        }
    }
}

/// Reads the model's stream to its end, passing its text on.
async fn stream(
    model: &dyn ChatModel,
    request: tusab_llm::ChatRequest,
    events: &Events,
) -> Result<Written, tusab_llm::Error> {
    let mut stream = model.stream(request).await?;
    let (mut text, mut usage) = (String::new(), Usage::default());
    while let Some(delta) = stream.next().await {
        match delta? {
            Delta::Text(piece) => {
                text.push_str(&piece);
                tell(events, AnswerEvent::Text(piece)).await;
            }
            // What was passed on until here was no answer: what is kept is the answer alone.
            Delta::TextWasThinking => text.clear(),
            Delta::Usage(so_far) => usage = so_far,
            // What a model thinks is not part of the answer.
            _ => {}
        }
    }
    Ok(Written { text, usage })
}
