//! Where sentences end.

/// What ends with a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// A sentence.
    Sentence,
    /// Nothing, since its full stop is that of an abbreviation: what follows belongs to it.
    Abbreviation,
    /// The word alone.
    Word,
}

/// What ends with `line`, where `rest`, which starts with white space, follows.
///
/// After Unicode Standard Annex 29, rules SB6 to SB11: a full stop ends no sentence when a lower-case letter or a comma
/// follows; beyond the annex, it ends none after an abbreviation, an initial or a list number.
pub(super) fn ending(line: &str, rest: &str) -> Ending {
    let stem = line.trim_end_matches(CLOSERS);
    let Some(stop) = stem.chars().next_back() else { return Ending::Word };
    let mut next = rest.chars().take(LOOK_AHEAD).skip_while(|c| c.is_whitespace() || OPENERS.contains(c));
    let mut goes_on = || next.next().is_some_and(|c| c.is_lowercase() || matches!(c, ',' | ';' | ':'));
    match stop {
        '.' if is_abbreviation(stem, next_is_number(rest)) => Ending::Abbreviation,
        '.' | '…' if goes_on() => Ending::Word,
        '.' | '…' => Ending::Sentence,
        _ if is_stop(stop) => Ending::Sentence,
        _ => Ending::Word,
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
const ABBREVIATIONS: [&str; 84] = [
    "al", "apto", "approx", "aprox", "arq", "art", "arts", "av", "ave", "blvd", "cap", "capt", "cel", "cf", "cia",
    "cl", "col", "corp", "cód", "dep", "dept", "des", "dr", "dra", "dras", "drs", "ed", "eng", "esq", "exa", "exma",
    "exmo", "fig", "figs", "fl", "fls", "gen", "gov", "hon", "ilma", "ilmo", "inc", "inst", "jr", "lic", "lt",
    "ltd", "ltda", "maj", "messrs", "mr", "mrs", "ms", "mt", "nº", "nr", "núm", "obs", "op", "org", "pe", "pres",
    "prof", "profa", "profs", "pág", "págs", "pp", "ref", "rep", "rev", "sen", "sgt", "sr", "sra", "srs", "srta",
    "st", "sta", "sto", "séc", "tel", "vol", "vs",
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
    let last = line.rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = last.trim_start_matches(|c: char| !c.is_alphanumeric());
    let stem = word.trim_end_matches('.');
    let mut chars = stem.chars();
    match (chars.next(), chars.next()) {
        // A lone stop, or a single letter or digit: an initial, `1.`.
        (None, _) | (Some(_), None) => return true,
        _ => {}
    }
    if stem.len() <= 3 && stem.bytes().all(|b| b.is_ascii_digit()) {
        // `12.` at the start of a line numbers an item; at the end of one it is a number.
        let before = line.strip_suffix(last).unwrap_or_default().trim_end_matches([' ', '\t', '>', '#']);
        return before.is_empty() || before.ends_with(['\n', '\r']);
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
            ("Foram 10\u{a0}km.", " Depois"),
        ] {
            assert_eq!(ending(line, rest), Ending::Sentence, "{line:?} {rest:?}");
        }
        for (line, rest) in [
            ("o Dr.", " Silva"),
            ("(o Dr.)", " Silva"),
            ("a Profa.", " Ana"),
            ("J.", " Doe"),
            ("e.g.", " Rust"),
            ("e.g.", " rust"),
            ("U.S.", " Army"),
            ("pág.", " 12"),
            ("1.", " Item"),
            ("> 12.", " Item"),
            ("antes\n  12.", " Item"),
            ("No.", " 5"),
            ("Smith et al.", " (2020)"),
            ("custa aprox.", " R$ 5"),
            ("e ...", " Depois"),
        ] {
            assert_eq!(ending(line, rest), Ending::Abbreviation, "{line:?} {rest:?}");
        }
        for (line, rest) in [
            ("uma vírgula,", " Depois"),
            ("versão 2.0.", " mas"),
            ("não sei…", " talvez"),
            ("não sei...", " talvez"),
            ("disse “não.”", " e saiu"),
            ("a frase.", " (e mais)"),
            ("ponto.", " , e"),
            ("", " x"),
        ] {
            assert_eq!(ending(line, rest), Ending::Word, "{line:?} {rest:?}");
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
