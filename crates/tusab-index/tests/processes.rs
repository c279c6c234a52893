//! What needs another process: a disk that refuses, a trace of the system calls, a second writer.
//!
//! Unix only: limits and traces are its shell's.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking"
)]
#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "the tests are Unix's"))]

mod common;
#[path = "common/programs.rs"]
mod programs;

use std::env;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use common::batch;
use tusab_index::{
    ChunkStore, Control, Dimension, Enrichment, Error, Index, PageMark, Query, Retriever, Vector, VectorSpace,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["child-fill", folder] => child_fill(Path::new(folder)),
        ["child-apply", folder] => child_apply(Path::new(folder)),
        ["child-hold", folder] => child_hold(Path::new(folder)),
        _ if cfg!(unix) => programs::run(&[
            ("a_file_that_may_not_grow_loses_nothing", a_file_that_may_not_grow_loses_nothing),
            ("a_full_disk_loses_nothing", a_full_disk_loses_nothing),
            ("what_is_reported_was_synced", what_is_reported_was_synced),
            ("a_second_writer_process_is_told_who_writes", a_second_writer_process_is_told_who_writes),
        ]),
        _ => programs::run(&[]),
    }
}

fn say(line: &str) {
    println!("{line}");
    std::io::stdout().flush().unwrap();
}

fn word(number: usize) -> String {
    format!("zq{number}q")
}

fn id(number: usize) -> String {
    format!("text:{number}")
}

fn space() -> VectorSpace {
    VectorSpace::new("m", Dimension::new(256).unwrap())
}

/// A batch with a document of some thirty kilobytes.
fn fill(index: &Index, number: usize) -> Result<(), Error> {
    let filling: Vec<String> =
        (0..4_000).map(|n| format!("p{}", (number * 7_919 + n * 31) % 9_973)).collect();
    let text = format!("{} {}", word(number), filling.join(" "));
    index.apply(&batch(&[(&id(number), "Texto", &text)]), Control::default()).map(drop)
}

fn embed(index: &Index, number: usize) -> Result<(), Error> {
    let doc = id(number).parse().unwrap();
    let numbers =
        |n: u16| Vector::new((0..256).map(|at| f32::from(n * 31 % (at + 7)) + 1.0).collect()).unwrap();
    let vectors: Vec<_> = (0..).zip(index.chunks(&doc)?).map(|(n, chunk)| (chunk.id(), numbers(n))).collect();
    index.set_vectors(&space(), &[(doc, vectors)]).map(drop)
}

/// Writes until the disk refuses, and says what was written; and goes on trying, and reading.
fn child_fill(folder: &Path) -> ExitCode {
    let index = match Index::open(folder) {
        Ok(opened) => opened.index,
        Err(error) => {
            say(&format!("refused {error}"));
            return ExitCode::SUCCESS;
        }
    };
    let (mut refused, mut written) = (0, Vec::new());
    for number in 0..400 {
        match fill(&index, number) {
            Ok(()) => {
                say(&format!("written {number}"));
                written.push(number);
                match embed(&index, number) {
                    Ok(()) => say(&format!("embedded {number}")),
                    Err(error) => say(&format!("refused {error}")),
                }
            }
            Err(error) => {
                say(&format!("refused {error}"));
                refused += 1;
            }
        }
        if refused == 4 {
            break;
        }
    }
    for number in written {
        let hits = index.retrieve(&Query::new(word(number))).unwrap().hits;
        assert_eq!(hits.first().map(|hit| hit.document.id.to_string()), Some(id(number)), "while it is full");
    }
    say("read");
    ExitCode::SUCCESS
}

/// What the child said was written is there, found, and whole, once the disk has room again.
fn assert_nothing_lost(folder: &Path, lines: &[String]) {
    let numbers = |verb: &str| {
        let of = lines.iter().filter_map(|line| line.strip_prefix(verb));
        of.map(|number| number.trim().parse().unwrap()).collect::<Vec<usize>>()
    };
    let (written, embedded) = (numbers("written"), numbers("embedded"));
    let index = Index::open(folder).unwrap().index;
    for number in &written {
        let hits = index.retrieve(&Query::new(word(*number))).unwrap().hits;
        assert_eq!(hits.first().map(|hit| hit.document.id.to_string()), Some(id(*number)));
        assert!(hits[0].explain.bm25_rank.is_some());
    }
    assert_eq!(index.check().unwrap(), []);
    let lacking = index.lacking(Enrichment::Vectors, PageMark::default(), 100_000).unwrap().chunks;
    for number in embedded {
        assert!(lacking.iter().all(|chunk| chunk.doc().as_str() != id(number)), "the vectors of {number}");
    }
    // And it goes on.
    fill(&index, 1_000).unwrap();
    embed(&index, 1_000).unwrap();
    assert_eq!(index.retrieve(&Query::new(word(1_000))).unwrap().hits.len(), 1);
}

fn run(command: &mut Command) -> Vec<String> {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let lines: Vec<String> = programs::lines(&mut child).collect();
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}: {lines:?}");
    lines
}

fn a_file_that_may_not_grow_loses_nothing() {
    let mut refusals = 0;
    // In blocks of 512 bytes: from the first table on to where merges of large pieces fail.
    for blocks in [8, 100, 300, 700, 1_500, 3_000, 6_000] {
        let folder = tempfile::tempdir().unwrap();
        // The signal would end the process; ignored, a write fails with an error, as on a full disk.
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let lines = run(Command::new("sh")
            .args(["-c", &script])
            .arg(env::current_exe().unwrap())
            .arg("child-fill")
            .arg(folder.path()));
        refusals += lines.iter().filter(|line| line.starts_with("refused")).count();
        let written = lines.iter().filter(|line| line.starts_with("written")).count();
        println!("files of at most {} KB: {written} documents written", blocks / 2);
        assert_nothing_lost(folder.path(), &lines);
    }
    assert!(refusals >= 10, "the limit is to bite: {refusals}");
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

    fn resize(&self, size: &str) {
        let options = format!("remount,size={size}");
        assert!(Command::new("mount").args(["-o", &options]).arg(self.0.path()).status().unwrap().success());
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily: a thread that merges in the background may hold a file for a moment longer.
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

fn a_full_disk_loses_nothing() {
    for size in ["400k", "1500k", "4m"] {
        let Some(disk) = Mount::new(size) else {
            println!("skipped: a small file system cannot be mounted here (it needs root)");
            return;
        };
        let folder = disk.0.path().join("index");
        let lines = run(Command::new(env::current_exe().unwrap()).arg("child-fill").arg(&folder));
        assert!(lines.iter().any(|line| line.starts_with("refused")), "{lines:?}");
        let written = lines.iter().filter(|line| line.starts_with("written")).count();
        println!("a disk of {size}: {written} documents written");
        disk.resize("64m");
        assert_nothing_lost(&folder, &lines);
    }
}

/// One batch, with a mark before and one after it.
fn child_apply(folder: &Path) -> ExitCode {
    let index = Index::open(folder).unwrap().index;
    fill(&index, 0).unwrap();
    say("mark apply");
    fill(&index, 1).unwrap();
    say("mark vectors");
    embed(&index, 1).unwrap();
    say("mark end");
    ExitCode::SUCCESS
}

fn what_is_reported_was_synced() {
    let can_trace = Command::new("strace").arg("true").stderr(Stdio::null()).status();
    if !can_trace.is_ok_and(|status| status.success()) {
        println!("skipped: strace is not on this machine, or may not trace");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (index, trace) = (folder.path().join("index"), folder.path().join("trace"));
    let traced = Command::new("strace")
        .args(["-f", "-y", "-e", "trace=write,fsync,fdatasync,msync,rename,renameat,renameat2", "-o"])
        .arg(&trace)
        .arg(env::current_exe().unwrap())
        .arg("child-apply")
        .arg(&index)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(traced.unwrap().success(), "the traced child failed");
    let trace = fs::read_to_string(&trace).unwrap();
    let lines: Vec<&str> = trace.lines().collect();
    let at = |mark: &str| {
        let written = format!("\"mark {mark}\\n\"");
        lines.iter().position(|line| line.contains(&written)).unwrap()
    };
    let synced = |from: &str, to: &str, name: &str| {
        lines[at(from)..at(to)]
            .iter()
            .filter(|line| line.contains("fsync(") || line.contains("fdatasync("))
            .any(|line| line.contains(name))
    };
    // A write after the last sync of a file would not be on the disk.
    let store = lines[at("apply")..at("vectors")]
        .iter()
        .rposition(|line| line.contains("store.sqlite-wal>") && !line.contains("write("))
        .unwrap();
    let written = lines[at("apply")..at("vectors")]
        .iter()
        .rposition(|line| line.contains("store.sqlite-wal>") && line.contains("write("));
    assert!(written.is_none_or(|written| written < store), "the log was written after it was synced");
    for name in ["store.sqlite-wal>", ".term>", ".idx>", ".fast>", ".store>", ".fieldnorm>", "/bm25>"] {
        assert!(synced("apply", "vectors", name), "{name} was not synced before the batch was reported");
    }
    for name in ["store.sqlite-wal>", ".vectors.unfinished>", "vectors.json.unfinished>", "/vectors>"] {
        assert!(synced("vectors", "end", name), "{name} was not synced before the vectors were reported");
    }
}

/// Writes, says so, and keeps the right to write until its input ends.
fn child_hold(folder: &Path) -> ExitCode {
    let index = Index::open(folder).unwrap().index;
    fill(&index, 0).unwrap();
    say("holding");
    std::io::stdin().lines().for_each(drop);
    ExitCode::SUCCESS
}

fn a_second_writer_process_is_told_who_writes() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(env::current_exe().unwrap())
        .arg("child-hold")
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = programs::lines(&mut child);
    assert_eq!(lines.next().as_deref(), Some("holding"));
    let index = Index::open(folder.path()).unwrap().index;
    assert_eq!(index.retrieve(&Query::new(word(0))).unwrap().hits.len(), 1);
    let error = fill(&index, 1).unwrap_err();
    assert!(matches!(error, Error::Locked { holder: Some(holder), .. } if holder == child.id()), "{error}");
    drop(child.stdin.take());
    child.wait().unwrap();
    fill(&index, 1).unwrap();
    assert_eq!(index.retrieve(&Query::new(word(1))).unwrap().hits.len(), 1);
}
