//! Writes `benchmarks.md` and its charts from what `scripts/benchmarks.sh` measured.
//!
//! `cargo run -p benches --bin benchmarks_page -- RESULTS.jsonl FOLDER`

#![allow(clippy::print_stderr, reason = "a program for the command line")]

mod chart;
mod figures;
mod page;
mod parts;
mod results;
mod unit;

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let (Some(results), Some(folder), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        eprintln!("Usage: benchmarks_page RESULTS.jsonl FOLDER");
        return ExitCode::from(2);
    };
    match write(Path::new(&results), Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn write(results: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let results = results::read(results)?;
    let charts = figures::draw(&results)?;
    fs::write(folder.join("benchmarks.md"), page::write(&results, &charts))?;
    for chart in &charts {
        fs::write(folder.join(&chart.file), &chart.svg)?;
    }
    Ok(())
}
