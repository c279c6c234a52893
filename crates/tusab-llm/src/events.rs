//! From server-sent events to deltas: what the hosted providers have in common.

use std::collections::VecDeque;

use crate::http::{Decoder, Said};
use crate::redact::Redactor;
use crate::sse::{Event, EventTooLong, Sse};
use crate::text::{Joiner, NotText, Text};
use crate::{Delta, Error, FinishReason, ModelId};

/// The longest event that is read, in bytes. An event holds a few words, with some providers all of a short answer.
pub(crate) const MAX_EVENT: usize = 4 * 1024 * 1024;
/// How much is read of an answer that is no event stream, in bytes.
const MAX_FOREIGN: usize = 64 * 1024;

/// What one provider's events mean; pure.
pub(crate) trait Events: Send + 'static {
    /// Reads one event, and says whether it is the last.
    fn event(&mut self, event: Event<'_>, deltas: &mut VecDeque<Delta>) -> Result<bool, Error>;

    /// The stream has ended without a last event.
    fn finish(&mut self, deltas: &mut VecDeque<Delta>) -> Result<(), Error>;

    /// What an answer says that is an error page in spite of its status.
    fn said(&self, body: &[u8]) -> Said;

    fn context(&self) -> &Context;
}

/// Whom an answer is of, and what must not stand in its errors.
pub(crate) struct Context {
    pub(crate) model: ModelId,
    pub(crate) redactor: Redactor,
}

impl Context {
    pub(crate) fn protocol(&self, reason: impl Into<String>) -> Error {
        Error::Protocol { provider: self.model.provider(), reason: reason.into(), response: None }
    }

    pub(crate) fn ended_early(&self) -> Error {
        Error::EndedEarly { provider: self.model.provider(), response: None }
    }

    pub(crate) fn blocked(&self, reason: &str) -> Error {
        let reason = self.redactor.clean(reason);
        Error::Blocked { provider: self.model.provider(), reason, response: None }
    }

    pub(crate) fn said(&self, said: Said) -> Error {
        said.in_stream(&self.model, &self.redactor)
    }

    fn not_text(&self) -> Error {
        self.protocol("a text of its answer is not UTF-8")
    }

    /// An event that is not what it should be. The JSON library's own words may quote it, and with it the prompt.
    pub(crate) fn not_json(&self, error: &serde_json::Error) -> Error {
        self.protocol(if error.is_data() {
            "an event of its answer is JSON of another kind"
        } else {
            "an event of its answer is not JSON"
        })
    }
}

/// The text and the thoughts of one answer, each put together where a piece was cut inside a character.
#[derive(Debug, Default)]
pub(crate) struct Words {
    text: Joiner,
    thinking: Joiner,
}

impl Words {
    /// The next piece of the text; empty if there is none.
    pub(crate) fn text(&mut self, piece: Option<Text>, context: &Context) -> Result<String, Error> {
        self.text.push(piece.unwrap_or_default()).map_err(|NotText| context.not_text())
    }

    /// The next piece of the thoughts; empty if there is none.
    pub(crate) fn thinking(&mut self, piece: Option<Text>, context: &Context) -> Result<String, Error> {
        self.thinking.push(piece.unwrap_or_default()).map_err(|NotText| context.not_text())
    }
}

/// How an answer ended, kept until the stream is over.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    /// Words were given.
    pub(crate) spoke: bool,
    pub(crate) reason: Option<FinishReason>,
    /// The provider's own word for a filter that stopped the answer.
    pub(crate) filter: Option<String>,
}

impl Ending {
    /// Notes that a filter stopped the answer.
    pub(crate) fn filtered(&mut self, word: &str) {
        self.reason = Some(FinishReason::Filtered);
        self.filter = Some(word.to_owned());
    }

    /// The last delta; an error if a filter left nothing of the answer.
    pub(crate) fn done(&mut self, context: &Context) -> Result<Delta, Error> {
        if let Some(word) = self.filter.take()
            && !self.spoke
        {
            return Err(context.blocked(&word));
        }
        let finish_reason = self.reason.take().unwrap_or(FinishReason::Unreported);
        Ok(Delta::Done { finish_reason })
    }
}

/// Reads an answer made of server-sent events.
pub(crate) struct EventDecoder<E> {
    sse: Sse,
    events: E,
    state: State,
}

enum State {
    /// Nothing but white space has come yet.
    Unknown,
    Events,
    /// It is a page of another kind, as error pages are.
    Foreign(Vec<u8>),
    Ended,
}

impl<E: Events> EventDecoder<E> {
    pub(crate) fn new(events: E) -> Self {
        Self { sse: Sse::new(MAX_EVENT), events, state: State::Unknown }
    }

    fn too_long(&self, error: EventTooLong) -> Error {
        self.events.context().protocol(format!("an event of its answer is longer than {} bytes", error.limit))
    }

    fn read_events(&mut self, deltas: &mut VecDeque<Delta>) -> Result<(), Error> {
        loop {
            let event = match self.sse.next_event() {
                Ok(Some(event)) => event,
                Ok(None) => return Ok(()),
                Err(error) => return Err(self.too_long(error)),
            };
            if self.events.event(event, deltas)? {
                self.state = State::Ended;
                return Ok(());
            }
        }
    }
}

impl<E: Events> Decoder for EventDecoder<E> {
    fn push(&mut self, bytes: &[u8], deltas: &mut VecDeque<Delta>) -> Result<(), Error> {
        if matches!(self.state, State::Unknown) {
            // No line of an event stream begins so.
            self.state = match bytes.trim_ascii_start().first() {
                None => State::Unknown,
                Some(b'{' | b'[' | b'<') => State::Foreign(Vec::new()),
                Some(_) => State::Events,
            };
        }
        match &mut self.state {
            State::Ended => Ok(()),
            State::Foreign(page) => {
                let room = MAX_FOREIGN - page.len().min(MAX_FOREIGN);
                page.extend(bytes.iter().take(room));
                Ok(())
            }
            State::Unknown | State::Events => {
                self.sse.push(bytes);
                self.read_events(deltas)
            }
        }
    }

    fn finish(&mut self, deltas: &mut VecDeque<Delta>) -> Result<(), Error> {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Ended => Ok(()),
            State::Foreign(page) => {
                let (said, context) = (self.events.said(&page), self.events.context());
                Err(if said == Said::default() {
                    context.protocol("its answer is no event stream: does the base URL lead to its API?")
                } else {
                    context.said(said)
                })
            }
            State::Unknown | State::Events => {
                let last = self.sse.finish().map(|event| self.events.event(event, deltas));
                match last {
                    Some(Ok(true)) => Ok(()),
                    // The end of the stream may have cut it: what came before tells whether that does harm.
                    Some(Err(Error::Protocol { .. }) | Ok(false)) | None => self.events.finish(deltas),
                    Some(Err(error)) => Err(error),
                }
            }
        }
    }
}
