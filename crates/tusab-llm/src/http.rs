//! Everything between a pure request mapping and a pure decoder: the one place that talks.

mod base_url;
mod body;
mod exchange;
mod status;
mod timeouts;
mod tls;

pub use base_url::BaseUrl;
pub(crate) use body::{Decoder, decode};
pub(crate) use exchange::{Exchange, Failure, Refusal};
pub use timeouts::Timeouts;
