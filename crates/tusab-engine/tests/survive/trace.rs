//! SIGKILL alone cannot show a missing fsync: what is reported done was synced before, by the system calls.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use serde_json::json;
use tusab_engine::{Cancel, Engine, Rating, ShareFormat, ShareOptions, Source};

use crate::programs::{runtime, say};

/// Does everything once, with a mark after each step.
pub(crate) fn child(root: &Path) -> ExitCode {
    let data = &root.join("data");
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
        let session = project.chat("s");
        let turn = session.ask("cajá").await.unwrap().turn.unwrap();
        say("mark asked");
        session.rate(turn, Some(Rating::Up)).await.unwrap();
        say("mark rated");
        let other = engine.project("Outro").await.unwrap();
        other.ingest(Source::text("e", "bacuri")).await.unwrap();
        other.chat("s").ask("bacuri").await.unwrap();
        say("mark other");
        project.merge(&other).await.unwrap();
        say("mark merged");
        project.export(root.join("p.tusab")).await.unwrap();
        say("mark exported");
        engine.import(root.join("p.tusab"), "Trazido").await.unwrap();
        say("mark imported");
        let options = ShareOptions::default();
        project.share(root.join("p.md"), ShareFormat::Markdown, &options, &Cancel::new()).await.unwrap();
        session.share(root.join("s.csv"), ShareFormat::AnkiCsv, &options).await.unwrap();
        project.report_page(root.join("p.html"), &options, &Cancel::new()).await.unwrap();
        say("mark shared");
        session.delete().await.unwrap();
        say("mark forgotten");
        engine.rename_project("P", "Q").await.unwrap();
        say("mark renamed");
        let trashed = engine.delete_project("Q").await.unwrap();
        say("mark deleted");
        engine.restore_project(&trashed.id).await.unwrap();
        say("mark revived");
        engine.delete_project("Outro").await.unwrap();
        engine.empty_trash().await.unwrap();
        say("mark emptied");
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
    let (root, trace) = (folder.path().join("root"), folder.path().join("trace"));
    fs::create_dir(&root).unwrap();
    let calls = "trace=write,pwrite64,writev,copy_file_range,sendfile,ftruncate,fsync,fdatasync,rename,renameat,renameat2,mkdir,mkdirat,unlink,unlinkat,rmdir";
    let traced = Command::new("strace")
        .args(["-f", "-y", "-s", "200", "-e", calls, "-o"])
        .arg(&trace)
        .arg(std::env::current_exe().unwrap())
        .arg("child-trace")
        .arg(&root)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(traced.unwrap().success(), "the traced child failed");
    let mut disk = Disk::default();
    let mut marks = Vec::new();
    for line in calls_of(&fs::read_to_string(&trace).unwrap()) {
        if let Some(mark) = line.split("\"mark ").nth(1).map(|rest| rest.split('\\').next().unwrap()) {
            marks.push((mark.to_owned(), disk.seen));
            if mark != "hand" {
                disk.assert_synced(mark);
            }
            // Elsewhere what comes back is found again by who looks: see the tests of steps cut short.
            if ["purged", "forgotten", "emptied"].contains(&mark) {
                assert!(disk.removed.is_empty(), "what was erased can come back: {:?}", disk.removed);
            }
            disk = Disk { known: disk.known, ..Disk::default() };
        } else {
            disk.note(&line, &root);
        }
    }
    assert_eq!(marks.len(), 23, "every step is to leave its mark: {marks:?}");
    println!("{} writes, moves and removals were synced", marks.iter().map(|(_, seen)| seen).sum::<usize>());
    for (mark, seen) in &marks {
        assert!(*seen > 0, "the trace is to show what was written until {mark}");
    }
}

/// The calls as they ended: one that another thread's came between is on two lines.
fn calls_of(trace: &str) -> Vec<String> {
    let mut begun: BTreeMap<&str, &str> = BTreeMap::new();
    let mut calls = Vec::new();
    for line in trace.lines() {
        let (thread, call) = line.split_once(' ').unwrap();
        let call = call.trim_start();
        if let Some(first) = call.strip_suffix("<unfinished ...>") {
            begun.insert(thread, first.trim_end());
        } else if let Some((_, rest)) = call.split_once(" resumed>") {
            let first = begun.remove(thread).unwrap_or_default();
            calls.push(format!("{first}{rest}"));
        } else {
            calls.push(call.to_owned());
        }
    }
    calls
}

/// What was written or moved and not yet synced.
#[derive(Default)]
struct Disk {
    files: BTreeSet<String>,
    /// Folders with a new or a moved entry, and that entry.
    folders: BTreeSet<(String, String)>,
    /// What lost something, and what: folders an entry, logs all.
    removed: BTreeMap<String, String>,
    /// Files that were written before: their names last already.
    known: BTreeSet<String>,
    seen: usize,
}

impl Disk {
    fn note(&mut self, call: &str, root: &Path) {
        let root = root.to_str().unwrap();
        // A lock is no content, and a database's shared memory is made anew from its log.
        let counts = |path: &str| {
            path.starts_with(root)
                && !path.ends_with("-shm")
                && Path::new(path).extension().is_none_or(|extension| extension != "lock")
        };
        // The BM25 index is derived: of names that are lost there, the next opening makes it again from the store. What is in
        // its files is synced, and has a test of its own.
        let names_count = |path: &str| counts(path) && !path.contains("/bm25");
        let folder_of = |path: &str| Path::new(path).parent().unwrap().to_str().unwrap().to_owned();
        let quoted: Vec<&str> = call.split('"').skip(1).step_by(2).collect();
        // strace names the file of each handle: `write(3</path>, ...`.
        let file = |number: usize| call.split('<').nth(1 + number)?.split('>').next();
        let name = call.split('(').next().unwrap_or_default();
        if call.contains(" = -1 ") {
            return;
        }
        match name {
            // A log that was emptied: what it held is in the database by then.
            "ftruncate" if call.contains("-wal>, 0)") => {
                if let Some(log) = file(0).filter(|path| counts(path)) {
                    self.removed.insert(log.to_owned(), log.to_owned());
                }
            }
            "write" | "pwrite64" | "writev" | "ftruncate" | "copy_file_range" | "sendfile" => {
                if let Some(path) = file(usize::from(name == "copy_file_range")).filter(|path| counts(path)) {
                    // An empty file says nothing: its name has to last once something is in it.
                    if self.known.insert(path.to_owned()) && names_count(path) {
                        self.folders.insert((folder_of(path), path.to_owned()));
                    }
                    self.files.insert(path.to_owned());
                    self.seen += 1;
                }
            }
            "fsync" | "fdatasync" => {
                if let Some(path) = file(0) {
                    self.files.remove(path);
                    self.folders.retain(|(folder, _)| folder != path);
                    self.removed.remove(path);
                }
            }
            "rename" | "renameat" | "renameat2" => {
                let (from, to) = (quoted[0], quoted[1]);
                if counts(to) {
                    let within = |path: &&String| Path::new(path.as_str()).starts_with(from);
                    let folders = self.folders.iter().map(|(folder, _)| folder);
                    let unsynced = self.files.iter().chain(folders).find(within);
                    assert_eq!(unsynced, None, "{from} was moved before this was synced");
                    self.known.insert(to.to_owned());
                    if names_count(to) {
                        self.folders.insert((folder_of(to), to.to_owned()));
                    }
                    if names_count(from) && folder_of(from) != folder_of(to) {
                        self.folders.insert((folder_of(from), from.to_owned()));
                    }
                    self.seen += 1;
                }
            }
            "mkdir" | "mkdirat" => {
                if let Some(path) = quoted.first().filter(|path| names_count(path)) {
                    self.folders.insert((folder_of(path), (*path).to_owned()));
                    self.seen += 1;
                }
            }
            "unlink" | "unlinkat" | "rmdir" => {
                // Of a name in an open folder, strace tells that folder first.
                let path =
                    Path::new(file(0).unwrap_or_default()).join(quoted[0]).to_str().unwrap().to_owned();
                if counts(&path) {
                    self.files.remove(&path);
                    self.known.remove(&path);
                    self.folders.retain(|(folder, entry)| *folder != path && *entry != path);
                    self.removed.remove(&path);
                    self.removed.insert(folder_of(&path), path);
                    self.seen += 1;
                }
            }
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
