//! Models and servers for tests, and the test that every model must pass.

mod conformance;
mod decode;
mod replay;
mod scripted;

pub use conformance::{CONFORMANCE_CALLS, Violation, conformance};
pub use decode::decode;
pub use replay::{Recorded, ReplayServer, ReplayedRequest};
pub use scripted::{Answer, ScriptedModel};
