//! Which charts are drawn of what.

use crate::chart::{self, Chart, Labels, Line};
use crate::results::{Place, Results, Spread, is_ours};
use crate::unit::Three;

/// All charts for which something was measured.
pub(crate) fn draw(results: &Results) -> Result<Vec<Chart>, Box<dyn std::error::Error>> {
    let growing = [
        (
            Growth { part: "search", case: "bm25, three words, seeded, each of 40", measure: "time" },
            Labels { title: "A query of three words", x: "passages", y: "milliseconds" },
        ),
        (
            Growth { part: "search", case: "narrow, nine words, seeded, each of 40", measure: "time" },
            Labels {
                title: "A query of nine words, common ones among them",
                x: "passages",
                y: "milliseconds",
            },
        ),
        (
            Growth { part: "chunk", case: "text/pt", measure: "throughput" },
            Labels { title: "Windows of a text", x: "megabytes of text", y: "megabytes per second" },
        ),
    ];
    let mut charts = Vec::new();
    for (growth, labels) in growing {
        let lines = growth.lines(results);
        add_lines(&mut charts, growth.part, labels, &lines)?;
    }
    let taken_in: Vec<Line> = results
        .distinct(|measured| measured.part == "growth", |measured| measured.measure.as_str())
        .into_iter()
        .flat_map(|measure| {
            let lines = Growth { part: "growth", case: GROWTH, measure }.lines(results);
            lines.into_iter().map(|(_, points)| (measure.to_owned(), points))
        })
        .collect();
    let labels = Labels { title: "A project as it grows", x: "documents of 5 KB", y: "milliseconds" };
    add_lines(&mut charts, "growth", labels, &taken_in)?;

    for (part, measure, title, of) in [
        ("lexical", "query, median", "A query beside Python's libraries", ""),
        ("models", "time", "Beside PyTorch", " characters"),
    ] {
        for case in results.distinct(|measured| measured.part == part, |measured| measured.case.as_str()) {
            let sizes = results.distinct(
                |measured| measured.part == part && measured.case == case,
                |measured| measured.size,
            );
            for size in sizes {
                let rows = rows(results, Place { part, case, measure, size });
                if rows.len() > 1 {
                    let size = size.map_or_else(String::new, |size| format!("{}{of}", Three(size)));
                    let title = format!("{title}: {case}, {size}");
                    let labels = Labels { title: &title, x: "milliseconds", y: "" };
                    let alternative = says(&title, &rows);
                    let svg = chart::rows(labels, &alternative, &rows)?;
                    charts.push(Chart { part, file: file(part, &charts), alternative, svg });
                }
            }
        }
    }
    Ok(charts)
}

/// The case of the example that takes in more and more documents.
const GROWTH: &str = "documents of 5 KB";

/// Where the points of a chart's lines come from.
struct Growth<'a> {
    part: &'static str,
    case: &'a str,
    measure: &'a str,
}

impl Growth<'_> {
    fn lines(&self, results: &Results) -> Vec<Line> {
        let here = |measured: &crate::results::Measured| {
            measured.part == self.part && measured.case == self.case && measured.measure == self.measure
        };
        let mut sizes = results.distinct(here, |measured| measured.size);
        sizes.sort_by(|a, b| a.unwrap_or_default().total_cmp(&b.unwrap_or_default()));
        let line = |side: &str| {
            let point = |size: &Option<f64>| {
                let place = Place { part: self.part, case: self.case, measure: self.measure, size: *size };
                Some(((*size)?, results.spread(place, side)?.1.median))
            };
            (side.to_owned(), sizes.iter().filter_map(point).collect())
        };
        ours_first(results.distinct(here, |measured| measured.side.as_str())).into_iter().map(line).collect()
    }
}

fn ours_first(mut sides: Vec<&str>) -> Vec<&str> {
    sides.sort_by_key(|side| !is_ours(side));
    sides
}

fn rows(results: &Results, place: Place<'_>) -> Vec<(String, usize, Spread, String)> {
    let here = |measured: &crate::results::Measured| {
        measured.part == place.part && measured.case == place.case && measured.size == place.size
    };
    let sides = ours_first(results.distinct(here, |measured| measured.side.as_str()));
    let mut rivals = 0;
    sides
        .into_iter()
        .filter_map(|side| {
            let (unit, spread) = results.spread(place, side)?;
            rivals += usize::from(!is_ours(side));
            let number = if is_ours(side) { 0 } else { rivals };
            Some((side.to_owned(), number, spread, unit.show(spread.median)))
        })
        .collect()
}

fn says(title: &str, rows: &[(String, usize, Spread, String)]) -> String {
    let rows: Vec<String> = rows.iter().map(|(name, _, _, shown)| format!("{name} {shown}")).collect();
    format!("{title}: {}.", rows.join(", "))
}

fn add_lines(
    charts: &mut Vec<Chart>,
    part: &'static str,
    labels: Labels<'_>,
    lines: &[Line],
) -> Result<(), Box<dyn std::error::Error>> {
    // A line needs two points.
    if !lines.iter().any(|(_, points)| points.len() > 1) {
        return Ok(());
    }
    let says: Vec<String> = lines
        .iter()
        .filter_map(|(name, points)| {
            let ((from, first), (to, last)) = (points.first()?, points.last()?);
            Some(format!("{name} from {first:.3} at {from} to {last:.3} at {to}"))
        })
        .collect();
    let alternative = format!("{} in {} by {}: {}.", labels.title, labels.y, labels.x, says.join("; "));
    let svg = chart::lines(labels, &alternative, lines)?;
    charts.push(Chart { part, file: file(part, charts), alternative, svg });
    Ok(())
}

/// `benchmarks-search-2.svg` for the second chart of its part.
fn file(part: &str, charts: &[Chart]) -> String {
    let before = charts.iter().filter(|chart| chart.part == part).count();
    format!("benchmarks-{part}-{}.svg", before + 1)
}
