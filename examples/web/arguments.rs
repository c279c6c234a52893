//! The command line.

use std::path::PathBuf;

use examples::chat_models::{self, ChatModels};
use examples::{Failure, number, text};
use lexopt::Arg;

pub(crate) const USAGE: &str = "\
Usage: web [--data DIR] [--project NAME] [--port N]
           [--provider NAME [--model NAME] [--auxiliary NAME] [--url URL]]

Serves a page on this machine that answers questions from the sources of a project. Without a data directory it serves the
sample sources, from a temporary one.

  --data DIR       the engine's folder
  --project NAME   the project that the page opens first (default: the first)
  --port N         where it listens on 127.0.0.1 (default: 7878; 0: any that is free)";

/// Where the page is looked for by default.
const PORT: u16 = 7878;

#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) data: Option<PathBuf>,
    pub(crate) project: Option<String>,
    pub(crate) port: u16,
    pub(crate) chat_models: ChatModels,
}

pub(crate) fn help() -> String {
    format!("{USAGE}\n{}", chat_models::USAGE)
}

/// The arguments; `None` when help was asked for.
pub(crate) fn parse() -> Result<Option<Arguments>, Failure> {
    let mut arguments =
        Arguments { data: None, project: None, port: PORT, chat_models: ChatModels::default() };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("data") => arguments.data = Some(parser.value()?.into()),
            Arg::Long("project") => arguments.project = Some(text(parser.value()?)?),
            Arg::Long("port") => arguments.port = number(parser.value()?)?,
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Long(option) => {
                let option = option.to_owned();
                if !arguments.chat_models.take(&option, || parser.value())? {
                    return Err(Arg::Long(&option).unexpected().into());
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Some(arguments))
}
