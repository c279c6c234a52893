use std::collections::VecDeque;

use serde_json::error::Category;

use super::wire::{ChatLine, reason};
use crate::http::Decoder;
use crate::ndjson::{LineTooLong, Ndjson};
use crate::redact::Redactor;
use crate::{Delta, Error, Provider};

/// The longest line that is read, in bytes. A line holds a few words, so that a longer one is no answer.
const MAX_LINE: usize = 1024 * 1024;

/// Reads the answer to `/api/chat`: one JSON object a line, the last one marked `done`.
pub(super) struct ChatDecoder {
    lines: Ndjson,
    redactor: Redactor,
    done: bool,
}

impl ChatDecoder {
    pub(super) fn new(redactor: Redactor) -> Self {
        Self { lines: Ndjson::new(MAX_LINE), redactor, done: false }
    }
}

impl Decoder for ChatDecoder {
    fn push(&mut self, bytes: &[u8], deltas: &mut VecDeque<Delta>) -> Result<(), Error> {
        self.lines.push(bytes);
        while !self.done {
            let Some(line) = self.lines.next_line().map_err(too_long)? else { break };
            self.done = read(line, &self.redactor, deltas).map_err(LineError::of_whole)?;
        }
        Ok(())
    }

    fn finish(&mut self, deltas: &mut VecDeque<Delta>) -> Result<(), Error> {
        if !self.done
            && let Some(line) = self.lines.finish()
        {
            self.done = read(line, &self.redactor, deltas).map_err(LineError::of_last)?;
        }
        if self.done { Ok(()) } else { Err(Error::EndedEarly { provider: Provider::Ollama }) }
    }
}

enum LineError {
    NotJson(Category),
    Other(Error),
}

impl LineError {
    /// The error of a line that had its line end.
    fn of_whole(self) -> Error {
        match self {
            // The JSON library's own words may quote the line, and with it the prompt: only the kind is kept.
            Self::NotJson(Category::Data) => {
                protocol("a line of its answer is JSON of another kind".to_owned())
            }
            Self::NotJson(Category::Syntax | Category::Eof | Category::Io) => protocol(
                "a line of its answer is not JSON: is it an Ollama server that listens at the base URL?"
                    .to_owned(),
            ),
            Self::Other(error) => error,
        }
    }

    /// The error of a line that the end of the answer may have cut.
    fn of_last(self) -> Error {
        match self {
            Self::NotJson(Category::Eof) => Error::EndedEarly { provider: Provider::Ollama },
            whole => whole.of_whole(),
        }
    }
}

/// Reads one line, and says whether it is the last.
fn read(line: &[u8], redactor: &Redactor, deltas: &mut VecDeque<Delta>) -> Result<bool, LineError> {
    let line: ChatLine<'_> =
        serde_json::from_slice(line).map_err(|error| LineError::NotJson(error.classify()))?;
    if let Some(error) = &line.error {
        let message = redactor.clean(&reason(error));
        return Err(LineError::Other(Error::Rejected { provider: Provider::Ollama, status: 200, message }));
    }
    if line.message.is_none() && line.done.is_none() {
        let error = protocol("a line of its answer holds neither a message nor an end".to_owned());
        return Err(LineError::Other(error));
    }
    if let Some(message) = &line.message {
        let thinking = message.thinking.as_deref().unwrap_or_default();
        if !thinking.is_empty() {
            deltas.push_back(Delta::Thinking(thinking.to_owned()));
        }
        let content = message.content.as_deref().unwrap_or_default();
        if !content.is_empty() {
            deltas.push_back(Delta::Text(content.to_owned()));
        }
    }
    if line.done != Some(true) {
        return Ok(false);
    }
    let usage = line.usage();
    if !usage.is_empty() {
        deltas.push_back(Delta::Usage(usage));
    }
    deltas.push_back(Delta::Done { finish_reason: line.finish_reason() });
    Ok(true)
}

fn too_long(error: LineTooLong) -> Error {
    protocol(format!("a line of its answer is longer than {} bytes", error.limit))
}

fn protocol(reason: String) -> Error {
    Error::Protocol { provider: Provider::Ollama, reason }
}

#[cfg(test)]
mod tests;
