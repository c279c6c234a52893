//! Choosing where a window may be cut.

use unicode_segmentation::GraphemeCursor;

use super::{Place, scan};

/// Kinds of boundary, the better ones later in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Word,
    Line,
    Sentence,
    Paragraph,
}

/// The best place to end a window that starts at `start` and may reach up to `limit`.
///
/// Looks back over at most `tolerance` characters for the best kind of boundary, the last one of its kind.
/// Falls back on the last grapheme boundary; a cluster longer than the window is kept whole.
pub(super) fn best_cut(text: &str, start: Place, limit: Place, tolerance: usize) -> Place {
    let mut best: Option<(Level, Place)> = None;
    let mut place = limit;
    let mut after = text.get(limit.byte..).unwrap_or_default().chars().next();
    let before = text.get(start.byte..limit.byte).unwrap_or_default();
    for c in before.chars().rev().take(tolerance + 1) {
        if let Some(level) = level_at(text, start, place, c, after)
            && best.is_none_or(|(found, _)| level > found)
            && is_grapheme_boundary(text, start, place)
        {
            best = Some((level, place));
            if level == Level::Paragraph {
                break;
            }
        }
        after = Some(c);
        place.byte -= c.len_utf8();
        place.char -= 1;
    }
    match best {
        Some((_, cut)) => cut,
        None => last_grapheme(text, start, limit).unwrap_or_else(|| end_of_cluster(text, start, limit)),
    }
}

/// Which boundary stands at `place`, between the characters `before` and `after`.
fn level_at(text: &str, start: Place, place: Place, before: char, after: Option<char>) -> Option<Level> {
    if before == '\n' {
        let line = text.get(start.byte..place.byte - 1).unwrap_or_default();
        let blank = line.trim_end_matches([' ', '\t', '\r']).ends_with('\n');
        return Some(if blank { Level::Paragraph } else { Level::Line });
    }
    if is_full_width_stop(before) {
        return Some(Level::Sentence);
    }
    if !after.is_some_and(char::is_whitespace) {
        return before.is_whitespace().then_some(Level::Word);
    }
    let line = text.get(start.byte..place.byte).unwrap_or_default();
    let rest = text.get(place.byte..).unwrap_or_default();
    Some(if ends_sentence(line, rest) { Level::Sentence } else { Level::Word })
}

/// Stops of scripts that put no space between sentences.
fn is_full_width_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '．')
}

/// True when `line` ends a sentence and `rest`, which starts with white space, begins another.
///
/// After Unicode Standard Annex 29, rules SB6 to SB11: a full stop ends nothing when a lower-case letter follows;
/// beyond the annex, it ends nothing after an abbreviation, an initial or a list number.
fn ends_sentence(line: &str, rest: &str) -> bool {
    let stem = line.trim_end_matches(['"', '\'', '”', '’', '»', ')', ']', '*', '_']);
    let Some(stop) = stem.chars().next_back() else { return false };
    if matches!(stop, '!' | '?' | '…') {
        return true;
    }
    if stop != '.' {
        return false;
    }
    let next = rest.chars().find(|c| !c.is_whitespace() && !matches!(c, '"' | '“' | '‘' | '«' | '(' | '['));
    if next.is_some_and(char::is_lowercase) {
        return false;
    }
    let word_start = stem.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let word = stem.get(word_start..).unwrap_or_default().trim_start_matches(|c: char| !c.is_alphanumeric());
    !is_abbreviation(word)
}

/// Portuguese, English and Spanish abbreviations that a capital or a number may follow, without their full stop.
#[rustfmt::skip]
const ABBREVIATIONS: [&str; 52] = [
    "apto", "approx", "art", "arts", "av", "cap", "cf", "cia", "cl", "corp", "dept", "dr", "dra", "drs", "eng", "esq",
    "exa", "exmo", "fig", "figs", "fl", "fls", "gen", "gov", "hon", "ilmo", "inc", "inst", "jr", "ltd", "ltda", "maj",
    "mr", "mrs", "ms", "mt", "nº", "nr", "obs", "op", "pág", "págs", "pp", "prof", "profa", "rev", "sgt", "sr", "sra",
    "srta", "vol", "vs",
];

/// True for `Dr.`, `J.`, `e.g.`, `U.S.` and the number of a list's item, given with the full stop.
fn is_abbreviation(word: &str) -> bool {
    let stem = word.trim_end_matches('.');
    let mut chars = stem.chars();
    match (chars.next(), chars.next()) {
        // A lone stop, or a single letter or digit: an initial, `1.`.
        (None, _) | (Some(_), None) => return true,
        _ => {}
    }
    let dotted = stem.contains('.') && stem.split('.').all(|part| part.chars().count() <= 2);
    let is_letters = !stem.chars().any(char::is_numeric);
    (dotted && is_letters) || ABBREVIATIONS.contains(&stem.to_lowercase().as_str())
}

/// True when no grapheme cluster is cut at `place`; `start` is known to be a boundary.
fn is_grapheme_boundary(text: &str, start: Place, place: Place) -> bool {
    // Looking from the window's start keeps the work within the window, whatever came before.
    let Some(rest) = text.get(start.byte..) else { return false };
    let mut cursor = GraphemeCursor::new(place.byte - start.byte, rest.len(), true);
    cursor.is_boundary(rest, 0).unwrap_or(false)
}

/// The last grapheme boundary after `start` and not after `limit`.
fn last_grapheme(text: &str, start: Place, limit: Place) -> Option<Place> {
    let mut place = limit;
    while place.byte > start.byte {
        if is_grapheme_boundary(text, start, place) {
            return Some(place);
        }
        place = scan::backward(text, place, 1);
    }
    None
}

/// The end of the cluster that `limit` stands in.
fn end_of_cluster(text: &str, start: Place, limit: Place) -> Place {
    let rest = text.get(start.byte..).unwrap_or_default();
    let mut cursor = GraphemeCursor::new(limit.byte - start.byte, rest.len(), true);
    let end = cursor.next_boundary(rest, 0).ok().flatten().unwrap_or(rest.len()) + start.byte;
    let added = text.get(limit.byte..end).unwrap_or_default().chars().count();
    Place { byte: end, char: limit.char + added }
}

/// The start of a word at `wanted`, or up to `slack` characters before it; else a grapheme boundary after `start`
/// and not after `wanted`.
pub(super) fn word_start(text: &str, start: Place, wanted: Place, slack: usize) -> Option<Place> {
    let mut place = wanted;
    let before = text.get(start.byte..wanted.byte).unwrap_or_default();
    for c in before.chars().rev().take(slack + 1) {
        if c.is_whitespace() && is_grapheme_boundary(text, start, place) {
            return Some(place);
        }
        place.byte -= c.len_utf8();
        place.char -= 1;
    }
    last_grapheme(text, start, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_a_reader_would_say_so() {
        for (line, rest) in [
            ("Foi assim.", " Depois veio"),
            ("É mesmo?", " sim"),
            ("He said \"no.\"", " Then"),
            ("Acabou em 2024.", " O ano"),
            ("Lei 14.688.", " Ela"),
        ] {
            assert!(ends_sentence(line, rest), "{line:?} {rest:?}");
        }
        for (line, rest) in [
            ("o Dr.", " Silva"),
            ("a Profa.", " Ana"),
            ("J.", " Doe"),
            ("e.g.", " Rust"),
            ("U.S.", " Army"),
            ("pág.", " 12"),
            ("1.", " Item"),
            ("etc.", " e tal"),
            ("uma vírgula,", " Depois"),
            ("versão 2.0.", " mas"),
        ] {
            assert!(!ends_sentence(line, rest), "{line:?} {rest:?}");
        }
    }

    #[test]
    fn the_list_of_abbreviations_has_no_doubles() {
        let mut seen = std::collections::HashSet::new();
        assert!(ABBREVIATIONS.iter().all(|word| seen.insert(word)));
    }
}
