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
use std::ffi::OsStr;
use std::fs;
use std::io;
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
    remove_charts(folder)?;
    fs::write(folder.join("benchmarks.md"), page::write(&results, &charts))?;
    for chart in &charts {
        fs::write(folder.join(&chart.file), &chart.svg)?;
    }
    Ok(())
}

/// Removes the charts of an earlier page, of which this one may have fewer.
fn remove_charts(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let is_chart = path.extension().is_some_and(|extension| extension == "svg")
            && path.file_stem().and_then(OsStr::to_str).is_some_and(|name| name.starts_with("benchmarks-"));
        if is_chart {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
