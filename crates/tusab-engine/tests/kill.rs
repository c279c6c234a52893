//! Kills a process that takes sources in, at random moments, and checks after each kill that what it had reported is
//! there, once, and can be found.
//!
//! `TUSAB_KILLS` says how often (10 by default), `TUSAB_SEED` repeats a run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking"
)]

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant, SystemTime};

use tusab_engine::{Cancel, Engine, Outcome, Project, Source};

const NAME: &str = "what_was_reported_survives_a_kill";
const SOURCES: usize = 60;
/// Sources of one call, which become durable together.
const CALL: usize = 3;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let is = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if let [word, data, sources] = arguments.as_slice()
        && word == "child"
    {
        return child(Path::new(data), Path::new(sources));
    }
    if is("--list") {
        if !is("--ignored") {
            println!("{NAME}: test");
        }
        return ExitCode::SUCCESS;
    }
    // As the standard test harness does it: words that are no options choose tests by their names.
    let chosen: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    if is("--ignored") || (!chosen.is_empty() && !chosen.iter().any(|word| NAME.contains(word.as_str()))) {
        println!(
            "\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 1 filtered out"
        );
        return ExitCode::SUCCESS;
    }
    println!("\nrunning 1 test");
    parent();
    println!(
        "test {NAME} ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out"
    );
    ExitCode::SUCCESS
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap()
}

/// Takes all sources in, a few at a time, and says after each call what is reported as stored.
fn child(data: &Path, sources: &Path) -> ExitCode {
    runtime().block_on(async {
        let engine = Engine::builder().data_dir(data).build().unwrap();
        let project = engine.project("Matança").await.unwrap();
        println!("opened");
        for first in (0..SOURCES).step_by(CALL) {
            let call = (first..first + CALL).map(|number| source(sources, number)).collect();
            let report = project.ingest_all(call, &Cancel::new()).await.unwrap();
            for (number, item) in (first..).zip(&report.items) {
                match &item.outcome {
                    Outcome::Added { .. } | Outcome::Unchanged { .. } => println!("stored {number}"),
                    other => panic!("source {number}: {other:?}"),
                }
            }
            std::io::stdout().flush().unwrap();
        }
        println!("finished");
    });
    ExitCode::SUCCESS
}

/// Every third source is a video, a note or a pasted text; each has a word that no other has.
fn source(folder: &Path, number: usize) -> Source {
    let path = path(folder, number);
    if number % 3 == 2 { Source::text(format!("Colado {number}"), text(number)) } else { Source::file(path) }
}

fn path(folder: &Path, number: usize) -> PathBuf {
    match number % 3 {
        0 => folder.join(format!("Aula {number} [aaaaaaaa{number:03}].pt.vtt")),
        _ => folder.join(format!("nota-{number}.md")),
    }
}

fn text(number: usize) -> String {
    let filling = "Uma frase comum a todas as fontes, para que haja o que gravar. ".repeat(40);
    format!("# Nota {number}\n\n{filling}\n\nA palavra é {}.\n\n{filling}", word(number))
}

fn word(number: usize) -> String {
    format!("zq{number}x")
}

fn write_sources(folder: &Path) {
    for number in 0..SOURCES {
        let content = match number % 3 {
            0 => format!("WEBVTT\n\n00:01.000 --> 00:05.000\nA palavra é {}.\n", word(number)),
            _ => text(number),
        };
        fs::write(path(folder, number), content).unwrap();
    }
}

/// A small generator of random numbers (xorshift, Marsaglia 2003): the seed is all that has to be told.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn number_from(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

fn parent() {
    let kills = number_from("TUSAB_KILLS").unwrap_or(10);
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let seed = number_from("TUSAB_SEED").unwrap_or(u64::from(clock.subsec_nanos()) | 1);
    println!("TUSAB_KILLS={kills} TUSAB_SEED={seed}");
    let mut random = Random(seed);
    let folder = tempfile::tempdir().unwrap();
    let sources = folder.path().join("sources");
    fs::create_dir(&sources).unwrap();
    write_sources(&sources);

    let (mut round, mut done, mut in_the_middle) = (0, 0, 0);
    let mut data = folder.path().join("data-0");
    let mut reported = vec![false; SOURCES];
    while done < kills {
        let finished = run_and_kill(&data, &sources, &mut random, &mut reported);
        done += 1;
        in_the_middle += u64::from(!finished);
        check(&data, &reported);
        if finished {
            check(&data, &[true; SOURCES]);
            // Begin anew, so that every kill has something to interrupt.
            fs::remove_dir_all(&data).unwrap();
            round += 1;
            data = folder.path().join(format!("data-{round}"));
            reported = vec![false; SOURCES];
        }
    }
    println!("{done} kills, {in_the_middle} of them in the middle of the work, {round} whole runs");
}

/// Runs a child and kills it a random while after one of its first lines; true if it had finished before.
fn run_and_kill(data: &Path, sources: &Path, random: &mut Random, reported: &mut [bool]) -> bool {
    let mut child = Command::new(env::current_exe().unwrap())
        .args([Path::new("child"), data, sources])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut finished = false;
    let mut note = |line: &str| {
        if let Some(number) = line.strip_prefix("stored ") {
            reported[number.parse::<usize>().unwrap()] = true;
        }
        finished |= line == "finished";
    };
    for _ in 0..random.below(20) {
        let Some(line) = lines.next() else { break };
        note(&line.unwrap());
    }
    // The moment of the kill has to fall anywhere in what the child does next: no event marks it.
    let moment = Instant::now() + Duration::from_micros(random.below(60_000));
    while Instant::now() < moment {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    // What it had written before it died was reported too.
    lines.map_while(Result::ok).for_each(|line| note(&line));
    child.wait().unwrap();
    finished
}

/// Opens the project and checks that every reported source is there once and is found by its word.
fn check(data: &Path, reported: &[bool]) {
    runtime().block_on(async {
        let engine = Engine::builder().data_dir(data).build().unwrap();
        let project = engine.project("Matança").await.unwrap();
        for (number, _) in reported.iter().enumerate().filter(|(_, reported)| **reported) {
            assert_eq!(found(&project, number).await, 1, "source {number}");
        }
        let all = project.statistics().await.unwrap().documents;
        let mut present = 0;
        for number in 0..SOURCES {
            let copies = found(&project, number).await;
            assert!(copies <= 1, "source {number} is there {copies} times");
            present += copies;
        }
        assert_eq!(all, present, "documents that are no source's");
    });
    let projects: Vec<_> = fs::read_dir(data.join("neural")).unwrap().collect();
    assert_eq!(projects.len(), 1, "the project was made twice");
    assert_eq!(unfinished(data), Vec::<PathBuf>::new());
}

async fn found(project: &Project, number: usize) -> usize {
    let found = project.search(word(number)).await.unwrap();
    let mut documents: Vec<&str> = found.hits.iter().map(|hit| hit.document.id.as_str()).collect();
    documents.dedup();
    documents.len()
}

/// Files that a writer has left half done.
fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let mut left = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            left.extend(unfinished(&path));
        } else if path.to_string_lossy().ends_with(".unfinished") {
            left.push(path);
        }
    }
    left
}
