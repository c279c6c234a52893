//! The sentence encoder.

mod encoder;
mod options;
mod vectors;

pub use encoder::SentenceEncoder;
pub use options::{LongText, SentenceOptions};
