//! The data directory: where things are, and writing them so that a crash leaves them whole.

mod atomic;
mod layout;
mod manifest;
mod slug;

pub(crate) use atomic::{leftovers, place, read_leftover, remove_leftover, stage, write_whole};
pub(crate) use layout::{DataDir, ProjectDirs};
pub(crate) use manifest::{Entry, Fault, Manifest};
pub(crate) use slug::slug;
