//! Exports and imports that are killed, or run out of disk: what is there is whole, and what was reported is there.
//!
//! `TUSAB_KILLS` says how often (8 by default), `TUSAB_SEED` repeats a run. The children are this program again, asked for
//! one of the tests below.

#![cfg(unix)]

use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tusab_engine::Error;

use crate::common::{engine, found, sample, tree};
use crate::programs::{Random, lines, number_from, say, seed};

/// Where a child works; without it, the children's tests do nothing.
const FOLDER: &str = "TUSAB_CARRY_FOLDER";

fn folder() -> Option<PathBuf> {
    env::var_os(FOLDER).map(PathBuf::from)
}

fn child(name: &str, folder: &Path) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", &format!("kill::{name}"), "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder);
    command
}

/// Exports and imports for ever.
#[tokio::test]
async fn carrying_child() {
    let Some(folder) = folder() else { return };
    let engine = engine(&folder.join("data"));
    let project = engine.project("P").await.unwrap();
    let names: Vec<String> =
        engine.projects().await.unwrap().projects.into_iter().map(|it| it.name).collect();
    say("begun");
    for number in names.len().. {
        project.export(folder.join("base.tusab")).await.unwrap();
        say("exported");
        let name = format!("Cópia {number}");
        engine.import(folder.join("base.tusab"), &name).await.unwrap();
        say(&format!("imported {name}"));
    }
}

#[tokio::test]
async fn nothing_is_half_there_after_a_kill() {
    let kills = number_from("TUSAB_KILLS").unwrap_or(8);
    println!("TUSAB_KILLS={kills}");
    let mut random = Random(seed());
    let dir = tempfile::tempdir().unwrap();
    sample(&dir.path().join("data"), "P").await.export(dir.path().join("base.tusab")).await.unwrap();
    for number in 0..kills {
        let mut reported = vec!["P".to_owned()];
        run_and_kill(dir.path(), &mut random, &mut reported);
        check(dir.path(), &reported, number).await;
        // Begin anew, so that opening them all does not come to take the most time.
        let engine = engine(&dir.path().join("data"));
        for project in engine.projects().await.unwrap().projects {
            if project.name != "P" {
                engine.delete_project(&project.name).await.unwrap();
            }
        }
        engine.empty_trash().await.unwrap();
    }
}

/// Runs a child and kills it a random while after one of its lines.
fn run_and_kill(folder: &Path, random: &mut Random, reported: &mut Vec<String>) {
    let mut child = child("carrying_child", folder).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = lines(&mut child);
    let mut note = |line: &str| {
        // The test runner writes before the first line without an end of line.
        if let Some((_, name)) = line.split_once("imported ") {
            reported.push(name.to_owned());
        }
    };
    let begun = lines.find(|line| line.ends_with("begun"));
    assert!(begun.is_some(), "the child did not begin");
    for _ in 0..random.below(4) {
        note(&lines.next().unwrap());
    }
    // The moment of the kill has to fall anywhere in what the child does next: no event marks it.
    let moment = Instant::now() + Duration::from_micros(random.below(400_000));
    while Instant::now() < moment {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    lines.for_each(|line| note(&line));
    let ended = child.wait().unwrap();
    assert_eq!(ended.signal(), Some(9), "the child failed by itself: {ended}");
}

/// The file is whole; each project that is there is whole and found; each that was reported is there; nothing else is.
async fn check(folder: &Path, reported: &[String], number: u64) {
    let data = folder.join("data");
    let engine = engine(&data);
    engine.import(folder.join("base.tusab"), &format!("Prova {number}")).await.unwrap();
    let listed = engine.projects().await.unwrap();
    assert!(listed.unreadable.is_empty(), "{:?}", listed.unreadable);
    let names: Vec<String> = listed.projects.iter().map(|it| it.name.clone()).collect();
    for name in reported {
        assert!(names.contains(name), "{name} was reported and is lost");
    }
    for name in &names {
        let project = engine.find_project(name).await.unwrap().unwrap();
        assert_eq!(project.statistics().await.unwrap().documents, 3, "{name}");
        assert_eq!(found(&project, "jabuticaba").await, ["Colado 🎬"], "{name}");
    }
    let folders = |of: &str| {
        fs::read_dir(data.join(of)).unwrap().filter(|it| it.as_ref().unwrap().path().is_dir()).count()
    };
    assert_eq!(folders("neural"), names.len());
    assert_eq!(folders("temp"), 0, "what the dead have left was not cleared");
    let unfinished: Vec<PathBuf> = tree(&data)
        .into_iter()
        .map(|(path, _)| path)
        .filter(|path| path.to_string_lossy().ends_with(".unfinished"))
        .collect();
    assert_eq!(unfinished, Vec::<PathBuf>::new());
}

/// Exports, and says how it went.
#[tokio::test]
async fn exporting_child() {
    let Some(folder) = folder() else { return };
    let exported = async {
        let project = engine(&folder.join("data")).project("P").await?;
        project.export(folder.join("full.tusab")).await
    };
    match exported.await {
        Ok(_) => say("done"),
        Err(error) => say(&format!("failed: {error}")),
    }
}

/// Imports, and says how it went.
#[tokio::test]
async fn importing_child() {
    let Some(folder) = folder() else { return };
    match engine(&folder.join("there")).import(folder.join("base.tusab"), "Q").await {
        Ok(_) => say("done"),
        Err(Error::Portable { path, source }) => {
            panic!("the disk is full, and {path:?} is blamed: {source:?}")
        }
        Err(error) => say(&format!("failed: {error}")),
    }
}

/// Runs a child that can write no file past a size, as if the disk were full there.
fn with_full_disk(name: &str, folder: &Path, blocks: u64) -> String {
    let exe = env::current_exe().unwrap();
    // Ignored, the signal leaves the error of the write.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &script])
        .arg(exe)
        .args(["--exact", &format!("kill::{name}"), "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .output()
        .unwrap();
    let told =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    told
}

#[tokio::test]
async fn a_full_disk_leaves_what_was_there() {
    let dir = tempfile::tempdir().unwrap();
    let project = sample(&dir.path().join("data"), "P").await;
    project.export(dir.path().join("base.tusab")).await.unwrap();
    drop(project);
    fs::write(dir.path().join("full.tusab"), "antes").unwrap();
    let (mut exports_failed, mut imports_failed) = (0, 0);
    // Blocks of 512 or 1024 bytes, by the shell: up to the largest file, the store.
    for blocks in [0, 1, 3, 8, 20, 60, 120, 200, 4096] {
        let told = with_full_disk("exporting_child", dir.path(), blocks);
        if told.contains("failed: ") {
            exports_failed += 1;
            assert_eq!(fs::read(dir.path().join("full.tusab")).unwrap(), b"antes", "{blocks}");
        }
        let left = dir.path().join("full.tusab.unfinished");
        assert!(!left.exists(), "{blocks}");
        if fs::read_dir(dir.path().join("there/neural")).is_ok_and(|mut it| it.next().is_some()) {
            continue;
        }
        let told = with_full_disk("importing_child", dir.path(), blocks);
        if told.contains("failed: ") {
            imports_failed += 1;
            let engine = engine(&dir.path().join("there"));
            assert!(engine.projects().await.unwrap().projects.is_empty(), "{blocks}: {told}");
            assert!(
                tree(&dir.path().join("there/temp"))
                    .iter()
                    .all(|(path, _)| path.extension().unwrap() == "lock")
            );
        }
    }
    assert!(exports_failed >= 4 && imports_failed >= 4, "{exports_failed} {imports_failed}");
    // With room, the last of each went well.
    assert_eq!(
        found(&engine(&dir.path().join("there")).project("Q").await.unwrap(), "juros").await,
        ["Juros compostos"]
    );
    assert!(fs::metadata(dir.path().join("full.tusab")).unwrap().len() > 1000);
}
