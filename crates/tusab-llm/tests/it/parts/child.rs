//! Programs that the tests start; they end with the test.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

fn script(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/parts")).join(name)
}

fn from_environment(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set: run scripts/test.sh"))
}

pub(super) fn python(name: &str) -> Command {
    let mut command = Command::new(from_environment("TUSAB_LLM_PYTHON"));
    command.arg(script(name)).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

pub(super) fn node(name: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(script(name)).env("TUSAB_AIMOCK", from_environment("TUSAB_AIMOCK"));
    command
}

/// A program that is told by lines and answers by lines.
pub(super) struct Part {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Part {
    pub(super) fn start(mut command: Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self { child, answers }
    }

    /// Where a server listens, once it does.
    pub(super) fn url(&mut self) -> String {
        loop {
            let line = self.line();
            if let Some(url) = line.strip_prefix("URL ") {
                return url.trim().to_owned();
            }
        }
    }

    /// The answer to one line of JSON.
    pub(super) fn ask(&mut self, question: &Value) -> Value {
        writeln!(self.child.stdin.as_mut().unwrap(), "{question}").unwrap();
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "the program ended: {:?}", self.child.wait());
        line
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Each ends when its input does; the kill is for one that hangs.
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
