use std::collections::VecDeque;

use serde_json::error::Category;

use super::wire::{ChatLine, said};
use crate::events::{Context, Words};
use crate::http::Decoder;
use crate::ndjson::{LineTooLong, Ndjson};
use crate::think::Think;
use crate::{Delta, Error, Tokens, Usage};

/// The longest line that is read, in bytes. A line holds a few words, so that a longer one is no answer.
const MAX_LINE: usize = 1024 * 1024;

/// How long a prompt is, and what it has to fit into.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prompt {
    pub(crate) estimated: Tokens,
    pub(crate) context: Tokens,
}

impl Prompt {
    /// Whether a model that says it has read `read` tokens was given only a part of the prompt.
    ///
    /// Ollama drops whole messages from the front of a prompt that is too long, and then what is still too long of the
    /// last one: what is read can be a little, or as much as the context holds. A prompt that is partly cached is reported
    /// as shorter, too. So where the prompt may have fitted, a small part of it is no proof.
    fn is_cut(self, read: Tokens) -> bool {
        let [estimated, context, read] = [self.estimated, self.context, read].map(|n| u64::from(n.get()));
        // The estimate lies from a tenth under the truth to a quarter over it.
        let (least, most) = (estimated * 4 / 5, estimated * 10 / 9);
        let half = context / 2;
        let did_not_fit = least > context;
        let may_not_have_fitted = most > context && read >= half;
        // A server that shares its context out, or holds less than it was asked for and does not tell.
        let half_was_given = read.abs_diff(half) <= SLACK;
        read < least && (did_not_fit || may_not_have_fitted || half_was_given)
    }
}

/// How near to the whole of a context servers fill it, in tokens.
const SLACK: u64 = 32;

/// Reads the answer to `/api/chat`: one JSON object a line, the last one marked `done`.
pub(crate) struct ChatDecoder {
    lines: Ndjson,
    read: Reading,
    done: bool,
}

struct Reading {
    context: Context,
    words: Words,
    think: Think,
    prompt: Prompt,
}

impl ChatDecoder {
    pub(crate) fn new(context: Context, prompt: Prompt) -> Self {
        let read = Reading { context, words: Words::default(), think: Think::new(), prompt };
        Self { lines: Ndjson::new(MAX_LINE), read, done: false }
    }
}

impl Decoder for ChatDecoder {
    fn push(&mut self, bytes: &[u8], deltas: &mut VecDeque<Delta>) -> Result<(), Error> {
        self.lines.push(bytes);
        while !self.done {
            let line = match self.lines.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(LineTooLong { limit }) => {
                    let reason = format!("a line of its answer is longer than {limit} bytes");
                    return Err(self.read.context.protocol(reason));
                }
            };
            self.done = self.read.line(line, deltas).map_err(|error| error.of_whole(&self.read.context))?;
        }
        Ok(())
    }

    fn finish(&mut self, deltas: &mut VecDeque<Delta>) -> Result<(), Error> {
        if !self.done
            && let Some(line) = self.lines.finish()
        {
            self.done = self.read.line(line, deltas).map_err(|error| error.of_last(&self.read.context))?;
        }
        if self.done {
            return Ok(());
        }
        // What is held back is a part of a mark, and no word of the answer.
        Err(self.read.context.ended_early())
    }
}

enum LineError {
    NotJson(Category),
    Other(Error),
}

impl LineError {
    /// The error of a line that had its line end.
    fn of_whole(self, context: &Context) -> Error {
        match self {
            // The JSON library's own words may quote the line, and with it the prompt: only the kind is kept.
            Self::NotJson(Category::Data) => context.protocol("a line of its answer is JSON of another kind"),
            Self::NotJson(Category::Syntax | Category::Eof | Category::Io) => context.protocol(
                "a line of its answer is not JSON: is it an Ollama server that listens at the base URL?",
            ),
            Self::Other(error) => error,
        }
    }

    /// The error of a line that the end of the answer may have cut.
    fn of_last(self, context: &Context) -> Error {
        match self {
            Self::NotJson(Category::Eof) => context.ended_early(),
            whole => whole.of_whole(context),
        }
    }
}

impl Reading {
    /// Reads one line, and says whether it is the last.
    fn line(&mut self, line: &[u8], deltas: &mut VecDeque<Delta>) -> Result<bool, LineError> {
        let mut line: ChatLine =
            serde_json::from_slice(line).map_err(|error| LineError::NotJson(error.classify()))?;
        if let Some(error) = &line.error {
            return Err(LineError::Other(self.context.said(said(error))));
        }
        if line.message.is_none() && line.done.is_none() {
            let error = self.context.protocol("a line of its answer holds neither a message nor an end");
            return Err(LineError::Other(error));
        }
        if let Some(message) = line.message.take() {
            let thought = self.words.thinking(message.thinking, &self.context).map_err(LineError::Other)?;
            if !thought.is_empty() {
                self.think.structured(deltas);
                deltas.push_back(Delta::Thinking(thought));
            }
            let content = self.words.text(message.content, &self.context).map_err(LineError::Other)?;
            if !content.is_empty() {
                self.think.push(content, deltas);
            }
        }
        if line.done != Some(true) {
            return Ok(false);
        }
        self.think.finish(deltas);
        let usage = line.usage();
        if !usage.is_empty() {
            deltas.push_back(Delta::Usage(usage));
        }
        self.check_prompt(usage).map_err(LineError::Other)?;
        deltas.push_back(Delta::Done { finish_reason: line.finish_reason() });
        Ok(true)
    }

    fn check_prompt(&self, usage: Usage) -> Result<(), Error> {
        let Prompt { estimated, context } = self.prompt;
        match usage.input {
            Some(read) if self.prompt.is_cut(read) => {
                let model = self.context.model.clone();
                Err(Error::PromptTruncated { model, estimated, read, context, response: None })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
