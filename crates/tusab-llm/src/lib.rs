#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
// What one provider needs lies idle where only others are built. Where all are, as by default, nothing may.
#![cfg_attr(
    not(all(
        feature = "ollama",
        feature = "openai",
        feature = "anthropic",
        feature = "gemini",
        feature = "groq",
        feature = "openai-compatible"
    )),
    allow(dead_code, unused_imports, reason = "see above")
)]

#[cfg(feature = "anthropic")]
mod anthropic;
#[cfg(test)]
mod api;
#[cfg(feature = "blocking")]
#[cfg_attr(docsrs, doc(cfg(feature = "blocking")))]
pub mod blocking;
mod capability;
mod client;
mod count;
mod delta;
mod embed;
mod endpoint;
mod error;
mod estimate;
mod events;
mod fallback;
#[cfg(feature = "gemini")]
mod gemini;
mod head;
mod http;
mod key;
mod message;
mod model;
mod model_id;
mod models;
mod ndjson;
#[cfg(feature = "ollama")]
mod ollama;
#[cfg(any(feature = "openai", feature = "groq", feature = "openai-compatible"))]
mod openai;
mod provider;
mod purpose;
mod redact;
mod remote;
mod request;
mod retry;
mod routes;
mod sse;
mod stream;
pub mod testing;
mod text;
mod think;
mod trace;
mod units;
mod warning;

pub use capability::{ChatOption, Support, support};
pub use client::{Client, ClientBuilder};
pub use delta::{ChatReply, Delta, FinishReason, Usage};
pub use embed::{EmbedReply, EmbedRequest, EmbedTask};
pub use endpoint::Endpoint;
pub use error::{Error, Stage};
pub use estimate::estimate_tokens;
pub use fallback::Fallback;
pub use head::ResponseHead;
pub use http::{BaseUrl, Timeouts};
pub use key::ApiKey;
pub use message::{Message, Role};
pub use model::{BoxFuture, ChatModel};
pub use model_id::ModelId;
pub use models::ModelInfo;
#[cfg(feature = "ollama")]
pub use ollama::{InstalledModel, ModelDetails, Ollama, OllamaModel, OllamaOptions, Pull, PullProgress};
pub use provider::Provider;
pub use purpose::Purpose;
pub use request::{ChatRequest, JsonSchema, Thinking};
pub use retry::{RetryPolicy, Retrying};
pub use routes::{MODELS_CHECKED, Routes};
pub use stream::ChatStream;
pub use units::{Temperature, Tokens};
pub use warning::Warning;
