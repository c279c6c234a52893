//! How good the answers are that need no model, on real questions. Run with `--ignored --nocapture` to see the figures.

#![allow(clippy::print_stdout, reason = "the figures are what this is for")]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tusab_engine::{Cancel, Engine, Project, Source};

/// Questions asked of each collection, evenly drawn.
const QUESTIONS: usize = 300;

fn collection(name: &str) -> Option<PathBuf> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/ir")).join(name);
    if !folder.is_dir() {
        println!("skipped: {} is not here", folder.display());
        return None;
    }
    Some(folder)
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn corpus(folder: &Path) -> Vec<Value> {
    let mut text = String::new();
    let file = fs::File::open(folder.join("corpus.jsonl.gz")).unwrap();
    flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    lines(&text)
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn questions(folder: &Path) -> Vec<(String, String)> {
    let all = lines(&fs::read_to_string(folder.join("queries.jsonl")).unwrap());
    all.iter().map(|question| (text(question, "id"), text(question, "text"))).collect()
}

/// Some of the questions, evenly drawn.
fn drawn<T>(all: Vec<T>) -> Vec<T> {
    let step = all.len().div_ceil(QUESTIONS);
    all.into_iter().step_by(step).collect()
}

async fn project(data: &Path, sources: Vec<Source>) -> Project {
    let engine = Engine::builder().data_dir(data).build().unwrap();
    let project = engine.project("Base").await.unwrap();
    let report = project.ingest_all(sources, &Cancel::new()).await.unwrap();
    assert_eq!(report.failed(), 0, "{report:?}");
    project
}

/// Lower case, and single spaces: nothing else is made equal.
fn plain(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True when one of the gold answers stands in a quote, whole and between the edges of words.
fn holds(answer: &str, gold: &[String]) -> bool {
    let answer = plain(answer);
    gold.iter().map(|gold| plain(gold)).any(|gold| {
        !gold.is_empty()
            && answer.match_indices(&gold).any(|(at, found)| {
                let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
                !is_word(answer[..at].chars().next_back())
                    && !is_word(answer[at + found.len()..].chars().next())
            })
    })
}

#[test]
fn a_gold_answer_is_held_whole_or_not_at_all() {
    let gold = ["três horas".to_owned()];
    assert!(holds("“Quer  Três horas.” [1]", &gold));
    assert!(
        !holds("três horasx", &gold) && !holds("três ou quatro horas", &gold) && !holds("tres horas", &gold)
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "asks hundreds of questions of the shared material: `--ignored answers`"]
async fn extractive_answers_hold_the_gold_answers_of_faquad() {
    let Some(folder) = collection("faquad") else { return };
    let gold: HashMap<String, Vec<String>> =
        lines(&fs::read_to_string(folder.join("answers.jsonl")).unwrap())
            .iter()
            .map(|line| {
                let answers = line["answers"].as_array().unwrap();
                (text(line, "id"), answers.iter().map(|answer| answer.as_str().unwrap().to_owned()).collect())
            })
            .collect();
    let data = tempfile::tempdir().unwrap();
    let sources = corpus(&folder)
        .iter()
        .map(|passage| Source::text(text(passage, "title"), text(passage, "text")))
        .collect();
    let project = project(data.path(), sources).await;
    let (mut held, mut refused, mut asked, mut length) = (0_u32, 0_u32, 0_u32, 0);
    for (id, question) in drawn(questions(&folder)) {
        let Some(gold) = gold.get(&id) else { continue };
        let answer = project.chat(&id).ask(&question).await.unwrap();
        asked += 1;
        refused += u32::from(answer.no_context.is_some());
        held += u32::from(answer.no_context.is_none() && holds(&answer.text, gold));
        length += answer.text.chars().count();
    }
    let share = f64::from(held) / f64::from(asked);
    println!(
        "faquad: {held} of {asked} answers hold the gold answer ({share:.3}); {refused} refused; {} characters on average",
        length / asked as usize
    );
    assert!(share >= 0.70, "{share}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "asks hundreds of questions of the shared material: `--ignored answers`"]
async fn the_first_source_leads_near_the_judged_moment_of_a_meeting() {
    let Some(folder) = collection("meetings-acd") else { return };
    // Each call becomes one file of captions, a cue for each of its passages.
    let mut calls: HashMap<String, Vec<(u64, u64, String)>> = HashMap::new();
    for passage in corpus(&folder) {
        let (call, start, end) = place(&text(&passage, "id"));
        calls.entry(call).or_default().push((start, end, text(&passage, "text")));
    }
    let files = tempfile::tempdir().unwrap();
    let mut sources = Vec::new();
    for (number, (call, cues)) in calls.iter_mut().enumerate() {
        cues.sort();
        let time = |s: u64| format!("{:02}:{:02}:{:02}.000", s / 3600, s / 60 % 60, s % 60);
        let mut vtt = String::from("WEBVTT\n\n");
        for (start, end, said) in cues.iter() {
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            writeln!(vtt, "{} --> {}\n{said}\n", time(*start), time(*end)).unwrap();
        }
        let path = files.path().join(format!("{number} {}.vtt", call.replace(['/', '#'], " ")));
        fs::write(&path, vtt).unwrap();
        sources.push(Source::file(path));
    }
    let names: Vec<String> = calls.keys().cloned().collect();
    let mut judged: HashMap<String, Vec<(String, u64, u64)>> = HashMap::new();
    for line in fs::read_to_string(folder.join("qrels-strict.tsv")).unwrap().lines() {
        let mut fields = line.split('\t');
        let (question, passage) = (fields.next().unwrap(), fields.next().unwrap());
        judged.entry(question.to_owned()).or_default().push(place(passage));
    }
    let data = tempfile::tempdir().unwrap();
    let project = project(data.path(), sources).await;
    let (mut near, mut refused, mut asked) = (0_u32, 0_u32, 0_u32);
    for (id, question) in
        drawn(questions(&folder).into_iter().filter(|(id, _)| judged.contains_key(id)).collect())
    {
        let answer = project.chat(&id).ask(&question).await.unwrap();
        asked += 1;
        refused += u32::from(answer.no_context.is_some());
        let Some(first) = answer.sources.first() else { continue };
        let number: usize = first.title.split(' ').next().unwrap().parse().unwrap();
        let at = first.start.unwrap().whole_seconds();
        let is_near = judged[&id]
            .iter()
            .any(|(call, start, end)| *call == names[number] && at + 60 >= *start && at <= *end + 60);
        near += u32::from(is_near);
    }
    let share = f64::from(near) / f64::from(asked);
    let of_answered = f64::from(near) / f64::from(asked - refused);
    println!(
        "meetings-acd: {near} of {asked} first sources within 60 s ({share:.3}); {refused} refused; {of_answered:.3} of the answered"
    );
    assert!(share >= 0.5, "{share}");
}

/// The call of a passage, and its seconds: `call#start-end`.
fn place(id: &str) -> (String, u64, u64) {
    let (call, seconds) = id.rsplit_once('#').unwrap();
    let (start, end) = seconds.split_once('-').unwrap();
    (call.to_owned(), start.parse().unwrap(), end.parse().unwrap())
}
