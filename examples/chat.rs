//! A terminal assistant: it streams, cites, and keeps the session.
//!
//! `cargo run --release --example chat -- --data DIR --project NAME [--provider ollama]`, and then questions, one a line.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::io::{IsTerminal, Write, stdin, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use examples::chat_models::{self, ChatModels};
use examples::models::Models;
use examples::{Failure, Progress, chain, finish, mode, show, text};
use lexopt::Arg;
use serde_json::{Value, json};
use tusab_engine::{
    Answer, AnswerEvent, AnswerLanguage, Cancel, ChatSession, Engine, Offline, Outcome, Persona, Project,
    Rating, SearchMode, Source, TurnState,
};

const USAGE: &str = "\
Usage: chat --data DIR --project NAME [--session NAME] [--mode narrow|broad] [--persona STYLE] [--offline] [--json]
            [--provider NAME [--model NAME] [--auxiliary NAME] [--url URL]]

Answers the questions that it reads, one a line, from the sources of a project.

  --data DIR       the engine's folder
  --project NAME   the project in it
  --session NAME   the conversation to go on with (default: terminal)
  --mode MODE      narrow (words, the default) or broad (words and meaning, with the models in the user's store)
  --persona STYLE  objective, technical, didactic, relaxed, socratic, or a style in your own words
  --offline        ask no model beyond this machine
  --json           print one JSON object with all answers at the end, and nothing else";

const HELP: &str = "\
/mode narrow|broad     how the project is searched
/persona STYLE         how answers are worded: objective, technical, didactic, relaxed, socratic, or your own words
/language WORD         of the answers: question, portuguese, english or spanish
/add FILE              takes a file in
/history               what was said so far
/sessions              which conversations there are
/session NAME          goes on with another
/delete                forgets this one
/up, /down             what you think of the last answer
/summary N             what the document of source N of the last answer is about
/quit                  ends, as the end of the input does";

struct Arguments {
    data: PathBuf,
    project: String,
    session: String,
    mode: SearchMode,
    persona: Persona,
    chat_models: ChatModels,
    offline: bool,
    json: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await, USAGE)
}

async fn run() -> Result<(), Failure> {
    let Some(arguments) = parse()? else {
        println!("{USAGE}\n{}", chat_models::USAGE);
        return Ok(());
    };
    let progress = Progress::new();
    progress.clear();
    let bar = progress.clone();
    let engine = Engine::builder().data_dir(&arguments.data).on_event(move |event| bar.show(event));
    let mut engine = arguments.chat_models.give(engine)?.offline(Offline::new(arguments.offline));
    // Read when a Broad Search first needs them.
    let models = Models::default();
    engine = engine.reranker(models.reranker()?);
    if let Some(embedder) = models.embedder()? {
        engine = engine.embedder(embedder);
    }
    let project = engine.build()?.project(&arguments.project).await?;
    let session = project.chat(&arguments.session).with_mode(arguments.mode).with_persona(arguments.persona);
    let mut chat = Chat { session, project, progress, last: None, json: arguments.json, answers: Vec::new() };
    if arguments.mode == SearchMode::Broad {
        chat.enrich().await?;
    }
    chat.read().await?;
    if arguments.json {
        let (project, session) = (chat.project.name(), chat.session.name());
        println!("{}", json!({"project": project, "session": session, "answers": chat.answers}));
    }
    Ok(())
}

/// The arguments; `None` when help was asked for.
fn parse() -> Result<Option<Arguments>, Failure> {
    let (mut data, mut project, mut session) = (None, None, "terminal".to_owned());
    let (mut search_mode, mut persona, mut chat_models) =
        (SearchMode::Narrow, Persona::default(), ChatModels::default());
    let (mut offline, mut as_json) = (false, false);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("data") => data = Some(parser.value()?.into()),
            Arg::Long("project") => project = Some(text(parser.value()?)?),
            Arg::Long("session") => session = text(parser.value()?)?,
            Arg::Long("mode") => search_mode = mode(parser.value()?)?,
            Arg::Long("persona") => {
                persona = text(parser.value()?)?.parse().map_err(|error| Failure::Usage(chain(&error)))?;
            }
            Arg::Long("offline") => offline = true,
            Arg::Long("json") => as_json = true,
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Long(option) => {
                let option = option.to_owned();
                if !chat_models.take(&option, || parser.value())? {
                    return Err(Arg::Long(&option).unexpected().into());
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let missing = |what: &str| Failure::Usage(format!("--{what} is missing"));
    Ok(Some(Arguments {
        data: data.ok_or_else(|| missing("data"))?,
        project: project.ok_or_else(|| missing("project"))?,
        session,
        mode: search_mode,
        persona,
        chat_models,
        offline,
        json: as_json,
    }))
}

/// The conversation at the terminal.
struct Chat {
    project: Project,
    session: ChatSession,
    progress: Progress,
    last: Option<Answer>,
    json: bool,
    answers: Vec<Value>,
}

impl Chat {
    /// Answers line by line, to the end of the input.
    async fn read(&mut self) -> Result<(), Failure> {
        let is_asked = stdin().is_terminal() && !self.json;
        if is_asked {
            println!("{}: ask, or /help", self.project.name());
        }
        let mut line = String::new();
        loop {
            if is_asked {
                print!("> ");
                stdout().flush().map_err(|error| Failure::of(&error))?;
            }
            line.clear();
            // Nothing else runs while the person thinks.
            if stdin().read_line(&mut line).map_err(|error| Failure::of(&error))? == 0 {
                return Ok(());
            }
            let said = line.trim();
            let done = match said.strip_prefix('/') {
                Some("quit" | "exit") => return Ok(()),
                Some(command) => {
                    let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
                    self.command(name, rest.trim()).await
                }
                None if said.is_empty() => Ok(()),
                None => self.ask(said).await,
            };
            // One question that fails does not end the conversation.
            if let Err(Failure::Failed(message) | Failure::Usage(message)) = done {
                eprintln!("error: {message}");
            }
        }
    }

    async fn ask(&mut self, question: &str) -> Result<(), Failure> {
        let mut stream = self.session.ask_stream(question);
        while let Some(event) = stream.next().await {
            match event? {
                AnswerEvent::Text(piece) => self.say(&piece)?,
                AnswerEvent::Withdrawn => self.say("\n(that was not the answer; it follows)\n")?,
                AnswerEvent::Done(answer) => {
                    self.show(&answer)?;
                    if self.json {
                        self.answers.push(json!({"question": question, "answer": &*answer}));
                    }
                    self.last = Some(*answer);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn show(&self, answer: &Answer) -> Result<(), Failure> {
        self.say("\n")?;
        if let Some(searched) = &answer.searched {
            self.say(&format!("(searched for: {searched})\n"))?;
        }
        if !answer.sources.is_empty() {
            self.say(&format!("\n{}\n", show::sources(&answer.sources)))?;
        }
        for note in show::notes(answer) {
            self.say(&format!("\nnote: {note}\n"))?;
        }
        self.say("\n")
    }

    async fn command(&mut self, name: &str, rest: &str) -> Result<(), Failure> {
        let session = self.session.clone();
        match name {
            "help" => self.say(&format!("{HELP}\n"))?,
            "mode" => {
                let mode = mode(rest.into())?;
                self.session = session.with_mode(mode);
                if mode == SearchMode::Broad {
                    self.enrich().await?;
                }
            }
            "persona" => {
                let persona: Persona = rest.parse().map_err(|error| Failure::Usage(chain(&error)))?;
                self.say(&format!("persona: {persona}\n"))?;
                self.session = session.with_persona(persona);
            }
            "language" => self.session = session.with_language(language(rest)?),
            "add" => self.add(rest).await?,
            "history" => self.history().await?,
            "sessions" => {
                for info in self.project.sessions().await?.sessions {
                    self.say(&format!("{}  {} turns  {}\n", info.last_at, info.turns, info.name))?;
                }
            }
            "session" if !rest.is_empty() => self.session = self.project.chat(rest),
            "delete" => session.delete().await?,
            "up" => self.rate(Rating::Up).await?,
            "down" => self.rate(Rating::Down).await?,
            "summary" => self.summary(rest).await?,
            other => return Err(Failure::Usage(format!("there is no /{other}: see /help"))),
        }
        Ok(())
    }

    async fn add(&self, path: &str) -> Result<(), Failure> {
        let report = self.project.ingest_all(vec![Source::file(path)], &Cancel::new()).await?;
        self.progress.clear();
        for item in &report.items {
            match &item.outcome {
                Outcome::Failed(error) => return Err(Failure::of(error)),
                outcome => self.say(&format!("{}: {outcome:?}\n", item.name))?,
            }
        }
        Ok(())
    }

    /// Gives the passages their vectors, where there is a model for them; what is missing is told with the answers.
    async fn enrich(&self) -> Result<(), Failure> {
        self.project.enrich(&Cancel::new()).await?;
        self.progress.clear();
        Ok(())
    }

    async fn history(&self) -> Result<(), Failure> {
        for turn in self.session.history().await? {
            let state = match turn.state {
                TurnState::Complete => "",
                _ => " (not whole)",
            };
            self.say(&format!("{} {}\n{}{state}\n\n", turn.asked_at, turn.question, turn.answer))?;
        }
        Ok(())
    }

    async fn rate(&self, rating: Rating) -> Result<(), Failure> {
        let turn = self.last.as_ref().and_then(|answer| answer.turn);
        let turn = turn.ok_or_else(|| Failure::Usage("there is no answer yet".to_owned()))?;
        Ok(self.session.rate(turn, Some(rating)).await?)
    }

    async fn summary(&self, number: &str) -> Result<(), Failure> {
        let sources = self.last.as_ref().map(|answer| answer.sources.as_slice()).unwrap_or_default();
        let number: usize = number.parse().unwrap_or_default();
        let source = number.checked_sub(1).and_then(|number| sources.get(number));
        let source = source
            .ok_or_else(|| Failure::Usage("name a source of the last answer by its number".to_owned()))?;
        let summary = self.project.summarize(&source.doc).await?;
        self.say(&format!("{}\n", summary.text))
    }

    /// Prints for a person, and at once.
    fn say(&self, words: &str) -> Result<(), Failure> {
        if !self.json {
            print!("{words}");
            stdout().flush().map_err(|error| Failure::of(&error))?;
        }
        Ok(())
    }
}

fn language(word: &str) -> Result<AnswerLanguage, Failure> {
    serde_json::from_value(Value::from(word.to_lowercase())).map_err(|_| {
        Failure::Usage(format!("{word:?} is no language: question, portuguese, english or spanish"))
    })
}
