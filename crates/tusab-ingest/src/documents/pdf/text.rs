//! Rows in reading order as text: paragraphs parted by empty lines, and words that a line's end had cut made whole.

use std::collections::HashSet;

use super::words::{Row, Word, line};

/// Lines that stand apart by more than this, in parts of the usual distance, are of different paragraphs.
const PARAGRAPH: f32 = 1.35;

/// The text of one page.
pub(super) fn page(rows: &[Row]) -> String {
    let distances: Vec<f32> =
        rows.iter().zip(rows.iter().skip(1)).filter_map(|(row, next)| distance(row, next)).collect();
    let usual = median(distances);
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| rows.get(before));
        if let Some(before) = before {
            let apart = distance(before, row).is_none_or(|distance| distance > PARAGRAPH * usual);
            text.push_str(if apart { "\n\n" } else { "\n" });
        }
        text.push_str(&ligatures_apart(&line(row)));
    }
    text
}

/// From a row's baseline to that of the next; none where that stands above it, as at the top of a column.
fn distance(row: &Row, next: &Row) -> Option<f32> {
    let baseline = |row: &Row| row.iter().max_by(|a, b| a.size.total_cmp(&b.size)).map(|word: &Word| word.y);
    Some(baseline(next)? - baseline(row)?).filter(|distance| *distance > 0.0)
}

fn median(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f32::INFINITY)
}

/// Letters that are joined in print are apart in text.
fn ligatures_apart(text: &str) -> String {
    let mut apart = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{FB00}' => apart.push_str("ff"),
            '\u{FB01}' => apart.push_str("fi"),
            '\u{FB02}' => apart.push_str("fl"),
            '\u{FB03}' => apart.push_str("ffi"),
            '\u{FB04}' => apart.push_str("ffl"),
            '\u{FB05}' | '\u{FB06}' => apart.push_str("st"),
            '\u{A0}' => apart.push(' '),
            // The dots of lists, in fonts of signs that are in no alphabet.
            '\u{E000}'..='\u{F8FF}' if apart.trim().is_empty() => apart.push('•'),
            c if c.is_control() => {}
            c => apart.push(c),
        }
    }
    apart
}

/// Makes words whole that were cut at the end of a line. A hyphen that belongs to the word (`guarda-chuva`) stays where
/// the document writes the word with it elsewhere.
pub(super) fn without_hyphenation(pages: &[String]) -> Vec<String> {
    let known: HashSet<&str> = pages
        .iter()
        .flat_map(|page| page.split_whitespace())
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| word.contains('-'))
        .collect();
    pages.iter().map(|page| joined(page, &known)).collect()
}

fn joined(page: &str, known: &HashSet<&str>) -> String {
    let mut text = String::with_capacity(page.len());
    let mut lines = page.split('\n').peekable();
    while let Some(line) = lines.next() {
        let mut is_apart = false;
        if line.ends_with(HYPHENS) {
            // The two lines of a heading may stand as two paragraphs.
            while lines.next_if(|line| line.is_empty()).is_some() {
                is_apart = true;
            }
        }
        let next = lines.peek().copied().unwrap_or_default();
        if let Some((head, first)) = cut(line, next) {
            text.push_str(head);
            let whole = format!("{}-{}", last_word(head), first_word(next));
            // An upper-case letter after a hyphen starts a name.
            if first.is_uppercase() || known.contains(whole.as_str()) {
                text.push('-');
            }
            // The rest of the word comes with the next line.
            continue;
        }
        text.push_str(line);
        if lines.peek().is_some() {
            text.push_str(if is_apart { "\n\n" } else { "\n" });
        }
    }
    text
}

const HYPHENS: [char; 3] = ['-', '\u{AD}', '\u{2010}'];

fn is_inside_word(c: char) -> bool {
    c.is_alphanumeric() || c == '-'
}

fn first_word(line: &str) -> &str {
    line.split(|c| !is_inside_word(c)).next().unwrap_or_default()
}

fn last_word(line: &str) -> &str {
    line.rsplit(|c| !is_inside_word(c)).next().unwrap_or_default()
}

/// A line without the hyphen at which its last word is cut, and the letter with which the word goes on.
fn cut<'l>(line: &'l str, next: &str) -> Option<(&'l str, char)> {
    let head = line.strip_suffix(HYPHENS)?;
    let first = next.chars().next().filter(|c| c.is_alphabetic())?;
    head.chars().next_back().filter(|c| c.is_alphabetic())?;
    Some((head, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_words_are_made_whole() {
        let pages =
            ["uma infor-\nmação e um guarda-\nchuva, o guarda-chuva\nSão José-\nMaria - \nfim 3-\n4 a-"
                .to_owned()];
        let whole = without_hyphenation(&pages);
        assert_eq!(
            whole,
            ["uma informação e um guarda-chuva, o guarda-chuva\nSão José-Maria - \nfim 3-\n4 a-"]
        );
    }

    #[test]
    fn joined_letters_are_apart_in_text() {
        assert_eq!(
            ligatures_apart("e\u{FB01}caz o\u{FB01}cial o\u{FB03}ce\u{A0}x"),
            "eficaz oficial office x"
        );
        assert_eq!(ligatures_apart("\u{F0B7} um \u{F0FC}"), "• um \u{F0FC}");
    }
}
