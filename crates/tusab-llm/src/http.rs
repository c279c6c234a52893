//! Everything between a pure request mapping and a pure decoder: the one place that talks.

mod base_url;
mod body;
mod exchange;
mod resolve;
mod status;
mod timeouts;
mod tls;

pub use base_url::BaseUrl;
pub(crate) use base_url::encode_segment;
pub(crate) use body::{Body, Decoder, decode};
pub(crate) use exchange::{Auth, Exchange, Failure, Refusal, Settings, Target};
pub(crate) use status::{Concession, Fault, Said, Whom, context_length, context_size};
pub use timeouts::Timeouts;
