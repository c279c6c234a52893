//! One test of this program again, in a process of its own: for what a process has one of, such as its environment.

use std::path::Path;
use std::process::{Command, ExitStatus};

/// Names the folder that the child works in; without it, it is no child.
const FOLDER: &str = "TUSAB_TEST_FOLDER";

/// Runs the test, one that is ignored otherwise, in a child with that folder and those variables of the environment.
pub(crate) fn again(test: &str, folder: &Path, variables: &[(&str, &str)]) -> ExitStatus {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"]).env(FOLDER, folder);
    for (name, value) in variables {
        child.env(name, value);
    }
    child.status().unwrap()
}

/// The folder of this child; `None` where it is none, as when all ignored tests are run.
pub(crate) fn folder() -> Option<std::path::PathBuf> {
    std::env::var_os(FOLDER).map(Into::into)
}
