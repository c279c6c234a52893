//! A model on disk: its folder, its tokens, its identity.

mod config;
mod folder;
mod onnx_file;
mod tokenizer;

pub use config::Pooling;
pub(crate) use folder::{ModelFolder, weights};
pub(crate) use tokenizer::TextTokenizer;
