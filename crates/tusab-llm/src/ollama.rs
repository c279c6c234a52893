//! Ollama, by its native API: `/api/chat`, `/api/embed`, `/api/tags`, `/api/show`, `/api/pull` and `/api/version`.

mod decode;
mod details;
mod host;
mod model;
mod options;
mod pull;
mod server;
mod wire;

use crate::events::Context;
use crate::http::Decoder;
use crate::redact::Redactor;
use crate::{ModelId, Tokens};

pub use details::ModelDetails;
pub use model::OllamaModel;
pub use options::OllamaOptions;
pub use pull::{Pull, PullProgress};
pub use server::{InstalledModel, Ollama};

/// What reads the answers of a model, where nothing is known of the prompt.
pub(crate) fn decoder(model: &ModelId, redactor: Redactor) -> Box<dyn Decoder> {
    let context = Context { model: model.clone(), redactor };
    let prompt = decode::Prompt { estimated: Tokens::default(), context: Tokens::default() };
    Box::new(decode::ChatDecoder::new(context, prompt))
}
