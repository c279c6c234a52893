//! What holds for every provider: one file each that says how it speaks, and the same suite for all.

mod anthropic;
mod compatible;
mod faults;
mod gemini;
mod groq;
mod ollama;
mod openai;
pub(crate) mod subject;
