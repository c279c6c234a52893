use std::sync::Arc;

use crate::{ChatModel, Error, ModelId, Ollama, OllamaOptions, Provider};

/// Finds the client for a [`ModelId`]. Cheap to clone.
///
/// ```
/// use tusab_llm::{ChatModel, Client, Error};
/// let client = Client::new()?;
/// let model = client.model(&"ollama::llama3.2:1b".parse()?)?;
/// assert_eq!(model.id().name(), "llama3.2:1b");
///
/// // Only Ollama has a client in this version.
/// let other = client.model(&"anthropic::claude-sonnet-4-6".parse()?);
/// assert!(matches!(other, Err(Error::Unsupported { .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Client {
    ollama: Ollama,
}

impl Client {
    /// A client with the default settings of every provider. Nothing is sent yet.
    ///
    /// # Errors
    /// [`Error::Setup`] if the HTTP client cannot be made.
    pub fn new() -> Result<Self, Error> {
        Ok(Self { ollama: Ollama::new(OllamaOptions::default())? })
    }

    /// The Ollama server to use.
    #[must_use]
    pub fn with_ollama(mut self, ollama: Ollama) -> Self {
        self.ollama = ollama;
        self
    }

    /// The Ollama server in use.
    #[must_use]
    pub fn ollama(&self) -> &Ollama {
        &self.ollama
    }

    /// The model called `id`. Whether its provider has it is not asked here.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if its provider has no client in this version: every one but
    /// [`Provider::Ollama`].
    pub fn model(&self, id: &ModelId) -> Result<Arc<dyn ChatModel>, Error> {
        match id.provider() {
            Provider::Ollama => Ok(Arc::new(self.ollama.model(id.name())?)),
            provider @ (Provider::OpenAi
            | Provider::Anthropic
            | Provider::Gemini
            | Provider::Groq
            | Provider::OpenAiCompatible) => Err(Error::Unsupported {
                provider,
                what: "this version has no client for it: use a model of Ollama, such as `ollama::llama3.2:1b`",
            }),
        }
    }
}
