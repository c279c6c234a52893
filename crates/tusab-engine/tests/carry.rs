//! A project carried elsewhere: in one file, from another app, to people.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking"
)]

#[path = "carry/common.rs"]
mod common;
#[path = "carry/hostile.rs"]
mod hostile;
#[path = "carry/kill.rs"]
mod kill;
#[path = "carry/legacy.rs"]
mod legacy;
#[cfg(all(unix, feature = "docx", feature = "xlsx", feature = "pdf"))]
#[path = "carry/office.rs"]
mod office;
#[path = "carry/page.rs"]
mod page;
#[path = "carry/portable.rs"]
mod portable;
#[cfg(unix)]
#[allow(dead_code, reason = "shared with other test programs")]
#[path = "survive/programs.rs"]
mod programs;
#[path = "carry/share.rs"]
mod share;
