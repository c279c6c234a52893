//! The conformance suite on the local index.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod common;
#[path = "common/conformance.rs"]
mod conformance;

use std::path::Path;

use conformance::conformance;
use tusab_index::Index;

#[test]
fn the_local_index_conforms() {
    let dir = tempfile::tempdir().unwrap();
    conformance(|| Box::new(Index::open(Path::new(dir.path())).unwrap().index));
}
