use std::collections::VecDeque;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::refusal;
use super::wire::WireUsage;
use crate::events::{Context, Ending, Events, Words};
use crate::http::Said;
use crate::sse::Event;
use crate::text::Text;
use crate::{Delta, Error, FinishReason};

/// Reads the stream of `:streamGenerateContent?alt=sse`: answers in pieces, and no mark for the end.
pub(super) struct ContentEvents {
    context: Context,
    words: Words,
    ending: Ending,
    /// An event was read, and whether any held a candidate.
    heard: bool,
    candidate: bool,
    /// A part was an image or another file, which is not given.
    file: bool,
}

/// One piece. Every field may be missing, and others may be there.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Piece {
    candidates: Option<Vec<Candidate>>,
    prompt_feedback: Option<PromptFeedback>,
    usage_metadata: Option<WireUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    index: Option<u32>,
    content: Option<Content>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    parts: Option<Vec<Part>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    text: Option<Text>,
    thought: Option<bool>,
    inline_data: Option<IgnoredAny>,
    file_data: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback {
    block_reason: Option<String>,
}

impl ContentEvents {
    pub(super) fn new(context: Context) -> Self {
        let (words, ending) = (Words::default(), Ending::default());
        Self { context, words, ending, heard: false, candidate: false, file: false }
    }

    fn part(&mut self, part: Part, deltas: &mut VecDeque<Delta>) -> Result<(), Error> {
        self.file |= part.inline_data.is_some() || part.file_data.is_some();
        if part.thought == Some(true) {
            let thought = self.words.thinking(part.text, &self.context)?;
            if !thought.is_empty() {
                deltas.push_back(Delta::Thinking(thought));
            }
            return Ok(());
        }
        let text = self.words.text(part.text, &self.context)?;
        if !text.is_empty() {
            self.ending.spoke = true;
            deltas.push_back(Delta::Text(text));
        }
        Ok(())
    }

    fn finished(&mut self, reason: &str) {
        match reason {
            "" | "FINISH_REASON_UNSPECIFIED" => {}
            "STOP" => self.ending.reason = Some(FinishReason::Stop),
            "MAX_TOKENS" | "CONTINUATION" => self.ending.reason = Some(FinishReason::Length),
            "SAFETY"
            | "RECITATION"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "LANGUAGE"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION"
            | "MODEL_ARMOR"
            | "ESCALATION"
            | "PUP_LIMITED_DISABLED" => {
                self.ending.filtered(reason);
            }
            other => self.ending.reason = Some(FinishReason::Other(other.to_owned())),
        }
    }
}

impl Events for ContentEvents {
    fn event(&mut self, event: Event<'_>, deltas: &mut VecDeque<Delta>) -> Result<bool, Error> {
        let piece: Piece =
            serde_json::from_slice(event.data).map_err(|error| self.context.not_json(&error))?;
        self.heard = true;
        if let Some(error) = piece.error.filter(|error| !error.is_null()) {
            return Err(self.context.said(refusal::of_error(&error)));
        }
        let candidates = piece.candidates.into_iter().flatten();
        for candidate in candidates.filter(|candidate| candidate.index.unwrap_or(0) == 0) {
            self.candidate = true;
            for part in candidate.content.and_then(|content| content.parts).into_iter().flatten() {
                self.part(part, deltas)?;
            }
            self.finished(candidate.finish_reason.as_deref().unwrap_or_default());
        }
        if let Some(usage) = piece.usage_metadata.map(|usage| usage.usage()).filter(|usage| !usage.is_empty())
        {
            deltas.push_back(Delta::Usage(usage));
        }
        let reason = piece.prompt_feedback.and_then(|feedback| feedback.block_reason);
        if let Some(reason) = reason.filter(|word| !word.is_empty() && !word.ends_with("_UNSPECIFIED")) {
            return Err(self.context.blocked(&reason));
        }
        Ok(false)
    }

    fn finish(&mut self, deltas: &mut VecDeque<Delta>) -> Result<(), Error> {
        if self.ending.reason.is_none() {
            return Err(if self.heard && !self.candidate {
                self.context.blocked("it gave no candidate, and no reason")
            } else {
                self.context.ended_early()
            });
        }
        let done = self.ending.done(&self.context)?;
        if self.file && !self.ending.spoke {
            let (provider, response) = (self.context.model.provider(), None);
            let what =
                "this model answered with an image or another file and no word: choose one that writes";
            return Err(Error::Unsupported { provider, what, response });
        }
        deltas.push_back(done);
        Ok(())
    }

    fn said(&self, body: &[u8]) -> Said {
        refusal::said(body)
    }

    fn context(&self) -> &Context {
        &self.context
    }
}
