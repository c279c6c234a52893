//! How well the engine knows what it does not know, on a collection of passages, questions and judgements.
//!
//! `cargo run --release --example abstain -- COLLECTION [--mode narrow|broad] [--queries N] [--unanswerable FILE] [--json]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use examples::calibration::{Judged, area_under_curve, balanced_accuracy, bins, calibration_error};
use examples::collection::{self, Judgements, Passage, Question};
use examples::draw::Draw;
use examples::models::{self, Models};
use examples::passage_index::PassageIndex;
use examples::{Failure, finish, number};
use lexopt::Arg;
use serde_json::{Value, json};
use tusab_engine::rerank::Reranker;
use tusab_engine::{Assessment, Search, SearchMode, Searcher};

const USAGE: &str = "\
Usage: abstain COLLECTION [--mode narrow|broad] [--queries N] [--unanswerable FILE] [--json] [MODELS]

Indexes half of a collection (corpus.jsonl, .gz or .zst, queries.jsonl, qrels.tsv), asks N questions whose passages are
in that half and N whose passages are not, and scores what is said to have no context. Where a half has too few of
either, the other half is indexed next, and then halves drawn anew.

  --mode MODE          narrow (words) or broad (words, then the cross-encoder)
  --queries N          questions of each kind (default: 400)
  --unanswerable FILE  index everything; the unanswerable questions are those of FILE ({\"id\", \"text\"} a line)
  --parts P            index one of P parts instead of a half
  --seed S             draw by this seed (default: 1)
  --evidence FILE      write what each answer rests on, a line of JSON a question
  --json               print one JSON object and nothing else";

/// Parts of a collection that are indexed one after the other before too few questions are taken as they are.
const ROUNDS: usize = 8;

struct Arguments {
    collection: PathBuf,
    mode: SearchMode,
    queries: usize,
    unanswerable: Option<PathBuf>,
    parts: usize,
    seed: u64,
    evidence: Option<PathBuf>,
    models: Models,
    json: bool,
}

/// A part of the collection that can be searched, and what reads closely what is found.
struct Indexed {
    _folder: tempfile::TempDir,
    searcher: Searcher,
    reranker: Option<Arc<dyn Reranker>>,
}

/// The questions asked so far.
struct Asked<'a> {
    arguments: &'a Arguments,
    judged: Vec<Judged>,
    seen: HashSet<(String, bool)>,
    evidence: Vec<Value>,
    degraded: Vec<Value>,
}

fn main() -> ExitCode {
    finish(run(), USAGE)
}

fn run() -> Result<(), Failure> {
    let Some(arguments) = parse()? else {
        println!("{USAGE}\n{}", models::USAGE);
        return Ok(());
    };
    let folder = &arguments.collection;
    let judgements = collection::judgements(&folder.join("qrels.tsv"))?;
    let mut questions = collection::questions(&folder.join("queries.jsonl"))?;
    questions.retain(|question| judgements.contains_key(&question.id));
    let mut passages = Vec::new();
    collection::passages(&collection::corpus(folder)?, usize::MAX, |passage| passages.push(passage))?;

    let mut draw = Draw::new(arguments.seed);
    let count = questions.len();
    let questions = draw.sample(questions, count);
    let mut asked = Asked {
        arguments: &arguments,
        judged: Vec::new(),
        seen: HashSet::new(),
        evidence: Vec::new(),
        degraded: Vec::new(),
    };
    if let Some(file) = &arguments.unanswerable {
        let searcher = asked.index(&passages)?;
        let unanswerable = collection::questions(file)?;
        asked.ask(&searcher, questions.iter().map(|question| (question, true)))?;
        asked.ask(&searcher, unanswerable.iter().map(|question| (question, false)))?;
    } else {
        asked.ask_parts(&passages, &questions, &judgements, &mut draw)?;
    }
    asked.report()
}

impl Asked<'_> {
    /// Indexes parts of the collection, and asks of each what is in it and what is not.
    fn ask_parts(
        &mut self,
        passages: &[Passage],
        questions: &[Question],
        judgements: &Judgements,
        draw: &mut Draw,
    ) -> Result<(), Failure> {
        let parts = self.arguments.parts;
        let mut order: Vec<usize> = Vec::new();
        for round in 0..ROUNDS.max(parts) {
            if self.is_enough(true) && self.is_enough(false) {
                break;
            }
            if round % parts == 0 {
                order = draw.sample((0..passages.len()).collect(), passages.len());
            }
            let of_part = order.iter().skip(round % parts).step_by(parts).filter_map(|at| passages.get(*at));
            let part: Vec<Passage> = of_part.cloned().collect();
            let here: HashSet<&str> = part.iter().map(|passage| passage.id.as_str()).collect();
            let is_answerable = |question: &Question| {
                judgements
                    .get(&question.id)
                    .is_some_and(|grades| grades.keys().any(|id| here.contains(id.as_str())))
            };
            let searcher = self.index(&part)?;
            let kinds: Vec<(&Question, bool)> =
                questions.iter().map(|question| (question, is_answerable(question))).collect();
            // As many of the unanswerable as this part has of the others: there are more of them, the smaller the part is.
            let answerable = kinds.iter().filter(|(_, is_answerable)| *is_answerable).count();
            let unanswerable =
                kinds.iter().filter(|(_, is_answerable)| !is_answerable).take(answerable.max(1));
            let drawn: Vec<(&Question, bool)> = kinds
                .iter()
                .filter(|(_, is_answerable)| *is_answerable)
                .chain(unanswerable)
                .copied()
                .collect();
            self.ask(&searcher, drawn.into_iter())?;
        }
        Ok(())
    }

    fn is_enough(&self, answerable: bool) -> bool {
        self.judged.iter().filter(|judged| judged.is_answerable == answerable).count()
            >= self.arguments.queries
    }

    fn index(&self, passages: &[Passage]) -> Result<Indexed, Failure> {
        let folder = tempfile::tempdir().map_err(|error| Failure::of(&error))?;
        let mut filling = PassageIndex::create(folder.path())?;
        for passage in passages {
            filling.add(passage.clone());
        }
        let (store, names) = filling.finish()?;
        let mut searcher = Searcher::new(store.retriever()).with_passages(names.len());
        let mut reranker = None;
        if self.arguments.mode == SearchMode::Broad {
            let model = self.arguments.models.reranker()?;
            searcher = searcher.with_reranker(Arc::clone(&model));
            reranker = Some(model);
        }
        Ok(Indexed { _folder: folder, searcher, reranker })
    }

    fn ask<'q>(
        &mut self,
        Indexed { searcher, reranker, .. }: &Indexed,
        questions: impl Iterator<Item = (&'q Question, bool)>,
    ) -> Result<(), Failure> {
        for (question, is_answerable) in questions {
            if self.is_enough(is_answerable) || !self.seen.insert((question.id.clone(), is_answerable)) {
                continue;
            }
            let search = Search::new(question.text.as_str()).with_mode(self.arguments.mode).without_vectors();
            let found = searcher.search(&search)?;
            let assessment = match reranker {
                Some(reranker) => Assessment::read(&question.text, &found, &**reranker),
                None => Assessment::of(&question.text, &found),
            };
            for degraded in found.degraded.iter().map(|degraded| json!(degraded)) {
                if !self.degraded.contains(&degraded) {
                    self.degraded.push(degraded);
                }
            }
            self.judged.push(Judged {
                is_answerable,
                confidence: f64::from(assessment.confidence.get()),
                has_context: assessment.no_context.is_none(),
            });
            if self.arguments.evidence.is_some() {
                self.evidence.push(json!({
                    "collection": name(&self.arguments.collection),
                    "mode": self.arguments.mode,
                    "parts": self.arguments.parts,
                    "id": question.id,
                    "answerable": is_answerable,
                    "confidence": assessment.confidence.get(),
                    "evidence": assessment.evidence,
                }));
            }
        }
        Ok(())
    }

    fn report(&self) -> Result<(), Failure> {
        if let Some(path) = &self.arguments.evidence {
            write_lines(path, &self.evidence)?;
        }
        let of = |is_answerable: bool| {
            self.judged.iter().filter(move |judged| judged.is_answerable == is_answerable)
        };
        let bins: Vec<Value> = bins(&self.judged)
            .iter()
            .map(
                |bin| json!({"confidence": bin.confidence, "answerable": bin.answerable, "share": bin.share}),
            )
            .collect();
        let object = json!({
            "collection": name(&self.arguments.collection),
            "mode": self.arguments.mode,
            "answerable": of(true).count(),
            "unanswerable": of(false).count(),
            "answered": of(true).filter(|judged| judged.has_context).count(),
            "refused": of(false).filter(|judged| !judged.has_context).count(),
            "balanced_accuracy": balanced_accuracy(&self.judged),
            "auc": area_under_curve(&self.judged),
            "calibration_error": calibration_error(&self.judged),
            "reliability": bins,
            "degraded": self.degraded,
        });
        if self.arguments.json {
            println!("{object}");
        } else {
            println!("{object:#}");
        }
        Ok(())
    }
}

fn name(collection: &Path) -> String {
    collection.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn write_lines(path: &Path, lines: &[Value]) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::Failed(format!("cannot write {}: {error}", path.display()));
    let mut file = BufWriter::new(File::create(path).map_err(failed)?);
    for line in lines {
        writeln!(file, "{line}").map_err(failed)?;
    }
    file.flush().map_err(failed)
}

fn parse() -> Result<Option<Arguments>, Failure> {
    let mut collection = None;
    let mut arguments = Arguments {
        collection: PathBuf::new(),
        mode: SearchMode::Narrow,
        queries: 400,
        unanswerable: None,
        parts: 2,
        seed: 1,
        evidence: None,
        models: Models::default(),
        json: false,
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("mode") => arguments.mode = examples::mode(parser.value()?)?,
            Arg::Long("queries") => arguments.queries = number(parser.value()?)?,
            Arg::Long("unanswerable") => arguments.unanswerable = Some(parser.value()?.into()),
            Arg::Long("parts") => {
                arguments.parts = number(parser.value()?)?;
                if arguments.parts < 2 {
                    return Err(Failure::Usage("--parts takes 2 or more".to_owned()));
                }
            }
            Arg::Long("seed") => arguments.seed = number(parser.value()?)?,
            Arg::Long("evidence") => arguments.evidence = Some(parser.value()?.into()),
            Arg::Long("json") => arguments.json = true,
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Value(folder) if collection.is_none() => collection = Some(PathBuf::from(folder)),
            Arg::Long(name) => {
                let name = name.to_owned();
                if !arguments.models.take(&name, || parser.value())? {
                    return Err(Arg::Long(&name).unexpected().into());
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    arguments.collection =
        collection.ok_or_else(|| Failure::Usage("name the folder of a collection".to_owned()))?;
    Ok(Some(arguments))
}
