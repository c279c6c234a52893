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

#[allow(dead_code, reason = "shared with another test program")]
#[path = "survive/programs.rs"]
mod programs;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use programs::{Random, again, folder, lines, number_from, runtime, say, seed};
use tusab_engine::{Cancel, Engine, Outcome, Project, Source};

const SOURCES: usize = 60;
/// Sources of one call, which become durable together.
const CALL: usize = 3;
/// First all sources as they are, then the notes again, edited.
const CALLS: usize = 2 * SOURCES / CALL;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [word, data, sources, first] = arguments.as_slice()
        && word == "child"
    {
        return child(Path::new(data), Path::new(sources), first.parse().unwrap());
    }
    programs::run(&[("what_was_reported_survives_a_kill", parent)])
}

/// Takes the sources in, a few at a time, from a call on, and says after each call what is reported as stored.
fn child(data: &Path, sources: &Path, first: usize) -> ExitCode {
    runtime().block_on(async {
        let engine = Engine::builder().data_dir(data).build().unwrap();
        let project = engine.project("Matança").await.unwrap();
        say("opened");
        for call in first..CALLS {
            let (edition, first) =
                if call < CALLS / 2 { (1, call * CALL) } else { (2, call * CALL - SOURCES) };
            let numbers: Vec<usize> =
                (first..first + CALL).filter(|number| edition == 1 || is_edited(*number)).collect();
            let given = numbers.iter().map(|number| source(sources, *number, edition)).collect();
            let report = project.ingest_all(given, &Cancel::new()).await.unwrap();
            for (number, item) in numbers.iter().zip(&report.items) {
                match &item.outcome {
                    Outcome::Failed(error) => panic!("source {number}: {error:?}"),
                    Outcome::Duplicate { of } => panic!("source {number} is a duplicate of {of}"),
                    _ => println!("stored {number} {edition}"),
                }
            }
            say(&format!("called {call}"));
        }
        say("finished");
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

/// What the children have reported.
struct Reported {
    /// The latest edition of each source that was reported as stored, 0 for none.
    editions: Vec<u32>,
    /// The first call that was not reported.
    next: usize,
}

impl Default for Reported {
    fn default() -> Self {
        Self { editions: vec![0; SOURCES], next: 0 }
    }
}

impl Reported {
    fn note(&mut self, line: &str) {
        if let Some((number, edition)) = line.strip_prefix("stored ").and_then(|line| line.split_once(' ')) {
            self.editions[number.parse::<usize>().unwrap()] = edition.parse().unwrap();
        } else if let Some(call) = line.strip_prefix("called ") {
            self.next = call.parse::<usize>().unwrap() + 1;
        }
    }
}

fn parent() {
    let kills = number_from("TUSAB_KILLS").unwrap_or(10);
    println!("TUSAB_KILLS={kills}");
    let mut random = Random(seed());
    let folder = folder();
    let sources = folder.path().join("sources");
    fs::create_dir(&sources).unwrap();
    write_sources(&sources);

    let (mut round, mut in_the_middle) = (0, 0);
    let mut data = folder.path().join("data-0");
    let mut reported = Reported::default();
    for _ in 0..kills {
        // Some of what is there already once more, then on.
        let first = reported.next.saturating_sub(usize::try_from(random.below(3)).unwrap());
        let finished = run_and_kill([&data, &sources], first, &mut random, &mut reported);
        in_the_middle += u64::from(!finished);
        check(&data, &reported.editions);
        if finished {
            assert!(reported.editions.iter().all(|edition| *edition > 0), "all of them were reported");
            // Begin anew, so that every kill has something to interrupt, and the making of a project is killed too.
            fs::remove_dir_all(&data).unwrap();
            round += 1;
            data = folder.path().join(format!("data-{round}"));
            reported = Reported::default();
        }
    }
    println!("{kills} kills, {in_the_middle} of them in the middle of the work, {round} whole runs");
}

/// Runs a child and kills it a random while after one of its lines; true if it had finished before.
fn run_and_kill(folders: [&Path; 2], first: usize, random: &mut Random, reported: &mut Reported) -> bool {
    let [data, sources] = folders.map(|folder| folder.to_str().unwrap());
    let mut child = again(&["child", data, sources, &first.to_string()]).spawn().unwrap();
    let mut lines = lines(&mut child);
    let mut finished = false;
    let mut note = |line: &str| {
        reported.note(line);
        finished |= line == "finished";
    };
    // A few calls of each child: the next goes on where it was killed, so that the project grows from kill to kill.
    for _ in 0..random.below(16) {
        let Some(line) = lines.next() else { break };
        note(&line);
    }
    // The moment of the kill has to fall anywhere in what the child does next: no event marks it.
    let moment = Instant::now() + Duration::from_micros(random.below(60_000));
    while Instant::now() < moment {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    // What it had written before it died was reported too.
    lines.for_each(|line| note(&line));
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
            let first = found(&project, number, 1).await;
            // Of what is not edited nothing ever says the word.
            let second = if is_edited(number) { found(&project, number, 2).await } else { 0 };
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
