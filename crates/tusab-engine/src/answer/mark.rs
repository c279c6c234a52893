//! The marks that lead from an answer to its sources: `[1]`, `[1, 2]`, `[1][2]`, `[1-3]`, `[Fonte 1]`, `【1】`.

use std::num::NonZeroUsize;
use std::ops::Range;

use serde::Serialize;

/// Number of a source in an answer, counted from 1 as the marks count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SourceNumber(NonZeroUsize);

impl SourceNumber {
    /// The number of the source at `index` of an answer's sources.
    #[must_use]
    pub fn of_index(index: usize) -> Self {
        Self(NonZeroUsize::MIN.saturating_add(index))
    }

    /// Where the source stands in the answer's sources, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0.get() - 1
    }

    /// As a mark says it.
    #[must_use]
    pub fn get(self) -> usize {
        self.0.get()
    }
}

/// A mark in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    /// Where it stands, brackets included.
    pub(super) bytes: Range<usize>,
    /// The sources it leads to, each once.
    pub(super) sources: Vec<SourceNumber>,
    /// It names others, which are not there.
    pub(super) is_wrong: bool,
}

/// Longest text between the brackets of a mark, in bytes.
const LONGEST: usize = 80;

/// Most digits of a source's number: `[2024]` is a year.
const DIGITS: usize = 3;

/// Words that may stand before the numbers.
const PREFIXES: [&str; 14] = [
    "fonte",
    "fontes",
    "source",
    "sources",
    "fuente",
    "fuentes",
    "ref",
    "refs",
    "trecho",
    "trechos",
    "passage",
    "passages",
    "documento",
    "document",
];

/// The marks of `text` when there are `count` sources. What stands in code, between backticks, is no mark.
pub(super) fn marks(text: &str, count: usize) -> Vec<Mark> {
    let mut found = Vec::new();
    let mut is_code = false;
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let inside = at + c.len_utf8();
        if c == '`' {
            // Three of them open or close as one does.
            is_code = !is_code;
        } else if is_open(c)
            && !is_code
            && let Some((content, end)) = bracketed(text, inside)
            && let Some(ranges) = ranges(content)
        {
            found.push(mark(at..end, &ranges, count));
            at = end;
            continue;
        }
        at = inside;
    }
    found
}

/// The text without what leads to no source, and what was taken out of it.
pub(super) fn without_wrong(text: &str, marks: &[Mark]) -> (String, Vec<String>) {
    let (mut kept, mut removed, mut from) = (String::with_capacity(text.len()), Vec::new(), 0);
    for mark in marks.iter().filter(|mark| mark.is_wrong) {
        kept.push_str(text.get(from..mark.bytes.start).unwrap_or_default());
        removed.push(text.get(mark.bytes.clone()).unwrap_or_default().to_owned());
        if mark.sources.is_empty() {
            // The space that set it apart goes with it.
            kept.truncate(kept.trim_end_matches([' ', '\u{a0}']).len());
        } else {
            let right: Vec<String> = mark.sources.iter().map(|source| source.get().to_string()).collect();
            kept.push('[');
            kept.push_str(&right.join(", "));
            kept.push(']');
        }
        from = mark.bytes.end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    (kept, removed)
}

fn is_open(c: char) -> bool {
    matches!(c, '[' | '【' | '［' | '〔')
}

/// What stands from `start` to the next closing bracket on the line, and where the bracket ends.
fn bracketed(text: &str, start: usize) -> Option<(&str, usize)> {
    let rest = text.get(start..)?;
    let (length, close) = rest
        .char_indices()
        .take_while(|(at, c)| *at <= LONGEST && *c != '\n' && !is_open(*c))
        .find(|(_, c)| matches!(c, ']' | '】' | '］' | '〕'))?;
    Some((rest.get(..length)?, start + length + close.len_utf8()))
}

fn mark(bytes: Range<usize>, ranges: &[(usize, usize)], count: usize) -> Mark {
    let mut sources: Vec<SourceNumber> = Vec::new();
    let mut is_wrong = false;
    for (first, last) in ranges {
        is_wrong |= *first == 0 || *last > count;
        for number in (*first).max(1)..=(*last).min(count) {
            let source = SourceNumber::of_index(number - 1);
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
    }
    Mark { bytes, sources, is_wrong }
}

/// The numbers of a mark as ranges; `None` for what is no mark.
fn ranges(content: &str) -> Option<Vec<(usize, usize)>> {
    // What some models add to the number of a source: `【1†source】`, `【4:0†a.pdf】`.
    let content = content.split('†').next().unwrap_or_default();
    let content = content.trim().trim_start_matches(['^', '#']);
    let word = content.len() - content.trim_start_matches(char::is_alphabetic).len();
    let (prefix, list) = content.split_at_checked(word)?;
    if !prefix.is_empty() && !PREFIXES.contains(&prefix.to_lowercase().as_str()) {
        return None;
    }
    let list = list.trim_start_matches([' ', ':', '.', '#', '\u{a0}']);
    let mut ranges = Vec::new();
    for item in split_list(list) {
        let (from, to) = if let Some((from, to)) = item.split_once(['-', '–', '—', '‑']) {
            (number(from)?, number(to)?)
        } else {
            // `4:0` is passage 0 of source 4.
            let number = number(item.split(':').next().unwrap_or_default())?;
            (number, number)
        };
        ranges.push((from.min(to), from.max(to)));
    }
    (!ranges.is_empty()).then_some(ranges)
}

/// The items between commas, semicolons, and the words for "and".
fn split_list(list: &str) -> impl Iterator<Item = &str> {
    list.split([',', ';', '，', '、', '&'])
        .flat_map(|item| item.split(" e "))
        .flat_map(|item| item.split(" and "))
        .flat_map(|item| item.split(" y "))
}

fn number(text: &str) -> Option<usize> {
    let text = text.trim().trim_start_matches(['^', '#']);
    let digits: Vec<usize> = text.chars().map(digit).collect::<Option<_>>()?;
    if digits.is_empty() || digits.len() > DIGITS {
        return None;
    }
    Some(digits.iter().fold(0, |number, digit| number * 10 + digit))
}

/// The value of a digit, of full width too.
fn digit(c: char) -> Option<usize> {
    let narrow = match c {
        '０'..='９' => char::from_u32(u32::from(c) - u32::from('０') + u32::from('0'))?,
        other => other,
    };
    narrow.to_digit(10).map(|digit| digit as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(text: &str) -> Vec<Vec<usize>> {
        marks(text, 6).iter().map(|mark| mark.sources.iter().map(|source| source.get()).collect()).collect()
    }

    #[test]
    fn marks_are_read_in_all_their_forms() {
        for (text, expected) in [
            ("sol [1].", vec![vec![1]]),
            ("sol[1][2]", vec![vec![1], vec![2]]),
            ("[1, 2]", vec![vec![1, 2]]),
            ("[1,3;5]", vec![vec![1, 3, 5]]),
            ("[2-4]", vec![vec![2, 3, 4]]),
            ("[4–2]", vec![vec![2, 3, 4]]),
            ("[1 e 3] [2 and 4] [5 y 6]", vec![vec![1, 3], vec![2, 4], vec![5, 6]]),
            ("【3】 ［２］ 〔1〕", vec![vec![3], vec![2], vec![1]]),
            ("【3†source】 【4:0†a.pdf】", vec![vec![3], vec![4]]),
            (
                "[Fonte 2] [sources 1, 2] [^3] [#4] [Fonte: 5]",
                vec![vec![2], vec![1, 2], vec![3], vec![4], vec![5]],
            ),
            ("[2, 2, 1-2]", vec![vec![2, 1]]),
            ("[1](https://example.org)", vec![vec![1]]),
        ] {
            assert_eq!(numbers(text), expected, "{text}");
        }
    }

    #[test]
    fn other_brackets_are_text() {
        for text in [
            "[2024]",
            "[]",
            "[x]",
            "[a1]",
            "[1",
            "1]",
            "(1)",
            "[1 m]",
            "[10%]",
            "[1.5]",
            "`a[1]`",
            "```\na[1]\n```",
            "[música]",
            "[1\n]",
            "[e 1]",
            "[-]",
            "[1,]",
        ] {
            assert_eq!(numbers(text), Vec::<Vec<usize>>::new(), "{text}");
        }
    }

    #[test]
    fn what_leads_to_no_source_is_taken_out() {
        let clean = |text: &str| without_wrong(text, &marks(text, 2));
        for (text, expected, removed) in [
            ("Sol [7]. Sombra [1].", "Sol. Sombra [1].", vec!["[7]"]),
            ("Sol [0][1]", "Sol[1]", vec!["[0]"]),
            ("Sol [1, 9]", "Sol [1]", vec!["[1, 9]"]),
            ("Sol [1-9] e [3-4]", "Sol [1, 2] e", vec!["[1-9]", "[3-4]"]),
            ("【3】Sol", "Sol", vec!["【3】"]),
            ("Sol [1][2]", "Sol [1][2]", vec![]),
        ] {
            assert_eq!(
                clean(text),
                (expected.to_owned(), removed.iter().map(|mark| (*mark).to_owned()).collect())
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_has_marks_in_it_in_order(text in ".{0,80}", brackets in "[\\[\\]0-9 ,–e【】`†]{0,60}", count in 0_usize..9) {
            for text in [text, brackets] {
                let found = marks(&text, count);
                let mut end = 0;
                for mark in &found {
                    prop_assert!(mark.bytes.start >= end && text.get(mark.bytes.clone()).is_some());
                    prop_assert!(mark.sources.iter().all(|source| source.index() < count));
                    prop_assert!(mark.is_wrong || !mark.sources.is_empty());
                    end = mark.bytes.end;
                }
            }
        }

        #[test]
        fn once_clean_there_is_nothing_left_to_clean(
            parts in prop::collection::vec(("[a-z. ]{0,6}", "(\\[[0-9,\\- ]{0,8}\\]|【[0-9]{1,3}】)"), 0..6),
            count in 0_usize..9,
        ) {
            let text: String = parts.iter().flat_map(|(words, mark)| [words.as_str(), mark.as_str()]).collect();
            let (clean, removed) = without_wrong(&text, &marks(&text, count));
            prop_assert!(marks(&clean, count).iter().all(|mark| !mark.is_wrong), "{clean}");
            prop_assert_eq!(removed.is_empty(), clean == text);
        }

        #[test]
        fn a_mark_is_found_wherever_it_stands(before in "[a-z .]{0,20}", after in "[a-z .]{0,20}", number in 1_usize..7) {
            let text = format!("{before}[{number}]{after}");
            prop_assert_eq!(numbers(&text), vec![vec![number]]);
        }
    }
}
