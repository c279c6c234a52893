//! A disk that is full at each single write of everything that is done to a project, told by number.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::programs::{Random, copy, folder, number_from, runtime, say, seed};
use crate::steps::{STEPS, Whole, begin, picture, prepare, take};

/// How many calls of a step are refused, each in a run of its own; spread over all of them when these are more.
const POINTS: u64 = 4;

/// Takes a step, and once more where it was refused: the process goes on after the disk was full for a moment.
pub(crate) fn child(step: &str, root: &Path, again: bool) -> ExitCode {
    runtime().block_on(async {
        for _ in 0..=usize::from(again) {
            match take(step, root).await {
                Ok(()) => return say("done"),
                Err(refusal) => {
                    let kind = if refusal.is_retryable { "retryable" } else { "final" };
                    say(&format!("refused {kind} {}", refusal.words));
                }
            }
        }
    });
    ExitCode::SUCCESS
}

/// How the disk is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Full {
    /// At this call alone, be it one that syncs or renames.
    Once,
    /// From this call on, which writes the half.
    FromThen,
}

/// What a run of a child said.
struct Ran {
    said: Vec<String>,
    calls: u64,
    /// The calls that were refused.
    refused: Vec<String>,
}

impl Ran {
    fn is_done(&self) -> bool {
        self.said.iter().any(|line| line == "done")
    }
}

/// The library that refuses calls, made from its source; the folder is where it is.
struct Faults(tempfile::TempDir);

impl Faults {
    fn new() -> Option<Self> {
        if !cfg!(all(target_os = "linux", target_env = "gnu")) {
            println!("skipped: calls can be refused by number only on Linux with the GNU library");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("fault.c");
        fs::write(&source, include_str!("fault.c")).unwrap();
        let library = folder.path().join("fault.so");
        let compiled =
            Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).output();
        match compiled {
            Ok(output) => assert!(output.status.success(), "{output:?}"),
            Err(error) => {
                println!("skipped: there is no C compiler `cc` to make what refuses calls: {error}");
                return None;
            }
        }
        Some(Self(folder))
    }

    fn run(&self, step: &str, root: &Path, at: u64, full: Full) -> Ran {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["child-fault", step]).arg(root).arg(if full == Full::Once { "again" } else { "once" });
        command.env("LD_PRELOAD", self.0.path().join("fault.so"));
        command.env("TUSAB_FAULT_UNDER", root).env("TUSAB_FAULT_AT", at.to_string());
        if full == Full::FromThen {
            command.env("TUSAB_FAULT_LASTS", "");
        }
        let output = command.output().unwrap();
        let lines =
            |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect::<Vec<_>>();
        let (said, errors) = (lines(&output.stdout), lines(&output.stderr));
        assert!(output.status.success(), "{step} at {at}, {full:?}: {said:#?} {errors:#?}");
        assert!(
            !errors.iter().any(|line| line.contains("panicked at")),
            "{step} at {at}, {full:?}: {errors:#?}"
        );
        let after = |prefix: &str| {
            errors.iter().filter_map(|line| line.strip_prefix(prefix)).map(str::to_owned).collect::<Vec<_>>()
        };
        let calls = after("fault calls ").last().expect("the child counts its calls").parse().unwrap();
        Ran { said, calls, refused: after("fault refused ") }
    }
}

pub(crate) fn full_at_each_write() {
    let Some(faults) = Faults::new() else { return };
    let points = number_from("TUSAB_FAULTS").unwrap_or(POINTS);
    println!("TUSAB_FAULTS={points}");
    let (mut random, folder) = (Random(seed()), folder());
    let first = folder.path().join("begin");
    runtime().block_on(begin(&first));
    let mut all_refused = 0;
    let only = std::env::var("TUSAB_FAULT_STEP").ok();
    for (step, whole) in STEPS.into_iter().filter(|(step, _)| only.as_ref().is_none_or(|only| only == step)) {
        let anew = |name: &str| -> PathBuf {
            let root = folder.path().join(name);
            copy(&first, &root);
            prepare(step, &root);
            root
        };
        let root = anew("before");
        let before = runtime().block_on(picture(&root));
        fs::remove_dir_all(&root).unwrap();
        let root = anew("whole");
        let ran = faults.run(step, &root, 0, Full::Once);
        assert!(ran.is_done(), "{step}: {:?}", ran.said);
        let after = runtime().block_on(picture(&root));
        fs::remove_dir_all(&root).unwrap();
        let case = Case { step, whole, before: &before, after: &after };
        let (mut refused, mut tried) = (0, 0);
        let number = ran.calls.min(points);
        for point in 0..number {
            let at = 1 + (point * ran.calls + random.below(ran.calls)) / number;
            for full in [Full::Once, Full::FromThen] {
                let root = anew("full");
                let ran = faults.run(step, &root, at, full);
                tried += u64::from(!ran.refused.is_empty());
                refused += u64::from(ran.said.iter().any(|line| line.starts_with("refused")));
                case.check(&root, &ran, &format!("{step} at call {at}, {full:?}, {:?}", ran.refused));
                fs::remove_dir_all(&root).unwrap();
            }
        }
        println!(
            "{step}: {} calls, {tried} runs in which some were refused, {refused} of them told",
            ran.calls
        );
        assert!(tried > 0, "the disk is to be full");
        all_refused += refused;
    }
    // Of some steps few calls matter, and few points may miss them; not of all.
    assert!(all_refused > 0, "a full disk is to be told");
}

struct Case<'a> {
    step: &'a str,
    whole: Whole,
    before: &'a BTreeSet<String>,
    after: &'a BTreeSet<String>,
}

impl Case<'_> {
    /// Opens what a run has left, and goes on with it by the same step, where it was not done.
    fn check(&self, root: &Path, ran: &Ran, told: &str) {
        let told = format!("{told}\nsaid {:#?}", ran.said);
        let _case = Named(&told);
        assert_says_what_to_do(&ran.said[0]);
        let seen = runtime().block_on(picture(root));
        if ran.is_done() {
            assert_same(&seen, self.after, &told);
            return;
        }
        match self.whole {
            Whole::Yes if seen == *self.before => {}
            Whole::Yes => assert_same(&seen, self.after, &told),
            Whole::ByItem => self.assert_between(&seen, &told),
        }
        if seen != *self.after {
            let retaken = runtime().block_on(take(self.step, root));
            assert!(retaken.is_ok(), "{told}\nwith room again: {retaken:?}");
            assert_same(&runtime().block_on(picture(root)), self.after, &told);
        }
    }

    fn assert_between(&self, seen: &BTreeSet<String>, told: &str) {
        let none: Vec<_> =
            seen.iter().filter(|it| !self.before.contains(*it) && !self.after.contains(*it)).collect();
        assert!(none.is_empty(), "{told}\nneither before nor after: {none:#?}");
        let lost: Vec<_> = self.before.intersection(self.after).filter(|it| !seen.contains(*it)).collect();
        assert!(lost.is_empty(), "{told}\nlost: {lost:#?}");
    }
}

fn assert_same(seen: &BTreeSet<String>, expected: &BTreeSet<String>, told: &str) {
    let more: Vec<_> = seen.difference(expected).collect();
    let less: Vec<_> = expected.difference(seen).collect();
    assert!(
        more.is_empty() && less.is_empty(),
        "{told}\nthere, and not to be: {more:#?}\nmissing: {less:#?}"
    );
}

/// Whoever reads it knows that it is the disk, and that the same can succeed later.
fn assert_says_what_to_do(said: &str) {
    let words = ["the disk has room", "disk is full", "disk I/O error", "unable to open database file"];
    let is_told = said.starts_with("refused retryable ") && words.iter().any(|words| said.contains(words));
    assert!(said == "done" || is_told, "{said}");
}

/// Says of which case a panic was.
struct Named<'a>(&'a str);

impl Drop for Named<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("in the case: {}", self.0);
        }
    }
}
