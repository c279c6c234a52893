//! yt-dlp and the programs around it, through the public interface, as one program.

// clippy.toml exempts test functions; these helpers are theirs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout
)]

#[cfg(unix)]
mod fake;
mod jobs;
#[cfg(unix)]
mod real;
#[cfg(unix)]
mod runner;
#[allow(dead_code, reason = "shared with the tests of tusab-engine")]
#[cfg(unix)]
mod site;
mod urls;
