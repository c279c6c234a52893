//! Kills a process that writes an index, at random moments, and checks after each kill that the index holds exactly what
//! had been reported, or that and the one step that was being written; and that its parts agree.
//!
//! `TUSAB_KILLS` says how often (10 by default), `TUSAB_SEED` repeats a run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::float_cmp,
    reason = "tests fail by panicking"
)]

#[path = "common/programs.rs"]
mod programs;

use std::env;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant, SystemTime};

use programs::number_from;
use tusab_chunk::{Body, Chunk, Chunker, DocId, Document, Windows};
use tusab_index::{
    Batch, ChunkStore, ContentHash, Control, Dimension, DocumentRecord, Enrichment, Index, PageMark, Query,
    Repair, Retriever, Vector, VectorOutcome, VectorQuery, VectorSearch, VectorSpace,
};

const DOCUMENTS: usize = 12;
/// Chunks of a document: the first is the same in all editions.
const CHUNKS: usize = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [word, folder, seed, from] = arguments.as_slice()
        && word == "child"
    {
        return child(Path::new(folder), seed.parse().unwrap(), from.parse().unwrap());
    }
    programs::run(&[("what_was_reported_survives_a_kill", parent)])
}

/// A small generator (`SplitMix64`), so that a failure can be run again.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }
}

/// What a run does, one after the other; each is one call that reports when it is done.
#[derive(Debug, Clone)]
enum Step {
    /// These documents, in the edition that bears the step's number.
    Write(Vec<usize>),
    KeyPhrases(usize),
    Vectors(usize),
    Delete(usize),
    Compact,
    Release,
}

/// Step `number` of the run of a seed: the same in every process.
fn step(seed: u64, number: u64) -> Step {
    let mut random = Random(seed ^ number.wrapping_mul(0xD6E8_FEB8_6659_FD93));
    let document = usize::try_from(random.below(DOCUMENTS as u64)).unwrap();
    match random.below(20) {
        0..=6 => {
            let count = usize::try_from(1 + random.below(3)).unwrap();
            Step::Write((0..count).map(|n| (document + n) % DOCUMENTS).collect())
        }
        7..=10 => Step::KeyPhrases(document),
        11..=14 => Step::Vectors(document),
        15..=17 => Step::Delete(document),
        18 => Step::Compact,
        _ => Step::Release,
    }
}

/// What has to be there of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Expected {
    edition: u64,
    key_phrases: [bool; CHUNKS],
    vectors: [bool; CHUNKS],
}

type Model = Vec<Option<Expected>>;

fn expect(model: &mut Model, number: u64, step: &Step) {
    match step {
        Step::Write(documents) => {
            for document in documents {
                let mut expected = model[*document].unwrap_or(Expected {
                    edition: 0,
                    key_phrases: [false; CHUNKS],
                    vectors: [false; CHUNKS],
                });
                // The first chunk's id stays, and so does what it was given.
                (expected.edition, expected.key_phrases[1], expected.vectors[1]) = (number, false, false);
                model[*document] = Some(expected);
            }
        }
        Step::KeyPhrases(document) => {
            if let Some(expected) = &mut model[*document] {
                expected.key_phrases = [true; CHUNKS];
            }
        }
        Step::Vectors(document) => {
            if let Some(expected) = &mut model[*document] {
                expected.vectors = [true; CHUNKS];
            }
        }
        Step::Delete(document) => model[*document] = None,
        Step::Compact | Step::Release => {}
    }
}

fn doc(document: usize) -> DocId {
    format!("text:{document}").parse().unwrap()
}

fn edition_word(document: usize, edition: u64) -> String {
    format!("zq{document}x{edition}")
}

fn phrase_word(document: usize, chunk: usize) -> String {
    format!("kp{document}x{chunk}")
}

fn written(document: usize, edition: u64) -> (DocumentRecord, Vec<Chunk>) {
    let opening = "Uma frase comum a todas as edições deste texto, para que haja o que gravar. ".repeat(28);
    let text = format!("{opening}A palavra desta edição é {}.", edition_word(document, edition));
    let source = Document::new(doc(document), format!("Texto {document}"), Body::Text(text.clone()));
    let chunks = Windows::default().chunks(&source);
    assert_eq!(chunks.len(), CHUNKS);
    (DocumentRecord::new(&source, ContentHash::of(1, text.as_bytes())), chunks)
}

fn space() -> VectorSpace {
    VectorSpace::new("kill", Dimension::new(64).unwrap())
}

fn vector(document: usize, chunk: usize) -> Vector {
    let mut random = Random((document * CHUNKS + chunk) as u64);
    let mut number = || f32::from(u16::try_from(random.below(1 << 16)).unwrap()) - 32_768.0;
    Vector::new((0..64).map(|_| number()).collect()).unwrap()
}

/// Takes the steps from one on, and says after each that it is done.
fn child(folder: &Path, seed: u64, from: u64) -> ExitCode {
    let index = Index::open(folder).unwrap().index;
    println!("opened");
    for number in from.. {
        match step(seed, number) {
            Step::Write(documents) => {
                let mut batch = Batch::new();
                for document in documents {
                    let (record, chunks) = written(document, number);
                    batch.upsert(record, chunks);
                }
                index.apply(&batch, Control::default()).unwrap();
            }
            Step::KeyPhrases(document) => {
                let chunks = index.chunks(&doc(document)).unwrap();
                let phrases: Vec<_> = (chunks.iter().enumerate())
                    .map(|(n, chunk)| (chunk.id(), vec![phrase_word(document, n)]))
                    .collect();
                index.set_key_phrases(&[(doc(document), phrases)]).unwrap();
            }
            Step::Vectors(document) => {
                let chunks = index.chunks(&doc(document)).unwrap();
                let vectors: Vec<_> =
                    (chunks.iter().enumerate()).map(|(n, chunk)| (chunk.id(), vector(document, n))).collect();
                index.set_vectors(&space(), &[(doc(document), vectors)]).unwrap();
            }
            Step::Delete(document) => {
                let mut batch = Batch::new();
                batch.delete(doc(document));
                index.apply(&batch, Control::default()).unwrap();
            }
            Step::Compact => index.compact().unwrap(),
            Step::Release => index.release_writer(),
        }
        println!("done {number}");
        std::io::stdout().flush().unwrap();
    }
    ExitCode::SUCCESS
}

fn parent() {
    let kills = number_from("TUSAB_KILLS").unwrap_or(10);
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let seed = number_from("TUSAB_SEED").unwrap_or(u64::from(clock.subsec_nanos()) | 1);
    println!("TUSAB_KILLS={kills} TUSAB_SEED={seed}");
    let mut random = Random(seed);
    let folder = tempfile::tempdir().unwrap();
    let mut model: Model = vec![None; DOCUMENTS];
    // The step that is the first not to have been reported.
    let mut next = 1;
    let (mut mended, mut ahead) = (0, 0);
    for kill in 1..=kills {
        let reported = run_and_kill(folder.path(), &mut random, seed, next);
        while next <= reported {
            expect(&mut model, next, &step(seed, next));
            next += 1;
        }
        let opened = Index::open(folder.path()).unwrap();
        mended += u64::from(!opened.repairs.is_empty());
        for repair in &opened.repairs {
            // What was written in one go is never so far behind that it has to be made again.
            let fresh = matches!(repair, Repair::Rebuilt { documents: 0, .. });
            assert!(
                matches!(repair, Repair::CaughtUp { .. } | Repair::VectorsCaughtUp { .. })
                    || fresh
                    || next <= 2
                    || matches!(repair, Repair::VectorsRebuilt { .. }),
                "kill {kill} before step {next}: {repair:?}"
            );
        }
        if let Err(difference) = compare(&opened.index, &model) {
            let mut with_next = model.clone();
            expect(&mut with_next, next, &step(seed, next));
            let now = compare(&opened.index, &with_next);
            assert!(now.is_ok(), "kill {kill}, step {next} {:?}: {difference}; {now:?}", step(seed, next));
            ahead += 1;
            model = with_next;
            next += 1;
        }
        if kill % 5 == 0 {
            assert_eq!(opened.index.check().unwrap(), [], "kill {kill} before step {next}");
        }
    }
    println!(
        "{kills} kills within {next} steps; after {ahead} the step in the middle was whole, {mended} needed mending"
    );
}

/// Runs a child and kills it a random while after one of its lines; gives the last step that it reported.
fn run_and_kill(folder: &Path, random: &mut Random, seed: u64, from: u64) -> u64 {
    let mut child = Command::new(env::current_exe().unwrap())
        .arg("child")
        .arg(folder)
        .args([seed.to_string(), from.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = programs::lines(&mut child);
    let mut reported = from - 1;
    let mut note = |line: &str| {
        if let Some(number) = line.strip_prefix("done ") {
            reported = number.parse().unwrap();
        }
    };
    for _ in 0..random.below(8) {
        let Some(line) = lines.next() else { panic!("the child ended by itself") };
        note(&line);
    }
    // The moment of the kill has to fall anywhere in what the child does next: no event marks it.
    let moment = Instant::now() + Duration::from_micros(random.below(40_000));
    while Instant::now() < moment {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    // What it had written before it died was reported too.
    lines.for_each(|line| note(&line));
    let ended = child.wait().unwrap();
    // A child that fails by itself shortly before would otherwise pass for a killed one.
    #[cfg(unix)]
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended), Some(9), "the child {ended}");
    reported
}

/// Says where the index is not as the model has it.
fn compare(index: &Index, model: &Model) -> Result<(), String> {
    let (mut documents, mut embedded, mut lacking_phrases, mut lacking_vectors) = (0, Vec::new(), 0, 0);
    for (document, expected) in model.iter().enumerate() {
        let chunks = index.chunks(&doc(document)).unwrap();
        let Some(expected) = expected else {
            if !chunks.is_empty() || index.document(&doc(document)).unwrap().is_some() {
                return Err(format!("document {document} is still there"));
            }
            continue;
        };
        documents += 1;
        let (record, written) = written(document, expected.edition);
        if index.document(&doc(document)).unwrap() != Some(record) {
            return Err(format!("document {document} is not of edition {}", expected.edition));
        }
        if !chunks.iter().map(Chunk::id).eq(written.iter().map(Chunk::id)) {
            return Err(format!("document {document} has other chunks"));
        }
        found(index, &edition_word(document, expected.edition), &chunks[1], true)?;
        for (n, chunk) in chunks.iter().enumerate() {
            let phrase = phrase_word(document, n);
            let expected_phrases: &[String] =
                if expected.key_phrases[n] { std::slice::from_ref(&phrase) } else { &[] };
            if chunk.key_phrases() != expected_phrases {
                return Err(format!("chunk {n} of {document} has the key phrases {:?}", chunk.key_phrases()));
            }
            found(index, &phrase, chunk, expected.key_phrases[n])?;
            lacking_phrases += usize::from(!expected.key_phrases[n]);
            lacking_vectors += usize::from(!expected.vectors[n]);
            if expected.vectors[n] {
                embedded.push((chunk.id(), vector(document, n)));
            }
        }
    }
    let statistics = index.statistics().unwrap();
    if (statistics.documents, statistics.chunks) != (documents, documents * CHUNKS) {
        return Err(format!("{statistics:?} for {documents} documents"));
    }
    for (what, count) in [(Enrichment::KeyPhrases, lacking_phrases), (Enrichment::Vectors, lacking_vectors)] {
        let lacking = index.lacking(what, PageMark::default(), 1_000).unwrap().chunks.len();
        if lacking != count {
            return Err(format!("{lacking} chunks lack {what:?}, not {count}"));
        }
    }
    let space = space();
    for (id, vector) in &embedded {
        let query = VectorQuery::new(&space, vector).unwrap().with_limit(1_000);
        let VectorOutcome::Found(hits) = index.nearest(&query).unwrap() else {
            return Err("no vectors".to_owned());
        };
        let same = hits.first().is_some_and(|hit| hit.chunk == *id && hit.score > 0.999);
        if !same || hits.len() != embedded.len() {
            return Err(format!(
                "{} vectors are found, not {}, or another first",
                hits.len(),
                embedded.len()
            ));
        }
    }
    Ok(())
}

/// Holds when the ranking finds just that chunk by the word, or, with `is_there` false, nothing.
fn found(index: &Index, word: &str, chunk: &Chunk, is_there: bool) -> Result<(), String> {
    let hits = index.retrieve(&Query::new(word)).unwrap().hits;
    let expected = usize::from(is_there);
    let right = hits.iter().all(|hit| hit.chunk.id() == chunk.id() && hit.explain.bm25_rank.is_some());
    if hits.len() == expected && right { Ok(()) } else { Err(format!("{word}: {} hits", hits.len())) }
}
