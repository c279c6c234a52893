//! What every public type promises beyond its methods, checked whenever the tests are compiled.

use std::fmt::Debug;

/// Can be shared by threads, and shown where something went wrong.
const fn promises<T: Debug + Send + Sync>() {}

const _: () = {
    promises::<crate::BaseUrl>();
    promises::<crate::ChatOption>();
    promises::<crate::ChatReply>();
    promises::<crate::ChatRequest>();
    promises::<crate::Client>();
    promises::<crate::ClientBuilder>();
    promises::<crate::Delta>();
    promises::<crate::EmbedReply>();
    promises::<crate::EmbedRequest>();
    promises::<crate::EmbedTask>();
    promises::<crate::Endpoint>();
    promises::<crate::Error>();
    promises::<crate::Fallback>();
    promises::<crate::FinishReason>();
    promises::<crate::JsonSchema>();
    promises::<crate::Message>();
    promises::<crate::ModelId>();
    promises::<crate::ModelInfo>();
    promises::<crate::Provider>();
    promises::<crate::Purpose>();
    promises::<crate::ResponseHead>();
    promises::<crate::RetryPolicy>();
    promises::<crate::Retrying>();
    promises::<crate::Role>();
    promises::<crate::Routes>();
    promises::<crate::Stage>();
    promises::<crate::Support>();
    promises::<crate::Temperature>();
    promises::<crate::Thinking>();
    promises::<crate::Timeouts>();
    promises::<crate::Tokens>();
    promises::<crate::Usage>();
    promises::<crate::Warning>();
};

#[cfg(feature = "ollama")]
const _: () = {
    promises::<crate::InstalledModel>();
    promises::<crate::ModelDetails>();
    promises::<crate::Ollama>();
    promises::<crate::OllamaModel>();
    promises::<crate::OllamaOptions>();
    promises::<crate::Pull>();
    promises::<crate::PullProgress>();
};

/// Nothing shows a key.
const fn is_shared<T: Send + Sync>() {}

/// A stream has one reader, which may move.
const fn moves<T: Debug + Send>() {}

const _: () = {
    is_shared::<crate::ApiKey>();
    moves::<crate::ChatStream>();
};
