//! Where sentences end.

/// True when `line` ends a sentence and `rest`, which starts with white space, begins another.
///
/// After Unicode Standard Annex 29, rules SB6 to SB11: a full stop ends nothing when a lower-case letter or a comma
/// follows; beyond the annex, it ends nothing after an abbreviation, an initial or a list number.
pub(super) fn ends_sentence(line: &str, rest: &str) -> bool {
    let stem = line.trim_end_matches(CLOSERS);
    let Some(stop) = stem.chars().next_back() else { return false };
    let mut next = rest.chars().take(LOOK_AHEAD).skip_while(|c| c.is_whitespace() || OPENERS.contains(c));
    match stop {
        '.' | '…' => {
            !next.next().is_some_and(|c| c.is_lowercase() || matches!(c, ',' | ';' | ':'))
                && (stop == '…' || !is_abbreviation(stem, next_is_number(rest)))
        }
        _ => is_stop(stop),
    }
}

/// Quotes, brackets and emphasis that may stand between a stop and the space after it, or before a sentence.
const CLOSERS: [char; 13] = ['"', '\'', '”', '’', '»', ')', ']', '*', '_', '」', '』', '）', '】'];
const OPENERS: [char; 9] = ['"', '\'', '“', '‘', '«', '(', '[', '*', '_'];

/// Characters looked at for the start of the next sentence: enough for spaces, quotes and a bracket.
const LOOK_AHEAD: usize = 16;

/// True for a mark that ends a sentence whatever follows: the commoner ones of the annex's class `STerm`.
fn is_stop(c: char) -> bool {
    matches!(c, '!' | '?' | '‽' | '؟' | '۔' | '।' | '॥' | '։' | '።') || is_full_width_stop(c)
}

/// Stops of scripts that put no space between sentences.
pub(super) fn is_full_width_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '．' | '｡')
}

/// True for a mark that closes what a stop before it ended.
pub(super) fn is_closer(c: char) -> bool {
    CLOSERS.contains(&c)
}

fn next_is_number(rest: &str) -> bool {
    rest.trim_start().chars().next().is_some_and(char::is_numeric)
}

/// Abbreviations of Portuguese, English and Spanish that a capital or a number may follow, without their full stop.
#[rustfmt::skip]
const ABBREVIATIONS: [&str; 71] = [
    "al", "apto", "approx", "arq", "art", "arts", "av", "ave", "blvd", "cap", "cel", "cf", "cia", "cl", "col", "corp",
    "dept", "dr", "dra", "dras", "drs", "ed", "eng", "esq", "exa", "exmo", "fig", "figs", "fl", "fls", "gen",
    "gov", "hon", "ilmo", "inc", "inst", "jr", "lic", "lt", "ltd", "ltda", "maj", "mr", "mrs", "ms", "mt", "nº", "nr",
    "obs", "op", "org", "prof", "profa", "profs", "pág", "págs", "pp", "ref", "rev", "sen", "sgt", "sr", "sra", "srs",
    "srta", "st", "sto", "séc", "tel", "vol", "vs",
];

/// Words that are an abbreviation only before a number: `No. 5`, `sec. 3`, `jan. 2024`.
#[rustfmt::skip]
const BEFORE_NUMBERS: [&str; 27] = [
    "abr", "ago", "apr", "aug", "dec", "dez", "eq", "feb", "fev", "jan", "jul", "jun", "mai", "mar", "may", "no",
    "nos", "nov", "oct", "out", "par", "sec", "sep", "sept", "set", "tab", "ver",
];

/// True when the full stop that ends `line` is that of `Dr.`, `J.`, `e.g.`, `U.S.`, `No.` before a number, or of
/// the number of a list's item.
fn is_abbreviation(line: &str, before_number: bool) -> bool {
    let word_start = line.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let word = line.get(word_start..).unwrap_or_default().trim_start_matches(|c: char| !c.is_alphanumeric());
    let stem = word.trim_end_matches('.');
    let mut chars = stem.chars();
    match (chars.next(), chars.next()) {
        // A lone stop, or a single letter or digit: an initial, `1.`.
        (None, _) | (Some(_), None) => return true,
        _ => {}
    }
    if stem.len() <= 3 && stem.bytes().all(|b| b.is_ascii_digit()) {
        // `12.` at the start of a line numbers an item; at the end of one it is a number.
        let before = line.get(..word_start).unwrap_or_default();
        return before.is_empty() || before.trim_end_matches([' ', '\t', '>', '#']).ends_with('\n');
    }
    let dotted = stem.contains('.') && stem.split('.').all(|part| part.chars().count() <= 2);
    if dotted && !stem.chars().any(char::is_numeric) {
        return true;
    }
    // No word of the lists is longer than six letters; a long word is not copied to find that out.
    if stem.len() > 12 {
        return false;
    }
    let stem = stem.to_lowercase();
    ABBREVIATIONS.contains(&stem.as_str()) || (before_number && BEFORE_NUMBERS.contains(&stem.as_str()))
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
            ("Tenho 12.", " Você tem"),
            ("Lei 14.688.", " Ela"),
            ("Não sei…", " Talvez"),
            ("He said no.", " Then"),
            ("यह है।", " और"),
            ("Veja **isto.**", " *Depois* veio"),
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
            ("antes\n  12.", " Item"),
            ("etc.", " e tal"),
            ("uma vírgula,", " Depois"),
            ("versão 2.0.", " mas"),
            ("não sei…", " talvez"),
            ("No.", " 5"),
            ("Smith et al.", " (2020)"),
            ("ponto.", " , e"),
        ] {
            assert!(!ends_sentence(line, rest), "{line:?} {rest:?}");
        }
    }

    #[test]
    fn the_lists_have_no_doubles_and_no_word_too_long_to_be_looked_up() {
        for list in [ABBREVIATIONS.as_slice(), &BEFORE_NUMBERS] {
            let mut seen = std::collections::HashSet::new();
            assert!(list.iter().all(|word| seen.insert(word) && word.len() <= 12));
        }
    }
}
