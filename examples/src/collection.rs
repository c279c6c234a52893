//! Reading test collections: passages, questions, and who judged which passage to answer which question.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Failure;

/// A passage of a collection.
#[derive(Debug, Clone)]
pub struct Passage {
    /// Its name in the collection.
    pub id: String,
    /// May be empty.
    pub title: String,
    /// What it says.
    pub text: String,
}

/// A question of a collection.
#[derive(Debug, Clone)]
pub struct Question {
    /// Its name in the collection.
    pub id: String,
    /// What is asked.
    pub text: String,
}

/// The passages that answer a question and how well (1 and up).
pub type Grades = HashMap<String, f64>;

/// The grades of each question.
pub type Judgements = HashMap<String, Grades>;

/// The corpus file of a collection's folder.
///
/// # Errors
/// When the folder has none.
pub fn corpus(folder: &Path) -> Result<PathBuf, Failure> {
    let names = ["corpus.jsonl", "corpus.jsonl.gz", "corpus.jsonl.zst"];
    let found = names.iter().map(|name| folder.join(name)).find(|path| path.is_file());
    found.ok_or_else(|| Failure::Failed(format!("{} has no corpus.jsonl, .gz or .zst", folder.display())))
}

/// Calls `each` with every passage of a `.jsonl`, `.jsonl.gz` or `.jsonl.zst` file, or with the first `limit`.
///
/// # Errors
/// When the file cannot be read, or a line is not `{id, title, text}`.
pub fn passages(path: &Path, limit: usize, mut each: impl FnMut(Passage)) -> Result<(), Failure> {
    for (number, line) in (1_usize..).zip(lines(path)?).take(limit) {
        let value = parse(path, number, line)?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        each(Passage { id: text("id"), title: text("title"), text: text("text") });
    }
    Ok(())
}

/// The questions of a file with one `{id, text}` a line.
///
/// # Errors
/// As [`passages`].
pub fn questions(path: &Path) -> Result<Vec<Question>, Failure> {
    let mut questions = Vec::new();
    for (number, line) in (1_usize..).zip(lines(path)?) {
        let value = parse(path, number, line)?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        questions.push(Question { id: text("id"), text: text("text") });
    }
    Ok(questions)
}

/// The judgements of a file with `question<TAB>passage<TAB>grade` a line; grades of zero and less are left out.
///
/// # Errors
/// When the file cannot be read.
pub fn judgements(path: &Path) -> Result<Judgements, Failure> {
    let mut judgements = Judgements::new();
    for line in lines(path)? {
        let line = line.map_err(|error| failed(path, &error))?;
        let mut fields = line.split('\t');
        let (question, passage, grade) = (fields.next(), fields.next(), fields.next_back());
        if let (Some(question), Some(passage), Some(Ok(grade))) =
            (question, passage, grade.map(str::parse::<f64>))
            && grade > 0.0
        {
            judgements.entry(question.to_owned()).or_default().insert(passage.to_owned(), grade);
        }
    }
    Ok(judgements)
}

fn lines(path: &Path) -> Result<impl Iterator<Item = std::io::Result<String>>, Failure> {
    let file = File::open(path).map_err(|error| failed(path, &error))?;
    let reader: Box<dyn Read> = match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => Box::new(flate2::read::MultiGzDecoder::new(file)),
        Some("zst") => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(file);
            Box::new(decoder.map_err(|error| Failure::Failed(format!("{}: {error}", path.display())))?)
        }
        _ => Box::new(file),
    };
    Ok(BufReader::with_capacity(1 << 16, reader).lines())
}

fn parse(path: &Path, number: usize, line: std::io::Result<String>) -> Result<Value, Failure> {
    let line = line.map_err(|error| failed(path, &error))?;
    serde_json::from_str(&line)
        .map_err(|error| Failure::Failed(format!("{}, line {number}: {error}", path.display())))
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Failed(format!("cannot read {}: {error}", path.display()))
}
