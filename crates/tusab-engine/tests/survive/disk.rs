use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tusab_engine::{Engine, Error, Source};

use crate::model::Model;
use crate::programs::{again, lines, runtime, seed};

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
struct Mount(tempfile::TempDir);

impl Mount {
    fn new(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        mount.is_ok_and(|status| status.success()).then_some(Self(folder))
    }

    fn set(&self, option: &str) {
        let options = format!("remount,{option}");
        assert!(Command::new("mount").args(["-o", &options]).arg(self.0.path()).status().unwrap().success());
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
        let Some(disk) = Mount::new(size) else {
            println!("skipped: a small file system cannot be mounted here (it needs root)");
            return;
        };
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

pub(crate) fn read_only() {
    let Some(disk) = Mount::new("32m") else {
        println!("skipped: a file system of its own cannot be mounted here (it needs root)");
        return;
    };
    let data = disk.0.path().join("data");
    runtime().block_on(async {
        let engine = || Engine::builder().data_dir(&data).build().unwrap();
        let project = engine().project("P").await.unwrap();
        project.ingest(Source::text("t", "umbu e cajá")).await.unwrap();
        let doc = project.sources().await.unwrap()[0].doc.clone();
        drop(project);
        disk.set("ro");
        let engine = engine();
        assert_eq!(engine.projects().await.unwrap().projects.len(), 1);
        let refused: Vec<Error> = vec![
            engine.project("Outro").await.map(drop).unwrap_err(),
            engine.rename_project("P", "Q").await.unwrap_err(),
            engine.delete_project("P").await.map(drop).unwrap_err(),
            engine.config().update(serde_json::json!({"a": 1})).await.map(drop).unwrap_err(),
        ];
        for error in refused {
            assert!(!error.to_string().is_empty() && !error.is_locked(), "{error}");
        }
        match engine.project("P").await {
            Ok(project) => {
                assert_eq!(project.search("umbu").await.unwrap().hits.len(), 1);
                assert_eq!(project.sources().await.unwrap().len(), 1);
                assert!(project.ingest(Source::text("u", "pitanga")).await.is_err());
                assert!(project.remove(&doc).await.is_err());
            }
            // SQLite's log needs a place to write, even to read.
            Err(error) => println!("not opened on a disk that may not be written: {error}"),
        }
        disk.set("rw");
        let project = Engine::builder().data_dir(&data).build().unwrap().project("P").await.unwrap();
        assert_eq!(project.search("umbu").await.unwrap().hits.len(), 1);
        project.ingest(Source::text("u", "pitanga")).await.unwrap();
        assert_eq!(fs::read_dir(data.join("neural")).unwrap().count(), 1);
    });
}
