//! The cross-encoder.

mod encoder;
mod options;
mod score_cache;
mod window;

pub use encoder::CrossEncoder;
pub use options::{Activation, CrossEncoderOptions, EarlyStop};
pub use window::Windows;
