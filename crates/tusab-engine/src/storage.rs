//! The data directory: where things are, and writing them so that a crash leaves them whole.

mod atomic;
mod layout;
mod manifest;
mod slug;

pub(crate) use atomic::{clear_leftovers, write_whole};
pub(crate) use layout::{DataDir, ProjectDirs};
pub(crate) use manifest::{Entry, Manifest};
pub(crate) use slug::slug;
