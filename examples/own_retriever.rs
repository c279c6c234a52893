//! A retriever of one's own behind the engine's search: here a list in memory that counts shared words; with a cross-encoder
//! over it where one is there.
//!
//! `cargo run --release --example own_retriever -- [QUESTION] [MODELS]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::collections::HashSet;
use std::process::ExitCode;
use std::sync::Arc;

use examples::collection::Passage;
use examples::models::{self, Models};
use examples::passage_index::entry;
use examples::{Failure, finish, text};
use lexopt::Arg;
use tusab_engine::chunk::Chunk;
use tusab_engine::index::{self, DocumentRecord, Found, Hit, Query, Retriever, is_stopword, tokens};
use tusab_engine::{Search, SearchMode, Searcher};

const USAGE: &str = "\
Usage: own_retriever [QUESTION] [MODELS]

Searches a few notes by a retriever that counts words, with a cross-encoder over it where one is installed.";

const NOTES: [(&str, &str); 5] = [
    ("Mint", "Mint wants three or four hours of morning sun, and water every day in summer."),
    ("Tomatoes", "Tomatoes want six hours of sun at least; in the shade they grow leaves and no fruit."),
    ("Compost", "What smells has too much water: mix in dry leaves or torn cardboard."),
    ("Pots", "A pot needs a hole, a hand of gravel over it, and a plate that is emptied after rain."),
    ("Chives", "Chives are cut two fingers above the soil, never pulled, and come again in three weeks."),
];

/// Notes in memory, found by how many of the question's words they hold.
struct Notes(Vec<(Chunk, Arc<DocumentRecord>)>);

impl Retriever for Notes {
    fn retrieve(&self, query: &Query) -> Result<Found, index::Error> {
        let asked: HashSet<String> =
            tokens(&query.text).into_iter().filter(|word| !is_stopword(word)).collect();
        let mut hits: Vec<Hit> = self
            .0
            .iter()
            .filter_map(|(chunk, document)| {
                let held: HashSet<String> = tokens(chunk.original_text()).into_iter().collect();
                let shared = u8::try_from(asked.intersection(&held).count()).unwrap_or(u8::MAX);
                (shared > 0).then(|| Hit::of(chunk.clone(), Arc::clone(document), f32::from(shared)))
            })
            .collect();
        // The contract: best first, equal ones by id, and not more than were asked for.
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.chunk.id().cmp(&b.chunk.id())));
        hits.truncate(if query.whole_pool { query.pool } else { query.limit });
        Ok(Found::new(hits))
    }
}

fn main() -> ExitCode {
    finish(run(), USAGE)
}

fn run() -> Result<(), Failure> {
    let (mut question, mut models) = (None, Models::default());
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => {
                println!("{USAGE}\n{}", models::USAGE);
                return Ok(());
            }
            Arg::Value(words) if question.is_none() => question = Some(text(words)?),
            Arg::Long(name) => {
                let name = name.to_owned();
                if !models.take(&name, || parser.value())? {
                    return Err(Arg::Long(&name).unexpected().into());
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let question = question.unwrap_or_else(|| "how many hours of sun do tomatoes want".to_owned());

    let entries = (0..).zip(NOTES).map(|(number, (title, text))| {
        let (document, chunk) =
            entry(number, &Passage { id: String::new(), title: title.to_owned(), text: text.to_owned() })?;
        Ok((chunk, Arc::new(document)))
    });
    let notes = Notes(entries.collect::<Result<_, Failure>>()?);
    let searcher = Searcher::new(Arc::new(notes)).with_reranker(models.reranker()?);
    let search = Search::new(question.as_str()).with_mode(SearchMode::Broad).without_vectors().with_limit(3);
    let found = searcher.search(&search)?;
    println!("{question}\n");
    for hit in &found.hits {
        println!("{:.2}  {}: {}", hit.score, hit.document.title, hit.chunk.original_text());
    }
    for degraded in &found.degraded {
        println!("\n{}\n{}", degraded.reason(), degraded.remedy());
    }
    Ok(())
}
