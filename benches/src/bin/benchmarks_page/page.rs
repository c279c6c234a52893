//! The page as Markdown.

use std::fmt::Write;

use crate::chart::Chart;
use crate::parts::{PARTS, Part};
use crate::results::{Measured, Place, Results, Spread, is_ours};
use crate::unit::{Three, Unit};

const HEAD: &str = "\
Written by `scripts/benchmarks.sh`; run it again to measure another machine (`scripts/benchmarks.sh --help`). Numbers are \
medians; where there was more than one round, the least and the most stand behind. What is compared was measured in turns, \
side after side and round after round, so that what else the machine did fell on all. ×2 beside a number: the rival \
needs twice as much as ours did in the same round (the median of those ratios); under ×1, in bold, it needs less.";

/// Writes the page.
pub(crate) fn write(results: &Results, charts: &[Chart]) -> String {
    let mut page = format!("# Benchmarks\n\n{}\n", wrapped(HEAD));
    let parts =
        || PARTS.iter().filter(|part| results.measured.iter().any(|measured| measured.part == part.id));
    losses(&mut page, results, parts());
    machine(&mut page, results);
    for part in parts() {
        let _ = write!(page, "\n## {}\n\n{}\n", part.title, wrapped(part.about));
        for chart in charts.iter().filter(|chart| chart.part == part.id) {
            let _ = write!(page, "\n![{}]({})\n", chart.alternative, chart.file);
        }
        for case in results.distinct(|measured| measured.part == part.id, |measured| measured.case.as_str()) {
            tables(&mut page, results, part, case);
        }
    }
    if !results.skipped.is_empty() {
        page.push_str("\n## Not measured\n\n");
        for (part, reason) in &results.skipped {
            let _ = writeln!(page, "- {part}: {reason}");
        }
    }
    page
}

/// A rival that needs less than ours.
struct Loss<'a> {
    place: Place<'a>,
    rival: &'a str,
    unit: Unit,
    theirs: Spread,
    ours: Spread,
    ratio: Spread,
}

/// Where others do better, worst first.
fn losses<'a>(page: &mut String, results: &Results, parts: impl Iterator<Item = &'a Part>) {
    page.push_str("\n## Where others do better\n\n");
    let mut compared = 0;
    let mut losses: Vec<Loss<'_>> = Vec::new();
    for part in parts {
        for case in results.distinct(|measured| measured.part == part.id, |measured| measured.case.as_str()) {
            let here = |measured: &Measured| measured.part == part.id && measured.case == case;
            let Some(ours) = reference(results, part.id, case) else { continue };
            let places = results.distinct(here, |measured| (measured.measure.as_str(), measured.size));
            for (measure, size) in places {
                let place = Place { part: part.id, case, measure, size };
                for rival in results.distinct(here, |measured| measured.side.as_str()) {
                    let (Some((unit, theirs)), Some((_, our))) =
                        (results.spread(place, rival), results.spread(place, ours))
                    else {
                        continue;
                    };
                    let Some(ratio) = results.ratio(place, rival, ours) else { continue };
                    if is_ours(rival) || !unit.is_cost() {
                        continue;
                    }
                    compared += 1;
                    if ratio.median < 1.0 {
                        losses.push(Loss { place, rival, unit, theirs, ours: our, ratio });
                    }
                }
            }
        }
    }
    if losses.is_empty() {
        let _ = writeln!(page, "In none of {compared} comparisons on this page.");
        return;
    }
    losses.sort_by(|a, b| a.ratio.median.total_cmp(&b.ratio.median));
    let _ = write!(
        page,
        "In {} of {compared} comparisons, worst first. What each side did for it stands in its part below.\n\n\
         | what | of how much | who | theirs | ours | ratio |\n|---|--:|---|--:|--:|--:|\n",
        losses.len()
    );
    for Loss { place, rival, unit, theirs, ours, ratio } in losses {
        let size = place.size.map_or_else(String::new, sized);
        let _ = writeln!(
            page,
            "| {}: {} | {size} | {rival} | {} | {} | {} |",
            place.case,
            place.measure,
            unit.show(theirs.median),
            unit.show(ours.median),
            times(ratio)
        );
    }
}

fn machine(page: &mut String, results: &Results) {
    page.push_str("\n## Measured on\n\n");
    for (name, what) in &results.machine.about {
        let _ = writeln!(page, "- {name}: {what}");
    }
    let rounds = results.measured.iter().map(|measured| measured.round).max().unwrap_or_default();
    let _ = writeln!(
        page,
        "- how much: profile `{}`, {} measurements, at most {rounds} rounds",
        results.machine.profile,
        results.measured.len()
    );
    if results.machine.profile != "full" {
        page.push_str(
            "- what criterion measured is of its quick mode: two samples of each, without warm-up\n",
        );
    }
    let others = Spread::of(results.measured.iter().filter_map(|measured| measured.others).collect());
    if let Some(others) = others {
        let _ = writeln!(
            page,
            "- share of the processors that other programs took meanwhile: {:.0} % in the middle, {:.0} % at most{}",
            others.median * 100.0,
            others.most * 100.0,
            if others.median > 0.1 {
                "; **the machine was busy: ratios mean something here, times little**"
            } else {
                ""
            }
        );
    }
}

/// The side of ours that the others are compared with: the first.
fn reference<'a>(results: &'a Results, part: &str, case: &str) -> Option<&'a str> {
    let sides = results.distinct(
        |measured| measured.part == part && measured.case == case,
        |measured| measured.side.as_str(),
    );
    sides.into_iter().find(|side| is_ours(side))
}

/// The tables of a case: sizes as columns where there is one measure, else measures as columns.
fn tables(page: &mut String, results: &Results, part: &Part, case: &str) {
    let here = |measured: &Measured| measured.part == part.id && measured.case == case;
    let sides = results.distinct(here, |measured| measured.side.as_str());
    let mut amounts = results.distinct(here, |measured| measured.size);
    amounts.sort_by(|a, b| a.unwrap_or_default().total_cmp(&b.unwrap_or_default()));
    let measures = results.distinct(here, |measured| measured.measure.as_str());
    let reference = reference(results, part.id, case);
    let place = |measure, size| Place { part: part.id, case, measure, size };
    let of_sizes = |page: &mut String, measure| {
        let columns: Vec<String> = amounts.iter().map(|size| size.map_or_else(String::new, sized)).collect();
        let head = if amounts.iter().any(Option::is_some) && !part.sizes.is_empty() {
            format!("{case}: {measure}, by {}", part.sizes)
        } else {
            format!("{case}: {measure}")
        };
        table(page, &head, &columns, &sides, |row, column| {
            cell(results, place(measure, *amounts.get(column)?), sides.get(row)?, reference)
        });
    };
    // What a side needs, by size, is one table a measure; throughput is the same said otherwise.
    if measures.iter().all(|measure| ["time", "throughput"].contains(measure)) {
        for measure in measures {
            of_sizes(page, measure);
        }
        return;
    }
    let columns: Vec<String> = measures.iter().map(|measure| (*measure).to_owned()).collect();
    if let [side] = sides.as_slice()
        && amounts.iter().any(Option::is_some)
    {
        let names: Vec<String> = amounts.iter().map(|size| size.map_or_else(String::new, sized)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        table(page, &format!("{case}: number of {}", part.sizes), &columns, &names, |row, column| {
            cell(results, place(measures.get(column)?, *amounts.get(row)?), side, reference)
        });
        return;
    }
    for size in &amounts {
        let head =
            size.map_or_else(|| case.to_owned(), |size| format!("{case}, {} {}", sized(size), part.sizes));
        table(page, &head, &columns, &sides, |row, column| {
            cell(results, place(measures.get(column)?, *size), sides.get(row)?, reference)
        });
    }
}

fn sized(size: f64) -> String {
    if size.fract() == 0.0 {
        Three(size).to_string().trim_end_matches(".0").replace(".00", "")
    } else {
        size.to_string()
    }
}

fn table(
    page: &mut String,
    head: &str,
    columns: &[String],
    rows: &[&str],
    cell: impl Fn(usize, usize) -> Option<String>,
) {
    let _ = write!(page, "\n| {head} | {} |\n|---|{}\n", columns.join(" | "), "--:|".repeat(columns.len()));
    for (number, row) in rows.iter().enumerate() {
        let cells: Vec<String> =
            (0..columns.len()).map(|column| cell(number, column).unwrap_or_default()).collect();
        let _ = writeln!(page, "| {row} | {} |", cells.join(" | "));
    }
}

fn cell(results: &Results, place: Place<'_>, side: &str, reference: Option<&str>) -> Option<String> {
    let (unit, spread) = results.spread(place, side)?;
    let mut cell = unit.show(spread.median);
    if spread.count > 1 {
        let _ = write!(cell, " ({} – {})", unit.show(spread.least), unit.show(spread.most));
    }
    if let Some(ours) = reference
        && !is_ours(side)
        && unit.is_cost()
        && let Some(ratio) = results.ratio(place, side, ours)
    {
        let times = times(ratio);
        let _ = if ratio.median < 1.0 { write!(cell, " **{times}**") } else { write!(cell, " {times}") };
    }
    Some(cell)
}

/// A ratio, with its spread where it was seen several times.
fn times(ratio: Spread) -> String {
    if ratio.count > 1 {
        format!("×{} (×{} – ×{})", Three(ratio.median), Three(ratio.least), Three(ratio.most))
    } else {
        format!("×{}", Three(ratio.median))
    }
}

/// A paragraph in lines of at most 120 characters.
fn wrapped(paragraph: &str) -> String {
    let mut lines: Vec<String> = vec![String::new()];
    for word in paragraph.split_whitespace() {
        let fits = lines.last().is_some_and(|line| line.chars().count() + word.chars().count() < 120);
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if fits => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(side: &str, measure: &str, passages: f64, round: u32, value: f64) -> Measured {
        Measured {
            part: "lexical".to_owned(),
            case: "en".to_owned(),
            side: side.to_owned(),
            measure: measure.to_owned(),
            size: Some(passages),
            unit: Unit::Milliseconds,
            value,
            round,
            others: Some(0.02),
        }
    }

    #[test]
    fn what_others_do_better_stands_first_and_in_bold() {
        let measured = vec![
            measured("tusab", "query, median", 1e4, 1, 1.0),
            measured("slower", "query, median", 1e4, 1, 4.0),
            measured("faster", "query, median", 1e4, 1, 0.5),
            measured("tusab", "query, median", 1e4, 2, 2.0),
            measured("slower", "query, median", 1e4, 2, 8.0),
            measured("faster", "query, median", 1e4, 2, 0.5),
            measured("tusab", "build", 1e4, 1, 10.0),
            measured("slower", "build", 1e4, 1, 30.0),
        ];
        let page = write(&Results { measured, ..Results::default() }, &[]);
        assert!(page.contains("In 1 of 3 comparisons"), "{page}");
        assert!(page.contains(
            "| en: query, median | 10,000 | faster | 500 µs | 1.50 ms | ×0.375 (×0.250 – ×0.500) |"
        ));
        let first = page.find("Where others do better").unwrap();
        assert!(first < page.find("Measured on").unwrap());
        assert!(page.contains("| en, 10,000 passages | query, median | build |"), "{page}");
        assert!(page.contains("| tusab | 1.50 ms (1.00 ms – 2.00 ms) | 10.0 ms |"), "{page}");
        assert!(
            page.contains("| faster | 500 µs (500 µs – 500 µs) **×0.375 (×0.250 – ×0.500)** |  |"),
            "{page}"
        );
        assert!(
            page.contains("| slower | 6.00 ms (4.00 ms – 8.00 ms) ×4.00 (×4.00 – ×4.00) | 30.0 ms ×3.00 |")
        );
        assert!(!page.contains("the machine was busy"));
    }

    #[test]
    fn sizes_are_columns_of_a_time() {
        let measured = [("tusab", 1e3, 1.0), ("other", 1e3, 3.0), ("tusab", 1e4, 2.0)]
            .map(|(side, size, value)| measured(side, "time", size, 1, value));
        let page = write(&Results { measured: measured.into(), ..Results::default() }, &[]);
        assert!(page.contains("| en: time, by passages | 1,000 | 10,000 |\n|---|--:|--:|\n"), "{page}");
        assert!(page.contains("| tusab | 1.00 ms | 2.00 ms |\n| other | 3.00 ms ×3.00 |  |\n"), "{page}");
        assert!(page.contains("In none of 1 comparisons"));
    }

    #[test]
    fn a_part_that_was_not_measured_is_named() {
        let results = Results {
            skipped: vec![("models".to_owned(), "no PyTorch here".to_owned())],
            ..Results::default()
        };
        assert!(write(&results, &[]).contains("## Not measured\n\n- models: no PyTorch here\n"));
    }
}
