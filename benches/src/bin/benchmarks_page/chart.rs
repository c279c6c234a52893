//! Charts as SVG: readable on light and dark pages, in colours that colour-blind people tell apart (Okabe and Ito 2008,
//! darkened for white paper), each with a mark of its own, a title and a text that says the same.

use std::error::Error;
use std::fmt::Write;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::results::Spread;
use crate::unit::Three;

/// A drawn chart.
#[derive(Debug)]
pub(crate) struct Chart {
    /// The part that it belongs to.
    pub(crate) part: &'static str,
    pub(crate) file: String,
    /// What it says, for those who do not see it.
    pub(crate) alternative: String,
    pub(crate) svg: String,
}

/// What is written around the numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Labels<'a> {
    pub(crate) title: &'a str,
    pub(crate) x: &'a str,
    pub(crate) y: &'a str,
}

/// A line: its name, and its points from left to right.
pub(crate) type Line = (String, Vec<(f64, f64)>);

type Failure = Box<dyn Error>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const WIDTH: u32 = 720;
const PAPER: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);
const INK: RGBColor = RGBColor(0x24, 0x29, 0x2F);
const GRID: RGBColor = RGBColor(0xD0, 0xD7, 0xDE);
const COLOURS: [RGBColor; 5] = [
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x8A, 0x65),
    RGBColor(0xB5, 0x52, 0x8A),
    RGBColor(0x6B, 0x6B, 0x6B),
];

/// What takes the place of the colours above where the page is dark, in the same order: paper, ink, grid, sides.
const DARK: [&str; 8] =
    ["#0D1117", "#E6EDF3", "#3A424B", "#56B4E9", "#F0883C", "#2FC79A", "#E6A0C8", "#A8A8A8"];

/// Pixels kept for the names at the ends of the lines.
const NAMES: u32 = 150;

fn text(size: i32, colour: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&colour)
}

fn colour(number: usize) -> RGBColor {
    COLOURS.get(number).copied().unwrap_or(INK)
}

/// Draws the mark of a side: they differ in more than their colour.
fn mark(root: &Area<'_>, number: usize, at: (i32, i32)) -> Result<(), Failure> {
    let style = colour(number);
    match number {
        0 => root.draw(&Circle::new(at, 5, style.filled())),
        1 => root.draw(&TriangleMarker::new(at, 6, style.filled())),
        2 => root.draw(&Cross::new(at, 5, style.stroke_width(3))),
        3 => root.draw(&Circle::new(at, 5, style.stroke_width(2))),
        _ => root.draw(&Rectangle::new([(at.0 - 4, at.1 - 4), (at.0 + 4, at.1 + 4)], style.filled())),
    }
    .map_err(Failure::from)
}

/// The powers of ten around some values.
fn decades(values: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
    let (least, most) = values
        .filter(|value| *value > 0.0)
        .fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
    if most == 0.0 {
        return 1.0..10.0;
    }
    let (low, high) = (least.log10().floor(), most.log10().ceil());
    10_f64.powf(low)..10_f64.powf(if high > low { high } else { low + 1.0 })
}

/// A number at an axis: only the powers of ten are written.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "as the drawing library calls it")]
fn tick(value: &f64) -> String {
    let exponent = value.log10();
    if (exponent - exponent.round()).abs() > 1e-6 {
        return String::new();
    }
    if *value >= 100.0 { Three(*value).to_string() } else { format!("{value}") }
}

/// Lines over two axes that grow by powers of ten: what grows evenly with the size is a straight line.
pub(crate) fn lines(labels: Labels<'_>, alternative: &str, lines: &[Line]) -> Result<String, Failure> {
    let mut svg = String::new();
    {
        let root = paper(&mut svg, 420)?;
        let points = || lines.iter().flat_map(|(_, points)| points);
        let x = decades(points().map(|(x, _)| *x));
        let y = decades(points().map(|(_, y)| *y));
        let mut chart = ChartBuilder::on(&root)
            .caption(labels.title, text(17, INK))
            .margin(10)
            .margin_right(NAMES)
            .x_label_area_size(46)
            .y_label_area_size(72)
            .build_cartesian_2d(x.log_scale(), y.log_scale())?;
        chart
            .configure_mesh()
            .x_desc(labels.x)
            .y_desc(labels.y)
            .axis_desc_style(text(14, INK))
            .label_style(text(13, INK))
            .axis_style(INK)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .x_label_formatter(&tick)
            .y_label_formatter(&tick)
            .draw()?;
        let mut names = Vec::new();
        for (number, (name, points)) in lines.iter().enumerate() {
            chart.draw_series(LineSeries::new(points.iter().copied(), colour(number).stroke_width(2)))?;
            for point in points {
                mark(&root, number, chart.backend_coord(point))?;
            }
            if let Some(last) = points.last() {
                let (x, y) = chart.backend_coord(last);
                names.push((number, name.as_str(), x + 12, y));
            }
        }
        // Names that would cover each other are moved apart.
        names.sort_by_key(|(_, _, _, y)| *y);
        let mut free = 0;
        for (number, name, x, y) in names {
            let y = y.max(free);
            free = y + 17;
            write_at(&root, name, (x, y), colour(number), HPos::Left)?;
        }
        root.present()?;
    }
    Ok(finish(&svg, labels.title, alternative))
}

/// A row for each name, with its median as a mark and the spread as a line, over an axis that grows by powers of ten.
pub(crate) fn rows(
    labels: Labels<'_>,
    alternative: &str,
    rows: &[(String, usize, Spread, String)],
) -> Result<String, Failure> {
    const NAME: i32 = 230;
    let mut svg = String::new();
    {
        let height = 34 * u32::try_from(rows.len())?;
        let root = paper(&mut svg, height + 100)?;
        let x = decades(rows.iter().flat_map(|(_, _, spread, _)| [spread.least, spread.most * 1.5]));
        #[allow(clippy::cast_precision_loss, reason = "few rows")]
        let place = |row: usize| row as f64;
        let mut chart = ChartBuilder::on(&root)
            .caption(labels.title, text(17, INK))
            .margin(10)
            .margin_left(NAME)
            .margin_right(60)
            .x_label_area_size(46)
            .build_cartesian_2d(x.log_scale(), place(rows.len()) - 0.5..-0.5)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .x_desc(labels.x)
            .axis_desc_style(text(14, INK))
            .label_style(text(13, INK))
            .axis_style(INK)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .x_label_formatter(&tick)
            .draw()?;
        for (row, (name, number, spread, shown)) in rows.iter().enumerate() {
            let y = place(row);
            let ends = [(spread.least, y), (spread.most, y)];
            chart.draw_series(LineSeries::new(ends, colour(*number).stroke_width(2)))?;
            mark(&root, *number, chart.backend_coord(&(spread.median, y)))?;
            let (right, middle) = chart.backend_coord(&(spread.most, y));
            write_at(&root, shown, (right + 10, middle), INK, HPos::Left)?;
            write_at(&root, name, (NAME, middle), colour(*number), HPos::Right)?;
        }
        root.present()?;
    }
    Ok(finish(&svg, labels.title, alternative))
}

fn paper(svg: &mut String, height: u32) -> Result<Area<'_>, Failure> {
    let root = SVGBackend::with_string(svg, (WIDTH, height)).into_drawing_area();
    root.fill(&PAPER)?;
    Ok(root)
}

fn write_at(
    root: &Area<'_>,
    words: &str,
    at: (i32, i32),
    colour: RGBColor,
    side: HPos,
) -> Result<(), Failure> {
    let style = text(13, colour).pos(Pos::new(side, VPos::Center));
    root.draw(&Text::new(words.to_owned(), at, style))?;
    Ok(())
}

/// Adds what the drawing library does not write: the title, the text in its place, and the colours of dark pages.
fn finish(svg: &str, title: &str, alternative: &str) -> String {
    let mut dark = String::new();
    let light = [PAPER, INK, GRID].into_iter().chain(COLOURS);
    for (RGBColor(red, green, blue), dark_colour) in light.zip(DARK) {
        let light = format!("#{red:02X}{green:02X}{blue:02X}");
        for property in ["fill", "stroke"] {
            // Writing into a text does not fail.
            let _ = write!(dark, "[{property}=\"{light}\"]{{{property}:{dark_colour}}}");
        }
    }
    let head = format!(
        "><title>{}</title><desc>{}</desc><style>@media (prefers-color-scheme: dark){{{dark}}}</style>",
        escape(title),
        escape(alternative)
    );
    svg.replacen("<svg ", "<svg role=\"img\" ", 1).replacen('>', &head, 1)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: Labels<'_> = Labels { title: "A & B", x: "passages", y: "milliseconds" };

    #[test]
    fn a_chart_says_what_it_shows_and_has_colours_for_dark_pages() {
        let series = vec![
            ("tusab".to_owned(), vec![(1e3, 0.5), (1e4, 0.7)]),
            ("other".to_owned(), vec![(1e3, 0.5), (1e4, 0.7)]),
        ];
        let svg = lines(LABELS, "tusab <1 ms", &series).unwrap();
        assert!(svg.contains("<title>A &amp; B</title><desc>tusab &lt;1 ms</desc>"));
        assert!(svg.contains("prefers-color-scheme: dark"));
        for text in ["tusab", "other", "milliseconds", "passages", "1,000", "10,000"] {
            assert!(svg.contains(text), "{text}");
        }
        // Everything drawn is in a colour that dark pages know another one for.
        for colour in svg.split("=\"#").skip(1).filter_map(|rest| rest.get(..6)) {
            assert!(svg.contains(&format!("[fill=\"#{colour}\"]")), "{colour}");
        }
    }

    #[test]
    fn axes_end_at_powers_of_ten() {
        assert_eq!(decades([0.5, 70.0].into_iter()), 0.1..100.0);
        assert_eq!(decades([10.0, 10.0].into_iter()), 10.0..100.0);
        assert_eq!(decades(std::iter::empty()), 1.0..10.0);
        assert_eq!(tick(&1000.0), "1,000");
        assert_eq!(tick(&10.0), "10");
        assert_eq!(tick(&0.01), "0.01");
        assert_eq!(tick(&300.0), "");
    }
}
