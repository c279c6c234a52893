#![allow(
    clippy::format_push_string,
    reason = "reads as what it writes; the time goes into reading the project"
)]

use super::chart::{bars, columns, share};
use super::label::Labels;
use super::numbers::{Bar, Numbers};

/// Nothing is loaded, whatever gets into the page.
const HEAD: &str = "<meta charset=\"utf-8\">\n\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
<meta name=\"referrer\" content=\"no-referrer\">\n";

const STYLE: &str = "\
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6675; --line: #d8dde4; --fill: #2f6fb2; --paper: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --soft: #9aa5b4; --line: #36404d; --fill: #6aa5e0; --paper: #141920; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 40rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; } .soft { color: var(--soft); font-size: .9rem; }
ul.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: .5rem; padding: 0; list-style: none; }
ul.tiles li { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; }
ul.tiles b { display: block; font-size: 1.4rem; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { font: 12px system-ui, sans-serif; fill: var(--ink); } svg text.n { fill: var(--soft); font-size: 11px; }
svg rect { fill: var(--fill); } svg rect.rest { fill: var(--line); } svg line { stroke: var(--line); }
svg a text { text-decoration: underline; }
";

pub(super) fn page(name: &str, made: &str, numbers: &Numbers, labels: &Labels) -> String {
    let name = escaped(name);
    let mut body = format!("<h1>{name}</h1>\n<p class=\"soft\">{} {}</p>\n", labels.made, escaped(made));
    body.push_str(&tiles(numbers, labels));
    section(&mut body, labels.over_time, &over_time(numbers, labels));
    section(&mut body, labels.by_source, &by_source(numbers, labels));
    section(&mut body, labels.health, &health(numbers, labels));
    let title = if numbers.are_words { labels.words } else { labels.phrases };
    section(&mut body, title, &phrases(title, numbers, labels));
    format!(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n{HEAD}<title>{name}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n{body}</body>\n</html>\n",
        labels.language
    )
}

fn section(body: &mut String, title: &str, inner: &str) {
    body.push_str(&format!("<section>\n<h2>{}</h2>\n{inner}\n</section>\n", escaped(title)));
}

fn tiles(numbers: &Numbers, labels: &Labels) -> String {
    let tiles = [
        (numbers.documents, labels.documents),
        (numbers.videos, labels.videos),
        (numbers.chunks, labels.passages),
        (numbers.characters, labels.characters),
    ];
    let tile = |(number, label): (usize, &str)| format!("<li><b>{}</b> {label}</li>\n", grouped(number));
    format!("<ul class=\"tiles\">\n{}</ul>\n", tiles.map(tile).concat())
}

fn over_time(numbers: &Numbers, labels: &Labels) -> String {
    let mut inner = if numbers.over_time.is_empty() {
        nothing(labels)
    } else {
        columns(labels.over_time, &numbers.over_time)
    };
    if let (Some(first), Some(last)) = (numbers.first, numbers.last) {
        inner.push_str(&format!("\n<p class=\"soft\">{first} – {last}</p>"));
    }
    if numbers.undated > 0 {
        inner.push_str(&format!("\n<p class=\"soft\">{} {}</p>", grouped(numbers.undated), labels.undated));
    }
    inner
}

fn by_source(numbers: &Numbers, labels: &Labels) -> String {
    if numbers.sources.is_empty() {
        return nothing(labels);
    }
    let mut inner = bars(labels.by_source, &numbers.sources);
    if let Some((sources, chunks)) = numbers.other_sources {
        let (sources, chunks) = (grouped(sources), grouped(chunks));
        let (others, passages) = (labels.others, labels.passages);
        inner.push_str(&format!("\n<p class=\"soft\">{sources} {others}: {chunks} {passages}</p>"));
    }
    inner
}

fn health(numbers: &Numbers, labels: &Labels) -> String {
    let line = |label: &str, part: usize, whole: usize| {
        let shown = format!("{label}: {} / {}", grouped(part), grouped(whole));
        format!("<p>{shown}</p>\n{}\n", share(&shown, part, whole))
    };
    let health = &numbers.health;
    let stored = numbers.documents + health.unindexed;
    let mut inner = line(labels.indexed, numbers.documents, stored);
    inner.push_str(&line(
        labels.with_phrases,
        numbers.chunks.saturating_sub(health.without_phrases),
        numbers.chunks,
    ));
    match health.without_vectors {
        Some(without) => {
            let with = numbers.chunks.saturating_sub(without);
            inner.push_str(&line(labels.with_vectors, with, numbers.chunks));
        }
        None => inner.push_str(&format!("<p class=\"soft\">{}</p>\n", labels.no_vectors)),
    }
    inner
}

fn phrases(title: &str, numbers: &Numbers, labels: &Labels) -> String {
    if numbers.phrases.is_empty() {
        return nothing(labels);
    }
    let bar = |(phrase, count): &(String, usize)| Bar { name: phrase.clone(), link: None, value: *count };
    bars(title, &numbers.phrases.iter().map(bar).collect::<Vec<_>>())
}

fn nothing(labels: &Labels) -> String {
    format!("<p class=\"soft\">{}</p>", labels.nothing)
}

/// `1 234 567`, with narrow spaces that do not break.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push('\u{202f}');
        }
        shown.push(digit);
    }
    shown
}

/// Text that no sign of which means anything, in elements and in attributes alike.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // What turns the direction of what follows must not turn the page's own words.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_text_wherever_they_stand() {
        let hostile = "\"><script>alert(1)</script><img src=x onerror='a'>\u{202e}\0&amp;";
        let numbers = Numbers {
            sources: vec![
                Bar { name: hostile.into(), link: Some(format!("https://a.b/{hostile}")), value: 3 },
                Bar { name: "x".into(), link: Some("javascript:alert(1)".into()), value: 1 },
            ],
            over_time: vec![(hostile.into(), 1)],
            phrases: vec![(hostile.into(), 2)],
            ..Numbers::default()
        };
        let page = page(hostile, "hoje", &numbers, super::super::label::labels(None));
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("javascript:"));
        assert!(!page.contains('\u{202e}') && !page.contains('\0'));
        assert!(!page.contains("onerror='"));
        assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(grouped),
            ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
    }
}
