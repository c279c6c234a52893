//! Runs programs of the user's machine. No other module of this crate starts a program or touches a file.

mod command;
mod pipes;
mod scratch;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

// Process groups on Unix, job objects on Windows. The standard library has only half of the first, `command-group` is
// this crate's former self.
#[cfg(windows)]
use process_wrap::std::JobObject;
#[cfg(unix)]
use process_wrap::std::ProcessGroup;
use process_wrap::std::{ChildWrapper, CommandWrap};

pub(crate) use self::command::last_lines;
pub use self::command::{CommandError, CommandLine, CommandRunner, Exit, Output};
use self::pipes::{Pipes, Progress};
pub(crate) use self::scratch::Scratch;

/// Runs programs of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRunner;

/// How often a running program is looked at: the most that a stop waits.
const GLANCE: Duration = Duration::from_millis(25);
/// How long the rest of a program's output is waited for, once it has ended or has been ended.
const LEFTOVERS: Duration = Duration::from_secs(2);

impl CommandRunner for SystemRunner {
    fn run(&self, line: &CommandLine, stop: &dyn Fn() -> bool) -> Result<Output, CommandError> {
        let program = || line.program.clone();
        if stop() {
            return Err(CommandError::Stopped { program: program() });
        }
        let deadline = Instant::now().checked_add(line.deadline);
        let lost = |source| CommandError::Lost { program: program(), source };
        let mut tree = Tree::spawn(line)?;
        let mut pipes = tree.pipes(line).map_err(lost)?;
        let ended = loop {
            if stop() {
                break Err(CommandError::Stopped { program: program() });
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break Err(CommandError::TimedOut {
                    program: program(),
                    deadline: line.deadline,
                    stderr: String::new(),
                });
            }
            let progress = pipes.take(GLANCE);
            if progress == Progress::TooMuch {
                break Err(CommandError::TooMuchOutput { program: program(), limit: line.max_output });
            }
            if let Some(status) = tree.status().map_err(lost)? {
                break Ok(status);
            }
            if progress == Progress::Done {
                // It runs on with both streams closed: nothing is left to wait on.
                thread::sleep(GLANCE);
            }
        };
        if ended.is_err() {
            tree.kill();
        }
        // What is written but not yet read belongs to the output; a grandchild that holds a pipe open must not hold
        // this up.
        let mut too_much = false;
        let patience = Instant::now() + LEFTOVERS;
        loop {
            match pipes.take(GLANCE) {
                Progress::Done => break,
                Progress::TooMuch => {
                    too_much = true;
                    break;
                }
                Progress::Open if Instant::now() >= patience => break,
                Progress::Open => {}
            }
        }
        tree.kill();
        let (stdout, said) = pipes.finish();
        match ended {
            Ok(_) if too_much => {
                Err(CommandError::TooMuchOutput { program: program(), limit: line.max_output })
            }
            Ok(status) => Ok(Output::new(exit(status), stdout, said)),
            Err(CommandError::TimedOut { program, deadline, .. }) => {
                Err(CommandError::TimedOut { program, deadline, stderr: last_lines(&said) })
            }
            Err(error) => Err(error),
        }
    }
}

/// A program and all that it starts, ended together.
struct Tree {
    child: Box<dyn ChildWrapper>,
    is_over: bool,
}

impl Tree {
    fn spawn(line: &CommandLine) -> Result<Self, CommandError> {
        let mut command = Command::new(&line.program);
        command.args(&line.arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &line.folder {
            command.current_dir(folder);
        }
        for name in &line.without {
            command.env_remove(name);
        }
        command.envs(line.variables.iter().map(|(name, value)| (name, value)));
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(JobObject);
        match command.spawn() {
            Ok(child) => Ok(Self { child, is_over: false }),
            Err(source) => {
                let program = line.program.clone();
                // A folder that is missing is reported the same way as a program that is.
                let folder_is_there = line.folder.as_ref().is_none_or(|folder| folder.is_dir());
                Err(if source.kind() == ErrorKind::NotFound && folder_is_there {
                    CommandError::NotFound { program }
                } else {
                    CommandError::NotStarted { program, source }
                })
            }
        }
    }

    fn pipes(&mut self, line: &CommandLine) -> io::Result<Pipes> {
        let gone = || io::Error::other("a stream of the program is missing");
        let stdout = self.child.stdout().take().ok_or_else(gone)?;
        let stderr = self.child.stderr().take().ok_or_else(gone)?;
        Pipes::new(Box::new(stdout), Box::new(stderr), line.max_output, Output::STDERR)
    }

    fn status(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Ends what is still running; nothing is left when this returns.
    fn kill(&mut self) {
        // Once: the number of a group that is gone may be given to another program.
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        // An error says that nothing is left to end.
        let _ = self.child.start_kill();
        let _ = self.child.wait();
    }
}

impl Drop for Tree {
    /// The caller's `stop` may panic, and a stream may fail: no program outlives this.
    fn drop(&mut self) {
        self.kill();
    }
}

/// A path that means the same in every folder. A name without a folder stays as it is: it is looked for on the search
/// path.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    if path.components().count() < 2 && !path.exists() {
        return path.to_owned();
    }
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn exit(status: ExitStatus) -> Exit {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Exit::Killed(signal);
    }
    status.code().map_or(Exit::Killed(0), Exit::Code)
}
