//! The numbers of lists and headings, which a document does not store but has its reader count.

use std::collections::HashMap;

use crate::Error;
use crate::documents::office::xml::{Node, Xml};

/// Levels of a list.
const LEVELS: usize = 9;

#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// Definitions, by their ids.
    schemes: HashMap<String, Scheme>,
    lists: HashMap<String, List>,
    /// The number of the last item of each level, by the id of the definition.
    counts: HashMap<String, [Option<u32>; LEVELS]>,
}

#[derive(Debug, Default)]
struct Scheme {
    levels: [Level; LEVELS],
}

#[derive(Debug, Clone, Default)]
struct Level {
    start: Option<u32>,
    format: String,
    /// `%1.%2` with the numbers of the levels.
    text: String,
    /// The style whose paragraphs are items of this level.
    style: Option<String>,
}

/// One use of a definition.
#[derive(Debug, Default)]
struct List {
    scheme: String,
    /// Where levels start anew in this list.
    starts: [Option<u32>; LEVELS],
    is_begun: [bool; LEVELS],
}

/// What stands before an item.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// A sign that tells nothing.
    Bullet,
    /// A number or letter, with what is written around it.
    Number(String),
    /// Nothing.
    None,
}

impl Numbering {
    pub(super) fn read(mut xml: Xml<'_>) -> Result<Self, Error> {
        let mut numbering = Self::default();
        while let Some(node) = xml.next()? {
            let Node::Open(element) = node else { continue };
            match element.name() {
                "abstractNum" => {
                    let id = element.get("abstractNumId").unwrap_or_default();
                    let scheme = scheme(&mut xml)?;
                    numbering.schemes.insert(id, scheme);
                }
                "num" => {
                    let id = element.get("numId").unwrap_or_default();
                    let list = list(&mut xml)?;
                    numbering.lists.insert(id, list);
                }
                _ => {}
            }
        }
        Ok(numbering)
    }

    /// The level of a list at which paragraphs of a style stand.
    pub(super) fn level_of_style(&self, list: &str, style: &str) -> Option<usize> {
        let scheme = self.schemes.get(&self.lists.get(list)?.scheme)?;
        scheme.levels.iter().position(|level| level.style.as_deref() == Some(style))
    }

    /// Counts an item, and gives what stands before it. None where there is no such list.
    pub(super) fn next(&mut self, list: &str, level: usize) -> Option<Mark> {
        let used = self.lists.get_mut(list)?;
        let scheme = self.schemes.get(&used.scheme)?;
        let numbers = self.counts.entry(used.scheme.clone()).or_default();
        let here = scheme.levels.get(level)?;
        let is_begun = std::mem::replace(used.is_begun.get_mut(level)?, true);
        let anew = used.starts.get(level).copied().flatten().filter(|_| !is_begun);
        let count = numbers.get_mut(level)?;
        *count = Some(match (anew, *count) {
            (Some(start), _) => start,
            (None, Some(before)) => before.saturating_add(1),
            (None, None) => here.start.unwrap_or(1),
        });
        numbers.iter_mut().skip(level + 1).for_each(|deeper| *deeper = None);
        Some(match here.format.as_str() {
            "bullet" => Mark::Bullet,
            "none" => Mark::None,
            _ => number(here, scheme, numbers),
        })
    }
}

/// The level's text with its numbers.
fn number(here: &Level, scheme: &Scheme, counts: &[Option<u32>; LEVELS]) -> Mark {
    let mut text = String::new();
    let mut rest = here.text.as_str();
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        let digit = after.chars().next().and_then(|digit| digit.to_digit(10)).filter(|digit| *digit > 0);
        let Some(index) = digit.and_then(|digit| usize::try_from(digit - 1).ok()) else {
            text.push('%');
            rest = after;
            continue;
        };
        if let Some(level) = scheme.levels.get(index) {
            let count = counts.get(index).copied().flatten().or(level.start).unwrap_or(1);
            text.push_str(&formatted(&level.format, count));
        }
        rest = after.get(1..).unwrap_or_default();
    }
    text.push_str(rest);
    let text = text.trim();
    if text.is_empty() { Mark::None } else { Mark::Number(text.to_owned()) }
}

fn formatted(format: &str, count: u32) -> String {
    match format {
        "lowerLetter" => letters(count, 'a'),
        "upperLetter" => letters(count, 'A'),
        "lowerRoman" => roman(count).to_lowercase(),
        "upperRoman" => roman(count),
        "ordinal" => format!("{count}º"),
        "decimalZero" => format!("{count:02}"),
        _ => count.to_string(),
    }
}

/// a to z, then aa to zz, and so on, as Word counts.
fn letters(count: u32, first: char) -> String {
    let Some(index) = count.checked_sub(1) else { return count.to_string() };
    let letter = char::from_u32(u32::from(first) + index % 26).unwrap_or(first);
    let times = (index / 26 + 1).min(16);
    std::iter::repeat_n(letter, usize::try_from(times).unwrap_or(1)).collect()
}

fn roman(count: u32) -> String {
    const SIGNS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if !(1..4000).contains(&count) {
        return count.to_string();
    }
    let mut left = count;
    let mut text = String::new();
    for (value, sign) in SIGNS {
        while left >= value {
            text.push_str(sign);
            left -= value;
        }
    }
    text
}

fn scheme(xml: &mut Xml<'_>) -> Result<Scheme, Error> {
    let mut scheme = Scheme::default();
    let mut spare = Level::default();
    let mut at = LEVELS;
    let outside = xml.outside();
    while let Some(node) = xml.next_inside(outside)? {
        let Node::Open(element) = node else { continue };
        if element.name() == "lvl" {
            at = element.get("ilvl").and_then(|level| level.parse().ok()).unwrap_or(LEVELS);
        }
        let level = scheme.levels.get_mut(at).unwrap_or(&mut spare);
        match element.name() {
            "start" => level.start = element.val().and_then(|start| start.parse().ok()),
            "numFmt" => level.format = element.val().unwrap_or_default(),
            "lvlText" => level.text = element.val().unwrap_or_default(),
            "pStyle" => level.style = element.val(),
            _ => {}
        }
    }
    Ok(scheme)
}

fn list(xml: &mut Xml<'_>) -> Result<List, Error> {
    let mut list = List::default();
    let mut at = LEVELS;
    let outside = xml.outside();
    while let Some(node) = xml.next_inside(outside)? {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "abstractNumId" => list.scheme = element.val().unwrap_or_default(),
            "lvlOverride" => at = element.get("ilvl").and_then(|level| level.parse().ok()).unwrap_or(LEVELS),
            "startOverride" => {
                if let Some(start) = list.starts.get_mut(at) {
                    *start = element.val().and_then(|start| start.parse().ok());
                }
            }
            _ => {}
        }
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_written_as_the_program_writes_them() {
        for (format, count, text) in [
            ("decimal", 12, "12"),
            ("lowerLetter", 1, "a"),
            ("upperLetter", 28, "BB"),
            ("lowerRoman", 1994, "mcmxciv"),
            ("upperRoman", 4, "IV"),
            ("upperRoman", 0, "0"),
            ("lowerLetter", 0, "0"),
            ("decimalZero", 7, "07"),
        ] {
            assert_eq!(formatted(format, count), text);
        }
    }
}
