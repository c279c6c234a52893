use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Runs programs: the seam between this crate and the machine.
///
/// What an implementation promises, checked for the one of this crate by its tests with real programs:
/// - the program gets the arguments as they stand, one by one, never through a shell, and nothing on standard input;
/// - whatever it writes is read while it runs, both streams at once, so that it never blocks on a full pipe;
/// - `run` returns soon after the deadline, soon after `stop` says true, and when the program ends, whichever is
///   first, and nothing that the program started is left running after the first two;
/// - a program that ends, with whatever exit code, is an [`Output`], not an error.
pub trait CommandRunner: Send + Sync {
    /// Runs a program to its end. `stop` is asked several times a second.
    ///
    /// # Errors
    /// A program that cannot be started, or that did not come to an end by itself: see [`CommandError`].
    fn run(&self, command: &CommandLine, stop: &dyn Fn() -> bool) -> Result<Output, CommandError>;
}

impl<R: CommandRunner + ?Sized> CommandRunner for Arc<R> {
    fn run(&self, command: &CommandLine, stop: &dyn Fn() -> bool) -> Result<Output, CommandError> {
        (**self).run(command, stop)
    }
}

/// A program, its arguments and the bounds within which it may run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandLine {
    /// Path of the program, or its name on the search path.
    pub program: PathBuf,
    /// Its arguments, without the program itself.
    pub arguments: Vec<OsString>,
    /// The folder it runs in; none for that of this process.
    pub folder: Option<PathBuf>,
    /// Variables that it gets beside the environment of this process, or in place of them.
    pub variables: Vec<(OsString, OsString)>,
    /// Variables of this process's environment that it does not get.
    pub without: Vec<OsString>,
    /// The longest it may take, from its start to the end of its output.
    pub deadline: Duration,
    /// The most that it may write on standard output, in bytes. Of standard error only the end is kept.
    pub max_output: usize,
}

impl CommandLine {
    /// Default of [`CommandLine::deadline`].
    pub const DEADLINE: Duration = Duration::from_mins(2);
    /// Default of [`CommandLine::max_output`]: a listing of a hundred thousand videos.
    pub const MAX_OUTPUT: usize = 256 << 20;

    /// A program with its arguments, in this process's folder and environment.
    pub fn new<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            folder: None,
            variables: Vec::new(),
            without: Vec::new(),
            deadline: Self::DEADLINE,
            max_output: Self::MAX_OUTPUT,
        }
    }

    /// Sets the folder it runs in.
    #[must_use]
    pub fn with_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Adds a variable to its environment.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Takes a variable out of its environment.
    #[must_use]
    pub fn without_variable(mut self, name: impl Into<OsString>) -> Self {
        self.without.push(name.into());
        self
    }

    /// Sets the longest it may take.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets the most that it may write on standard output, in bytes.
    #[must_use]
    pub fn with_max_output(mut self, bytes: usize) -> Self {
        self.max_output = bytes;
        self
    }

    /// Has Python programs write UTF-8 whatever the system's code page is.
    #[must_use]
    pub fn with_utf8(self) -> Self {
        self.with_variable("PYTHONUTF8", "1").with_variable("PYTHONIOENCODING", "utf-8")
    }

    /// Keeps the proxies that this process's environment may name away from it.
    #[must_use]
    pub fn without_proxies(self) -> Self {
        let names = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
        names.into_iter().fold(self, Self::without_variable)
    }
}

/// What a program that ended has written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// How it ended.
    pub exit: Exit,
    /// All of standard output, as it stands.
    pub stdout: Vec<u8>,
    /// The end of standard error, at most [`Output::STDERR`] bytes of it; what is not UTF-8 is replaced.
    pub stderr: String,
}

impl Output {
    /// How much of standard error is kept, in bytes.
    pub const STDERR: usize = 64 << 10;

    /// What a program wrote, for implementations of [`CommandRunner`].
    #[must_use]
    pub fn new(exit: Exit, stdout: Vec<u8>, stderr: String) -> Self {
        Self { exit, stdout, stderr }
    }

    /// This output if the program ended well, otherwise an error with the end of what it said.
    ///
    /// # Errors
    /// [`CommandError::Failed`] unless the exit code is 0.
    pub fn checked(self, program: &CommandLine) -> Result<Self, CommandError> {
        match self.exit {
            Exit::Code(0) => Ok(self),
            exit => {
                let (program, stderr) = (program.program.clone(), last_lines(&self.stderr));
                Err(CommandError::Failed { program, exit, stderr })
            }
        }
    }
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Exit {
    /// By itself, with this code; 0 says that all went well.
    Code(i32),
    /// Killed from outside, on Unix by this signal.
    Killed(i32),
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Killed(signal) => write!(f, "killed by signal {signal}"),
        }
    }
}

/// Why a program gave no output that can be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// There is no such program.
    #[error("there is no program {}: install it, or name its full path", program.display())]
    NotFound {
        /// As it was asked for.
        program: PathBuf,
    },
    /// The program, or the folder it was to run in, cannot be used.
    #[error("{} cannot be started: see that it may be executed", program.display())]
    NotStarted {
        /// As it was asked for.
        program: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// It did not end in time and was ended, with all that it had started.
    #[error("{} did not end within {} s and was ended{}", program.display(), deadline.as_secs_f32(), said(stderr))]
    TimedOut {
        /// As it was asked for.
        program: PathBuf,
        /// How long it was given.
        deadline: Duration,
        /// The last lines of standard error.
        stderr: String,
    },
    /// The caller said stop, and it was ended, with all that it had started.
    #[error("{} was stopped as asked", program.display())]
    Stopped {
        /// As it was asked for.
        program: PathBuf,
    },
    /// It wrote more than it may and was ended, with all that it had started.
    #[error("{} wrote more than {limit} bytes and was ended", program.display())]
    TooMuchOutput {
        /// As it was asked for.
        program: PathBuf,
        /// What it was given.
        limit: usize,
    },
    /// It ended by itself and reported a failure.
    #[error("{} failed ({exit}){}", program.display(), said(stderr))]
    Failed {
        /// As it was asked for.
        program: PathBuf,
        /// How it ended.
        exit: Exit,
        /// The last lines of standard error.
        stderr: String,
    },
    /// The system lost sight of the program, or gave no thread to listen to it.
    #[error("{} cannot be followed", program.display())]
    Lost {
        /// As it was asked for.
        program: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
}

impl CommandError {
    /// Whether the same command may well succeed when it is run again.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::TimedOut { .. } | Self::Stopped { .. } | Self::Lost { .. })
    }
}

fn said(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!(": {stderr}") }
}

/// The last lines of what a program said, short enough for a message.
pub(crate) fn last_lines(stderr: &str) -> String {
    const LINES: usize = 3;
    const CHARACTERS: usize = 600;
    let mut lines: Vec<&str> =
        stderr.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(LINES).collect();
    lines.reverse();
    let joined = lines.join(" | ");
    let extra = joined.chars().count().saturating_sub(CHARACTERS);
    joined.chars().skip(extra).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_carries_the_end_of_what_the_program_said() {
        let line = CommandLine::new("yt-dlp", ["-J"]);
        let output = |exit, stderr: &str| Output::new(exit, Vec::new(), stderr.to_owned());
        assert!(output(Exit::Code(0), "WARNING: x").checked(&line).is_ok());
        let error = output(Exit::Code(1), "a\nb\n\nc\r\nERROR: d\n").checked(&line).unwrap_err();
        assert_eq!(error.to_string(), "yt-dlp failed (exit code 1): b | c | ERROR: d");
        let error = output(Exit::Killed(9), "").checked(&line).unwrap_err();
        assert_eq!(error.to_string(), "yt-dlp failed (killed by signal 9)");
        assert_eq!(last_lines(&"é".repeat(5000)).chars().count(), 600);
    }
}
