//! Exact search by meaning, in memory and in files, against a plain reference; damaged files, dead writers and
//! writers at work; and what every implementation of the seam must hold.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]
#![allow(clippy::float_cmp, reason = "equal scores are equal to the last bit")]

mod conformance;
mod damage;
mod files;
mod material;
mod memory;
mod readers;
mod vector;
