//! SIGKILL alone cannot show a missing fsync: what is reported done was synced before, by the system calls.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use serde_json::json;
use tusab_engine::{Cancel, Engine, Source};

use crate::programs::{runtime, say};

/// Does everything once, with a mark after each step.
pub(crate) fn child(data: &Path) -> ExitCode {
    runtime().block_on(async {
        let engine = Engine::builder().data_dir(data).build().unwrap();
        let project = engine.project("P").await.unwrap();
        say("mark made");
        let given = vec![Source::text("a", "umbu"), Source::bytes("b.md", "cajá")];
        project.ingest_all(given, &Cancel::new()).await.unwrap();
        say("mark ingested");
        fs::write(data.join("neural/p/documents/c.md"), "pitanga").unwrap();
        // A hand syncs nothing: what is measured begins here.
        say("mark hand");
        project.sync(&Cancel::new()).await.unwrap();
        say("mark synchronised");
        let doc = project.sources().await.unwrap()[0].doc.clone();
        project.remove(&doc).await.unwrap();
        say("mark removed");
        project.restore(&doc).await.unwrap();
        say("mark restored");
        project.remove(&doc).await.unwrap();
        project.purge().await.unwrap();
        say("mark purged");
        project.queue().add(vec![Source::text("d", "jenipapo")]).await.unwrap();
        say("mark queued");
        project.queue().run(&Cancel::new()).await.unwrap();
        say("mark run");
        project.follow(Source::folder(data), tusab_engine::Schedule::Daily).await.unwrap();
        say("mark followed");
        engine.config().update(json!({"a": 1})).await.unwrap();
        say("mark configured");
        engine.rename_project("P", "Q").await.unwrap();
        say("mark renamed");
        let trashed = engine.delete_project("Q").await.unwrap();
        say("mark deleted");
        engine.restore_project(&trashed.id).await.unwrap();
        say("mark revived");
    });
    ExitCode::SUCCESS
}

pub(crate) fn what_is_reported_was_synced() {
    let can_trace = Command::new("strace").arg("true").stderr(Stdio::null()).status();
    if !can_trace.is_ok_and(|status| status.success()) {
        println!("skipped: strace is not on this machine, or may not trace");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (data, trace) = (folder.path().join("data"), folder.path().join("trace"));
    let calls = "trace=write,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,mkdir,mkdirat,unlink,unlinkat";
    let traced = Command::new("strace")
        .args(["-f", "-y", "-s", "200", "-e", calls, "-o"])
        .arg(&trace)
        .arg(std::env::current_exe().unwrap())
        .arg("child-trace")
        .arg(&data)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(traced.unwrap().success(), "the traced child failed");
    let trace = fs::read_to_string(&trace).unwrap();
    let mut disk = Disk::default();
    let mut marks = 0;
    for line in trace.lines() {
        if let Some(mark) = line.split("\"mark ").nth(1).map(|rest| rest.split('\\').next().unwrap()) {
            marks += 1;
            if mark != "hand" {
                disk.assert_synced(mark);
            }
            disk = Disk { seen: disk.seen, ..Disk::default() };
        } else {
            disk.note(line, &data);
        }
    }
    assert_eq!(marks, 14, "every step is to leave its mark");
    assert!(disk.seen > 60, "the trace is to show what was written: {}", disk.seen);
    println!("{} writes, moves and folders were synced before they were reported", disk.seen);
}

/// What was written or moved and not yet synced.
#[derive(Default)]
struct Disk {
    files: BTreeSet<String>,
    /// Folders with a new or a moved entry, and what it is.
    folders: BTreeMap<String, String>,
    seen: usize,
}

impl Disk {
    fn note(&mut self, line: &str, data: &Path) {
        let failed = line.contains(" = -1 ");
        let call = line.split_once(' ').map_or("", |(_, call)| call.trim_start());
        let name = call.split('(').next().unwrap_or("");
        let data = data.to_str().unwrap();
        // The index has its own test; a lock is no content.
        let counts = |path: &str| {
            path.starts_with(data)
                && !path.contains("/indexes/")
                && !path.contains("/index/")
                && Path::new(path).extension().is_none_or(|extension| extension != "lock")
        };
        let of_handle =
            || call.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map(|(path, _)| path);
        let quoted: Vec<&str> = call.split('"').skip(1).step_by(2).collect();
        let folder_of = |path: &str| Path::new(path).parent().unwrap().to_str().unwrap().to_owned();
        if failed {
            return;
        }
        match name {
            "write" | "pwrite64" | "ftruncate" => {
                if let Some(path) = of_handle().filter(|path| counts(path)) {
                    self.files.insert(path.to_owned());
                    self.seen += 1;
                }
            }
            "fsync" | "fdatasync" => {
                if let Some(path) = of_handle() {
                    self.files.remove(path);
                    self.folders.remove(path);
                }
            }
            "rename" | "renameat" | "renameat2" => {
                let (from, to) = (quoted[0], quoted[1]);
                if counts(to) {
                    assert!(!self.files.contains(from), "{from} was moved before it was synced");
                    self.folders.insert(folder_of(to), to.to_owned());
                    if folder_of(from) != folder_of(to) {
                        self.folders.insert(folder_of(from), from.to_owned());
                    }
                    self.seen += 1;
                }
            }
            "mkdir" | "mkdirat" => {
                if let Some(path) = quoted.first().filter(|path| counts(path)) {
                    self.folders.insert(folder_of(path), (*path).to_owned());
                    self.seen += 1;
                }
            }
            // Synced with what follows, or found again by who looks: see the tests of steps cut short.
            _ => {}
        }
    }

    fn assert_synced(&self, mark: &str) {
        assert!(
            self.files.is_empty(),
            "reported as {mark} with files that were not synced: {:?}",
            self.files
        );
        assert!(
            self.folders.is_empty(),
            "reported as {mark} with folders that were not synced: {:?}",
            self.folders
        );
    }
}
