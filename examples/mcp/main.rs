//! The projects of a data directory as tools and resources of the Model Context Protocol, over standard input and output.
//!
//! `cargo run --release --example mcp -- --data DIR`, started by the assistant that asks; see `examples/README.md`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

mod arguments;
mod passage;
mod projects;
mod read;
mod refusal;
mod resources;
mod schema;
mod search;
mod server;

use std::path::PathBuf;
use std::process::ExitCode;

use examples::models::{self, Models};
use examples::{Failure, finish};
use lexopt::Arg;
use rmcp::ServiceExt;
use rmcp::transport::io::stdio_pipes;
use tusab_engine::Engine;

use server::Server;

const USAGE: &str = "\
Usage: mcp --data DIR [MODELS]

Serves the projects of a data directory to an assistant that speaks the Model Context Protocol. Standard output carries the
protocol and nothing else; the program ends when its standard input does.

  --data DIR       the engine's folder";

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await, USAGE)
}

async fn run() -> Result<(), Failure> {
    let (mut data, mut models) = (None, Models::default());
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("data") => data = Some(PathBuf::from(parser.value()?)),
            Arg::Short('h') | Arg::Long("help") => {
                println!("{USAGE}\n{}", models::USAGE);
                return Ok(());
            }
            Arg::Long(option) => {
                let option = option.to_owned();
                if !models.take(&option, || parser.value())? {
                    return Err(Arg::Long(&option).unexpected().into());
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let data = data.ok_or_else(|| Failure::Usage("--data is missing".to_owned()))?;
    // A path with a slip in it would otherwise look like a data directory without projects.
    if !data.is_dir() {
        return Err(Failure::Failed(format!("{} is no folder: name the engine's", data.display())));
    }
    // Read when a Broad Search first needs them; one that is missing is told with what was found.
    let mut engine = Engine::builder().data_dir(data).reranker(models.reranker()?);
    if let Some(embedder) = models.embedder()? {
        engine = engine.embedder(embedder);
    }
    let server = Server::new(engine.build()?);
    let running = server.serve(stdio_pipes()).await.map_err(|error| Failure::of(&error))?;
    running.waiting().await.map_err(|error| Failure::of(&error))?;
    Ok(())
}
