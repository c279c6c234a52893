use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::Value;

use super::refusal;
use super::wire::WireUsage;
use crate::events::{Context, Ending, Events, Words};
use crate::http::Said;
use crate::sse::Event;
use crate::text::Text;
use crate::think::Think;
use crate::{Delta, Error, FinishReason, Provider};

/// Reads the stream of `/chat/completions`: chunks of JSON, then `[DONE]`.
pub(super) struct ChatEvents {
    context: Context,
    /// Separates thoughts from the answer where the server may send both as one text.
    think: Option<Think>,
    words: Words,
    ending: Ending,
}

/// One chunk. Every field may be missing or null, and others may be there.
#[derive(Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<WireUsage>,
    x_groq: Option<GroqExtra>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    index: Option<u32>,
    delta: Option<ChoiceDelta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ChoiceDelta {
    content: Option<Text>,
    /// The model's own refusal, in words.
    refusal: Option<Text>,
    /// `DeepSeek`, llama.cpp and others.
    reasoning_content: Option<Text>,
    /// Groq, `OpenRouter` and vLLM.
    reasoning: Option<Text>,
}

#[derive(Deserialize)]
struct GroqExtra {
    usage: Option<WireUsage>,
    error: Option<Value>,
}

impl ChatEvents {
    pub(super) fn new(context: Context) -> Self {
        // OpenAI's own models keep their thoughts to themselves.
        let think = (context.model.provider() != Provider::OpenAi).then(Think::new);
        Self { context, think, words: Words::default(), ending: Ending::default() }
    }

    fn text(&mut self, text: String, deltas: &mut VecDeque<Delta>) {
        if text.is_empty() {
            return;
        }
        self.ending.spoke = true;
        match &mut self.think {
            Some(think) => think.push(text, deltas),
            None => deltas.push_back(Delta::Text(text)),
        }
    }

    fn delta(&mut self, delta: ChoiceDelta, deltas: &mut VecDeque<Delta>) -> Result<(), Error> {
        let ChoiceDelta { content, refusal, reasoning_content, reasoning } = delta;
        let thought = self.words.thinking(reasoning_content.or(reasoning), &self.context)?;
        if !thought.is_empty() {
            if let Some(think) = &mut self.think {
                think.structured(deltas);
            }
            deltas.push_back(Delta::Thinking(thought));
        }
        let refusal = refusal.filter(|refusal| !refusal.is_empty());
        if refusal.is_some() {
            self.ending.filtered("refusal");
        }
        for text in [refusal, content] {
            let text = self.words.text(text, &self.context)?;
            self.text(text, deltas);
        }
        Ok(())
    }

    fn finished(&mut self, reason: &str) {
        match reason {
            "" => {}
            "content_filter" => self.ending.filtered(reason),
            // A refusal in words ends with `stop`.
            _ if self.ending.filter.is_some() => {}
            "stop" => self.ending.reason = Some(FinishReason::Stop),
            "length" => self.ending.reason = Some(FinishReason::Length),
            other => self.ending.reason = Some(FinishReason::Other(other.to_owned())),
        }
    }

    fn done(&mut self, deltas: &mut VecDeque<Delta>) -> Result<(), Error> {
        if let Some(think) = &mut self.think {
            think.finish(deltas);
        }
        deltas.push_back(self.ending.done(&self.context)?);
        Ok(())
    }
}

impl Events for ChatEvents {
    fn event(&mut self, event: Event<'_>, deltas: &mut VecDeque<Delta>) -> Result<bool, Error> {
        if event.data.trim_ascii() == b"[DONE]" {
            return self.done(deltas).map(|()| true);
        }
        let chunk: Chunk =
            serde_json::from_slice(event.data).map_err(|error| self.context.not_json(&error))?;
        let Chunk { choices, usage, x_groq, error } = chunk;
        let (groq_usage, groq_error) = x_groq.map_or((None, None), |extra| (extra.usage, extra.error));
        if let Some(error) = error.or(groq_error).filter(|error| !error.is_null()) {
            return Err(self.context.said(refusal::of_error(&error)));
        }
        for choice in choices.into_iter().flatten().filter(|choice| choice.index.unwrap_or(0) == 0) {
            if let Some(delta) = choice.delta {
                self.delta(delta, deltas)?;
            }
            self.finished(choice.finish_reason.as_deref().unwrap_or_default());
        }
        if let Some(usage) = usage.or(groq_usage).map(|usage| usage.usage()).filter(|usage| !usage.is_empty())
        {
            deltas.push_back(Delta::Usage(usage));
        }
        Ok(false)
    }

    fn finish(&mut self, deltas: &mut VecDeque<Delta>) -> Result<(), Error> {
        // Some servers leave out `[DONE]`; the reason why the model stopped is an end, too.
        if self.ending.reason.is_none() {
            // What is held back is a part of a mark, and no word of the answer.
            return Err(self.context.ended_early());
        }
        self.done(deltas)
    }

    fn said(&self, body: &[u8]) -> Said {
        refusal::said(body)
    }

    fn context(&self) -> &Context {
        &self.context
    }
}
