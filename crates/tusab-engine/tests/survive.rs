//! What a project must survive: kills at random moments of everything that is done to it, disks that are full or may not
//! be written, other processes, clocks that go backwards; and that what is reported done was synced before.
//!
//! `TUSAB_KILLS` says how often to kill (10 by default), `TUSAB_FAULTS` how many writes of each step to refuse (4 by default;
//! all of them are some 200), `TUSAB_FAULT_STEP` of which step alone, and `TUSAB_SEED` repeats a run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking"
)]

#[path = "survive/child.rs"]
mod child;
#[path = "survive/disk.rs"]
mod disk;
#[path = "survive/fault.rs"]
mod fault;
#[path = "survive/kill.rs"]
mod kill;
#[path = "survive/model.rs"]
mod model;
#[path = "survive/processes.rs"]
mod processes;
#[path = "survive/programs.rs"]
mod programs;
#[path = "survive/read_only.rs"]
mod read_only;
#[path = "survive/steps.rs"]
mod steps;
#[path = "survive/trace.rs"]
mod trace;

use std::env;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["child-live", data, first, seed] => {
            child::live(Path::new(data), first.parse().unwrap(), seed.parse().unwrap(), usize::MAX)
        }
        ["child-fill", data, first, seed] => {
            child::live(Path::new(data), first.parse().unwrap(), seed.parse().unwrap(), 25)
        }
        ["child-fault", step, root, again] => fault::child(step, Path::new(root), *again == "again"),
        ["child-trace", data] => trace::child(Path::new(data)),
        ["child-read", data] => read_only::child(Path::new(data)),
        ["child-hold", data] => processes::child_hold(Path::new(data)),
        _ => programs::run(&[
            ("kills_lose_nothing_and_leave_nothing_half_done", kill::kills),
            ("files_that_may_not_grow_lose_nothing", disk::files_that_may_not_grow),
            ("a_full_disk_loses_nothing", disk::full_disk),
            ("a_disk_that_is_full_at_each_single_write_loses_nothing", fault::full_at_each_write),
            ("a_disk_that_may_not_be_written_is_read", read_only::disk),
            ("a_user_without_the_right_to_write_reads", read_only::user),
            ("what_could_not_be_mended_is_said", read_only::behind),
            ("what_is_reported_was_synced", trace::what_is_reported_was_synced),
            ("two_processes_keep_out_of_each_other_s_way", processes::two_processes),
            ("a_clock_that_goes_backwards_loses_nothing", processes::clock_backwards),
            ("ten_thousand_documents_in_one_folder", processes::ten_thousand),
        ]),
    }
}
