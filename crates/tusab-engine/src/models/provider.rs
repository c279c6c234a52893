use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use tusab_llm::{Client, EmbedRequest, EmbedTask, ModelId, Provider, Tokens, blocking};
use tusab_rerank::{Embedder, Embeddings, Error};

/// Embeddings by a provider's model, Ollama's `nomic-embed-text` as a rule: the other kind of [`Embedder`] beside a
/// sentence encoder in this process.
///
/// A text that is longer than the model takes is embedded in halves, of which the mean counts: nothing of it is left out.
#[derive(Clone)]
pub struct ProviderEmbedder {
    client: blocking::Client,
    model: ModelId,
    name: String,
    query_prefix: String,
    passage_prefix: String,
    context: Option<Tokens>,
    dimension: std::sync::Arc<Mutex<Option<NonZeroUsize>>>,
}

impl fmt::Debug for ProviderEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderEmbedder").field("model", &self.name).finish_non_exhaustive()
    }
}

impl ProviderEmbedder {
    /// The embedding model of a base that has no other wish, on the user's own Ollama: 768 numbers, about 274 MB to
    /// [pull](tusab_llm::Ollama::pull).
    pub const NOMIC: &str = "nomic-embed-text";

    /// Tokens that `nomic-embed-text` was made for. Said to Ollama, whose own default is less.
    const NOMIC_CONTEXT: Tokens = Tokens::new(8192);

    /// Ollama's [`NOMIC`](Self::NOMIC), with the words that its makers want before questions and passages.
    ///
    /// # Errors
    /// When the system gives no runtime to wait on.
    pub fn nomic(client: Client) -> Result<Self, tusab_llm::Error> {
        let embedder = Self::new(client, ModelId::new(Provider::Ollama, Self::NOMIC)?)?;
        Ok(embedder.with_prefixes("search_query: ", "search_document: ").with_context(Self::NOMIC_CONTEXT))
    }

    /// The embeddings of a model, without prefixes.
    ///
    /// # Errors
    /// When the system gives no runtime to wait on.
    pub fn new(client: Client, model: ModelId) -> Result<Self, tusab_llm::Error> {
        Ok(Self {
            client: blocking::Client::new(client)?,
            name: model.to_string(),
            model,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            context: None,
            dimension: std::sync::Arc::default(),
        })
    }

    /// With these words before questions and before passages.
    #[must_use]
    pub fn with_prefixes(mut self, query: impl Into<String>, passage: impl Into<String>) -> Self {
        (self.query_prefix, self.passage_prefix) = (query.into(), passage.into());
        self
    }

    /// With a context of this length, where the server has to be told (Ollama).
    #[must_use]
    pub fn with_context(mut self, context: Tokens) -> Self {
        self.context = Some(context);
        self
    }

    fn embed(&self, prefix: &str, texts: &[&str], task: EmbedTask) -> Result<Vec<Vec<f32>>, Error> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        // A text of nothing has a vector too; the providers refuse one.
        let written = |text: &&str| if text.is_empty() { " ".to_owned() } else { format!("{prefix}{text}") };
        match self.ask(texts.iter().map(written).collect(), task) {
            Ok(vectors) => Ok(vectors),
            Err(tusab_llm::Error::ContextLengthExceeded { .. }) => {
                texts.iter().map(|text| self.embed_long(prefix, text, task)).collect()
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    /// The vector of one text, in halves where it is too long.
    fn embed_long(&self, prefix: &str, text: &str, task: EmbedTask) -> Result<Vec<f32>, Error> {
        match self.ask(vec![format!("{prefix}{text}")], task) {
            Ok(vectors) => Ok(vectors.into_iter().next().unwrap_or_default()),
            Err(error @ tusab_llm::Error::ContextLengthExceeded { .. }) => {
                let Some((first, second)) = halves(text) else { return Err(self.failed(error)) };
                let first = self.embed_long(prefix, first, task)?;
                let second = self.embed_long(prefix, second, task)?;
                Ok(first.iter().zip(&second).map(|(a, b)| f32::midpoint(*a, *b)).collect())
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Asks on a thread of its own: the caller's may be one of an async runtime, on which nothing can wait.
    fn ask(&self, texts: Vec<String>, task: EmbedTask) -> Result<Vec<Vec<f32>>, tusab_llm::Error> {
        let mut request = EmbedRequest::new(texts).with_task(task);
        request.context_length = self.context;
        let ask = || self.client.embed(&self.model, &request);
        let asked = std::thread::scope(|scope| scope.spawn(ask).join());
        let reply = asked.unwrap_or(Err(tusab_llm::Error::InsideRuntime))?;
        let length = reply.vectors.first().and_then(|vector| NonZeroUsize::new(vector.len()));
        if length.is_some() {
            *self.dimension.lock().unwrap_or_else(PoisonError::into_inner) = length;
        }
        Ok(reply.vectors)
    }

    fn failed(&self, error: tusab_llm::Error) -> Error {
        Error::Model { model: self.name.clone(), source: Box::new(error) }
    }
}

/// A text in two, at the space nearest to its middle; `None` when it is too short to be cut.
fn halves(text: &str) -> Option<(&str, &str)> {
    let middle = text.char_indices().map(|(at, _)| at).find(|&at| at * 2 >= text.len())?;
    let at = text.get(..middle)?.rfind(char::is_whitespace).filter(|&at| at > 0).unwrap_or(middle);
    let (first, second) = text.split_at_checked(at)?;
    (!first.is_empty() && !second.is_empty()).then_some((first, second))
}

impl Embedder for ProviderEmbedder {
    fn model(&self) -> &str {
        &self.name
    }

    fn identity(&self) -> Result<String, Error> {
        Ok(format!("{} [{}|{}]", self.name, self.query_prefix, self.passage_prefix))
    }

    fn dimension(&self) -> Result<NonZeroUsize, Error> {
        let known = || *self.dimension.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known() {
            return Ok(known);
        }
        self.embed(&self.query_prefix, &["?"], EmbedTask::Query)?;
        let reason = || "it gave no vector".to_owned();
        known().ok_or_else(|| Error::MalformedEmbeddings { reason: reason() })
    }

    fn embed_passages(&self, passages: &[&str]) -> Result<Embeddings, Error> {
        let vectors = self.embed(&self.passage_prefix, passages, EmbedTask::Document)?;
        Embeddings::new(self.dimension()?, vectors.concat())
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, Error> {
        let vectors = self.embed(&self.query_prefix, &[query], EmbedTask::Query)?;
        Ok(vectors.into_iter().next().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_halved_at_spaces_and_never_for_ever() {
        assert_eq!(halves("um dois três"), Some(("um", " dois três")));
        assert_eq!(halves("ééé"), Some(("éé", "é")));
        assert_eq!(halves("é"), None);
        assert_eq!(halves(""), None);
    }
}
