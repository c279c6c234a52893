//! Which version of a program is here.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tusab_chunk::Date;

use super::runtime::RuntimeKind;
use super::time::UnixTime;
use crate::{CommandError, CommandLine, CommandRunner, Exit};

/// Longest wait for a program to tell its version: the first start of yt-dlp after an update takes seconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// From which age on yt-dlp is told to be old. YouTube changes often enough that older ones tend to fail.
const OLD: Duration = Duration::from_hours(60 * 24);

/// The first yt-dlp that reads all of YouTube only with a JavaScript runtime, and that has the option to name one.
const FIRST_WITH_RUNTIMES: [u32; 3] = [2025, 11, 12];

/// What was found of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Probe {
    /// The program, as it was asked for.
    pub program: PathBuf,
    /// What was found.
    pub state: ProbeState,
}

/// Whether a program can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProbeState {
    /// It can.
    Ready {
        /// The version, as it tells it.
        version: String,
    },
    /// It works, and is so old that it may not for long.
    Old {
        /// The version, as it tells it.
        version: String,
        /// How many days ago it was published.
        days: u64,
    },
    /// It is here, in a version that is not accepted.
    TooOld {
        /// The version, as it tells it.
        version: String,
        /// The oldest that is accepted.
        oldest: String,
    },
    /// It is not here.
    Missing,
    /// It is here and does not answer as it should.
    Broken {
        /// What it does instead.
        reason: String,
    },
}

impl Probe {
    /// Whether it can be used, be it old.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        matches!(self.state, ProbeState::Ready { .. } | ProbeState::Old { .. })
    }

    /// What was found, for people; none when nothing was.
    #[must_use]
    pub fn found(&self) -> Option<String> {
        let program = self.program.display();
        match &self.state {
            ProbeState::Ready { version } => Some(format!("{program} {version}")),
            ProbeState::Old { version, days } => Some(format!("{program} {version}, {days} days old")),
            ProbeState::TooOld { version, oldest } => {
                Some(format!("{program} {version}, older than {oldest}"))
            }
            ProbeState::Missing => None,
            ProbeState::Broken { reason } => Some(format!("{program}, which does not answer: {reason}")),
        }
    }
}

/// Asks a yt-dlp for its version, which is the day it was published.
pub fn probe_yt_dlp(runner: &dyn CommandRunner, program: &Path, now: UnixTime) -> Probe {
    let line = CommandLine::new(program, ["--ignore-config", "--version"]).with_utf8();
    let state = ask(runner, line, |version| {
        let numbers = numbers(version);
        let Some(published) = numbers.and_then(|[year, month, day]| {
            Date::new(u16::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(day).ok()?)
        }) else {
            return ProbeState::Broken { reason: format!("it says {version:?}") };
        };
        let version = version.to_owned();
        if numbers < Some(FIRST_WITH_RUNTIMES) {
            return ProbeState::TooOld { version, oldest: "2025.11.12".to_owned() };
        }
        let age = age(published, now);
        if age > OLD {
            ProbeState::Old { version, days: age.as_secs() / (24 * 3600) }
        } else {
            ProbeState::Ready { version }
        }
    });
    Probe { program: program.to_owned(), state }
}

/// Asks a JavaScript runtime for its version.
pub fn probe_runtime(runner: &dyn CommandRunner, kind: RuntimeKind, program: &Path) -> Probe {
    let state = ask(runner, CommandLine::new(program, ["--version"]), |said| {
        // `deno 2.5.1 (stable, ...)`, `v22.1.0`, `1.2.11`.
        let word = said.split_whitespace().find(|word| word.contains(|sign: char| sign.is_ascii_digit()));
        let version = word.unwrap_or(said).trim_start_matches('v').to_owned();
        match numbers(&version) {
            None => ProbeState::Broken { reason: format!("it says {said:?}") },
            Some(numbers) if numbers < kind.oldest() => {
                ProbeState::TooOld { version, oldest: dotted(kind.oldest()) }
            }
            Some(_) => ProbeState::Ready { version },
        }
    });
    Probe { program: program.to_owned(), state }
}

fn ask(runner: &dyn CommandRunner, line: CommandLine, read: impl FnOnce(&str) -> ProbeState) -> ProbeState {
    let line = line.with_deadline(PATIENCE).with_max_output(64 << 10);
    match runner.run(&line, &|| false) {
        Ok(output) if output.exit == Exit::Code(0) => {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            match said.lines().map(str::trim).find(|line| !line.is_empty()) {
                Some(first) => read(&first.chars().take(100).collect::<String>()),
                None => ProbeState::Broken { reason: "it says nothing".to_owned() },
            }
        }
        Ok(output) => match output.checked(&line) {
            Ok(_) => ProbeState::Broken { reason: "it says nothing".to_owned() },
            Err(error) => ProbeState::Broken { reason: error.to_string() },
        },
        Err(CommandError::NotFound { .. }) => ProbeState::Missing,
        Err(error) => ProbeState::Broken { reason: error.to_string() },
    }
}

/// The first three numbers of a version; what follows, as in `22.1.0-rc.1`, is passed over.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let mut parts = version.split('.').map(|part| {
        let digits = part.split(|sign: char| !sign.is_ascii_digit()).next().unwrap_or_default();
        digits.parse::<u32>().ok()
    });
    Some([parts.next()??, parts.next()??, parts.next().flatten().unwrap_or(0)])
}

pub(super) fn dotted([major, minor, patch]: [u32; 3]) -> String {
    format!("{major}.{minor}.{patch}")
}

/// How long ago a day began; zero when it is to come.
fn age(published: Date, now: UnixTime) -> Duration {
    let day = |date: Date| {
        // Days since an era's start in March; only the difference counts.
        let (year, month) = (i64::from(date.year()), i64::from(date.month()));
        let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
        365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + i64::from(date.day())
    };
    let days = now.date().map_or(0, |today| day(today) - day(published));
    Duration::from_secs(u64::try_from(days).unwrap_or(0) * 24 * 3600)
}
