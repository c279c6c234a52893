//! Numbers in digits, with separators of thousands and decimals as Portuguese, Spanish and English write them.

use std::ops::Range;

use super::{Number, Value, scaled, value};

/// A number's groups of digits and what separates them.
struct Written {
    bytes: Range<usize>,
    groups: Vec<String>,
    separators: Vec<char>,
}

/// The numbers of a text, in their order. Digits that are part of a name (`GPT4`, `H2O`) are none.
pub(super) fn numbers(text: &str) -> Vec<Number> {
    let mut found = Vec::new();
    let mut before: Option<char> = None;
    // The letter of `12h30` ends one number and begins the next.
    let mut is_hour = false;
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let is_name = before.is_some_and(|before| before.is_alphabetic() || before == '_') && !is_hour;
        if digit(c).is_some() && !is_name {
            let written = written(text, at);
            at = written.bytes.end;
            before = text.get(..at).and_then(|text| text.chars().next_back());
            let rest = text.get(at..).unwrap_or_default();
            is_hour =
                rest.strip_prefix(['h', 'H']).is_some_and(|rest| rest.starts_with(|c| digit(c).is_some()));
            found.push(number(&written, rest));
            if is_hour {
                at += 1;
            }
            continue;
        }
        if digit(c).is_some() {
            // The rest of a name's digits.
            let rest = text.get(at..).unwrap_or_default();
            at += rest.len() - rest.trim_start_matches(|c: char| c.is_alphanumeric()).len();
        } else {
            at += c.len_utf8();
        }
        before = text.get(..at).and_then(|text| text.chars().next_back());
        is_hour = false;
    }
    found
}

fn written(text: &str, start: usize) -> Written {
    let (first, mut end) = group(text, start);
    let (mut groups, mut separators) = (vec![first], Vec::new());
    while let Some(separator) = text.get(end..).and_then(|rest| rest.chars().next()) {
        let (next, next_end) = group(text, end + separator.len_utf8());
        let joins = match separator {
            '.' | ',' => !next.is_empty(),
            // Between others than groups of three they stand between two numbers.
            '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' => {
                let is_first =
                    groups.first().is_some_and(|first| first.len() <= 3 && !first.starts_with('0'));
                next.len() == 3 && is_first && separators.iter().all(|seen| *seen == separator)
            }
            _ => false,
        };
        if !joins {
            break;
        }
        groups.push(next);
        separators.push(separator);
        end = next_end;
    }
    Written { bytes: start..end, groups, separators }
}

/// The digits that stand from `start` on, and where they end.
fn group(text: &str, start: usize) -> (String, usize) {
    let mut digits = String::new();
    let mut end = start;
    for c in text.get(start..).unwrap_or_default().chars() {
        let Some(digit) = digit(c) else { break };
        digits.push(digit);
        end += c.len_utf8();
    }
    (digits, end)
}

/// A digit in ASCII; full-width ones too.
fn digit(c: char) -> Option<char> {
    match c {
        '0'..='9' => Some(c),
        '０'..='９' => char::from_u32(u32::from(c) - u32::from('０') + u32::from('0')),
        _ => None,
    }
}

fn number(written: &Written, rest: &str) -> Number {
    let Written { bytes, groups, separators } = written;
    let (mut readings, is_plain) = readings(groups, separators);
    let mut parts = Vec::new();
    if !is_plain || separators.first().is_some_and(|separator| separator.is_whitespace()) {
        parts = groups.iter().map(|group| value(group, "")).collect();
    }
    if !is_plain {
        readings.push(groups.iter().map(|group| value(group, "")).collect::<Vec<_>>().join("."));
    }
    let mut also = Vec::new();
    if let Some(zeros) = magnitude(rest) {
        let times = readings.iter().map(|reading| scaled(reading, zeros)).collect();
        also = std::mem::replace(&mut readings, times);
    }
    Number { bytes: bytes.clone(), readings, parts, also }
}

/// What the groups can mean together, and whether they mean one number at all.
fn readings(groups: &[String], separators: &[char]) -> (Vec<Value>, bool) {
    let whole = |groups: &[String]| value(&groups.concat(), "");
    let threes = |groups: &[String]| {
        groups.first().is_some_and(|first| first.len() <= 3)
            && groups.iter().skip(1).all(|group| group.len() == 3)
    };
    let Some((last_separator, earlier)) = separators.split_last() else {
        return (vec![whole(groups)], true);
    };
    let Some((last, before)) = groups.split_last() else { return (Vec::new(), false) };
    let is_point = |separator: &char| matches!(separator, '.' | ',');
    let mut readings = Vec::new();
    // `1.234`, `1.234.567`, `10 000`
    let is_grouped = threes(groups) && earlier.iter().all(|separator| separator == last_separator);
    if is_grouped && groups.first().is_some_and(|first| !first.starts_with('0')) {
        readings.push(whole(groups));
    }
    // `3,5`, `1.234,56`, `1 234.5`
    let is_before_plain = earlier.is_empty() || threes(before);
    let is_other = earlier.iter().all(|separator| separator != last_separator)
        && earlier.windows(2).all(|pair| pair.first() == pair.last());
    if is_point(last_separator) && is_before_plain && is_other {
        readings.push(value(&before.concat(), last));
    }
    let is_one = !readings.is_empty();
    (readings, is_one)
}

/// The power of ten that the word after a number says. `billón` and `bilião` are a million millions.
fn magnitude(rest: &str) -> Option<usize> {
    if rest.starts_with('k') || rest.starts_with('K') {
        let next = rest.chars().nth(1);
        return (!next.is_some_and(char::is_alphanumeric)).then_some(3);
    }
    let rest = rest.strip_prefix([' ', '\u{a0}', '\u{202f}'])?;
    let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    match rest.get(..end)?.to_lowercase().as_str() {
        "mil" | "thousand" => Some(3),
        "mi" | "milhão" | "milhões" | "milhao" | "milhoes" | "million" | "millions" | "millón"
        | "millones" | "millon" => Some(6),
        "bi" | "bilhão" | "bilhões" | "bilhao" | "bilhoes" | "billion" | "billions" => Some(9),
        "tri" | "trilhão" | "trilhões" | "trilhao" | "trilhoes" | "trillion" | "trillions" | "bilião"
        | "biliões" | "billón" | "billones" => Some(12),
        _ => None,
    }
}
