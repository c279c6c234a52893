//! What a language model is asked: instructions, earlier turns, sources, question, and the style as the last line.
//!
//! Every text that is not the engine's own is escaped, and the whole fits into what the model can hold.

mod budget;
mod escape;
mod persona;
mod task;
#[cfg(test)]
mod tests;
mod trim;

use tusab_chunk::{Date, MediaTime};
use tusab_llm::{ChatRequest, Message, Temperature, Tokens};

pub(crate) use budget::Budget;
pub(crate) use escape::{escaped, escaped_line};
pub use persona::{CustomPersona, Persona};
pub(crate) use trim::around;

use super::{AnswerLanguage, Citation, LeftOut};
use crate::chat::Turn;

/// Earlier turns of the session that the model is shown, at most.
const TURNS: usize = 3;

/// Longest part of an earlier question or answer that is shown, in characters.
const TURN_CHARS: usize = 300;

/// Low, since the answer is to repeat what the sources say.
const TEMPERATURE: f32 = 0.3;

/// Earlier turns take at most one part in this many of the room, and summaries the same.
const SHARE: usize = 6;

/// What is asked, from what, and how.
#[derive(Debug, Clone)]
pub(crate) struct Ask<'a> {
    pub(crate) question: &'a str,
    /// The question as it would be asked without the turns before it, where it leans on them.
    pub(crate) in_full: Option<&'a str>,
    /// Best first.
    pub(crate) sources: Vec<Material<'a>>,
    pub(crate) summaries: Vec<Summarised<'a>>,
    /// Oldest first.
    pub(crate) history: &'a [Turn],
    pub(crate) language: AnswerLanguage,
    pub(crate) persona: &'a Persona,
}

/// A passage as the model sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Material<'a> {
    title: &'a str,
    section: Option<&'a str>,
    date: Option<Date>,
    link: Option<&'a str>,
    start: Option<MediaTime>,
    page: Option<u32>,
    text: &'a str,
    /// The byte at which it speaks of the question.
    focus: usize,
}

impl<'a> Material<'a> {
    /// A source that speaks of the question from byte `focus` on.
    pub(crate) fn new(citation: &'a Citation, focus: usize) -> Self {
        Self {
            title: &citation.title,
            section: citation.section.as_deref(),
            date: citation.date,
            link: citation.link.as_deref(),
            start: citation.start,
            page: citation.page,
            text: &citation.text,
            focus,
        }
    }
}

/// What a document is about, of which several passages were found.
#[derive(Debug, Clone)]
pub(crate) struct Summarised<'a> {
    /// The numbers of its passages, from 1.
    pub(crate) sources: Vec<usize>,
    pub(crate) text: &'a str,
}

/// A request that fits, and what it does without.
#[derive(Debug, Clone)]
pub(crate) struct Prompt {
    pub(crate) request: ChatRequest,
    pub(crate) left_out: LeftOut,
}

/// Even without all that can be left out, the prompt is too long for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong {
    /// About how long a context would have to be.
    pub(crate) needed: Tokens,
    /// How long it is.
    pub(crate) context: Tokens,
}

/// The request that asks, cut down to the budget: sources by rank, whole as long as they fit, then the sentences around
/// what speaks of the question.
pub(crate) fn build(ask: &Ask<'_>, budget: &Budget) -> Result<Prompt, TooLong> {
    let room = budget.room();
    let cost = |parts: &Parts| budget.cost_of(&parts.request(ask, budget));
    let mut parts = Parts::default();
    let frame = cost(&parts);
    parts.turns = turns(ask.history, room.saturating_sub(frame).min(room / SHARE), budget);
    let left = room.saturating_sub(cost(&parts));
    parts.summaries = summaries(&ask.summaries, left.min(room / SHARE), budget);
    loop {
        parts.sources.clear();
        let mut left = room.saturating_sub(cost(&parts));
        loop {
            parts.sources = sources(&ask.sources, left, budget);
            // The estimate of the whole is not quite the sum of those of its parts.
            let over = cost(&parts).saturating_sub(room);
            if parts.sources.is_empty() {
                break;
            }
            if over == 0 {
                return Ok(Prompt { request: parts.request(ask, budget), left_out: parts.left_out(ask) });
            }
            left = left.saturating_sub(over + 8);
        }
        // Not one source fits: what stands beside it goes first.
        if !parts.summaries.is_empty() {
            parts.summaries.clear();
        } else if !parts.turns.is_empty() {
            parts.turns.clear();
        } else {
            return Err(Parts::too_long(ask, frame, budget));
        }
    }
}

/// What is shown of what could be.
#[derive(Debug, Clone, Default)]
struct Parts {
    /// Question and answer, oldest first.
    turns: Vec<(String, String)>,
    summaries: Vec<String>,
    sources: Vec<Shown>,
}

/// A source as it is shown.
#[derive(Debug, Clone)]
struct Shown {
    text: String,
    is_whole: bool,
}

impl Parts {
    fn request(&self, ask: &Ask<'_>, budget: &Budget) -> ChatRequest {
        let mut messages = Vec::with_capacity(self.turns.len() * 2 + 1);
        for (question, answer) in &self.turns {
            messages.push(Message::user(question.as_str()));
            messages.push(Message::assistant(answer.as_str()));
        }
        messages.push(Message::user(self.last_message(ask)));
        let mut request = ChatRequest::new(messages)
            .with_system(task::instructions(&ask.language.rule(ask.question)))
            .with_max_output(budget.output());
        request.context_length = budget.asked_context();
        request.temperature = Temperature::new(TEMPERATURE).ok();
        request
    }

    fn last_message(&self, ask: &Ask<'_>) -> String {
        let mut message = String::from("<sources>\n");
        for source in &self.sources {
            message.push_str(&source.text);
        }
        for summary in &self.summaries {
            message.push_str(summary);
        }
        message.push_str("</sources>\n\n<question>\n");
        escape::push_text(&mut message, ask.question.trim());
        if let Some(in_full) = ask.in_full {
            message.push_str("\n</question>\n<question_in_full>\n");
            escape::push_text(&mut message, in_full.trim());
            message.push_str("\n</question_in_full>\n\n");
        } else {
            message.push_str("\n</question>\n\n");
        }
        message.push_str(&ask.persona.line());
        message
    }

    fn left_out(&self, ask: &Ask<'_>) -> LeftOut {
        let shortened = (1..).zip(&self.sources).filter(|(_, shown)| !shown.is_whole);
        LeftOut {
            shortened: shortened.map(|(number, _)| number).collect(),
            sources: (self.sources.len() + 1..=ask.sources.len()).collect(),
            turns: shown_turns(ask.history).count().saturating_sub(self.turns.len()),
            summaries: ask.summaries.len().saturating_sub(self.summaries.len()),
        }
    }

    /// What it would take: the frame, and a source or as much of one as is worth showing.
    fn too_long(ask: &Ask<'_>, frame: usize, budget: &Budget) -> TooLong {
        const WORTH_SHOWING: usize = 200;
        let whole = |source: &Material<'_>| budget.cost(&render(1, source, source.text));
        let head = |source: &Material<'_>| budget.cost(&render(1, source, ""));
        let source = ask.sources.first().map_or(0, |source| whole(source).min(head(source) + WORTH_SHOWING));
        TooLong { needed: Budget::context_for(frame + source), context: budget.context() }
    }
}

/// The turns that a model can be shown, newest first.
fn shown_turns(history: &[Turn]) -> impl Iterator<Item = &Turn> {
    history.iter().rev().filter(|turn| turn.is_context()).take(TURNS)
}

/// The newest turns that cost no more than `most`, oldest first.
fn turns(history: &[Turn], most: usize, budget: &Budget) -> Vec<(String, String)> {
    let (mut shown, mut left) = (Vec::new(), most);
    for turn in shown_turns(history) {
        let question = escaped(&clipped(&turn.question));
        let answer = escaped(&clipped(&without_marks(&turn.answer)));
        // A message costs its marks too.
        let cost = budget.cost(&question) + budget.cost(&answer) + 10;
        let Some(rest) = left.checked_sub(cost) else { break };
        left = rest;
        shown.push((question, answer));
    }
    shown.reverse();
    shown
}

fn summaries(summaries: &[Summarised<'_>], most: usize, budget: &Budget) -> Vec<String> {
    let (mut shown, mut left) = (Vec::new(), most);
    for summary in summaries {
        let numbers: Vec<String> = summary.sources.iter().map(ToString::to_string).collect();
        let mut text = format!("<summary of=\"{}\">\n", numbers.join(","));
        escape::push_text(&mut text, summary.text.trim());
        text.push_str("\n</summary>\n");
        let Some(rest) = left.checked_sub(budget.cost(&text)) else { break };
        left = rest;
        shown.push(text);
    }
    shown
}

/// The best sources that cost no more than `most`; the last of them may be shortened.
fn sources(sources: &[Material<'_>], most: usize, budget: &Budget) -> Vec<Shown> {
    let (mut shown, mut left) = (Vec::new(), most);
    for (number, source) in (1..).zip(sources) {
        let whole = render(number, source, source.text);
        if let Some(rest) = left.checked_sub(budget.cost(&whole)) {
            left = rest;
            shown.push(Shown { text: whole, is_whole: true });
            continue;
        }
        let around = left.saturating_sub(budget.cost(&render(number, source, "")));
        let cost = |piece: &str| budget.cost(&escaped(piece));
        if let Some(kept) = trim::around(source.text, source.focus, around, &cost) {
            shown.push(Shown { text: render(number, source, &kept), is_whole: false });
        }
        break;
    }
    shown
}

fn render(number: usize, source: &Material<'_>, text: &str) -> String {
    let mut shown = format!("<source id=\"{number}\">\n<title>");
    escape::push_line(&mut shown, source.title);
    if let Some(section) = source.section {
        shown.push_str(" — ");
        escape::push_line(&mut shown, section);
    }
    shown.push_str("</title>\n");
    // What is no text of others needs no escaping.
    let date = source.date.map(|date| ("date", date.to_string()));
    let start = source.start.map(|start| ("time", start.to_string()));
    let page = source.page.map(|page| ("page", page.to_string()));
    for (tag, value) in [date, start, page].into_iter().flatten() {
        for part in ["<", tag, ">", &value, "</", tag, ">\n"] {
            shown.push_str(part);
        }
    }
    if let Some(link) = source.link {
        shown.push_str("<link>");
        escape::push_line(&mut shown, link);
        shown.push_str("</link>\n");
    }
    shown.push_str("<content>\n");
    escape::push_text(&mut shown, text.trim());
    shown.push_str("\n</content>\n</source>\n");
    shown
}

/// The beginning of a text, up to a word's end.
fn clipped(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(TURN_CHARS) else { return text.to_owned() };
    let kept = text.get(..end).unwrap_or_default();
    let kept = kept.rfind(char::is_whitespace).and_then(|end| kept.get(..end)).unwrap_or(kept);
    format!("{}…", kept.trim_end())
}

/// An answer without its `[1]`: here, these would be other sources.
fn without_marks(answer: &str) -> String {
    let mut text = String::with_capacity(answer.len());
    let mut rest = answer;
    while let Some(at) = rest.find('[') {
        let (before, from) = rest.split_at(at);
        let inside = from.get(1..).unwrap_or_default();
        let digits = inside.len() - inside.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 && inside.get(digits..).is_some_and(|end| end.starts_with(']')) {
            text.push_str(before.trim_end_matches(' '));
            rest = inside.get(digits + 1..).unwrap_or_default();
        } else {
            text.push_str(before);
            text.push('[');
            rest = inside;
        }
    }
    text.push_str(rest);
    text
}
