use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::Value;

use super::refusal;
use super::wire::WireUsage;
use crate::events::{Context, Ending, Events, Words};
use crate::http::Said;
use crate::sse::Event;
use crate::text::Text;
use crate::{Delta, Error, FinishReason};

/// Reads the stream of `/v1/messages`: named events, the last of them `message_stop`.
pub(super) struct MessageEvents {
    context: Context,
    usage: WireUsage,
    words: Words,
    ending: Ending,
}

/// The data of one event. Every field may be missing, and others may be there.
#[derive(Deserialize)]
struct Data {
    r#type: Option<String>,
    message: Option<Message>,
    content_block: Option<Part>,
    delta: Option<Part>,
    usage: Option<WireUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Message {
    usage: Option<WireUsage>,
}

/// A block as it starts, or what is added to it, or to the message.
#[derive(Deserialize)]
struct Part {
    r#type: Option<String>,
    text: Option<Text>,
    thinking: Option<Text>,
    stop_reason: Option<String>,
}

impl MessageEvents {
    pub(super) fn new(context: Context) -> Self {
        let (words, ending) = (Words::default(), Ending::default());
        Self { context, usage: WireUsage::default(), words, ending }
    }

    fn words(&mut self, part: Option<Part>, deltas: &mut VecDeque<Delta>) -> Result<(), Error> {
        let Some(part) = part else { return Ok(()) };
        match part.r#type.as_deref() {
            Some("text" | "text_delta") => {
                let text = self.words.text(part.text, &self.context)?;
                if !text.is_empty() {
                    self.ending.spoke = true;
                    deltas.push_back(Delta::Text(text));
                }
            }
            Some("thinking" | "thinking_delta") => {
                let thought = self.words.thinking(part.thinking, &self.context)?;
                if !thought.is_empty() {
                    deltas.push_back(Delta::Thinking(thought));
                }
            }
            // Signatures, citations and tools, which are not asked for.
            _ => {}
        }
        Ok(())
    }

    fn cost(&mut self, usage: Option<WireUsage>, deltas: &mut VecDeque<Delta>) {
        if let Some(usage) = usage {
            self.usage.update(usage);
            let usage = self.usage.usage();
            if !usage.is_empty() {
                deltas.push_back(Delta::Usage(usage));
            }
        }
    }

    fn stopped(&mut self, reason: &str) {
        match reason {
            "end_turn" | "stop_sequence" => self.ending.reason = Some(FinishReason::Stop),
            "max_tokens" | "model_context_window_exceeded" => self.ending.reason = Some(FinishReason::Length),
            "refusal" => self.ending.filtered(reason),
            "" => {}
            other => self.ending.reason = Some(FinishReason::Other(other.to_owned())),
        }
    }
}

impl Events for MessageEvents {
    fn event(&mut self, event: Event<'_>, deltas: &mut VecDeque<Delta>) -> Result<bool, Error> {
        let data: Data = serde_json::from_slice(event.data).map_err(|error| self.context.not_json(&error))?;
        let Data { r#type, message, content_block, delta, usage, error } = data;
        match r#type.as_deref() {
            Some("message_start") => self.cost(message.and_then(|message| message.usage), deltas),
            Some("content_block_start") => self.words(content_block, deltas)?,
            Some("content_block_delta") => self.words(delta, deltas)?,
            Some("message_delta") => {
                self.cost(usage, deltas);
                if let Some(reason) = delta.and_then(|delta| delta.stop_reason) {
                    self.stopped(&reason);
                }
            }
            Some("message_stop") => {
                deltas.push_back(self.ending.done(&self.context)?);
                return Ok(true);
            }
            _ => {
                if let Some(error) = error.filter(|error| !error.is_null()) {
                    return Err(self.context.said(refusal::of_error(&error)));
                }
                // `ping`, `content_block_stop`, and what may be added later.
            }
        }
        Ok(false)
    }

    fn finish(&mut self, deltas: &mut VecDeque<Delta>) -> Result<(), Error> {
        if self.ending.reason.is_none() {
            return Err(self.context.ended_early());
        }
        deltas.push_back(self.ending.done(&self.context)?);
        Ok(())
    }

    fn said(&self, body: &[u8]) -> Said {
        refusal::said(body)
    }

    fn context(&self) -> &Context {
        &self.context
    }
}
