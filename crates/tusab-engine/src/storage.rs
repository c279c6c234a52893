//! The data directory: where things are, and writing them so that a crash leaves them whole.

mod atomic;
mod layout;
mod lock;
mod manifest;
mod slug;
mod stamp;

pub(crate) use atomic::{
    UNFINISHED, leftovers, make_folder, move_all, move_whole, place, read_leftover, remove_leftover,
    remove_whole, stage, sync_folder, unfinished, write_whole,
};
pub use layout::{CEREBRO_DIR, NEURAL_DIR};
pub(crate) use layout::{DataDir, ProjectDirs};
pub(crate) use lock::{lock, make_lock_folder};
pub(crate) use manifest::{DAMAGED_MANIFEST, Entry, Fault, Manifest};
pub(crate) use slug::{is_file_name, slug};
pub(crate) use stamp::Stamp;
