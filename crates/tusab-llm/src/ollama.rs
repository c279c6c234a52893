//! Ollama, by its native API: `/api/chat`, `/api/tags` and `/api/version`.

mod decode;
mod model;
mod options;
mod server;
mod wire;

pub use model::OllamaModel;
pub use options::OllamaOptions;
pub use server::{InstalledModel, Ollama};
