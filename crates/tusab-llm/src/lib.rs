#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod client;
mod delta;
mod error;
mod http;
mod key;
mod message;
mod model;
mod model_id;
mod ndjson;
mod ollama;
mod provider;
mod purpose;
mod redact;
mod request;
mod stream;
pub mod testing;
mod trace;
mod units;

pub use client::Client;
pub use delta::{ChatReply, Delta, FinishReason, Usage};
pub use error::{Error, Stage};
pub use http::{BaseUrl, Timeouts};
pub use key::ApiKey;
pub use message::{Message, Role};
pub use model::{BoxFuture, ChatModel};
pub use model_id::ModelId;
pub use ollama::{InstalledModel, Ollama, OllamaModel, OllamaOptions};
pub use provider::Provider;
pub use purpose::Purpose;
pub use request::ChatRequest;
pub use stream::ChatStream;
pub use units::{Temperature, Tokens};
