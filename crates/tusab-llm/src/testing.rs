//! A model for tests, and the test that every model must pass.

mod conformance;
mod scripted;

pub use conformance::{CONFORMANCE_CALLS, Violation, conformance};
pub use scripted::{Answer, ScriptedModel};
