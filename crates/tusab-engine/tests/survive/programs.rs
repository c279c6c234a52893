//! A test program that starts itself again as another process brings its own harness.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

/// Runs the tests that the arguments choose, as the standard harness does.
pub(crate) fn run(tests: &[(&str, fn())]) -> ExitCode {
    let tests = if cfg!(unix) { tests } else { &[] };
    let arguments: Vec<String> = env::args().skip(1).collect();
    let is = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if is("--list") {
        if !is("--ignored") {
            for (name, _) in tests {
                println!("{name}: test");
            }
        }
        return ExitCode::SUCCESS;
    }
    // Words that are no options choose tests by their names.
    let words: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let chooses = |word: &str, name: &str| if is("--exact") { name == word } else { name.contains(word) };
    let is_chosen =
        |name: &str| !is("--ignored") && (words.is_empty() || words.iter().any(|word| chooses(word, name)));
    let chosen: Vec<_> = tests.iter().filter(|(name, _)| is_chosen(name)).collect();
    println!("\nrunning {} tests", chosen.len());
    for (name, test) in &chosen {
        test();
        println!("test {name} ... ok");
    }
    let (passed, out) = (chosen.len(), tests.len() - chosen.len());
    println!("\ntest result: ok. {passed} passed; 0 failed; 0 ignored; 0 measured; {out} filtered out");
    ExitCode::SUCCESS
}

/// Tells the parent, at once.
pub(crate) fn say(line: &str) {
    println!("{line}");
    std::io::stdout().flush().unwrap();
}

/// This program again, as a child whose lines are read.
pub(crate) fn again(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(arguments).stdout(Stdio::piped());
    command
}

/// The lines that a child writes, as they come.
pub(crate) fn lines(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok)
}

/// A number that a caller may set in the environment.
pub(crate) fn number_from(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

/// A seed that is told, so that a run can be repeated.
pub(crate) fn seed() -> u64 {
    let clock = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let seed = number_from("TUSAB_SEED").unwrap_or(u64::from(clock.subsec_nanos()) | 1);
    println!("TUSAB_SEED={seed}");
    seed
}

/// A small generator of random numbers (xorshift, Marsaglia 2003): the seed is all that has to be told.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap()
}

/// A folder that dies with the test; in memory where there is such a place. What the system has taken from a process is
/// there after its kill wherever it is kept, and a round then costs the work alone.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
