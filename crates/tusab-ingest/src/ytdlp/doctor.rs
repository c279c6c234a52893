//! What yt-dlp needs, asked of the machine through a [`CommandRunner`].

use std::fmt;
use std::path::Path;

use super::probe::{Probe, ProbeState, dotted, probe_runtime, probe_yt_dlp};
use super::runtime::RuntimeKind;
use super::time::UnixTime;
use crate::CommandRunner;

/// What is here of all that captions of YouTube need.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Doctor {
    /// yt-dlp itself.
    pub yt_dlp: Probe,
    /// The JavaScript runtimes, in yt-dlp's order of preference.
    pub runtimes: Vec<(RuntimeKind, Probe)>,
}

impl Doctor {
    /// Asks for yt-dlp, as `program`, and for every runtime on the search path, at `now`. Nothing but their versions
    /// is asked; the network is not used.
    #[must_use]
    pub fn examine(runner: &dyn CommandRunner, program: &Path, now: UnixTime) -> Self {
        let runtime = |kind: RuntimeKind| (kind, probe_runtime(runner, kind, Path::new(kind.as_str())));
        Self {
            yt_dlp: probe_yt_dlp(runner, program, now),
            runtimes: RuntimeKind::ALL.into_iter().map(runtime).collect(),
        }
    }

    /// The runtime to use: the first that yt-dlp accepts.
    #[must_use]
    pub fn runtime(&self) -> Option<RuntimeKind> {
        self.runtimes.iter().find(|(_, probe)| probe.is_ok()).map(|(kind, _)| *kind)
    }

    /// What is to be done for yt-dlp to work; none when nothing is.
    #[must_use]
    pub fn yt_dlp_remedy(&self) -> Option<String> {
        match &self.yt_dlp.state {
            ProbeState::Ready { .. } => None,
            ProbeState::Old { days, .. } => Some(format!(
                "yt-dlp is {days} days old, and YouTube changes often: update it (`yt-dlp -U`, or `pip install -U yt-dlp`)"
            )),
            ProbeState::TooOld { oldest, .. } => {
                Some(format!("update yt-dlp to {oldest} or later (`yt-dlp -U`, or `pip install -U yt-dlp`)"))
            }
            ProbeState::Missing => Some(
                "install yt-dlp (`pip install yt-dlp`, or the program from its project's page) and see that it is on \
                 the PATH"
                    .to_owned(),
            ),
            ProbeState::Broken { .. } => Some("install yt-dlp anew: it does not tell its version".to_owned()),
        }
    }

    /// What is to be done for yt-dlp to find a JavaScript runtime; none when nothing is.
    #[must_use]
    pub fn runtime_remedy(&self) -> Option<String> {
        if self.runtime().is_some() {
            return None;
        }
        let versions = RuntimeKind::ALL.map(|kind| format!("{kind} {}", dotted(kind.oldest()))).join(", ");
        let here: Vec<String> = self.runtimes.iter().filter_map(|(_, probe)| probe.found()).collect();
        let found = if here.is_empty() { String::new() } else { format!(" (found: {})", here.join("; ")) };
        Some(format!(
            "yt-dlp needs a JavaScript runtime for YouTube: install one of {versions}, or later{found}"
        ))
    }
}

impl fmt::Display for Doctor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, name: &str, found: Option<String>, remedy: Option<String>| {
            writeln!(f, "{name}: {}", found.unwrap_or_else(|| "missing".to_owned()))?;
            remedy.map_or(Ok(()), |remedy| writeln!(f, "  {remedy}"))
        };
        line(f, "yt-dlp", self.yt_dlp.found(), self.yt_dlp_remedy())?;
        let usable =
            self.runtimes.iter().find(|(_, probe)| probe.is_ok()).and_then(|(_, probe)| probe.found());
        line(f, "JavaScript runtime", usable, self.runtime_remedy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CommandError, CommandLine, Exit, Output};

    /// A program, and its exit code with what it says; none for one that hangs.
    type Answer = (&'static str, Option<(i32, &'static str)>);

    /// Answers by the program's name.
    struct Says(&'static [Answer]);

    impl CommandRunner for Says {
        fn run(&self, line: &CommandLine, _: &dyn Fn() -> bool) -> Result<Output, CommandError> {
            let name = line.program.to_string_lossy();
            match self.0.iter().find(|(program, _)| *program == name) {
                Some((_, Some((code, said)))) => {
                    Ok(Output::new(Exit::Code(*code), said.as_bytes().to_vec(), "é isto".into()))
                }
                Some((_, None)) => Err(CommandError::TimedOut {
                    program: line.program.clone(),
                    deadline: line.deadline,
                    stderr: String::new(),
                }),
                None => Err(CommandError::NotFound { program: line.program.clone() }),
            }
        }
    }

    /// 2026-11-30.
    const NOW: i64 = 1_796_040_000;

    fn examine(says: &'static [Answer]) -> Doctor {
        Doctor::examine(&Says(says), Path::new("yt-dlp"), UnixTime::from_secs(NOW))
    }

    #[test]
    fn versions_are_judged_by_what_yt_dlp_accepts() {
        for (kind, said, expected) in [
            (RuntimeKind::Deno, "deno 2.3.0 (stable, release, x86_64)\nv8 13.7\n", "ready"),
            (RuntimeKind::Deno, "deno 2.2.12 (stable)", "too old"),
            (RuntimeKind::Node, "v22.0.0\n", "ready"),
            (RuntimeKind::Node, "v24.1.0-nightly", "ready"),
            (RuntimeKind::Node, "v20.20.2\n", "too old"),
            (RuntimeKind::Node, "v9.99.9", "too old"),
            (RuntimeKind::Bun, "1.2.11", "ready"),
            (RuntimeKind::Bun, "1.2.10", "too old"),
            (RuntimeKind::Bun, "1.10", "ready"),
            (RuntimeKind::Bun, "", "broken"),
            (RuntimeKind::Bun, "olá", "broken"),
        ] {
            struct Always(&'static str);
            impl CommandRunner for Always {
                fn run(&self, _: &CommandLine, _: &dyn Fn() -> bool) -> Result<Output, CommandError> {
                    Ok(Output::new(Exit::Code(0), self.0.into(), String::new()))
                }
            }
            let state = probe_runtime(&Always(said), kind, Path::new("x")).state;
            let word = match state {
                ProbeState::Ready { .. } => "ready",
                ProbeState::TooOld { .. } => "too old",
                ProbeState::Broken { .. } => "broken",
                _ => "other",
            };
            assert_eq!(word, expected, "{kind} {said:?}");
        }
    }

    #[test]
    fn what_is_missing_or_old_has_a_remedy() {
        let all = examine(&[("yt-dlp", Some((0, "2026.10.26\n"))), ("node", Some((0, "v22.4.1")))]);
        assert_eq!(
            (all.yt_dlp_remedy(), all.runtime_remedy(), all.runtime()),
            (None, None, Some(RuntimeKind::Node))
        );
        assert_eq!(all.yt_dlp.found().as_deref(), Some("yt-dlp 2026.10.26"));
        assert!(all.to_string().contains("JavaScript runtime: node 22.4.1"), "{all}");

        let none = examine(&[]);
        assert!(!none.yt_dlp.is_ok() && none.runtime().is_none());
        assert!(none.yt_dlp_remedy().unwrap().contains("pip install yt-dlp"));
        assert!(none.runtime_remedy().unwrap().contains("deno 2.3.0, node 22.0.0, bun 1.2.11, or later"));

        let old =
            examine(&[("yt-dlp", Some((0, "2026.09.30"))), ("node", Some((0, "v20.20.2"))), ("deno", None)]);
        assert_eq!(old.yt_dlp.state, ProbeState::Old { version: "2026.09.30".to_owned(), days: 61 });
        assert!(old.yt_dlp.is_ok() && old.yt_dlp_remedy().unwrap().contains("61 days"));
        let remedy = old.runtime_remedy().unwrap();
        assert!(remedy.contains("node 20.20.2, older than 22.0.0"), "{remedy}");
        assert!(remedy.contains("deno, which does not answer"), "{remedy}");

        let ancient = examine(&[("yt-dlp", Some((0, "2024.01.01")))]);
        assert!(matches!(ancient.yt_dlp.state, ProbeState::TooOld { .. }));
        let nightly = examine(&[("yt-dlp", Some((0, "2026.11.29.232829")))]);
        assert!(matches!(nightly.yt_dlp.state, ProbeState::Ready { .. }));
        let broken = examine(&[("yt-dlp", Some((1, "")))]);
        assert!(broken.yt_dlp.found().unwrap().contains("é isto"), "{broken}");
        let other = examine(&[("yt-dlp", Some((0, "youtube-dl")))]);
        assert!(matches!(other.yt_dlp.state, ProbeState::Broken { .. }));
    }
}
