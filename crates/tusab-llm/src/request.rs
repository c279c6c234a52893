use std::time::Duration;

use serde_json::Value;

use crate::{Error, Message, ModelId, Role, Temperature, Tokens};

/// What a model is asked: the conversation so far and how to answer it.
///
/// What is not set is left to the provider's own default, save the context length of Ollama
/// (see [`with_context_length`](Self::with_context_length)).
///
/// ```
/// use tusab_llm::{ChatRequest, Message, Temperature, Tokens};
/// let request = ChatRequest::new([Message::user("Quanto é 2 + 2?")])
///     .with_system("Answer in one word.")
///     .with_temperature(Temperature::ZERO)
///     .with_max_output(Tokens::new(8));
/// assert!(request.check().is_ok());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ChatRequest {
    /// Instructions that stand before every message.
    pub system: Option<String>,
    /// The conversation, oldest first. At least one message.
    pub messages: Vec<Message>,
    /// How freely words are chosen.
    pub temperature: Option<Temperature>,
    /// The longest answer; a longer one ends with [`FinishReason::Length`](crate::FinishReason::Length).
    pub max_output: Option<Tokens>,
    /// Texts that end the answer where the model would write one of them; they are not part of it.
    pub stop: Vec<String>,
    /// Fixes the random choices, so that the same request gives the same answer on the same machine.
    pub seed: Option<u32>,
    /// How much the model reads and writes at most, prompt and answer together.
    pub context_length: Option<Tokens>,
    /// The form that the answer is to have.
    pub schema: Option<JsonSchema>,
    /// Whether the model is to think before it answers.
    pub thinking: Option<Thinking>,
    /// How long to wait for the answer to begin; else [`Timeouts::first_byte`](crate::Timeouts) of the provider.
    pub first_byte_timeout: Option<Duration>,
    /// How long to wait between two pieces of the answer; else [`Timeouts::idle_gap`](crate::Timeouts) of the provider.
    pub idle_gap_timeout: Option<Duration>,
}

/// Whether a model is to think before it answers. Without it, the model does as its maker set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Thinking {
    /// Think first, and tell what is thought, where the provider tells it ([`Delta::Thinking`](crate::Delta)).
    On,
    /// Answer at once. A model that cannot help thinking still does: see [`Warning`](crate::Warning).
    Off,
}

/// The form of an answer in JSON, as a JSON Schema.
///
/// The text of the answer is then the JSON. Providers know parts of JSON Schema only; what one refuses it answers
/// with [`Error::Rejected`]. OpenAI and Anthropic want `"additionalProperties": false` in every object.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JsonSchema {
    /// What the form is called.
    pub name: String,
    /// The schema; an object.
    pub schema: Value,
}

impl JsonSchema {
    /// Longest name, in characters.
    const MAX_NAME: usize = 64;

    /// The form called `name`.
    ///
    /// # Errors
    /// [`Error::BadRequest`] if `schema` is no object, or `name` is not 1 to 64 ASCII letters, digits, `_` or `-`.
    pub fn new(name: impl Into<String>, schema: Value) -> Result<Self, Error> {
        let name = name.into();
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if !(1..=Self::MAX_NAME).contains(&name.len()) || !name.chars().all(allowed) {
            return Err(Error::BadRequest {
                reason: "the name of a schema is 1 to 64 letters, digits, `_` or `-`",
            });
        }
        if !schema.is_object() {
            return Err(Error::BadRequest { reason: "a JSON schema is a JSON object" });
        }
        Ok(Self { name, schema })
    }
}

impl ChatRequest {
    /// Asks for the turn that follows `messages`.
    #[must_use]
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { messages: messages.into_iter().collect(), ..Self::default() }
    }

    /// Instructions that stand before every message.
    #[must_use]
    pub fn with_system(mut self, system: impl Into<String>) -> Self {
        self.system = Some(system.into());
        self
    }

    /// One more turn at the end of the conversation.
    #[must_use]
    pub fn with_message(mut self, message: Message) -> Self {
        self.messages.push(message);
        self
    }

    /// How freely words are chosen.
    #[must_use]
    pub fn with_temperature(mut self, temperature: Temperature) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// The longest answer; more than zero.
    #[must_use]
    pub fn with_max_output(mut self, limit: Tokens) -> Self {
        self.max_output = Some(limit);
        self
    }

    /// One more text that ends the answer; not empty.
    #[must_use]
    pub fn with_stop(mut self, text: impl Into<String>) -> Self {
        self.stop.push(text.into());
        self
    }

    /// Fixes the random choices.
    #[must_use]
    pub fn with_seed(mut self, seed: u32) -> Self {
        self.seed = Some(seed);
        self
    }

    /// How much the model reads and writes at most, prompt and answer together; more than zero.
    ///
    /// Ollama takes it as `num_ctx`, which is always sent: this value, else that of
    /// `OllamaOptions::with_context_length`, else one that holds the prompt; no more than the model goes. Of a prompt that
    /// does not fit, Ollama drops the oldest messages without a word: one that surely does not fit is not sent
    /// ([`Error::ContextLengthExceeded`]), and of others we notice ([`Error::PromptTruncated`]). With the other
    /// providers the model decides, and a value given here is dropped with a warning.
    #[must_use]
    pub fn with_context_length(mut self, length: Tokens) -> Self {
        self.context_length = Some(length);
        self
    }

    /// The form that the answer is to have: JSON, as the schema says.
    #[must_use]
    pub fn with_json_schema(mut self, schema: JsonSchema) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Whether the model is to think before it answers.
    #[must_use]
    pub fn with_thinking(mut self, thinking: Thinking) -> Self {
        self.thinking = Some(thinking);
        self
    }

    /// How long to wait for this answer to begin, whatever the provider's [`Timeouts`](crate::Timeouts) say. Counted anew for
    /// each try. The limit for a connection stays that of the client.
    #[must_use]
    pub fn with_first_byte_timeout(mut self, limit: Duration) -> Self {
        self.first_byte_timeout = Some(limit);
        self
    }

    /// How long to wait between two pieces of this answer, whatever the provider's [`Timeouts`](crate::Timeouts) say.
    #[must_use]
    pub fn with_idle_gap_timeout(mut self, limit: Duration) -> Self {
        self.idle_gap_timeout = Some(limit);
        self
    }

    /// How long the prompt is to `model`, as [`estimate_tokens`](crate::estimate_tokens) counts it, with what providers
    /// add around each message.
    #[must_use]
    pub fn estimated_tokens(&self, model: &ModelId) -> Tokens {
        // Chat formats put a role and two or three marks around a message.
        const AROUND: u32 = 4;
        let texts = self.system.iter().chain(self.messages.iter().map(|message| &message.content));
        let count = texts.fold(AROUND, |sum, text| {
            sum.saturating_add(crate::estimate_tokens(model, text).get()).saturating_add(AROUND)
        });
        Tokens::new(count)
    }

    /// Whether any provider could serve the request. Every [`ChatModel`](crate::ChatModel) calls it before
    /// it does anything else.
    ///
    /// # Errors
    /// [`Error::BadRequest`] if there is no message, a limit is zero or a stop text is empty.
    pub fn check(&self) -> Result<(), Error> {
        let reason = if self.messages.is_empty() {
            "it holds no message"
        } else if self.max_output == Some(Tokens::new(0)) {
            "an answer of at most 0 tokens is no answer"
        } else if self.context_length == Some(Tokens::new(0)) {
            "a context of 0 tokens holds nothing"
        } else if self.stop.iter().any(String::is_empty) {
            "an empty stop text would end every answer before its first word"
        } else {
            return Ok(());
        };
        Err(Error::BadRequest { reason })
    }

    /// The system instructions and every message that is one, in their order: some providers know no other place
    /// for them than before the conversation.
    pub(crate) fn system_texts(&self) -> impl Iterator<Item = &str> {
        let later = self.messages.iter().filter(|message| message.role == Role::System);
        self.system.iter().map(String::as_str).chain(later.map(|message| message.content.as_str()))
    }

    /// The messages that are no system instructions.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| message.role != Role::System)
    }

    /// Every text of the request that its sender may want kept out of logs.
    pub(crate) fn into_texts(self) -> impl Iterator<Item = String> {
        self.system
            .into_iter()
            .chain(self.messages.into_iter().map(|message| message.content))
            .chain(self.stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_provider_could_serve_is_refused_with_its_reason() {
        let good = ChatRequest::new([Message::user("oi")]);
        assert!(good.check().is_ok());
        for (bad, reason) in [
            (ChatRequest::default().with_system("s"), "no message"),
            (good.clone().with_max_output(Tokens::new(0)), "at most 0 tokens"),
            (good.clone().with_context_length(Tokens::new(0)), "context of 0 tokens"),
            (good.clone().with_stop("x").with_stop(""), "empty stop text"),
        ] {
            let message = bad.check().unwrap_err().to_string();
            assert!(message.contains(reason), "{message}");
        }
    }
}
