//! How the time to chunk a text grows with its size, each measurement in a process of its own.
//!
//! Within one process the C library's heap decides: what fits into the pages it kept from the run before costs a third
//! less. In a fresh process every size asks for its pages once. Prints medians and their ratio to the size before.

#![allow(clippy::print_stdout, reason = "a program of the command line")]

use std::error::Error;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use benches::prose::{self, Tongue};
use tusab_chunk::{DocId, SourceKind, TextWindows};

/// Megabytes of text, each ten times the one before.
const SIZES: [usize; 3] = [1, 10, 100];
/// Processes for each size.
const ROUNDS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => table(),
        [tongue, megabytes] => once(tongue, megabytes.parse()?),
        _ => Err("usage: chunk_growth".into()),
    }
}

/// Prints the microseconds that one chunking takes, the first of this process.
fn once(tongue: &str, megabytes: usize) -> Result<(), Box<dyn Error>> {
    let tongue = if tongue == "pt" { Tongue::Portuguese } else { Tongue::English };
    let text = prose::text(tongue, megabytes * 1_000_000);
    let doc = DocId::new(SourceKind::File, "a1")?;
    let start = Instant::now();
    let chunks = TextWindows::default().chunks(&doc, black_box(&text));
    println!("{}", start.elapsed().as_micros());
    drop(black_box(chunks));
    Ok(())
}

fn table() -> Result<(), Box<dyn Error>> {
    for tongue in ["pt", "en"] {
        let mut before: Option<f64> = None;
        for megabytes in SIZES {
            let now = median(tongue, megabytes)?;
            let growth =
                before.map_or(String::new(), |before| format!(", {:.1} times the size before", now / before));
            println!("{tongue} {megabytes:>3} MB {:>7.2} ms{growth}", now / 1e3);
            before = Some(now);
        }
    }
    Ok(())
}

/// Median of the microseconds of [`ROUNDS`] processes.
fn median(tongue: &str, megabytes: usize) -> Result<f64, Box<dyn Error>> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let output =
            Command::new(std::env::current_exe()?).args([tongue, &megabytes.to_string()]).output()?;
        times.push(String::from_utf8(output.stdout)?.trim().parse::<f64>()?);
    }
    times.sort_by(f64::total_cmp);
    times.get(ROUNDS / 2).copied().ok_or_else(|| "nothing was measured".into())
}
