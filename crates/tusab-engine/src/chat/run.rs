//! From a question to an answer.

use std::sync::Arc;
use std::time::Instant;

use super::find::{Searched, find};
use super::follow_up::{self, Completed};
use super::generate::{Draft, write};
use super::route::{Direct, Route};
use super::stream::Events;
use super::{AnswerEvent, ChatSession, Turn, TurnId, TurnState, no_context, route, summary};
use crate::answer::{Ask, Budget, Material, Prompt, Summarised, Timings, TooLong, build, checked, extract};
use crate::clock::timestamp;
use crate::error::chain;
use crate::runtime::blocking;
use crate::{Answer, AnswerKind, Degradation, Error, LeftOut, Part, Support};

/// How far a cross-encoder knows the language from which on it is asked what of an answer stands in the sources.
const KNOWS: f32 = 0.9;

/// Answers a question, tells `events` on the way, and keeps the turn. The caller holds the session's turn.
pub(super) async fn answer(session: &ChatSession, question: &str, events: &Events) -> Result<(), Error> {
    let started = Instant::now();
    let mut turn = Turn::new(timestamp(&*session.project.clock), question);
    let mut degraded = Vec::new();
    let Some(prepared) = events.unless_gone(prepare(session, question, events, &mut degraded)).await else {
        return cancelled(session, turn, "").await;
    };
    let (history, step) = prepared?;
    let (completed, searched) = match step {
        Step::Direct(direct) => {
            let route = started.elapsed();
            return answer_directly(session, turn, direct, degraded, route, events).await;
        }
        Step::Searched(completed, searched) => (completed, searched),
    };
    let route = started.elapsed().saturating_sub(searched.found.timings.total);
    turn.searched.clone_from(&completed.searched);
    degraded.extend(searched.found.degraded.iter().cloned());
    turn.sources = searched.sources.iter().map(Into::into).collect();

    let writing = Instant::now();
    let voice = session.language.voice(question);
    let mut left_out = LeftOut::default();
    let mut usage = None;
    let (text, kind) = if let Some(reason) = searched.no_context {
        let replying = no_context::reply(session, question, reason, &mut degraded);
        let Some((text, kind)) = events.unless_gone(replying).await else {
            return cancelled(session, turn, "").await;
        };
        events.tell(AnswerEvent::Text(text.clone()));
        (text, kind)
    } else {
        let asked =
            Asked { session, question, completed: &completed, searched: &searched, history: &history };
        match asked.generate(&mut turn, events, &mut left_out, &mut degraded).await {
            Written::Cancelled(draft) => return cancelled(session, turn, &draft.text).await,
            Written::Whole(draft, model) => {
                usage = Some(draft.usage).filter(|usage| !usage.is_empty());
                (draft.text, AnswerKind::Generated { model })
            }
            Written::Nothing => {
                let quotes = extract(&searched.sentences, voice);
                told(quotes.unwrap_or_else(|| voice.no_match().to_owned()), events)
            }
        }
    };
    let Searched { mut sources, no_context, confidence, found, .. } = *searched;
    // One that has to spell the language would only repeat what the words say.
    let knows = found.cross_encoder_trust >= KNOWS;
    let reranker = session.project.models.reranker.clone().filter(|_| knows);
    let (text, support, sources) = blocking("checking an answer", move || {
        let (text, support) = checked(&text, &mut sources, reranker.as_deref());
        Ok((text, support, sources))
    })
    .await?;
    events.tell(AnswerEvent::Support(support.clone()));
    let timings = Timings { route, search: found.timings.total, answer: writing.elapsed() };
    turn.by = Some(kind.clone());
    let turn = keep(session, turn.answered(text.as_str(), TurnState::Complete), &mut degraded).await;
    let searched = completed.searched;
    let answer = Answer {
        text,
        kind,
        sources,
        no_context,
        confidence: Some(confidence),
        support,
        searched,
        left_out,
        turn,
        degraded,
        usage,
        timings,
    };
    events.tell(AnswerEvent::Done(Box::new(answer)));
    Ok(())
}

/// What a question leads to.
enum Step {
    Direct(Direct),
    Searched(Completed, Box<Searched>),
}

/// Finds out what is asked, and searches where that is needed.
async fn prepare(
    session: &ChatSession,
    question: &str,
    events: &Events,
    degraded: &mut Vec<Degradation>,
) -> Result<(Vec<Turn>, Step), Error> {
    // A history that cannot be read is told; the question is answered all the same.
    let history = session.history().await.unwrap_or_else(|error| {
        degraded.push(Degradation::HistoryNotRead { reason: chain(&error) });
        Vec::new()
    });
    let (project, asked, language) = (Arc::clone(&session.project), question.to_owned(), session.language);
    let is_first = !history.iter().any(Turn::is_context);
    let route = blocking("a question", move || route::route(&project, &asked, is_first, language)).await?;
    if let Route::Direct(direct) = route {
        return Ok((history, Step::Direct(direct)));
    }
    events.tell(AnswerEvent::Searching);
    let completed = follow_up::complete(&session.project.chat_models, question, &history, degraded).await;
    let words = completed.searched.as_deref().unwrap_or(question);
    let raised = session.project.feedback.raised(words).await?;
    let searched = find(session, words, completed.asked.as_deref(), raised).await?;
    events.tell(AnswerEvent::Sources(searched.sources.clone()));
    Ok((history, Step::Searched(completed, Box::new(searched))))
}

async fn answer_directly(
    session: &ChatSession,
    mut turn: Turn,
    direct: Direct,
    mut degraded: Vec<Degradation>,
    route: std::time::Duration,
    events: &Events,
) -> Result<(), Error> {
    let Direct { kind, text } = direct;
    events.tell(AnswerEvent::Text(text.clone()));
    turn.by = Some(kind.clone());
    let turn = keep(session, turn.answered(text.as_str(), TurnState::Complete), &mut degraded).await;
    let answer = Answer {
        text,
        kind,
        sources: Vec::new(),
        no_context: None,
        confidence: None,
        support: Support::default(),
        searched: None,
        left_out: LeftOut::default(),
        turn,
        degraded,
        usage: None,
        timings: Timings { route, ..Timings::default() },
    };
    events.tell(AnswerEvent::Done(Box::new(answer)));
    Ok(())
}

/// Keeps what there is of an answer whose reader has gone.
async fn cancelled(session: &ChatSession, turn: Turn, text: &str) -> Result<(), Error> {
    let turn = turn.answered(text, TurnState::Cancelled);
    // Nobody is left to be told of a failure.
    let _ = keep(session, turn, &mut Vec::new()).await;
    Ok(())
}

/// Writes a turn into the history; a failure is told in `degraded`.
async fn keep(session: &ChatSession, turn: Turn, degraded: &mut Vec<Degradation>) -> Option<TurnId> {
    let history = Arc::clone(&session.history);
    match blocking("writing a history", move || history.put(&turn)).await {
        Ok(id) => Some(id),
        Err(error) => {
            // What is wrong with the history is told once, and that is the worst of it.
            degraded.retain(|degradation| degradation.part() != Part::History);
            degraded.push(Degradation::HistoryNotSaved { reason: chain(&error) });
            None
        }
    }
}

/// A text of the engine's own, told whole.
fn told(text: String, events: &Events) -> (String, AnswerKind) {
    events.tell(AnswerEvent::Text(text.clone()));
    (text, AnswerKind::Extractive)
}

/// What the model is to answer from.
struct Asked<'a> {
    session: &'a ChatSession,
    question: &'a str,
    completed: &'a Completed,
    searched: &'a Searched,
    history: &'a [Turn],
}

enum Written {
    /// The answer, and which model's it is.
    Whole(Draft, String),
    /// There is no model, or it failed, which stands in the degradations.
    Nothing,
    /// The reader has gone.
    Cancelled(Draft),
}

impl Asked<'_> {
    async fn generate(
        &self,
        turn: &mut Turn,
        events: &Events,
        left_out: &mut LeftOut,
        degraded: &mut Vec<Degradation>,
    ) -> Written {
        let models = &self.session.project.chat_models;
        let Some(model) = models.answering(degraded) else { return Written::Nothing };
        let name = model.id().to_string();
        let asking = async {
            let budget = Budget::new(model.id(), model.context_length().await, models.context());
            let summaries = summary::known(&self.session.project, &self.searched.sources).await;
            self.prompt(&budget, &summaries)
        };
        let Some(prompt) = events.unless_gone(asking).await else {
            return Written::Cancelled(Draft::default());
        };
        let prompt = match prompt {
            Ok(prompt) => prompt,
            Err(TooLong { needed, context }) => {
                degraded.push(Degradation::PromptTooLong { model: name, needed, context });
                return Written::Nothing;
            }
        };
        // A program that is killed while the model writes leaves the question behind.
        turn.by = Some(AnswerKind::Generated { model: name.clone() });
        turn.id = keep(self.session, turn.clone(), degraded).await.unwrap_or_default();
        let mut draft = Draft::default();
        let ended = events.unless_gone(write(&*model, prompt.request, events, &mut draft)).await;
        let reason = match ended {
            None => return Written::Cancelled(draft),
            Some(Ok(())) if !draft.text.trim().is_empty() => {
                *left_out = prompt.left_out;
                if draft.is_cut {
                    degraded.push(Degradation::AnswerCut { model: name.clone() });
                }
                return Written::Whole(draft, name);
            }
            Some(Ok(())) => "it wrote nothing".to_owned(),
            Some(Err(error)) => chain(&error),
        };
        if !draft.text.is_empty() {
            events.tell(AnswerEvent::Withdrawn);
        }
        degraded.push(Degradation::ModelFailed { model: name, reason });
        Written::Nothing
    }

    fn prompt(&self, budget: &Budget, summaries: &[(Vec<usize>, String)]) -> Result<Prompt, TooLong> {
        let ask = Ask {
            question: self.question,
            in_full: self.completed.in_full(),
            sources: self
                .searched
                .sources
                .iter()
                .enumerate()
                .map(|(number, source)| Material::new(source, self.searched.focus(number)))
                .collect(),
            summaries: summaries
                .iter()
                .map(|(sources, text)| Summarised { sources: sources.clone(), text })
                .collect(),
            history: self.history,
            language: self.session.language,
            persona: &self.session.persona,
        };
        build(&ask, budget)
    }
}
