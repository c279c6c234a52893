#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod embeddings;
mod error;
mod seam;

pub use embeddings::Embeddings;
pub use error::Error;
pub use seam::{Embedder, Reranker};
