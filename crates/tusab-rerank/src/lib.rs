#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(test)]
mod api;
mod backend;
mod embeddings;
mod error;
mod generations;
mod keybert;
mod limits;
mod missing;
mod seam;
mod whole;

#[cfg(feature = "models")]
mod cross;
#[cfg(feature = "models")]
mod lazy;
#[cfg(feature = "models")]
mod model;
#[cfg(feature = "models")]
mod runtime;
#[cfg(feature = "models")]
mod sentence;
#[cfg(feature = "models")]
mod store;

pub use backend::{Attempt, Backend};
pub use embeddings::Embeddings;
pub use error::Error;
pub use keybert::{CacheUse, KeyBert, KeyBertOptions, Keyword, Mode, PhraseFilter, Selection};
pub use limits::{End, Limits, Scored};
pub use missing::Missing;
pub use seam::{Embedder, Reranker};

#[cfg(feature = "models")]
pub use cross::{Activation, CrossEncoder, CrossEncoderOptions, EarlyStop, Windows};
#[cfg(feature = "models")]
pub use model::Pooling;
#[cfg(feature = "models")]
pub use runtime::RuntimeOptions;
#[cfg(feature = "models")]
pub use sentence::{LongText, SentenceEncoder, SentenceOptions};
#[cfg(feature = "hub")]
pub use store::{DownloadError, DownloadProgress};
#[cfg(feature = "models")]
pub use store::{KnownModel, ModelKind, ModelStore};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also where a thread panicked while it held the lock: what is behind our locks is whole at every instruction.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
