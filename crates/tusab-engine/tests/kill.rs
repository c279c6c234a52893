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
        // First all of them as they are, then the notes again, edited.
        for edition in [1, 2] {
            for first in (0..SOURCES).step_by(CALL) {
                let edited = (first..first + CALL).filter(|number| edition == 1 || is_edited(*number));
                let call: Vec<(usize, Source)> =
                    edited.map(|number| (number, source(sources, number, edition))).collect();
                let (numbers, call): (Vec<usize>, Vec<Source>) = call.into_iter().unzip();
                let report = project.ingest_all(call, &Cancel::new()).await.unwrap();
                for (number, item) in numbers.iter().zip(&report.items) {
                    match &item.outcome {
                        Outcome::Failed(error) => panic!("source {number}: {error:?}"),
                        Outcome::Duplicate { of } => panic!("source {number} is a duplicate of {of}"),
                        _ => println!("stored {number} {edition}"),
                    }
                }
                std::io::stdout().flush().unwrap();
            }
        }
        println!("finished");
    });
    ExitCode::SUCCESS
}

/// The notes are edited; videos and pasted texts stay as they are.
fn is_edited(number: usize) -> bool {
    number % 3 == 1
}

/// Every third source is a video, a note or a pasted text; each edition has a word that no other has.
fn source(folder: &Path, number: usize, edition: u32) -> Source {
    let path = path(folder, number);
    match number % 3 {
        2 => Source::text(format!("Colado {number}"), text(number, 1)),
        1 => {
            fs::write(&path, text(number, edition)).unwrap();
            Source::file(path)
        }
        _ => Source::file(path),
    }
}

fn path(folder: &Path, number: usize) -> PathBuf {
    match number % 3 {
        0 => folder.join(format!("Aula {number} [aaaaaaaa{number:03}].pt.vtt")),
        _ => folder.join(format!("nota-{number}.md")),
    }
}

fn text(number: usize, edition: u32) -> String {
    let filling = "Uma frase comum a todas as fontes, para que haja o que gravar. ".repeat(40);
    format!("# Nota {number}\n\n{filling}\n\nA palavra é {}.\n\n{filling}", word(number, edition))
}

fn word(number: usize, edition: u32) -> String {
    format!("zq{number}x{edition}")
}

fn write_sources(folder: &Path) {
    for number in (0..SOURCES).step_by(3) {
        let content = format!("WEBVTT\n\n00:01.000 --> 00:05.000\nA palavra é {}.\n", word(number, 1));
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
    let mut reported = vec![0; SOURCES];
    while done < kills {
        let finished = run_and_kill(&data, &sources, &mut random, &mut reported);
        done += 1;
        in_the_middle += u64::from(!finished);
        check(&data, &reported);
        if finished {
            let all: Vec<u32> = (0..SOURCES).map(|number| if is_edited(number) { 2 } else { 1 }).collect();
            check(&data, &all);
            // Begin anew, so that every kill has something to interrupt.
            fs::remove_dir_all(&data).unwrap();
            round += 1;
            data = folder.path().join(format!("data-{round}"));
            reported = vec![0; SOURCES];
        }
    }
    println!("{done} kills, {in_the_middle} of them in the middle of the work, {round} whole runs");
}

/// Runs a child and kills it a random while after one of its lines; true if it had finished before. `reported` holds
/// the latest edition of each source that was reported as stored, 0 for none.
fn run_and_kill(data: &Path, sources: &Path, random: &mut Random, reported: &mut [u32]) -> bool {
    let mut child = Command::new(env::current_exe().unwrap())
        .args([Path::new("child"), data, sources])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut finished = false;
    let mut note = |line: &str| {
        if let Some((number, edition)) = line.strip_prefix("stored ").and_then(|line| line.split_once(' ')) {
            let (number, edition): (usize, u32) = (number.parse().unwrap(), edition.parse().unwrap());
            // A later run begins with the first edition again, which then is not the latest any more.
            reported[number] = edition;
        }
        finished |= line == "finished";
    };
    for _ in 0..random.below(90) {
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
    let ended = child.wait().unwrap();
    // A child that fails by itself shortly before would otherwise pass for a killed one.
    #[cfg(unix)]
    assert!(
        std::os::unix::process::ExitStatusExt::signal(&ended) == Some(9) || (finished && ended.success()),
        "the child {ended}"
    );
    finished
}

/// Opens the project and checks that every reported source is there once and is found by its word.
fn check(data: &Path, reported: &[u32]) {
    runtime().block_on(async {
        let engine = Engine::builder().data_dir(data).build().unwrap();
        let project = engine.project("Matança").await.unwrap();
        let all = project.statistics().await.unwrap().documents;
        let mut present = 0;
        for (number, reported) in reported.iter().enumerate() {
            let (first, second) = (found(&project, number, 1).await, found(&project, number, 2).await);
            assert!(first + second <= 1, "source {number} is there {first} and {second} times");
            assert!(*reported == 0 || first + second == 1, "source {number} was reported and is lost");
            present += first + second;
        }
        assert_eq!(all, present, "documents that are no source's");
    });
    let projects: Vec<_> = fs::read_dir(data.join("neural")).unwrap().collect();
    assert_eq!(projects.len(), 1, "the project was made twice");
    assert_eq!(unfinished(data), Vec::<PathBuf>::new());
}

async fn found(project: &Project, number: usize, edition: u32) -> usize {
    let found = project.search(word(number, edition)).await.unwrap();
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
