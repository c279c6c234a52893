//! What a store on PostgreSQL takes for many passages: servers, memory and money, from measured costs.
//!
//! `cargo run --release --example scale_plan -- [--measured FILE] [options] [--json]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::path::Path;
use std::process::ExitCode;

use examples::plan::{Costs, Demand, Machine, Plan};
use examples::{Failure, finish, number};
use lexopt::Arg;
use serde_json::{Value, json};

const USAGE: &str = "\
Usage: scale_plan [--measured FILE] [--passages N] [--dimension D] [--queries-per-day N] [--added-per-day N]
                  [--query-cpu-ms X] [--add-cpu-ms X] [--bytes-per-passage N] [--hot-share X]
                  [--cores N] [--memory-gb N] [--disk-gb N] [--price-per-hour X] [--json]

Prints what servers it takes: for the number of passages that is given, or for 1 million, 100 million and 10 billion.

  --measured FILE   what `scale --store URL --json` has printed: its bytes and times in the place of the defaults
  --dimension D     numbers of each passage's vector (default: 768; 0 without vectors)
  --json            print one JSON object and nothing else";

/// From which numbers of passages a plan is made where none is given.
const SIZES: [f64; 3] = [1e6, 1e8, 1e10];

struct Arguments {
    costs: Costs,
    machine: Machine,
    demand: Demand,
    sizes: Vec<f64>,
    json: bool,
}

fn main() -> ExitCode {
    finish(run(), USAGE)
}

fn run() -> Result<(), Failure> {
    let Some(Arguments { costs, machine, demand, sizes, json }) = parse()? else {
        println!("{USAGE}");
        return Ok(());
    };
    let plans = sizes.into_iter().map(|passages| {
        let plan = Plan::of(costs, machine, Demand { passages, ..demand });
        json!({ "passages": passages, "plan": plan })
    });
    let object = json!({ "plans": plans.collect::<Vec<_>>() });
    if json {
        println!("{object}");
    } else {
        println!("{object:#}");
    }
    Ok(())
}

/// The costs that a measurement has printed.
fn measured(path: &Path, costs: Costs) -> Result<Costs, Failure> {
    let failed = |reason: String| Failure::Failed(format!("{}: {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let object: Value = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    let of = |key: &str| {
        let value = object.get(key).and_then(Value::as_f64).filter(|value| *value > 0.0);
        value.ok_or_else(|| failed(format!("it has no {key}")))
    };
    let passages = of("docs")?;
    Ok(Costs {
        bytes_per_passage: of("disk_mb")? * 1e6 / passages,
        // Of the server and of who asks together, on one machine: more than the server's alone.
        query_cpu_ms: of("query_ms_p50")?,
        add_cpu_ms: of("build_s")? * 1e3 / passages,
        ..costs
    })
}

fn parse() -> Result<Option<Arguments>, Failure> {
    let mut costs =
        Costs { bytes_per_passage: 4_000.0, hot_share: 0.25, query_cpu_ms: 10.0, add_cpu_ms: 0.4 };
    let mut machine = Machine { cores: 16.0, memory_gb: 128.0, disk_gb: 4_000.0, price_per_hour: 1.0 };
    let mut demand =
        Demand { passages: 0.0, dimension: 768.0, queries_per_day: 100_000.0, added_per_day: 100_000.0 };
    let (mut sizes, mut json) = (SIZES.to_vec(), false);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        let place = match argument {
            Arg::Long("json") => {
                json = true;
                continue;
            }
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Long("measured") => {
                costs = measured(Path::new(&parser.value()?), costs)?;
                continue;
            }
            Arg::Long("passages") => {
                sizes = vec![positive(parser.value()?)?];
                continue;
            }
            Arg::Long("dimension") => &mut demand.dimension,
            Arg::Long("queries-per-day") => &mut demand.queries_per_day,
            Arg::Long("added-per-day") => &mut demand.added_per_day,
            Arg::Long("query-cpu-ms") => &mut costs.query_cpu_ms,
            Arg::Long("add-cpu-ms") => &mut costs.add_cpu_ms,
            Arg::Long("bytes-per-passage") => &mut costs.bytes_per_passage,
            Arg::Long("hot-share") => &mut costs.hot_share,
            Arg::Long("cores") => &mut machine.cores,
            Arg::Long("memory-gb") => &mut machine.memory_gb,
            Arg::Long("disk-gb") => &mut machine.disk_gb,
            Arg::Long("price-per-hour") => &mut machine.price_per_hour,
            other => return Err(other.unexpected().into()),
        };
        *place = positive(parser.value()?)?;
    }
    Ok(Some(Arguments { costs, machine, demand, sizes, json }))
}

/// A number that is not negative.
fn positive(value: std::ffi::OsString) -> Result<f64, Failure> {
    let value: f64 = number(value)?;
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(Failure::Usage(format!("{value} is no amount")))
    }
}
