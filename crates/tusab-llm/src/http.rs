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
pub(crate) use exchange::{Answer, Auth, Exchange, Failure, Settings, Target};
pub(crate) use status::{Concession, Fault, Said, Whom, context_length, context_size, named_status};
pub(crate) use timeouts::Limits;
pub use timeouts::Timeouts;
