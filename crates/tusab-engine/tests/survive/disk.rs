use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::model::Model;
use crate::programs::{again, lines, seed};

/// Runs a child until it has tried all, and notes what it said; how often it was refused.
fn fill(command: &mut Command, model: &mut Model) -> usize {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut refused = 0;
    for line in lines(&mut child) {
        refused += usize::from(line.starts_with("refused"));
        model.note(&line);
    }
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}");
    refused
}

pub(crate) fn files_that_may_not_grow() {
    let seed = seed().to_string();
    let mut refusals = 0;
    // In blocks of 512 bytes: from the first manifest on to where only the index is refused.
    for blocks in [0, 2, 150, 700, 1500] {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let mut model = Model::default();
        // The signal would end the process; ignored, a write fails with an error, as on a full disk.
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).arg(std::env::current_exe().unwrap());
        command.args(["child-fill", data.to_str().unwrap(), "1", &seed]);
        let refused = fill(&mut command, &mut model);
        println!("files of at most {blocks} blocks: {} steps done, {refused} refused", model.done);
        refusals += refused;
        goes_on(&data, &mut model, &seed);
    }
    assert!(refusals >= 20, "the limit is to bite: {refusals}");
}

/// Once there is room again, all that was said is there, and the project goes on by itself.
fn goes_on(data: &Path, model: &mut Model, seed: &str) {
    model.check(data);
    let done = model.done;
    let first = model.next().to_string();
    let refused = fill(&mut again(&["child-fill", data.to_str().unwrap(), &first, seed]), model);
    assert_eq!(refused, 0, "with room enough");
    assert!(model.done > done);
    model.check(data);
}

/// A small file system of its own, for as long as this lives.
pub(crate) struct Mount(tempfile::TempDir);

impl Mount {
    pub(crate) fn new(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        let mounted = mount.is_ok_and(|status| status.success());
        if !mounted {
            println!("skipped: a file system of its own cannot be mounted here (it needs root)");
        }
        mounted.then_some(Self(folder))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn set(&self, option: &str) {
        let options = format!("remount,{option}");
        let mut mount = Command::new("mount");
        mount.args(["-o", &options]).arg(self.0.path()).stderr(Stdio::null());
        // Busy while a thread that merges in the background holds a file.
        let deadline = Instant::now() + Duration::from_secs(30);
        while !mount.status().unwrap().success() {
            assert!(Instant::now() < deadline, "{option}");
            std::thread::yield_now();
        }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily: a thread that merges in the background may hold a file for a moment longer.
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

pub(crate) fn full_disk() {
    let seed = seed().to_string();
    let mut refusals = 0;
    for size in ["100k", "400k", "700k"] {
        let Some(disk) = Mount::new(size) else { return };
        let data = disk.0.path().join("data");
        let mut model = Model::default();
        let refused = fill(&mut again(&["child-fill", data.to_str().unwrap(), "1", &seed]), &mut model);
        println!("a disk of {size}: {} steps done, {refused} refused", model.done);
        refusals += refused;
        disk.set("size=64m");
        goes_on(&data, &mut model, &seed);
    }
    assert!(refusals >= 20, "the disks are to be full: {refusals}");
}
