//! The sentences of an answer, each of which may claim something.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::mark::Mark;

/// A sentence of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    /// Where it stands, its marks included, without the sign of a list before it.
    pub(super) bytes: Range<usize>,
    /// It claims something: it is no heading, question, introduction (`...:`) or code.
    pub(super) is_claim: bool,
}

/// Words after which a full stop ends no sentence.
const ABBREVIATIONS: [&str; 26] = [
    "art", "arts", "dr", "dra", "sr", "sra", "prof", "profa", "p", "pp", "pág", "pag", "nº", "no", "etc",
    "vs", "ex", "fig", "cap", "vol", "ed", "av", "mr", "mrs", "ms", "inc",
];

/// The sentences of an answer, in their order. A line break ends a sentence: answers are written in Markdown.
pub(super) fn sentences(text: &str, marks: &[Mark]) -> Vec<Sentence> {
    // A mark after a full stop belongs to what it follows: seen as spaces, it goes with it.
    let mut plain = text.to_owned();
    for mark in marks {
        plain.replace_range(mark.bytes.clone(), &" ".repeat(mark.bytes.len()));
    }
    let mut found = Vec::new();
    let (mut is_code, mut start) = (false, 0);
    for line in plain.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        let is_heading = line.trim_start().starts_with('#');
        let content = item(line);
        let from = start + (line.len() - content.len());
        for range in pieces(content) {
            let range = from + range.start..from + range.end;
            let bytes = trimmed(text, range.clone());
            let words = plain.get(range).unwrap_or_default().trim_end_matches(closes);
            let says = words.chars().any(char::is_alphanumeric);
            if says {
                let is_claim = !is_code && !is_fence && !is_heading && !words.ends_with(['?', ':']);
                found.push(Sentence { bytes, is_claim });
            }
        }
        start += line.len();
    }
    found
}

/// What may stand after the sign that ends a sentence.
fn closes(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '_' | '"' | '”' | '»' | ')' | '’')
}

/// A line without the sign of a list, `- ` or `1. `, and of a quotation.
fn item(line: &str) -> &str {
    let content = line.trim_start();
    let quoted = content.trim_start_matches('>').trim_start();
    let bullet =
        quoted.strip_prefix(['-', '*', '•', '–', '+']).filter(|rest| rest.starts_with(char::is_whitespace));
    let number = quoted
        .strip_prefix(|c: char| c.is_ascii_digit())
        .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
        .and_then(|rest| rest.strip_prefix(['.', ')']))
        .filter(|rest| rest.starts_with(char::is_whitespace));
    bullet.or(number).unwrap_or(quoted)
}

/// The sentences of a line; what stands between quotation marks is not cut.
fn pieces(line: &str) -> Vec<Range<usize>> {
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    let mut is_open = false;
    for sentence in line.split_sentence_bounds() {
        let range = at..at + sentence.len();
        at = range.end;
        let goes_on = is_open
            || pieces.last().is_some_and(|last| ends_short(line.get(last.clone()).unwrap_or_default()));
        for c in sentence.chars() {
            match c {
                '“' | '«' => is_open = true,
                '”' | '»' => is_open = false,
                _ => {}
            }
        }
        match pieces.last_mut() {
            Some(last) if goes_on => last.end = range.end,
            _ => pieces.push(range),
        }
    }
    pieces
}

/// True for what ends in an abbreviation or an initial.
fn ends_short(sentence: &str) -> bool {
    let Some(before) = sentence.trim_end().strip_suffix('.') else { return false };
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    is_initial || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::mark::marks;
    use super::*;

    fn split(text: &str) -> Vec<(&str, bool)> {
        let of = |sentence: Sentence| (text.get(sentence.bytes).unwrap(), sentence.is_claim);
        sentences(text, &marks(text, 9)).into_iter().map(of).collect()
    }

    #[test]
    fn marks_go_with_the_sentence_they_follow() {
        assert_eq!(
            split("A hortelã quer sol. [1] O manjericão também.[2] E fim [3]"),
            [("A hortelã quer sol. [1]", true), ("O manjericão também.[2]", true), ("E fim [3]", true)]
        );
    }

    #[test]
    fn lists_headings_questions_and_introductions() {
        let text = "## Sol e água\nSão estes:\n1. Sol pela manhã [1].\n- *Água* à tarde\n\nQuer mais?\n```\nlet a = 1;\n```\n";
        let expected = [
            ("## Sol e água", false),
            ("São estes:", false),
            ("Sol pela manhã [1].", true),
            ("*Água* à tarde", true),
            ("Quer mais?", false),
            ("let a = 1;", false),
        ];
        assert_eq!(split(text), expected);
    }

    #[test]
    fn quotations_and_abbreviations_are_not_cut() {
        assert_eq!(split("“Três horas. Nem mais!” [1]"), [("“Três horas. Nem mais!” [1]", true)]);
        let text = "O Dr. Silva e J. R. Souza leram o art. 5º da lei. Gostaram.";
        assert_eq!(split(text).len(), 2, "{:?}", split(text));
    }

    proptest! {
        #[test]
        fn sentences_are_parts_of_the_text_in_order(text in "[a-zA-Z0-9 .?!:\\n\\[\\]“”#`*>-]{0,80}", any in ".{0,60}") {
            for text in [text, any] {
                let mut end = 0;
                for sentence in sentences(&text, &marks(&text, 5)) {
                    prop_assert!(sentence.bytes.start >= end);
                    prop_assert!(text.get(sentence.bytes.clone()).is_some_and(|part| !part.trim().is_empty()));
                    end = sentence.bytes.end;
                }
            }
        }
    }
}
