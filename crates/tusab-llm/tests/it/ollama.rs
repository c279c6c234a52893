//! What is Ollama's own: its models, their contexts, and how the network may fail under it.

mod answers;
mod cancelling;
mod embedding;
mod faults;
mod isolation;
mod models;
mod silence;
