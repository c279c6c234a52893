//! Charts as SVG in the page, in the page's colours; the width of a phone, and scaled from there.

#![allow(
    clippy::format_push_string,
    reason = "reads as what it writes; the time goes into reading the project"
)]

use super::html::escaped;
use super::numbers::Bar;

const WIDTH: usize = 360;
const ROW: usize = 34;
const HEIGHT: usize = 150;

/// A bar for each name, one below the other.
pub(super) fn bars(title: &str, bars: &[Bar]) -> String {
    let most = bars.iter().map(|bar| bar.value).max().unwrap_or(0).max(1);
    let mut svg = open(title, bars.len() * ROW);
    for (row, bar) in bars.iter().enumerate() {
        let (top, width) = (row * ROW, bar.value * (WIDTH - 50) / most);
        let label = format!(
            "<text x=\"0\" y=\"{}\">{}<title>{}</title></text>",
            top + 12,
            escaped(&shortened(&bar.name)),
            escaped(&bar.name)
        );
        let label = match bar.link.as_deref().filter(|link| crate::share::is_web(link)) {
            Some(link) => format!("<a href=\"{}\" rel=\"noreferrer noopener\">{label}</a>", escaped(link)),
            None => label,
        };
        svg.push_str(&label);
        svg.push_str(&format!(
            "<rect x=\"0\" y=\"{}\" width=\"{}\" height=\"11\" rx=\"2\"/><text class=\"n\" x=\"{}\" y=\"{}\">{}</text>",
            top + 17,
            width.max(1),
            width + 6,
            top + 27,
            bar.value
        ));
    }
    svg.push_str("</svg>");
    svg
}

/// A column for each name, side by side, with the first and last names below.
pub(super) fn columns(title: &str, columns: &[(String, usize)]) -> String {
    let most = columns.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let mut svg = open(title, HEIGHT + 22);
    let count = columns.len().max(1);
    for (number, (name, value)) in columns.iter().enumerate() {
        let (left, right) = (number * WIDTH / count, (number + 1) * WIDTH / count);
        let width = (right - left).saturating_sub(2).clamp(1, 40);
        let height = value * (HEIGHT - 16) / most;
        svg.push_str(&format!(
            "<rect x=\"{left}\" y=\"{}\" width=\"{width}\" height=\"{height}\" rx=\"2\"><title>{}: {value}</title></rect>",
            HEIGHT - height,
            escaped(name)
        ));
        if *value == most {
            svg.push_str(&format!(
                "<text class=\"n\" x=\"{left}\" y=\"{}\">{value}</text>",
                HEIGHT - height - 4
            ));
        }
    }
    svg.push_str(&format!("<line x1=\"0\" y1=\"{HEIGHT}\" x2=\"{WIDTH}\" y2=\"{HEIGHT}\"/>"));
    if let (Some((first, _)), Some((last, _))) = (columns.first(), columns.last()) {
        let below = HEIGHT + 16;
        svg.push_str(&format!("<text x=\"0\" y=\"{below}\">{}</text>", escaped(first)));
        if columns.len() > 1 {
            let last = escaped(last);
            svg.push_str(&format!("<text x=\"{WIDTH}\" y=\"{below}\" text-anchor=\"end\">{last}</text>"));
        }
    }
    svg.push_str("</svg>");
    svg
}

/// How much of a whole is there, as a bar that is filled so far.
pub(super) fn share(title: &str, part: usize, whole: usize) -> String {
    let mut svg = open(title, 14);
    let filled = (part.min(whole) * WIDTH).checked_div(whole).unwrap_or(0);
    svg.push_str(&format!(
        "<rect class=\"rest\" x=\"0\" y=\"1\" width=\"{WIDTH}\" height=\"11\" rx=\"3\"/>\
         <rect x=\"0\" y=\"1\" width=\"{filled}\" height=\"11\" rx=\"3\"/></svg>"
    ));
    svg
}

fn open(title: &str, height: usize) -> String {
    format!("<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">", height.max(1), escaped(title))
}

/// As much of a name as fits above a bar.
fn shortened(name: &str) -> String {
    if name.chars().map(advance).sum::<usize>() <= WIDTH {
        return name.to_owned();
    }
    let mut left = WIDTH - advance('…');
    let fits = |c: &char| {
        let rest = left.checked_sub(advance(*c));
        left = rest.unwrap_or(left);
        rest.is_some()
    };
    name.chars().take_while(fits).chain(['…']).collect()
}

/// About how far a letter moves the next one, in the chart's units and size of letters: not less than the usual fonts for
/// screens say of nearly all, so that no label leaves the page.
fn advance(c: char) -> usize {
    match c {
        'm' | 'w' | '@' | '%' | '…' | '—' => 12,
        c if c.is_uppercase() => 12,
        '\u{0}'..='\u{10ff}' => 8,
        // Of East Asia, and pictures.
        _ => 16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_as_long_as_fits_whatever_its_letters() {
        assert_eq!(shortened("Uma aula de título comum"), "Uma aula de título comum");
        for (letter, fit) in [("n", 43), ("W", 29), ("家", 21), ("🎉", 21)] {
            let shown = shortened(&letter.repeat(200));
            assert_eq!(shown, format!("{}…", letter.repeat(fit)));
        }
        assert_eq!(shortened(&"W".repeat(30)), "W".repeat(30));
    }
}
