//! Where models lie, and how they get there.

#[cfg(feature = "hub")]
mod download;
#[cfg(feature = "hub")]
mod hub;
mod known;
mod place;

#[cfg(feature = "hub")]
pub use download::{DownloadError, DownloadProgress};
pub use known::{KnownModel, ModelKind};
pub use place::ModelStore;
