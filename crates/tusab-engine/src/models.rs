//! The models that searching and taking in can use, each of them optional.

mod provider;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tusab_index::{Dimension, VectorSpace};
use tusab_rerank::{Embedder, KeyBert, Reranker};

pub use provider::ProviderEmbedder;

/// What the app has given the engine to rank and to compare meanings with.
#[derive(Clone, Default)]
pub(crate) struct Models {
    pub(crate) reranker: Option<Arc<dyn Reranker>>,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    pub(crate) key_phrases: Option<Arc<KeyBert>>,
    pub(crate) key_phrase_order: KeyPhraseOrder,
}

/// When passages get their key phrases, where the engine has a [`KeyBert`] for them.
///
/// What fails or is stopped costs no source: its passages are indexed without, and [`Project::enrich`](crate::Project::enrich)
/// gives them theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum KeyPhraseOrder {
    /// Before they are indexed, when a source is taken in. This is the default: whoever gives the engine a model for key
    /// phrases wants them in the first search, and nothing more has to be called for it. An ingest then takes the time of
    /// the model, which is by far the most of it. What a synchronisation or a restoration brings is indexed first, and given
    /// its key phrases before the call returns. What an import brings waits for [`Project::enrich`](crate::Project::enrich),
    /// unless [`ImportOptions::key_phrases`](crate::ImportOptions::key_phrases) says otherwise, as does what opening a project
    /// mends.
    #[default]
    BeforeIndexing,
    /// After: what is taken in is searchable at once, and [`Project::enrich`](crate::Project::enrich) brings the key phrases
    /// when nobody waits. For a large channel or folder.
    AfterIndexing,
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Models")
            .field("reranker", &self.reranker.as_ref().map(|model| model.model().to_owned()))
            .field("embedder", &self.embedder.as_ref().map(|model| model.model().to_owned()))
            .field("key_phrases", &self.key_phrases.is_some())
            .field("key_phrase_order", &self.key_phrase_order)
            .finish()
    }
}

/// The space of an embedder's vectors. Its identity speaks for its prefixes too, which only it knows.
///
/// # Errors
/// When the model cannot be opened, or makes vectors longer than any index keeps.
pub(crate) fn space_of(embedder: &dyn Embedder) -> Result<VectorSpace, EmbedderFault> {
    let dimension = Dimension::new(embedder.dimension()?.get())?;
    Ok(VectorSpace::new(embedder.identity()?, dimension))
}

/// Why an embedder gives no vectors.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EmbedderFault {
    #[error(transparent)]
    Model(#[from] tusab_rerank::Error),
    #[error(transparent)]
    Vector(#[from] tusab_index::InvalidVector),
}

/// What a passage's model reads of it: its title, which says what a window of a video or a page is about, and its text.
pub(crate) fn passage_text(title: &str, section: Option<&str>, text: &str) -> String {
    let mut whole = String::with_capacity(title.len() + text.len() + 2);
    for heading in [Some(title), section].into_iter().flatten().filter(|heading| !heading.trim().is_empty()) {
        whole.push_str(heading);
        whole.push('\n');
    }
    whole.push_str(text);
    whole
}
