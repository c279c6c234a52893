use crate::{Error, Message, Temperature, Tokens};

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
    /// [`OllamaOptions::with_context_length`](crate::OllamaOptions::with_context_length). Of a prompt that
    /// does not fit, Ollama drops the oldest messages without a word.
    #[must_use]
    pub fn with_context_length(mut self, length: Tokens) -> Self {
        self.context_length = Some(length);
        self
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
