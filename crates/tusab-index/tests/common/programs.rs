//! For test programs that start themselves again as another process, and so bring their own `main`.

#![allow(dead_code, reason = "each test program uses some of it")]

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, ExitCode};

/// Runs the tests that the arguments choose, as the standard harness does.
pub(crate) fn run(tests: &[(&str, fn())]) -> ExitCode {
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

/// The lines that a child writes, as they come.
pub(crate) fn lines(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok)
}

/// A number that a caller may set in the environment.
pub(crate) fn number_from(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}
